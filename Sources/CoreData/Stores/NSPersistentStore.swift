import FoundationSupplement
import ManagedObjectModel

/// A file, or another place, in which a coordinator keeps objects. Made by the coordinator.
open class NSPersistentStore: NSObject {
    /// The coordinator that the store was added to; nil after it was removed.
    public package(set) weak var persistentStoreCoordinator: NSPersistentStoreCoordinator?
    /// Where the store is.
    public package(set) var url: URL?
    /// The name of the model's configuration whose entities the store keeps.
    public let configurationName: String
    /// The options that it was added with.
    public let options: [AnyHashable: Any]?
    /// Whether the store may not be changed.
    public let isReadOnly: Bool
    /// What the store says of itself: its type, UUID, the hashes of its model, and whatever a program adds.
    open var metadata: [String: Any]! = [:]
    private var spaces: [ObjectIdentifier: ObjectIDSpace] = [:]
    private let lock = NSLock()

    init(url: URL?, configurationName: String?, options: [AnyHashable: Any]?) {
        self.url = url
        self.configurationName = configurationName ?? NSManagedObjectModel.defaultConfigurationName
        self.options = options
        isReadOnly =
            (options?[NSReadOnlyPersistentStoreOption] as? NSNumber)?.boolValue
            ?? options?[NSReadOnlyPersistentStoreOption] as? Bool ?? false
    }

    /// The store's type, as `NSSQLiteStoreType`.
    open var type: String { "" }

    /// The store's UUID, upper case.
    open var identifier: String! { metadata[NSStoreUUIDKey] as? String ?? "" }

    /// Where the keys of an entity's tree are unique.
    package final func space(of entity: NSEntityDescription) -> ObjectIDSpace {
        let root = ObjectIdentifier(entity.rootEntity)
        return lock.withLock {
            if let known = spaces[root] { return known }
            let space = ObjectIDSpace(store: self, identifier: identifier)
            spaces[root] = space
            return space
        }
    }

    // MARK: What each kind of store does

    /// Finds rows and gives them to `visit`, in the order asked for.
    ///
    /// - Parameter context: the context that asks; stores written by programs are told it.
    package func fetch(
        _ fetch: StoreFetch, in context: NSManagedObjectContext, visit: (EntityLayout, Int64, Row?) throws -> Void
    ) throws {
        throw CocoaError.unsupported("fetching from a store of type '\(type)'")
    }

    package func count(_ fetch: StoreFetch, in context: NSManagedObjectContext) throws -> Int {
        throw CocoaError.unsupported("counting in a store of type '\(type)'")
    }

    /// One row by its key; nil when it is gone.
    package func row(
        _ entity: NSEntityDescription, _ primaryKey: Int64, in context: NSManagedObjectContext
    ) throws -> (NSEntityDescription, Row)? { nil }

    /// The keys, and for each its entity, at the other end of a to-many relationship.
    package func keys(
        of relationship: NSRelationshipDescription, _ entity: NSEntityDescription, _ primaryKey: Int64,
        in context: NSManagedObjectContext
    ) throws -> [(NSEntityDescription, Int64)] { [] }

    /// Writes changes, all or nothing; returns the new IDs of inserted objects and the new rows of all written ones.
    package func save(_ changes: SaveChanges, in context: NSManagedObjectContext) throws -> SaveOutcome {
        throw CocoaError.unsupported("saving to a store of type '\(type)'")
    }

    /// Takes keys for new objects, for good: they are used by the save that inserts the objects.
    package func permanentIDs(for objects: [NSManagedObject]) throws -> [NSManagedObjectID] {
        throw CocoaError.unsupported("permanent IDs before a save in a store of type '\(type)'")
    }

    /// Whether the store is told of saves that change nothing in it.
    package var wantsEmptySaves: Bool { false }

    /// The entity that a row's number stands for.
    package func entity(number: Int32) -> NSEntityDescription? { nil }
    package func number(of entity: NSEntityDescription) -> Int32 { 0 }
}

/// What a save writes to one store.
package struct SaveChanges {
    package var inserted: [NSManagedObject] = []
    package var updated: [NSManagedObject] = []
    package var deleted: [NSManagedObject] = []
    /// Objects that aren't changed, but whose rows must not have been either.
    package var locked: [NSManagedObject] = []
    package var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && locked.isEmpty }
}

/// What a save made of the objects.
package struct SaveOutcome {
    package var identifiers: [ObjectIdentifier: NSManagedObjectID] = [:]
    package var rows: [ObjectIdentifier: Row] = [:]
}
