/// One word of the format language, with its place in the text.
struct Token: Equatable {
    enum Kind: Equatable {
        case identifier(String)
        /// `#name`: a reserved word used as a key.
        case escaped(String)
        /// `@name`: a key-path operator.
        case collectionOperator(String)
        /// `$name`.
        case variable(String)
        case string(String)
        case number(NumericLiteral)
        case specifier(FormatSpecifier)
        case symbol(Symbol)
        case end
    }

    enum Symbol: String {
        case and = "&&"
        case or = "||"
        case doubleEqual = "=="
        case lessOrEqualReversed = "=<"
        case greaterOrEqualReversed = "=>"
        case equal = "="
        case notEqual = "!="
        case not = "!"
        case lessOrEqual = "<="
        case lessGreater = "<>"
        case shiftLeft = "<<"
        case less = "<"
        case greaterOrEqual = ">="
        case shiftRight = ">>"
        case greater = ">"
        case power = "**"
        case times = "*"
        case plus = "+"
        case minus = "-"
        case divide = "/"
        case bitAnd = "&"
        case bitOr = "|"
        case bitXor = "^"
        case complement = "~"
        case leftParenthesis = "("
        case rightParenthesis = ")"
        case leftBrace = "{"
        case rightBrace = "}"
        case leftBracket = "["
        case rightBracket = "]"
        case comma = ","
        case dot = "."
        case assign = ":="
        case colon = ":"
    }

    let kind: Kind
    /// The word in upper case, when it is one of ``ReservedWords/keywords``: they may be written in any case.
    var keyword: String?
    /// Offsets in bytes of UTF-8; `end` is one past the last.
    let start: Int
    let end: Int

    var isIdentifier: Bool {
        if case .identifier = kind { true } else { false }
    }
}

extension Token.Symbol {
    /// The symbol of two characters, or of one.
    init?(_ first: UInt8, _ second: UInt8?) {
        guard let second else {
            guard let symbol = Self.single[Int(first)] else { return nil }
            self = symbol
            return
        }
        switch (Unicode.Scalar(first), Unicode.Scalar(second)) {
        case ("&", "&"): self = .and
        case ("|", "|"): self = .or
        case ("=", "="): self = .doubleEqual
        case ("=", "<"): self = .lessOrEqualReversed
        case ("=", ">"): self = .greaterOrEqualReversed
        case ("!", "="): self = .notEqual
        case ("<", "="): self = .lessOrEqual
        case ("<", ">"): self = .lessGreater
        case ("<", "<"): self = .shiftLeft
        case (">", "="): self = .greaterOrEqual
        case (">", ">"): self = .shiftRight
        case ("*", "*"): self = .power
        case (":", "="): self = .assign
        default: return nil
        }
    }

    /// The symbols of one character, by its number.
    private static let single: [Self?] = (0..<256).map { Self(rawValue: String(Character(Unicode.Scalar(UInt8($0))))) }
}

/// A number as it was written; the sign is an operator.
enum NumericLiteral: Equatable {
    case integer(UInt64)
    case real(Double)

    /// The constant for the number, or for its negative.
    func constant(negated: Bool) -> Any {
        switch self {
        case .integer(let magnitude):
            if !negated { return Int(exactly: magnitude) ?? magnitude }
            if magnitude == UInt64(Int.max) + 1 { return Int.min }
            return Int(exactly: magnitude).map { -$0 } ?? -Double(magnitude)
        case .real(let value):
            return negated ? -value : value
        }
    }
}

/// A placeholder of the text that takes the next argument.
enum FormatSpecifier: Equatable {
    /// `%@`
    case object
    /// `%K`
    case keyPath
    /// `%d`, `%lu`, `%x` …
    case integer
    /// `%f`, `%la` …
    case real
    /// `%c`, `%C`
    case character
    /// `%s`, `%S`
    case text
}
