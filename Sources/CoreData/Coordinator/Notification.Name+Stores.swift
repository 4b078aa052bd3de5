import FoundationSupplement

extension Notification.Name {
    /// Posted by Apple's iCloud stores before a coordinator's stores change. Never posted here.
    public static let NSPersistentStoreCoordinatorStoresWillChange = Notification.Name(
        "NSPersistentStoreCoordinatorStoresWillChangeNotification")
    /// Posted by a coordinator after stores were added or removed, or got another UUID: the user info has arrays under
    /// `NSAddedPersistentStoresKey`, `NSRemovedPersistentStoresKey` or `NSUUIDChangedPersistentStoresKey`.
    public static let NSPersistentStoreCoordinatorStoresDidChange = Notification.Name(
        "NSPersistentStoreCoordinatorStoresDidChangeNotification")
    /// Posted before a store is removed from its coordinator; the object is the store.
    public static let NSPersistentStoreCoordinatorWillRemoveStore = Notification.Name(
        "NSPersistentStoreCoordinatorWillRemoveStoreNotification")
    /// Posted after a save to a store that was added with `NSPersistentStoreRemoteChangeNotificationPostOptionKey`,
    /// whichever coordinator of this process saved. The object is the coordinator; the user info has `NSStoreUUIDKey`
    /// and `NSPersistentStoreURLKey`. It arrives on a background queue.
    public static let NSPersistentStoreRemoteChange = Notification.Name("NSPersistentStoreRemoteChangeNotification")
    /// Posted by Apple's iCloud stores after an import. Never posted here.
    @available(*, deprecated, message: "there is no iCloud for stores any more")
    public static let NSPersistentStoreDidImportUbiquitousContentChanges = Notification.Name(
        "com.apple.coredata.ubiquity.importer.didfinishimport")
}
