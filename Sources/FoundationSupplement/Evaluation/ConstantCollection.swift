/// The elements of the constant collection on the right of IN, kept for fast look-ups: a filter asks for every object.
final class ConstantCollection: @unchecked Sendable {
    private let lock = NSLock()
    private var elements: Set<ValueKey>?

    /// Whether a value is among the elements of a constant, which is the same at every call; nil when the constant is
    /// no collection or may change.
    func contains(_ value: PredicateValue, in constant: Any) -> Bool? {
        // Only a class can change after the predicate was made.
        if constant is NSMutableArray || constant is NSMutableSet || constant is NSMutableOrderedSet { return nil }
        return lock.withLock { known(constant) }?.contains(ValueKey(value))
    }

    private func known(_ constant: Any) -> Set<ValueKey>? {
        if elements == nil { elements = collectionElements(of: constant).map { Set($0.map { ValueKey($0) }) } }
        return elements
    }
}
