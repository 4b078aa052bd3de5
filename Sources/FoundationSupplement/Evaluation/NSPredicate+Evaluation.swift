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
        switch self {
        case let comparison as NSComparisonPredicate: return try comparison.holds(in: context)
        case let compound as Foundation.NSCompoundPredicate:
            switch compound.compoundPredicateType {
            case .and: return try compound.subpredicates.allSatisfy { try $0.evaluated(in: context) }
            case .or: return try compound.subpredicates.contains { try $0.evaluated(in: context) }
            case .not: return try !(compound.subpredicates.first?.evaluated(in: context) ?? true)
            }
        default: return evaluate(with: context.object, substitutionVariables: context.bindings)
        }
    }

    /// The result, or false with a report when there is none; for the public methods, which can't throw.
    func evaluateOrReport(with object: Any?, _ bindings: [String: Any]?) -> Bool {
        do {
            return try evaluateThrowing(with: object, variables: bindings ?? [:])
        } catch {
            misuse("\(error)")
            return false
        }
    }
}
