/// What happens to a to-many property: the argument of `willChangeValue(forKey:withSetMutation:using:)`.
public enum NSKeyValueSetMutationKind: UInt, Sendable {
    /// Objects are added.
    case union = 1
    /// Objects are removed.
    case minus
    /// All objects but the given ones are removed.
    case intersect
    /// The whole set is replaced.
    case set
}
