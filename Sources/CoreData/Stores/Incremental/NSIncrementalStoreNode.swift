import FoundationSupplement
import ManagedObjectModel

/// One object's values, as an ``NSIncrementalStore`` gives them to the framework.
open class NSIncrementalStoreNode: NSObject {
    /// The object's ID.
    public let objectID: NSManagedObjectID
    /// How often the object was changed, by the store's own count. It is used to notice conflicts.
    open private(set) var version: UInt64
    private var values: [String: Any]

    /// Creates a node.
    ///
    /// - Parameters:
    ///   - moid: the object's ID.
    ///   - values: by property: attributes, where a missing one is nil; object IDs of to-one relationships, `NSNull` for
    ///     none, where a missing one is asked for at once; collections of object IDs for to-many relationships, where a
    ///     missing one is asked for when it is needed. Keys that the model doesn't have are left out.
    ///   - version: how often the object was changed.
    public init(objectID moid: NSManagedObjectID, withValues values: [String: Any], version: UInt64) {
        objectID = moid
        self.values = Self.modelled(values, moid)
        self.version = version
    }

    /// Takes newer values.
    open func update(withValues values: [String: Any], version: UInt64) {
        self.values = Self.modelled(values, objectID)
        self.version = version
    }

    /// The value of a property: of a to-one relationship an object ID or `NSNull`; nil for what the store didn't give.
    open func value(for prop: NSPropertyDescription) -> Any? { values[prop.name] }

    private static func modelled(_ values: [String: Any], _ id: NSManagedObjectID) -> [String: Any] {
        values.filter { id.layout.slot($0.key) != nil }
    }
}
