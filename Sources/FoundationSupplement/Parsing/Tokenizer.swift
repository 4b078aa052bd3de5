/// Cuts the text of a predicate into tokens.
///
/// The whole text is cut before parsing starts: the language's tokens don't depend on where they stand.
struct Tokenizer {
    private let format: String
    private let scalars: [Unicode.Scalar]
    private var position = 0

    init(_ format: String) {
        self.format = format
        scalars = Array(format.unicodeScalars)
    }

    /// All tokens of the text; the last one is `.end`.
    ///
    /// - Throws: ``PredicateFormatError`` for an unterminated string, a bad escape, number or specifier, and for
    ///   characters that belong to no token.
    mutating func tokens() throws -> [Token] {
        var tokens: [Token] = []
        while true {
            skipWhiteSpace()
            let start = position
            guard let scalar = peek() else {
                tokens.append(Token(kind: .end, start: start, end: start))
                return tokens
            }
            let kind = try token(startingWith: scalar)
            tokens.append(Token(kind: kind, start: start, end: position))
        }
    }

    /// The error for a place given in Unicode scalars.
    static func error(_ format: String, at offset: Int, _ reason: String) -> PredicateFormatError {
        let scalars = format.unicodeScalars
        let index = scalars.index(scalars.startIndex, offsetBy: offset, limitedBy: scalars.endIndex) ?? scalars.endIndex
        return PredicateFormatError(format: format, position: String(scalars[..<index]).count, reason: reason)
    }

    private func error(at offset: Int, _ reason: String) -> PredicateFormatError {
        Self.error(format, at: offset, reason)
    }

    // MARK: Reading scalars

    private func peek(_ ahead: Int = 0) -> Unicode.Scalar? {
        position + ahead < scalars.count ? scalars[position + ahead] : nil
    }

    private mutating func skipWhiteSpace() {
        while let scalar = peek(), scalar.properties.isWhitespace { position += 1 }
    }

    private mutating func take(while condition: (Unicode.Scalar) -> Bool) -> String {
        var text = String.UnicodeScalarView()
        while let scalar = peek(), condition(scalar) {
            text.append(scalar)
            position += 1
        }
        return String(text)
    }

