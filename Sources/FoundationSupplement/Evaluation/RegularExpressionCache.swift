/// Keeps compiled regular expressions: a fetch evaluates the same one for every object.
enum RegularExpressionCache {
    private struct Key: Hashable {
        let pattern: String
        let ignoresCase: Bool
    }

    private static let capacity = 64
    private static let lock = NSLock()
    nonisolated(unsafe) private static var expressions: [Key: NSRegularExpression] = [:]

    /// The expression that matches whole strings only.
    static func expression(_ pattern: String, ignoringCase: Bool) throws -> NSRegularExpression {
        let key = Key(pattern: pattern, ignoresCase: ignoringCase)
        if let expression = lock.withLock({ expressions[key] }) { return expression }
        let expression = try compile(pattern, ignoringCase)
        lock.withLock {
            if expressions.count >= capacity { expressions.removeAll() }
            expressions[key] = expression
        }
        return expression
    }

    private static func compile(_ pattern: String, _ ignoringCase: Bool) throws -> NSRegularExpression {
        let options: NSRegularExpression.Options = ignoringCase ? .caseInsensitive : []
        do {
            // Compiled alone first: within the group, "a)(b" would be a valid expression.
            if !pattern.isEmpty { _ = try NSRegularExpression(pattern: pattern, options: options) }
            return try NSRegularExpression(pattern: "(?:\(pattern))\\z", options: options)
        } catch {
            throw PredicateEvaluationError("Can't do regex matching, reason: \(error) (pattern \(pattern))")
        }
    }
}
