/// What happens to an ordered to-many property: the argument of `willChange(_:valuesAt:forKey:)`.
public enum NSKeyValueChange: UInt, Sendable {
    /// The whole value is set.
    case setting = 1
    /// Objects are inserted.
    case insertion
    /// Objects are removed.
    case removal
    /// Objects take the places of others.
    case replacement
}
