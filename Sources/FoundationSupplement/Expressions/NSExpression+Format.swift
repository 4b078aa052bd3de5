/// What gives ``NSExpression`` its initialisers with a format.
///
/// The initialisers are those of a protocol because only these may put a subclass in the place of `self`.
public protocol ExpressionFormatInitializable {}

extension ExpressionFormatInitializable {
    /// An expression from its text.
    ///
    /// ```swift
    /// NSExpression(format: "%K * 1.19", "price")
    /// ```
    ///
    /// A text that isn't an expression stops the program, as it does on Apple's systems. Use
    /// ``init(validating:arguments:)`` for text from elsewhere.
    public init(format: String, _ arguments: Any?...) {
        self = expressionOrStop(format, arguments)
    }

    /// An expression from its text and an array of arguments.
    public init(format: String, argumentArray arguments: [Any]) {
        self = expressionOrStop(format, arguments)
    }

    /// An expression from text that may be wrong, for example because a user typed it.
    ///
    /// - Throws: ``PredicateFormatError`` with the place and the reason.
    public init(validating format: String, arguments: [Any?] = []) throws {
        var parser = try PredicateParser(format, arguments: arguments)
        guard let result = try parser.expression() as? Self else {
            throw PredicateFormatError(format: format, position: 0, reason: "the text is not a \(Self.self)")
        }
        self = result
    }
}

private func expressionOrStop<Result>(_ format: String, _ arguments: [Any?]) -> Result {
    do {
        var parser = try PredicateParser(format, arguments: arguments)
        guard let result = try parser.expression() as? Result else {
            fatalError("\"\(format)\" is not a \(Result.self)")
        }
        return result
    } catch {
        fatalError("\(error)")
    }
}
