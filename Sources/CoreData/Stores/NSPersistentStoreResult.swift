import FoundationSupplement

/// What `NSManagedObjectContext.execute(_:)` returns; each kind of request has a subclass of it.
open class NSPersistentStoreResult: NSObject {
    package override init() { super.init() }
}
