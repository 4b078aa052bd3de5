import FoundationSupplement

/// What is asked of one or several stores.
open class NSPersistentStoreRequest: NSObject, NSCopying {
    // Models hold requests and lie below stores in the layers; CoreData gives this slot its type.
    package var affectedStoreObjects: [AnyObject]?

    /// Creates a request.
    public override init() {
        super.init()
    }

    /// A copy that can be changed. Subclasses that say more override it.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSPersistentStoreRequest()
        copy.affectedStoreObjects = affectedStoreObjects
        return copy
    }

    /// What the request asks.
    open var requestType: NSPersistentStoreRequestType {
        misuse("requestType must be given by a subclass of NSPersistentStoreRequest")
        return .fetchRequestType
    }
}
