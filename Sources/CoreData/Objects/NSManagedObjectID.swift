import FoundationSupplement
import ManagedObjectModel
import Synchronization

/// The identity of a managed object: an entity and a key, in a store or, before the first save, temporary.
///
/// Two IDs are equal when they mean the same row, or are the same temporary ID.
open class NSManagedObjectID: NSObject, NSCopying, NSFetchRequestResult, @unchecked Sendable {
    /// The entity of the object, never a super-entity of it.
    public var entity: NSEntityDescription { layout.entity }
    // Not the entity itself: weak references to it make each retain of it slow, and there may be millions of IDs.
    package let layout: EntityLayout
    /// `Z_PK`, or a negative number for a temporary ID.
    package let primaryKey: Int64
    package let space: ObjectIDSpace

    private static let lastTemporaryKey = Atomic<Int64>(0)

    package convenience init(_ entity: NSEntityDescription, primaryKey: Int64, space: ObjectIDSpace) {
        self.init(entity.layout, primaryKey: primaryKey, space: space)
    }

    package init(_ layout: EntityLayout, primaryKey: Int64, space: ObjectIDSpace) {
        self.layout = layout
        self.primaryKey = primaryKey
        self.space = space
    }

    /// A key for a temporary ID, unlike all others of the process.
    static func nextTemporaryKey() -> Int64 {
        lastTemporaryKey.subtract(1, ordering: .relaxed).newValue
    }

    /// Whether the object was never saved.
    public var isTemporaryID: Bool { space === ObjectIDSpace.temporary }

    /// The store that holds the row; nil for a temporary ID, or after the store is gone.
    public var persistentStore: NSPersistentStore? { space.store }

    /// The ID in text, `x-coredata://<store>/City/p12`, which stays valid from one run of a program to the next.
    public func uriRepresentation() -> URL {
        let path =
            isTemporaryID
            ? "x-coredata:///\(entity.name ?? "")/t\(ObjectIDSpace.temporary.storeIdentifier)\(-primaryKey)"
            : "x-coredata://\(space.storeIdentifier)/\(entity.name ?? "")/p\(space.uriText(primaryKey))"
        return URL(string: path) ?? URL(fileURLWithPath: path)
    }

    /// The ID itself: it can't change.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    package var key: ObjectKey { ObjectKey(space: ObjectIdentifier(space), primaryKey: primaryKey) }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSManagedObjectID else { return false }
        return other.primaryKey == primaryKey && other.space === space
    }

    // Not hashed here: whoever asks does that.
    open override var hash: Int { Int(truncatingIfNeeded: primaryKey) ^ ObjectIdentifier(space).hashBits }

    /// An address, which differs from run to run, and the URI.
    open override var description: String {
        "0x\(String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16)) <\(uriRepresentation().absoluteString)>"
    }
}

/// Where primary keys are unique: one table of one store. IDs of one space compare by their key alone.
package final class ObjectIDSpace: @unchecked Sendable {
    package private(set) weak var store: NSPersistentStore?
    package let storeIdentifier: String
    /// What the store calls its rows; nil where their keys are all there is.
    package let references: ObjectReferences?
    /// The rows of the table that are in use.
    package let rows = RowCache()

    init(store: NSPersistentStore?, identifier: String, references: ObjectReferences? = nil) {
        self.store = store
        storeIdentifier = identifier
        self.references = references
    }

    /// How a row's key stands in a URI, after its `p`.
    package func uriText(_ primaryKey: Int64) -> String { references?.uriText(primaryKey) ?? "\(primaryKey)" }

    /// Where objects are before their first save. Its identifier makes temporary IDs of two processes differ.
    static let temporary = ObjectIDSpace(store: nil, identifier: UUID().uuidString)
}

extension ObjectIdentifier {
    /// The address, as what a hash is made from.
    var hashBits: Int { Int(bitPattern: UInt(bitPattern: self)) }
}

/// An object ID as a dictionary's key.
package struct ObjectKey: Hashable {
    let space: ObjectIdentifier
    let primaryKey: Int64

    package func hash(into hasher: inout Hasher) {
        // One word is enough to tell keys apart, and half the work of two.
        hasher.combine(UInt(truncatingIfNeeded: primaryKey) ^ UInt(bitPattern: space))
    }
}
