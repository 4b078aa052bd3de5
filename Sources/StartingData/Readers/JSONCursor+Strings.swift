import Foundation

private let quotationMark = UInt8(ascii: "\"")
private let backslash = UInt8(ascii: "\\")

extension JSONCursor {
    /// Skips space and reads a string, checking its escapes and its UTF-8.
    mutating func readString(_ expectation: @autoclosure () -> String) throws(JSONFault) -> JSONString {
        try require("\"", expectation())
        let start = offset
        var gathered: UInt64 = 0
        var hasEscapes = false
        while true {
            findEndOfPlainText(gathering: &gathered)
            guard let byte else {
                throw JSONFault(offset: start - 1, message: "the string that begins here is never closed")
            }
            if byte == quotationMark { break }
            guard byte == backslash else {
                throw JSONFault(
                    offset: offset, message: "a control character in a string, which must be written as an escape",
                    value: "byte 0x" + String(byte, radix: 16, uppercase: true))
            }
            hasEscapes = true
            offset += try escape(at: offset).length
        }
        if ByteSearch.nonASCII(gathered) != 0, let fault = UTF8Validation.firstFault(in: base, from: start, to: offset)
        {
            let byte = base.load(fromByteOffset: fault, as: UInt8.self)
            throw JSONFault(
                offset: fault, message: "not UTF-8", value: "byte 0x" + String(byte, radix: 16, uppercase: true))
        }
        offset += 1
        return JSONString(start: start, end: offset - 1, hasEscapes: hasEscapes)
    }

    /// Adds the decoded text of a string that has been read to a buffer.
    func decode(_ string: JSONString, into buffer: inout ByteBuffer) {
        var cursor = string.start
        while cursor < string.end {
            let rest = base + cursor
            let found = memchr(rest, Int32(backslash), string.end - cursor)
            let length = found.map { UnsafeRawPointer($0) - rest } ?? string.end - cursor
            buffer.append(rest, length)
            cursor += length
            guard cursor < string.end, let escape = try? escape(at: cursor) else { return }
            for unit in String(escape.scalar).utf8 { buffer.append(unit) }
            cursor += escape.length
        }
    }

    /// The decoded text of a string that has been read.
    func text(of string: JSONString) -> String {
        guard string.hasEscapes else {
            let bytes = UnsafeRawBufferPointer(start: base + string.start, count: string.end - string.start)
            return String(decoding: bytes, as: UTF8.self)
        }
        var buffer = ByteBuffer()
        decode(string, into: &buffer)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    /// Moves on to the next quotation mark, backslash or control character.
    @inline(__always)
    private mutating func findEndOfPlainText(gathering gathered: inout UInt64) {
        let quotes = ByteSearch.pattern(quotationMark)
        let backslashes = ByteSearch.pattern(backslash)
        while offset &+ 8 <= end {
            let word = ByteSearch.load(base, offset)
            gathered |= word
            let stops =
                ByteSearch.equal(word, quotes) | ByteSearch.equal(word, backslashes) | ByteSearch.below(word, 0x20)
            guard stops == 0 else {
                offset &+= ByteSearch.first(stops)
                return
            }
            offset &+= 8
        }
        while let byte, byte != quotationMark, byte != backslash, byte >= 0x20 {
            gathered |= UInt64(byte)
            offset &+= 1
        }
    }

    /// The character that an escape at an offset stands for, and the length of the escape.
    private func escape(at start: Int) throws(JSONFault) -> (scalar: Unicode.Scalar, length: Int) {
        let letter = start + 1 < end ? base.load(fromByteOffset: start + 1, as: UInt8.self) : 0
        switch letter {
        case quotationMark, backslash, UInt8(ascii: "/"): return (Unicode.Scalar(letter), 2)
        case UInt8(ascii: "b"): return ("\u{8}", 2)
        case UInt8(ascii: "f"): return ("\u{C}", 2)
        case UInt8(ascii: "n"): return ("\n", 2)
        case UInt8(ascii: "r"): return ("\r", 2)
        case UInt8(ascii: "t"): return ("\t", 2)
        case UInt8(ascii: "u"): return try unicodeEscape(at: start)
        default: throw JSONFault(offset: start, message: "no such escape in a string")
        }
    }

    private func unicodeEscape(at start: Int) throws(JSONFault) -> (scalar: Unicode.Scalar, length: Int) {
        guard let unit = codeUnit(at: start) else {
            throw JSONFault(offset: start, message: "an escape \\u needs four hexadecimal digits")
        }
        if let scalar = Unicode.Scalar(unit) { return (scalar, 6) }
        guard UTF16.isLeadSurrogate(unit), let trail = codeUnit(at: start + 6), UTF16.isTrailSurrogate(trail) else {
            throw JSONFault(offset: start, message: "half of a surrogate pair in a string")
        }
        return (UTF16.decode(UTF16.EncodedScalar([unit, trail])), 12)
    }

    /// The code unit of an escape `\uXXXX` at an offset, if there is one.
    private func codeUnit(at start: Int) -> UInt16? {
        guard start + 6 <= end, base.load(fromByteOffset: start, as: UInt8.self) == backslash,
            base.load(fromByteOffset: start + 1, as: UInt8.self) == UInt8(ascii: "u")
        else { return nil }
        var unit: UInt16 = 0
        for index in 2..<6 {
            let digit = Character(Unicode.Scalar(base.load(fromByteOffset: start + index, as: UInt8.self)))
            guard digit.isASCII, let value = digit.hexDigitValue else { return nil }
            unit = unit << 4 | UInt16(value)
        }
        return unit
    }
}
