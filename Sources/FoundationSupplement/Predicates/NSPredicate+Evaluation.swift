extension NSPredicate {
    func evaluateOrReport(with object: Any?, _ bindings: [String: Any]?) -> Bool { false }
}
extension NSExpression { func evaluated(in c: EvaluationContext) throws -> Any? { nil } }
