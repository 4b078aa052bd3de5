extension Tokenizer {
    /// Reads a string literal from its opening quote.
    mutating func string(quote: UInt8) throws -> String {
        let start = position
        position += 1
        let textStart = position
        while let byte = peek() {
            if byte == quote {
                position += 1
                return String(decoding: bytes[textStart..<position - 1], as: UTF8.self)
            }
            if byte == UInt8(ascii: "\\") { return try escapedString(quote: quote, from: start) }
            position += 1
        }
        throw error(at: start, "unterminated string")
    }

    /// Reads on at the first backslash of a string that starts at a place.
    private mutating func escapedString(quote: UInt8, from start: Int) throws -> String {
        var text = Array(bytes[start + 1..<position])
        while let byte = peek() {
            position += 1
            if byte == quote { return String(decoding: text, as: UTF8.self) }
            if byte == UInt8(ascii: "\\") {
                text.append(contentsOf: Array(String(Character(try escape())).utf8))
            } else {
                text.append(byte)
            }
        }
        throw error(at: start, "unterminated string")
    }

    /// The character that an escape stands for; the backslash has been read.
    private mutating func escape() throws -> Unicode.Scalar {
        let start = position - 1
        guard let letter = peek() else { throw error(at: start, "unterminated string") }
        position += 1
        switch Unicode.Scalar(letter) {
        case "n": return "\n"
        case "t": return "\t"
        case "r": return "\r"
        case "a": return "\u{07}"
        case "b": return "\u{08}"
        case "f": return "\u{0C}"
        case "v": return "\u{0B}"
        case "x", "X": return Unicode.Scalar(UInt8(try hexadecimal(digits: 2, from: start)))
        case "u", "U": return try unicodeEscape(from: start)
        case "0"..."7":
            position -= 1
            return try octal(from: start)
        default:
            // As in C compilers: an unknown escape is the character itself.
            position -= 1
            let (scalar, length) = scalarAtPosition()
            position += length
            return scalar
        }
    }

    private mutating func octal(from start: Int) throws -> Unicode.Scalar {
        var value: UInt32 = 0
        var digits = 0
        while digits < 3, let byte = peek(), (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(byte) {
            value = value * 8 + UInt32(byte - UInt8(ascii: "0"))
            position += 1
            digits += 1
        }
        guard value < 256, let scalar = Unicode.Scalar(value) else { throw error(at: start, "bad octal escape") }
        return scalar
    }

    private mutating func hexadecimal(digits: Int, from start: Int) throws -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<digits {
            guard let byte = peek(), byte < 0x80, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw error(at: start, "the escape needs \(digits) hexadecimal digits")
            }
            value = value * 16 + UInt32(digit)
            position += 1
        }
        return value
    }

    private mutating func unicodeEscape(from start: Int) throws -> Unicode.Scalar {
        let unit = try hexadecimal(digits: 4, from: start)
        if let scalar = Unicode.Scalar(unit) { return scalar }
        // A character outside the basic plane is written as two escapes, its UTF-16 units.
        guard unit < 0xDC00, peek() == UInt8(ascii: "\\"), let mark = peek(1),
            mark == UInt8(ascii: "u") || mark == UInt8(ascii: "U")
        else { throw error(at: start, "lone surrogate") }
        position += 2
        let low = try hexadecimal(digits: 4, from: start)
        guard (0xDC00...0xDFFF).contains(low),
            let scalar = Unicode.Scalar(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00))
        else { throw error(at: start, "lone surrogate") }
        return scalar
    }
}