    private static func isIdentifierStart(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "_": true
        default: false
        }
    }

    private static func isIdentifierPart(_ scalar: Unicode.Scalar) -> Bool {
        isIdentifierStart(scalar) || isDigit(scalar)
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
        ("0"..."9").contains(scalar)
    }

    // MARK: Tokens

    private mutating func token(startingWith scalar: Unicode.Scalar) throws -> Token.Kind {
        switch scalar {
        case "'", "\"":
            return .string(try string(quote: scalar))
        case "%":
            return .specifier(try specifier())
        case "$":
            return .variable(try name(after: scalar))
        case "@":
            return .collectionOperator(try name(after: scalar))
        case "#":
            return .escaped(try name(after: scalar))
        case _ where Self.isIdentifierStart(scalar):
            return .identifier(take(while: Self.isIdentifierPart))
        case _ where Self.isDigit(scalar):
            return .number(try number())
        default:
            return .symbol(try symbol())
        }
    }

    private mutating func name(after mark: Unicode.Scalar) throws -> String {
        let start = position
        position += 1
        let name = take(while: Self.isIdentifierPart)
        guard let first = name.unicodeScalars.first, Self.isIdentifierStart(first) else {
            throw error(at: start, "a name must follow \"\(mark)\"")
        }
        return name
    }

    private mutating func symbol() throws -> Token.Symbol {
        if let first = peek(), let second = peek(1) {
            let pair = String(Character(first)) + String(Character(second))
            if let symbol = Token.Symbol(rawValue: pair) {
                position += 2
                return symbol
            }
        }
        guard let first = peek(), let symbol = Token.Symbol(rawValue: String(Character(first))) else {
            throw error(at: position, "unexpected character")
        }
        position += 1
        return symbol
    }

    // MARK: Numbers

    private mutating func number() throws -> NumericLiteral {
        let start = position
        if peek() == "0", let radix = peek(1).flatMap({ Self.radixes[$0] }) {
            position += 2
            let digits = take(while: Self.isIdentifierPart)
            guard let value = UInt64(digits, radix: radix) else { throw error(at: start, "malformed number") }
            return .integer(value)
        }
        var text = take(while: Self.isDigit)
        var isReal = false
        if peek() == ".", let next = peek(1), Self.isDigit(next) {
            position += 1
            text += "." + take(while: Self.isDigit)
            isReal = true
        }
        if let exponent = exponent() {
            text += exponent
            isReal = true
        }
        if let next = peek(), Self.isIdentifierStart(next) { throw error(at: start, "malformed number") }
        if !isReal, let value = UInt64(text) { return .integer(value) }
        guard let value = Double(text) else { throw error(at: start, "malformed number") }
        return .real(value)
    }

    private static let radixes: [Unicode.Scalar: Int] = ["x": 16, "X": 16, "o": 8, "O": 8, "b": 2, "B": 2]

    /// `e-5`, when it stands here; without digits nothing is taken.
    private mutating func exponent() -> String? {
        guard let mark = peek(), mark == "e" || mark == "E" else { return nil }
        var ahead = 1
        var sign = ""
        if let scalar = peek(1), scalar == "+" || scalar == "-" {
            sign = String(Character(scalar))
            ahead = 2
        }
        guard let digit = peek(ahead), Self.isDigit(digit) else { return nil }
        position += ahead
        return "e" + sign + take(while: Self.isDigit)
    }

    // MARK: Specifiers

    private mutating func specifier() throws -> FormatSpecifier {
        let start = position
        position += 1
        _ = take { "hlqLztj".unicodeScalars.contains($0) }
        let hasLength = position > start + 1
        guard let conversion = peek() else { throw error(at: start, "incomplete format specifier") }
        position += 1
        switch conversion {
        case "@" where !hasLength: return .object
        case "K" where !hasLength: return .keyPath
        case "d", "D", "i", "u", "U", "x", "X", "o", "O": return .integer
        case "f", "F", "e", "E", "g", "G", "a", "A": return .real
        case "c", "C": return .character
        case "s", "S": return .text
        default: throw error(at: start, "unknown format specifier")
        }
    }

    // MARK: Strings

    private mutating func string(quote: Unicode.Scalar) throws -> String {
        let start = position
        position += 1
        var text = String.UnicodeScalarView()
        while let scalar = peek() {
            position += 1
            if scalar == quote { return String(text) }
            text.append(scalar == "\\" ? try escape() : scalar)
        }
        throw error(at: start, "unterminated string")
    }

    /// The scalar that an escape stands for; the backslash has been read.
    private mutating func escape() throws -> Unicode.Scalar {
        let start = position - 1
        guard let letter = peek() else { throw error(at: start, "unterminated string") }
        position += 1
        switch letter {
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
        default: return letter  // As in C compilers: an unknown escape is the character itself.
        }
    }

    private mutating func octal(from start: Int) throws -> Unicode.Scalar {
        var value: UInt32 = 0
        var digits = 0
        while digits < 3, let scalar = peek(), ("0"..."7").contains(scalar) {
            value = value * 8 + (scalar.value - 48)
            position += 1
            digits += 1
        }
        guard value < 256, let scalar = Unicode.Scalar(value) else { throw error(at: start, "bad octal escape") }
        return scalar
    }

    private mutating func hexadecimal(digits: Int, from start: Int) throws -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<digits {
            guard let digit = peek().flatMap({ Character($0).hexDigitValue }), peek()?.isASCII == true else {
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
        guard unit < 0xDC00, peek() == "\\", let mark = peek(1), mark == "u" || mark == "U" else {
            throw error(at: start, "lone surrogate")
        }
        position += 2
        let low = try hexadecimal(digits: 4, from: start)
        guard (0xDC00...0xDFFF).contains(low),
            let scalar = Unicode.Scalar(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00))
        else { throw error(at: start, "lone surrogate") }
        return scalar
    }
}
