extension JSONCursor {
    /// The fault that values are nested too deep.
    var tooDeep: JSONFault {
        JSONFault(offset: offset, message: "nested more than \(Self.depthLimit) deep")
    }

    /// Reads a value of any kind; the cursor is at its first byte. An array or object is nested `depth` deep.
    mutating func readOwnedValue(depth: Int) throws(JSONFault) -> OwnedValue {
        switch byte {
        case UInt8(ascii: "{"):
            return .object(try readOwnedObject(depth: depth))
        case UInt8(ascii: "["):
            return .list(try readOwnedList(depth: depth))
        case UInt8(ascii: "\""):
            return .text(text(of: try readString("a string")))
        case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")):
            let start = offset
            try readNumber()
            return .number(text(of: JSONString(start: start, end: offset, hasEscapes: false)))
        default:
            return try readWord().map { .boolean($0) } ?? .null
        }
    }

    private mutating func readOwnedList(depth: Int) throws(JSONFault) -> [OwnedValue] {
        guard depth <= Self.depthLimit else { throw tooDeep }
        offset += 1
        guard !skip("]") else { return [] }
        var values: [OwnedValue] = []
        repeat {
            skipSpace()
            values.append(try readOwnedValue(depth: depth + 1))
        } while skip(",")
        try require("]", "a comma or ] after the value")
        return values
    }

    private mutating func readOwnedObject(depth: Int) throws(JSONFault) -> [OwnedField] {
        guard depth <= Self.depthLimit else { throw tooDeep }
        offset += 1
        guard !skip("}") else { return [] }
        var fields: [OwnedField] = []
        var keys: Set<String> = []
        repeat {
            let key = try readString("a key in quotation marks")
            let name = text(of: key)
            guard keys.insert(name).inserted else {
                throw JSONFault(
                    offset: key.start - 1, message: "the key \(name) occurs twice in one object", value: name)
            }
            try require(":", "a colon after the key")
            skipSpace()
            fields.append(OwnedField(key: name, value: try readOwnedValue(depth: depth + 1)))
        } while skip(",")
        try require("}", "a comma or } after the value")
        return fields
    }
}
