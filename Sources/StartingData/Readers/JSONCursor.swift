import Foundation

/// A place in a JSON text, with the steps of RFC 8259 from there. Nothing is accepted that the standard doesn't have.
struct JSONCursor {
    /// How deep arrays and objects may be nested.
    static let depthLimit = 512

    let base: UnsafeRawPointer
    /// Where the text ends.
    var end: Int
    /// The offset of the byte that comes next.
    var offset: Int
    /// What `end` is the end of, in words.
    var nameOfEnd = "file"

    /// The byte that comes next; `nil` at the end.
    @inline(__always)
    var byte: UInt8? {
        offset < end ? base.load(fromByteOffset: offset, as: UInt8.self) : nil
    }

    /// Skips spaces, tabs and line breaks.
    @inline(__always)
    mutating func skipSpace() {
        while let byte, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset &+= 1 }
    }

    /// Skips space and then an ASCII character, if it is the next one.
    @inline(__always)
    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard byte == UInt8(ascii: character) else { return false }
        offset &+= 1
        return true
    }

    /// Skips space and an ASCII character, which must be the next one.
    @inline(__always)
    mutating func require(_ character: Unicode.Scalar, _ expectation: @autoclosure () -> String) throws(JSONFault) {
        guard skip(character) else { throw unexpected(expectation()) }
    }

    /// Reads a number; its text is what lies between the offset before and the offset after.
    mutating func readNumber() throws(JSONFault) {
        if byte == UInt8(ascii: "-") { offset += 1 }
        if byte == UInt8(ascii: "0") {
            offset += 1
            guard !isDigit else { throw JSONFault(offset: offset - 1, message: "a number can't begin with 0") }
        } else {
            try readDigits()
        }
        if byte == UInt8(ascii: ".") {
            offset += 1
            try readDigits()
        }
        if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
            offset += 1
            if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { offset += 1 }
            try readDigits()
        }
    }

    /// Reads one of the words `true`, `false` and `null`.
    mutating func readWord() throws(JSONFault) -> Bool? {
        let words: [(StaticString, Bool?)] = [("true", true), ("false", false), ("null", nil)]
        for (word, meaning) in words where offset + word.utf8CodeUnitCount <= end {
            guard memcmp(base + offset, word.utf8Start, word.utf8CodeUnitCount) == 0 else { continue }
            offset += word.utf8CodeUnitCount
            return meaning
        }
        throw unexpected("a value")
    }

    /// The fault that something else comes next than what was expected.
    func unexpected(_ expectation: String) -> JSONFault {
        JSONFault(offset: offset, message: "expected \(expectation), but found \(descriptionOfNext)")
    }

    /// What kind of value comes next, in words.
    var descriptionOfNext: String {
        guard let byte else { return "the end of the \(nameOfEnd)" }
        switch byte {
        case UInt8(ascii: "{"): return "an object"
        case UInt8(ascii: "["): return "an array"
        case UInt8(ascii: "\""): return "a string"
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return "a number"
        case 0x21...0x7E:
            let word = (offset..<min(end, offset + 20)).prefix { isWordByte(at: $0) }
            guard word.count > 1 else { return String(Unicode.Scalar(byte)) }
            return String(decoding: UnsafeRawBufferPointer(start: base + offset, count: word.count), as: UTF8.self)
        default: return "byte 0x" + String(byte, radix: 16, uppercase: true)
        }
    }

    private func isWordByte(at offset: Int) -> Bool {
        let scalar = Unicode.Scalar(base.load(fromByteOffset: offset, as: UInt8.self))
        return scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
    }

    private var isDigit: Bool {
        guard let byte else { return false }
        return byte &- 0x30 < 10
    }

    private mutating func readDigits() throws(JSONFault) {
        guard isDigit else { throw unexpected("a digit") }
        while isDigit { offset &+= 1 }
    }
}
