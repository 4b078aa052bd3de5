/// Predicates, expressions and sort descriptors that refuse to be evaluated when they come from an archive.
///
/// An archive from elsewhere may call any function: a program looks at what it has read first, and allows it then.
protocol EvaluationLocking: AnyObject {
    var isLocked: Bool { get set }
}

extension NSExpression: EvaluationLocking {}
extension NSComparisonPredicate: EvaluationLocking {}
extension NSCompoundPredicate: EvaluationLocking {}
extension KeyedSortDescriptor: EvaluationLocking {}

extension EvaluationLocking {
    /// - Throws: ``PredicateEvaluationError`` when the evaluation has not been allowed.
    func checkLock() throws {
        guard isLocked else { return }
        let kind =
            switch self {
            case is NSExpression: "expression"
            case is NSSortDescriptor: "sort descriptor"
            default: "predicate"
            }
        throw PredicateEvaluationError("This \(kind) has evaluation disabled")
    }
}

extension NSObject {
    /// Looks for what has not been allowed in the tree of a predicate, an expression or a sort descriptor: a store may
    /// carry it out without evaluating it.
    ///
    /// - Throws: ``PredicateEvaluationError`` when something has not been allowed.
    package final func checkIsAllowed() throws {
        var pending = [self]
        while let node = pending.popLast() {
            try (node as? any EvaluationLocking)?.checkLock()
            pending.append(contentsOf: PredicateTree.children(of: node))
        }
    }
}

extension PredicateTree {
    /// Allows or forbids the evaluation of all that a tree is made of.
    static func setLock(_ isLocked: Bool, of root: NSObject) {
        var pending = [root]
        while let node = pending.popLast() {
            (node as? any EvaluationLocking)?.isLocked = isLocked
            pending.append(contentsOf: children(of: node))
        }
    }
}

extension PredicateFormatInitializable where Self: NSPredicate {
    /// Allows the evaluation of a predicate that was read from an archive by secure coding.
    ///
    /// Until then evaluating it is a programmer's error, and a fetch with it throws: look at what came from elsewhere
    /// before you run it.
    public func allowEvaluation() { PredicateTree.setLock(false, of: self) }
}

extension KeyedSortDescriptorInitializable where Self: NSSortDescriptor {
    /// Allows sorting by a descriptor that was read from an archive by secure coding.
    public func allowEvaluation() { (self as? KeyedSortDescriptor)?.isLocked = false }
}
