import FoundationSupplement
import ManagedObjectModel

extension NSPersistentStoreRequest {
    /// The stores that the request is sent to; nil for all stores that keep the entity.
    public var affectedStores: [NSPersistentStore]? {
        get { affectedStoreObjects.map { $0.compactMap { $0 as? NSPersistentStore } } }
        set { affectedStoreObjects = newValue }
    }
}
