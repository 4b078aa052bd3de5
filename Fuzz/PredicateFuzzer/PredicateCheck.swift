import FoundationSupplement

/// What must be true of every text.
enum PredicateCheck {
    private static var arguments: [Any?] { ["x", 5, nil, "k.p", 1.5, "y", true, "z"] }

    private static var object: [String: Any] {
        [
            "a": 1, "b": "text", "c": [1, 2, 3], "d": ["e": ["f", "g"]], "k": ["p": 2.5],
            "x": Date(timeIntervalSince1970: 0),
        ]
    }

    /// Stops the program where the parts of the language don't agree about a text.
    static func check(_ text: String) {
        if let predicate = try? NSPredicate(validating: text, arguments: arguments) { check(predicate) }
        if let expression = try? NSExpression(validating: text, arguments: arguments) { check(expression) }
    }

    private static func check(_ predicate: NSPredicate) {
        let text = predicate.formatText
        guard let again = try? NSPredicate(validating: text) else { fatalError("not read again: \(text)") }
        demand(again == predicate, "read as another predicate: \(text)")
        // Foundation's own predicates have the hash of their address.
        let hasOwnHash = predicate is NSComparisonPredicate || predicate is NSCompoundPredicate
        demand(!hasOwnHash || again.hash == predicate.hash, "equal with another hash: \(text)")
        demand(again.formatText == text, "printed in another way: \(text)")
        _ = try? predicate.evaluateThrowing(with: object, variables: ["x": 1, "y": [1, 2]])
        let bound = predicate.withSubstitutionVariables(["x": 1])
        demand((try? NSPredicate(validating: bound.formatText)) != nil, "not read with values: \(bound.formatText)")
        guard let archive = try? SecureArchive.data(of: predicate) else { return }
        let read = try? SecureArchive.object(in: archive, classes: [NSPredicate.self])
        demand(read == predicate, "archived as another predicate: \(text)")
    }

    private static func check(_ expression: NSExpression) {
        let text = expression.formatText
        guard let again = try? NSExpression(validating: text) else { fatalError("not read again: \(text)") }
        demand(again == expression && again.hash == expression.hash, "read as another expression: \(text)")
        _ = try? expression.evaluateThrowing(with: object, variables: ["x": 1])
    }

    private static func demand(_ condition: Bool, _ text: @autoclosure () -> String) {
        if !condition { fatalError(text()) }
    }
}
