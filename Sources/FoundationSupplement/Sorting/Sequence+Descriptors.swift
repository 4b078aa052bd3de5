extension Sequence {
    /// The elements for which a predicate holds.
    ///
    /// Foundation has the same for its own collections only.
    public func filtered(using predicate: NSPredicate) -> [Element] {
        filter { predicate.evaluate(with: $0) }
    }

    /// The elements in the order of sort descriptors; the second decides where the first finds no difference, and so
    /// on. Elements that are equal to all of them keep their order.
    public func sorted(using descriptors: [NSSortDescriptor]) -> [Element] {
        sorted { left, right in
            for descriptor in descriptors {
                switch descriptor.compare(left, to: right) {
                case .orderedAscending: return true
                case .orderedDescending: return false
                case .orderedSame: continue
                }
            }
            return false
        }
    }

    /// The elements for which a predicate holds.
    ///
    /// - Throws: ``PredicateEvaluationError``.
    package func filteredThrowing(using predicate: NSPredicate) throws -> [Element] {
        try filter { try predicate.evaluateThrowing(with: $0) }
    }

    /// The elements in the order of sort descriptors.
    ///
    /// - Throws: ``PredicateEvaluationError`` for an unknown key or values without an order.
    package func sortedThrowing(using descriptors: [NSSortDescriptor]) throws -> [Element] {
        try sorted { left, right in
            for descriptor in descriptors {
                let keyed = descriptor as? KeyedSortDescriptor
                switch try keyed?.compareThrowing(left, right) ?? descriptor.compare(left, to: right) {
                case .orderedAscending: return true
                case .orderedDescending: return false
                case .orderedSame: continue
                }
            }
            return false
        }
    }
}
