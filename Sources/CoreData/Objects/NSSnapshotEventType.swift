/// Why an object was given other values without being asked; see `NSManagedObject.awake(fromSnapshotEvents:)`.
public struct NSSnapshotEventType: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Events by their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// An insertion was undone, or a deletion redone.
    public static let undoInsertion = NSSnapshotEventType(rawValue: 1 << 1)
    /// A deletion was undone, or an insertion redone.
    public static let undoDeletion = NSSnapshotEventType(rawValue: 1 << 2)
    /// A change of values was undone, or redone.
    public static let undoUpdate = NSSnapshotEventType(rawValue: 1 << 3)
    /// All unsaved changes were dropped.
    public static let rollback = NSSnapshotEventType(rawValue: 1 << 4)
    /// The object was refreshed, alone or by a merge from another context.
    public static let refresh = NSSnapshotEventType(rawValue: 1 << 5)
    /// A merge policy has resolved a conflict.
    public static let mergePolicy = NSSnapshotEventType(rawValue: 1 << 6)
}
