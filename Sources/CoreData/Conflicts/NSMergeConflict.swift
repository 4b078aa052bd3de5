import FoundationSupplement
import ManagedObjectModel

/// An object that was changed here, and its row by someone else, since the object was last read.
///
/// A conflict between a context and what the coordinator remembers (`cachedSnapshot`) has no `persistedSnapshot`; one
/// between that and the store has both. Snapshots have attributes, and to-one relationships as object IDs.
open class NSMergeConflict: NSObject, @unchecked Sendable {
    /// The object.
    public let sourceObject: NSManagedObject
    /// What the object was made from; nil for an object that was never read.
    public let objectSnapshot: [String: Any]?
    /// What another context of the coordinator has saved.
    public let cachedSnapshot: [String: Any]?
    /// What the store has, if that is what conflicts.
    public let persistedSnapshot: [String: Any]?
    /// The version of the row now; 0 when it was deleted.
    public let newVersionNumber: Int
    /// The version that the object was made from.
    public let oldVersionNumber: Int
    /// The row as it is now.
    let newRow: Row?

    /// Describes a conflict.
    ///
    /// - Parameters:
    ///   - srcObject: the object.
    ///   - newvers: the version of the row now; 0 when it was deleted.
    ///   - oldvers: the version that the object was made from.
    ///   - cachesnap: what another context has saved.
    ///   - persnap: what the store has.
    public init(
        source srcObject: NSManagedObject, newVersion newvers: Int, oldVersion oldvers: Int,
        cachedSnapshot cachesnap: [String: Any]?, persistedSnapshot persnap: [String: Any]?
    ) {
        sourceObject = srcObject
        objectSnapshot = srcObject.row.map { srcObject.snapshot(of: $0) }
        cachedSnapshot = cachesnap
        persistedSnapshot = persnap
        newVersionNumber = newvers
        oldVersionNumber = oldvers
        newRow = nil
    }

    init(_ conflict: VersionConflict) {
        let object = conflict.object
        let new = conflict.newRow.map { object.snapshot(of: $0) }
        sourceObject = object
        objectSnapshot = object.row.map { object.snapshot(of: $0) }
        // What the coordinator remembers; nothing where another of its contexts has deleted the row.
        let remembered = object.space.rows.row(object.primaryKey).map { object.snapshot(of: $0) }
        cachedSnapshot = conflict.isCached ? new : remembered
        persistedSnapshot = conflict.isCached ? nil : new
        newVersionNumber = Int(truncatingIfNeeded: conflict.newRow?.version ?? 0)
        oldVersionNumber = Int(truncatingIfNeeded: object.row?.version ?? 0)
        newRow = conflict.newRow
    }

    open override var description: String {
        func text(_ snapshot: [String: Any]?) -> String {
            guard let snapshot else { return "<null>" }
            return "{\n" + snapshot.keys.sorted().map { "    \($0) = \(snapshot[$0] ?? "");\n" }.joined() + "}"
        }
        let new = newVersionNumber == 0 ? "<deleted>" : "\(newVersionNumber)"
        let row = persistedSnapshot == nil ? " and new cached row = \(text(cachedSnapshot))" : ""
        let stored = persistedSnapshot.map { " and new database row = \(text($0))" } ?? ""
        return "NSMergeConflict (\(address(of: self))) for NSManagedObject (\(sourceObject.address)) with objectID"
            + " '\(sourceObject.objectID)' with oldVersion = \(oldVersionNumber) and newVersion = \(new) and old object"
            + " snapshot = \(text(objectSnapshot))\(row)\(stored)"
    }
}

func address(of object: AnyObject) -> String { "0x" + String(UInt(bitPattern: ObjectIdentifier(object)), radix: 16) }
