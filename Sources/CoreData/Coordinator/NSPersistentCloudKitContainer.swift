import FoundationSupplement
import ManagedObjectModel

/// A container whose stores Apple's systems keep the same on all devices of a user.
///
/// There is no CloudKit on Linux. The container exists so that programs compile and run: it opens its stores locally,
/// says so in the log once, and syncs nothing.
open class NSPersistentCloudKitContainer: NSPersistentContainer, @unchecked Sendable {
    /// Creates a container; nothing is opened before `loadPersistentStores`.
    public override init(name: String, managedObjectModel model: NSManagedObjectModel) {
        super.init(name: name, managedObjectModel: model)
        SQLLog.warn("CloudKit is not available on this system: the stores of the container '\(name)' are local")
    }

    /// The name of Apple's notifications about syncing. Never posted here.
    public class var eventChangedNotification: Notification.Name {
        Notification.Name("NSPersistentCloudKitContainerEventChangedNotification")
    }

    /// The key of the event in such a notification.
    public class var eventNotificationUserInfoKey: String { "event" }

    /// Would make the model's record types in CloudKit.
    ///
    /// - Throws: always, since there is no CloudKit.
    open func initializeCloudKitSchema() throws {
        throw CocoaError.unsupported("CloudKit, of which a schema should be initialised")
    }

    /// Whether the user may change an object: whether its store may be written.
    open func canUpdateRecord(forManagedObjectWith objectID: NSManagedObjectID) -> Bool {
        objectID.persistentStore.map(canModifyManagedObjects) ?? true
    }

    /// Whether the user may delete an object: whether its store may be written.
    open func canDeleteRecord(forManagedObjectWith objectID: NSManagedObjectID) -> Bool {
        objectID.persistentStore.map(canModifyManagedObjects) ?? true
    }

    /// Whether the user may add objects to a store: whether it may be written.
    open func canModifyManagedObjects(in store: NSPersistentStore) -> Bool { !store.isReadOnly }
}
