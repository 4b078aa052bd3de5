/// A predicate that joins others with `AND` or `OR`, or negates one.
///
/// ```swift
/// let both = NSCompoundPredicate(andPredicateWithSubpredicates: [isOpen, isMine])
/// ```
///
/// Foundation's class of the same name, its superclass, works but prints nothing of use and isn't equal to a copy of
/// itself. A file that imports Foundation as well and writes the name as a type needs
/// `typealias NSCompoundPredicate = CoreData.NSCompoundPredicate` once in its module.
open class NSCompoundPredicate: Foundation.NSCompoundPredicate {
    /// Whether the predicate was read from an archive and may not be evaluated yet.
    @exclusivity(unchecked) final var isLocked = false

    /// A predicate of any of the three types. `.not` takes the first subpredicate.
    public override init(type: LogicalType, subpredicates: [NSPredicate]) {
        super.init(type: type, subpredicates: subpredicates)
    }

    /// A predicate that holds when all the others do; with none it always holds.
    public convenience init(andPredicateWithSubpredicates subpredicates: [NSPredicate]) {
        self.init(type: .and, subpredicates: subpredicates)
    }

    /// A predicate that holds when one of the others does; with none it never holds.
    public convenience init(orPredicateWithSubpredicates subpredicates: [NSPredicate]) {
        self.init(type: .or, subpredicates: subpredicates)
    }

    /// A predicate that holds when the other doesn't.
    public convenience init(notPredicateWithSubpredicate predicate: NSPredicate) {
        self.init(type: .not, subpredicates: [predicate])
    }

    /// The predicate in the language of ``PredicateFormatInitializable/init(format:_:)``.
    open override var predicateFormat: String { formatText }

    /// The same text as ``predicateFormat``.
    open override var description: String { formatText }

    /// Whether the predicate holds for an object.
    ///
    /// A part that can't be evaluated stops debug builds; optimised builds log the reason and give `false`.
    open override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
        evaluateOrReport(with: object, bindings)
    }

    /// A predicate of its own: Foundation lets ``subpredicates`` be set on Linux.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSCompoundPredicate(type: compoundPredicateType, subpredicates: subpredicates)
        copy.isLocked = isLocked
        return copy
    }

    /// Whether another predicate joins equal predicates in the same way and order.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? Foundation.NSCompoundPredicate else { return false }
        return self === other || PredicateTree.areEqual(self, other)
    }

    /// Equal predicates have equal hashes.
    open override var hash: Int { PredicateTree.hash(of: self) }

    deinit {
        var children: [NSObject] = subpredicates
        subpredicates = []
        PredicateTree.release(&children)
    }
}
