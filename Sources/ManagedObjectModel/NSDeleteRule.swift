/// What happens to the objects at the other end of a relationship when its owner is deleted.
public enum NSDeleteRule: UInt, Sendable {
    /// Nothing: the others keep their reference.
    case noActionDeleteRule = 0
    /// The others' references to the deleted object become nil.
    case nullifyDeleteRule = 1
    /// The others are deleted too.
    case cascadeDeleteRule = 2
    /// The object can't be deleted while there are others.
    case denyDeleteRule = 3
}
