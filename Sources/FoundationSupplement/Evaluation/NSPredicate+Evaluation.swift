extension PredicateFormatInitializable where Self: NSPredicate {
    /// Whether the predicate holds for an object; for a predicate that comes from elsewhere and may be about other
    /// objects.
    ///
    /// ```swift
    /// let predicate = try NSPredicate(validating: searchField.text)
    /// let found = try notes.filter { try predicate.evaluate(validating: $0) }
    /// ```
    ///
    /// Our addition: Apple's `evaluate(with:)` raises what this throws.
    ///
    /// - Parameters:
    ///   - object: The object that is looked at.
    ///   - variables: The values of the predicate's variables.
    /// - Throws: ``PredicateEvaluationError``, or what a ``FunctionExpressionTarget`` throws.
    public func evaluate(validating object: Any?, substitutionVariables variables: [String: Any] = [:]) throws -> Bool {
        try evaluateThrowing(with: object, variables: variables.mapValues { $0 })
    }
}

extension NSPredicate {
    /// Whether the predicate holds for an object.
    ///
    /// It is what stores evaluate: what a predicate asks of data is input and must not stop a program.
    ///
    /// - Throws: ``PredicateEvaluationError``, or what a ``FunctionExpressionTarget`` throws.
    package func evaluateThrowing(with object: Any?, variables: [String: Any?] = [:]) throws -> Bool {
        try evaluated(in: EvaluationContext(object: object, variables: variables))
    }

    /// Whether the predicate holds in a context.
    func evaluated(in context: EvaluationContext) throws -> Bool {
        if let comparison = self as? NSComparisonPredicate { return try comparison.holds(in: context) }
        if let compound = self as? Foundation.NSCompoundPredicate { return try compound.holds(in: context) }
        return evaluate(with: context.object, substitutionVariables: context.bindings)
    }

    /// The result, or false with a report when there is none; for the public methods, which can't throw.
    func evaluateOrReport(with object: Any?, _ bindings: [String: Any]?) -> Bool {
        do {
            return try evaluateThrowing(with: object, variables: bindings?.mapValues { $0 } ?? [:])
        } catch {
            misuse("\(error)")
            return false
        }
    }
}

extension Foundation.NSCompoundPredicate {
    /// Whether the parts hold as the type asks, in their order and no further than needed.
    ///
    /// Compounds inside compounds are kept in an array: a program may nest them without limit.
    fileprivate func holds(in context: EvaluationContext) throws -> Bool {
        var outer: [Progress] = []
        var current = try Progress(self)
        while true {
            if let part = current.nextPart() {
                if let compound = part as? Foundation.NSCompoundPredicate {
                    outer.append(current)
                    current = try Progress(compound)
                } else {
                    current.take(try part.evaluated(in: context))
                }
                continue
            }
            guard var parent = outer.popLast() else { return current.result }
            parent.take(current.result)
            current = parent
        }
    }

    /// How far a compound has been evaluated.
    private struct Progress {
        private let type: LogicalType
        private let parts: [NSPredicate]
        private var next = 0
        /// The result so far; what AND and OR of nothing are, at the start.
        private(set) var result: Bool

        init(_ compound: Foundation.NSCompoundPredicate) throws {
            try (compound as? NSCompoundPredicate)?.checkLock()
            type = compound.compoundPredicateType
            parts = type == .not ? Array(compound.subpredicates.prefix(1)) : compound.subpredicates
            result = type == .and
        }

        /// The next part; nil when the result is known.
        mutating func nextPart() -> NSPredicate? {
            guard next < parts.count, type == .not || result == (type == .and) else { return nil }
            next += 1
            return parts[next - 1]
        }

        mutating func take(_ value: Bool) { result = type == .not ? !value : value }
    }
}
