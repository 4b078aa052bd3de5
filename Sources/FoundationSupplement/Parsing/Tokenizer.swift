/// Cuts the text of a predicate into tokens.
///
/// The whole text is cut before parsing starts: the language's tokens don't depend on where they stand. All of them but
/// string literals are ASCII, so the text is looked at as bytes of UTF-8.
struct Tokenizer {
    private let format: String
    let bytes: [UInt8]
    var position = 0

    init(_ format: String) {
        self.format = format
        bytes = Array(format.utf8)
    }

    /// All tokens of the text; the last one is `.end`.
    ///
    /// - Throws: ``PredicateFormatError`` for an unterminated string, a bad escape, number or specifier, and for
    ///   characters that belong to no token.
    mutating func tokens() throws -> [Token] {
        var tokens: [Token] = []
        tokens.reserveCapacity(min(bytes.count / 4 + 4, 256))
        while true {
            skipWhiteSpace()
            let start = position
            guard let byte = peek() else {
                tokens.append(Token(kind: .end, start: start, end: start))
                return tokens
            }
            let kind = try token(startingWith: byte)
            let keyword = Self.isIdentifierStart(byte) ? ReservedWords.keyword(bytes[start..<position]) : nil
            tokens.append(Token(kind: kind, keyword: keyword, start: start, end: position))
        }
    }

    /// The error for a place given in bytes.
    static func error(_ format: String, at offset: Int, _ reason: String) -> PredicateFormatError {
        let prefix = String(decoding: format.utf8.prefix(offset), as: UTF8.self)
        return PredicateFormatError(format: format, position: prefix.count, reason: reason)
    }

    func error(at offset: Int, _ reason: String) -> PredicateFormatError {
        Self.error(format, at: offset, reason)
    }

    // MARK: Reading bytes

    func peek(_ ahead: Int = 0) -> UInt8? {
        position + ahead < bytes.count ? bytes[position + ahead] : nil
    }

    private mutating func skipWhiteSpace() {
        while let byte = peek() {
            switch byte {
            case 0x09...0x0D, 0x20: position += 1
            case 0x80...:
                let (scalar, length) = scalarAtPosition()
                guard scalar.properties.isWhitespace else { return }
                position += length
            default: return
            }
        }
    }

    /// The character at the position and the number of its bytes.
    func scalarAtPosition() -> (Unicode.Scalar, length: Int) {
        let rest = String(decoding: bytes[position..<min(position + 4, bytes.count)], as: UTF8.self)
        let scalar = rest.unicodeScalars.first ?? "\u{FFFD}"
        return (scalar, UTF8.width(scalar))
    }

    private mutating func take(while condition: (UInt8) -> Bool) -> String {
        let start = position
        while position < bytes.count, condition(bytes[position]) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private static func isIdentifierStart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
        default: false
        }
    }

    private static func isIdentifierPart(_ byte: UInt8) -> Bool { isIdentifierStart(byte) || isDigit(byte) }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    // MARK: Tokens

    private mutating func token(startingWith byte: UInt8) throws -> Token.Kind {
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "\""): return .string(try string(quote: byte))
        case UInt8(ascii: "%"): return .specifier(try specifier())
        case UInt8(ascii: "$"): return .variable(try name())
        case UInt8(ascii: "@"): return .collectionOperator(try name())
        case UInt8(ascii: "#"): return .escaped(try name())
        case _ where Self.isIdentifierStart(byte): return .identifier(take(while: Self.isIdentifierPart))
        case _ where Self.isDigit(byte): return .number(try number())
        default: return .symbol(try symbol())
        }
    }

    /// A name behind a mark.
    private mutating func name() throws -> String {
        let start = position
        position += 1
        guard let first = peek(), Self.isIdentifierStart(first) else {
            throw error(at: start, "a name must follow \"\(Character(Unicode.Scalar(bytes[start])))\"")
        }
        return take(while: Self.isIdentifierPart)
    }

    private mutating func symbol() throws -> Token.Symbol {
        if let first = peek(), let symbol = Token.Symbol(first, peek(1)) {
            position += 2
            return symbol
        }
        guard let first = peek(), let symbol = Token.Symbol(first, nil) else {
            throw error(at: position, "unexpected character")
        }
        position += 1
        return symbol
    }

    // MARK: Numbers

    private mutating func number() throws -> NumericLiteral {
        let start = position
        if peek() == UInt8(ascii: "0"), let radix = peek(1).flatMap(Self.radix) {
            position += 2
            let digits = take(while: Self.isIdentifierPart)
            guard let value = UInt64(digits, radix: radix) else { throw error(at: start, "malformed number") }
            return .integer(value)
        }
        var text = take(while: Self.isDigit)
        var isReal = false
        if peek() == UInt8(ascii: "."), let next = peek(1), Self.isDigit(next) {
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
        guard value.isFinite else { throw error(at: start, "the number is too large") }
        return .real(value)
    }

    private static func radix(_ mark: UInt8) -> Int? {
        switch mark {
        case UInt8(ascii: "x"), UInt8(ascii: "X"): 16
        case UInt8(ascii: "o"), UInt8(ascii: "O"): 8
        case UInt8(ascii: "b"), UInt8(ascii: "B"): 2
        default: nil
        }
    }

    /// `e-5`, when it stands here; without digits nothing is taken.
    private mutating func exponent() -> String? {
        guard let mark = peek(), mark == UInt8(ascii: "e") || mark == UInt8(ascii: "E") else { return nil }
        var sign = ""
        if peek(1) == UInt8(ascii: "-") { sign = "-" }
        if peek(1) == UInt8(ascii: "+") { sign = "+" }
        let ahead = 1 + sign.utf8.count
        guard let digit = peek(ahead), Self.isDigit(digit) else { return nil }
        position += ahead
        return "e" + sign + take(while: Self.isDigit)
    }

    // MARK: Specifiers

    private mutating func specifier() throws -> FormatSpecifier {
        let start = position
        position += 1
        _ = take { "hlqLztj".utf8.contains($0) }
        let hasLength = position > start + 1
        guard let conversion = peek() else { throw error(at: start, "incomplete format specifier") }
        position += 1
        switch Character(Unicode.Scalar(conversion)) {
        case "@" where !hasLength: return .object
        case "K" where !hasLength: return .keyPath
        case "d", "D", "i", "u", "U", "x", "X", "o", "O": return .integer
        case "f", "F", "e", "E", "g", "G", "a", "A": return .real
        case "c", "C": return .character
        case "s", "S": return .text
        default: throw error(at: start, "unknown format specifier")
        }
    }
}
