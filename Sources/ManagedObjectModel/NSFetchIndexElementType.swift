/// How an element of a fetch index is organised.
public enum NSFetchIndexElementType: UInt, Sendable {
    /// A sorted (B-tree) index.
    case binary = 0
    /// A range (R-tree) index.
    case rTree = 1
}
