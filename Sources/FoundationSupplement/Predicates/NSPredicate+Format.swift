/// What gives `NSPredicate` the initialisers with a format that Linux's Foundation declares as unavailable.
///
/// Only `NSPredicate` conforms. The initialisers are those of a protocol because only these may put a subclass in the
/// place of `self`.
public protocol PredicateFormatInitializable {}

extension NSPredicate: PredicateFormatInitializable {}

extension PredicateFormatInitializable {
    /// A predicate from its text.
    ///
    /// ```swift
    /// NSPredicate(format: "name BEGINSWITH[cd] %@ AND %K > %d", "an", "age", 18)
    /// ```
    ///
    /// - Parameters:
    ///   - format: The text. `%@` stands for a value, `%K` for a key path, `%d`, `%f` and so on for numbers.
    ///   - arguments: The values for the placeholders, in their order.
    ///
    /// A text that isn't a predicate is a programmer's error and stops the program, as it does on Apple's systems. Use
    /// ``init(validating:arguments:)`` for text from elsewhere.
    public init(format: String, _ arguments: Any?...) {
        self = predicateOrStop(format, arguments)
    }

    /// A predicate from its text and an array of arguments.
    ///
    /// It differs from ``init(format:_:)`` in nothing else.
    public init(format: String, argumentArray arguments: [Any]?) {
        self = predicateOrStop(format, arguments ?? [])
    }

    /// A predicate from text that may be wrong, for example because a user typed it.
    ///
    /// ```swift
    /// let predicate = try NSPredicate(validating: text)
    /// ```
    ///
    /// - Throws: ``PredicateFormatError`` with the place and the reason.
    public init(validating format: String, arguments: [Any?] = []) throws {
        var parser = try PredicateParser(format, arguments: arguments)
        let predicate = try parser.predicate()
        guard let result = predicate as? Self else {
            throw PredicateFormatError(format: format, position: 0, reason: "the text is not a \(Self.self)")
        }
        self = result
    }
}

private func predicateOrStop<Result>(_ format: String, _ arguments: [Any?]) -> Result {
    do {
        var parser = try PredicateParser(format, arguments: arguments)
        let predicate = try parser.predicate()
        guard let result = predicate as? Result else { fatalError("\"\(format)\" is not a \(Result.self)") }
        return result
    } catch {
        fatalError("\(error)")
    }
}
