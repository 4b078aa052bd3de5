/// The arguments of a format, taken one after the other by its placeholders.
struct FormatArguments {
    private let values: [Any?]
    private var next = 0

    init(_ values: [Any?]) {
        self.values = values
    }

    /// Takes the next argument.
    ///
    /// - Throws: The reason, a ``Problem``, when there is none left.
    mutating func take() throws -> Any? {
        guard next < values.count else {
            throw Problem("there are only \(values.count) arguments for the format specifiers")
        }
        defer { next += 1 }
        return flattened(values[next])
    }

    /// Takes the next argument as the constant that a specifier asks for.
    mutating func constant(for specifier: FormatSpecifier) throws -> Any? {
        let value = try take()
        switch specifier {
        case .object: return value
        case .integer: return try Self.integer(value)
        case .real: return try Self.real(value)
        case .character: return try Self.character(value)
        case .keyPath, .text:
            guard let text = value.flatMap(Self.string) else { throw Problem("the argument is not a string") }
            return text
        }
    }

    private static func string(_ value: Any) -> String? {
        switch PredicateValue(value) {
        case .string(let text): text
        default: nil
        }
    }

    private static func integer(_ value: Any?) throws -> Any {
        switch PredicateValue(value) {
        case .number(.integer(let number)): return Int(number)
        case .number(.real(let number)): return Int(exactly: number.rounded(.towardZero)) ?? number
        case .number(.decimal(let number)): return number
        default: throw Problem("the argument is not a number")
        }
    }

    private static func real(_ value: Any?) throws -> Any {
        guard case .number(let number) = PredicateValue(value) else { throw Problem("the argument is not a number") }
        return number.double
    }

    private static func character(_ value: Any?) throws -> Any {
        switch value {
        case let character as Character: return String(character)
        case let scalar as Unicode.Scalar: return String(Character(scalar))
        case let text as String: return text
        default: return try integer(value)
        }
    }

    /// Why an argument doesn't fit; the parser adds the place.
    struct Problem: Error {
        let reason: String

        init(_ reason: String) {
            self.reason = reason
        }
    }
}
