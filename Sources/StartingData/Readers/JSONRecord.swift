import Foundation

/// The current record of a JSON source, with its objects flattened: the field `{"country": {"isoCode": "IS"}}` is the
/// column `country.isoCode`. An empty object is a field of its own, an array is one `.list`.
struct JSONRecord: ~Copyable {
    /// The columns of all records so far.
    var columns: [String] { paths.columns }
    /// The number of fields.
    var count: Int { fields.count }
    private var fields: [JSONField] = []
    private var nested: [FieldValue] = []
    private var decoded = ByteBuffer()
    private var paths = FieldPaths()
    private var path = ByteBuffer()
    private var previousPath = -1
    private var number = 0

    init() {}

    /// Forgets the fields.
    mutating func clear() {
        fields.removeAll(keepingCapacity: true)
        nested.removeAll(keepingCapacity: true)
        decoded.removeAll()
        path.removeAll()
        previousPath = -1
        number += 1
    }

    /// Reads an object that is nested `depth` deep; the cursor is behind its `{`.
    mutating func read(_ cursor: inout JSONCursor, depth: Int) throws(JSONFault) {
        clear()
        guard !cursor.skip("}") else { return }
        try readMembers(&cursor, depth: depth)
    }

    /// The index of the column of a field.
    func column(at index: Int) -> Int {
        fields[index].column
    }

    /// The offset of a field in the file.
    func origin(at index: Int) -> Int {
        fields[index].origin
    }

    /// The value of a field.
    func value(at index: Int, in base: UnsafeRawPointer) -> FieldValue {
        let field = fields[index]
        switch field.form {
        case .null: return .null
        case .yes: return .boolean(true)
        case .no: return .boolean(false)
        case .number: return .number(UnsafeRawBufferPointer(start: base + field.start, count: field.end - field.start))
        case .text: return .text(UnsafeRawBufferPointer(start: base + field.start, count: field.end - field.start))
        case .decodedText: return .text(UnsafeRawBufferPointer(rebasing: decoded.bytes[field.start..<field.end]))
        case .nested: return nested[field.start]
        }
    }
}

extension JSONRecord {
    /// Reads the members of an object that isn't empty, and its `}`.
    private mutating func readMembers(_ cursor: inout JSONCursor, depth: Int) throws(JSONFault) {
        guard depth <= JSONCursor.depthLimit else { throw cursor.tooDeep }
        let prefix = path.count
        repeat {
            let key = try cursor.readString("a key in quotation marks")
            path.truncate(to: prefix)
            let index = try enter(key, cursor)
            try cursor.require(":", "a colon after the key")
            cursor.skipSpace()
            try readValue(&cursor, path: index, depth: depth)
        } while cursor.skip(",")
        try cursor.require("}", "a comma or } after the value")
        path.truncate(to: prefix)
    }

    /// Adds a key to the path; the index of the path.
    private mutating func enter(_ key: JSONString, _ cursor: JSONCursor) throws(JSONFault) -> Int {
        guard key.end > key.start else { throw JSONFault(offset: key.start - 1, message: "an empty key") }
        if path.count > 0 { path.append(UInt8(ascii: ".")) }
        if key.hasEscapes {
            cursor.decode(key, into: &path)
        } else {
            path.append(cursor.base + key.start, key.end - key.start)
        }
        guard path.count <= FieldPaths.lengthLimit else {
            throw JSONFault(offset: key.start - 1, message: "a path of more than \(FieldPaths.lengthLimit) bytes")
        }
        let index = paths.index(of: path.bytes, after: previousPath)
        previousPath = index
        guard paths.mark(index, in: number) else {
            let name = String(decoding: path.bytes, as: UTF8.self)
            throw JSONFault(offset: key.start - 1, message: "the key \(name) occurs twice in one object", value: name)
        }
        return index
    }

    private mutating func readValue(_ cursor: inout JSONCursor, path: Int, depth: Int) throws(JSONFault) {
        let origin = cursor.offset
        switch cursor.byte {
        case UInt8(ascii: "{"):
            cursor.offset += 1
            guard cursor.skip("}") else { return try readMembers(&cursor, depth: depth + 1) }
            addNested(.object([]), path, origin)
        case UInt8(ascii: "["):
            guard case .list(let values) = try cursor.readOwnedValue(depth: depth + 1) else { return }
            addNested(.list(values), path, origin)
        case UInt8(ascii: "\""):
            addText(try cursor.readString("a string"), path, origin, cursor)
        case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")):
            try cursor.readNumber()
            add(.number, path, origin, origin, cursor.offset)
        default:
            let word = try cursor.readWord()
            add(word.map { $0 ? .yes : .no } ?? .null, path, origin, origin, cursor.offset)
        }
    }

    private mutating func addText(_ string: JSONString, _ path: Int, _ origin: Int, _ cursor: JSONCursor) {
        guard string.hasEscapes else { return add(.text, path, origin, string.start, string.end) }
        let start = decoded.count
        cursor.decode(string, into: &decoded)
        add(.decodedText, path, origin, start, decoded.count)
    }

    private mutating func addNested(_ value: FieldValue, _ path: Int, _ origin: Int) {
        nested.append(value)
        add(.nested, path, origin, nested.count - 1, nested.count - 1)
    }

    private mutating func add(_ form: JSONField.Form, _ path: Int, _ origin: Int, _ start: Int, _ end: Int) {
        fields.append(JSONField(column: paths.column(of: path), form: form, origin: origin, start: start, end: end))
    }
}
