import FoundationSupplement
import ManagedObjectModel

/// What a save asks of an ``NSIncrementalStore``.
///
/// A request whose sets are all nil asks the store to write its metadata.
open class NSSaveChangesRequest: NSPersistentStoreRequest {
    /// The new objects, which have their permanent IDs.
    public let insertedObjects: Set<NSManagedObject>?
    /// The changed objects.
    public let updatedObjects: Set<NSManagedObject>?
    /// The deleted objects.
    public let deletedObjects: Set<NSManagedObject>?
    /// Objects that were not changed, but are to be the same in the store as in memory.
    public let lockedObjects: Set<NSManagedObject>?

    /// Creates a request.
    public init(
        inserted insertedObjects: Set<NSManagedObject>?, updated updatedObjects: Set<NSManagedObject>?,
        deleted deletedObjects: Set<NSManagedObject>?, locked lockedObjects: Set<NSManagedObject>?
    ) {
        self.insertedObjects = insertedObjects
        self.updatedObjects = updatedObjects
        self.deletedObjects = deletedObjects
        self.lockedObjects = lockedObjects
        super.init()
    }

    /// Always a save.
    open override var requestType: NSPersistentStoreRequestType { .saveRequestType }
}
