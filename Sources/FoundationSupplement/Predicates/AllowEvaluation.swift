extension PredicateFormatInitializable where Self: NSPredicate {
    /// There for source compatibility: nothing is locked after decoding.
    public func allowEvaluation() {}
}

extension KeyedSortDescriptorInitializable where Self: NSSortDescriptor {
    /// There for source compatibility: nothing is locked after decoding.
    public func allowEvaluation() {}
}
