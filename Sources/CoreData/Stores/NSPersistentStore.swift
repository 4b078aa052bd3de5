import FoundationSupplement
import ManagedObjectModel

/// A file, or another place, in which a coordinator keeps objects. Made by the coordinator.
///
/// Programs write stores of their own as subclasses of ``NSAtomicStore`` or ``NSIncrementalStore``, and make them known
/// with `NSPersistentStoreCoordinator.registerStoreClass(_:forStoreType:)`.
open class NSPersistentStore: NSObject {
    /// The coordinator that the store was added to; nil after it was removed.
    public package(set) var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get { ownerLock.withLock { owner } }
        set { ownerLock.withLock { owner = newValue } }
    }
    // Contexts look for these while another thread may be removing or moving the store.
    private weak var owner: NSPersistentStoreCoordinator?
    private let ownerLock = NSLock()
    /// Where the store is; nil for one that was added without an address.
    open var url: URL? {
        get { ownerLock.withLock { place } }
        set { ownerLock.withLock { place = newValue } }
    }
    private var place: URL?
    /// The name of the model's configuration whose entities the store keeps.
    public let configurationName: String
    /// The options that it was added with.
    public let options: [AnyHashable: Any]?
    /// Whether the store may not be changed.
    open var isReadOnly: Bool {
        get { ownerLock.withLock { isLocked } }
        set { ownerLock.withLock { isLocked = newValue } }
    }
    private var isLocked: Bool
    /// What the store says of itself: its type, UUID, the hashes of its model, and whatever a program adds. Written
    /// with the next save.
    open var metadata: [String: Any]! = [:]
    private var spaces: [ObjectIdentifier: ObjectIDSpace] = [:]
    private var numbering: EntityNumbering?
    private let lock = NSLock()

    /// Creates a store for a coordinator. Called by the coordinator; subclasses call `super`.
    ///
    /// - Parameters:
    ///   - root: the coordinator that will own the store.
    ///   - name: the configuration of the coordinator's model; nil for all entities.
    ///   - url: where the store is.
    ///   - options: what `addPersistentStore` was given.
    public init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) {
        owner = root
        place = url
        configurationName = name ?? NSManagedObjectModel.defaultConfigurationName
        self.options = options
        isLocked = StoreOptions(options).isReadOnly
    }

    /// How the framework makes stores of a class it only knows at run time. Not for programs.
    public required convenience init(
        _frameworkOnly root: NSPersistentStoreCoordinator, configurationName: String?, at url: URL,
        options: [AnyHashable: Any]?
    ) throws {
        self.init(
            persistentStoreCoordinator: root, configurationName: configurationName, at: url, options: options)
    }

    /// The store's type, as `NSSQLiteStoreType`. Stores written by programs override it, or have it in their metadata.
    open var type: String { metadata?[NSStoreTypeKey] as? String ?? "" }

    /// What tells the store from all others: its UUID, upper case. Part of the URIs of object IDs.
    open var identifier: String! {
        get { metadata?[NSStoreUUIDKey] as? String ?? "" }
        set { metadata = (metadata ?? [:]).merging([NSStoreUUIDKey: newValue ?? ""]) { $1 } }
    }

    // MARK: For subclasses

    /// Reads the store's metadata, which must then have at least its UUID and type. Called before the store is used.
    open func loadMetadata() throws {}

    /// Called after the store was added to a coordinator.
    open func didAdd(to coordinator: NSPersistentStoreCoordinator) {}

    /// Called before the store leaves its coordinator.
    open func willRemove(from coordinator: NSPersistentStoreCoordinator?) {}

    /// What the store at an address says of itself, without opening it. Subclasses override it.
    ///
    /// - Throws: an error for what is missing or is no such store.
    open class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        throw CocoaError.unsupported("reading the metadata of a store of class \(self) without opening it")
    }

    /// Replaces what the store at an address says of itself, without opening it. Subclasses override it.
    ///
    /// - Throws: an error for what is missing, no such store, or can't be written.
    open class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        throw CocoaError.unsupported("setting the metadata of a store of class \(self) without opening it")
    }

    // MARK: Identity

    /// Whether rows have names that a program gave, of any type, instead of numbers.
    package var hasReferences: Bool { false }

    /// Where the keys of an entity's tree are unique.
    package final func space(of entity: NSEntityDescription) -> ObjectIDSpace {
        let root = ObjectIdentifier(entity.rootEntity)
        return lock.withLock {
            if let known = spaces[root] { return known }
            let references = hasReferences ? ObjectReferences() : nil
            let space = ObjectIDSpace(store: self, identifier: identifier, references: references)
            spaces[root] = space
            return space
        }
    }

    /// The ID of the row that a store's own name stands for.
    package final func objectID(of entity: NSEntityDescription, reference: Any) -> NSManagedObjectID {
        let space = space(of: entity)
        let key = space.references?.key(of: entity, reference) ?? (reference as? NSNumber)?.int64Value ?? 0
        return NSManagedObjectID(entity, primaryKey: key, space: space)
    }

    /// The store's own name of a row.
    package final func reference(of objectID: NSManagedObjectID) -> Any {
        objectID.space.references?.reference(objectID.primaryKey) ?? NSNumber(value: objectID.primaryKey)
    }

    /// The ID that the end of a URI means, which is given without its `p` and as it stands in the URI.
    package final func objectID(of entity: NSEntityDescription, uriKey: String) -> NSManagedObjectID? {
        let space = space(of: entity)
        guard let key = space.references?.key(of: entity, uriKey: uriKey) ?? Int64(uriKey), key > 0 else { return nil }
        return NSManagedObjectID(entity, primaryKey: key, space: space)
    }

    // MARK: What each kind of store does

    /// Whether the store is a file, and so needs the URL of one.
    package class var isFile: Bool { false }

    /// Brings in what the store has, after its metadata were found to fit.
    package func open() throws {}

    /// Whether a save without changes is to be sent too: it asks for the metadata to be written.
    package var wantsEmptySaves: Bool { false }

    /// Whether the store can be read from several threads at once, and while another one saves.
    package var readsConcurrently: Bool { false }

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

    /// Finds dictionaries.
    package func dictionaries(_ wanted: DictionaryFetch, in context: NSManagedObjectContext) throws -> [NSDictionary] {
        try wanted.evaluated(over: [self], of: context)
    }

    /// The permanent IDs that new objects will have, in their order. A store that is asked for one keeps it for the
    /// object's save.
    package func permanentIDs(for objects: [NSManagedObject]) throws -> [NSManagedObjectID] {
        throw CocoaError.unsupported("permanent IDs before a save in a store of type '\(type)'")
    }

    /// Writes changes, all or nothing; returns the new IDs of inserted objects and the new rows of all written ones.
    package func save(_ changes: SaveChanges, in context: NSManagedObjectContext) throws -> SaveOutcome {
        throw CocoaError.unsupported("saving to a store of type '\(type)'")
    }

    /// The entity that a row's number stands for.
    package func entity(number: Int32) -> NSEntityDescription? { entityNumbering.entity(number) }
    package func number(of entity: NSEntityDescription) -> Int32 { entityNumbering.number(entity) }

    private var entityNumbering: EntityNumbering {
        lock.withLock {
            if let numbering { return numbering }
            guard let model = persistentStoreCoordinator?.managedObjectModel else { return EntityNumbering([]) }
            let made = EntityNumbering(model.entitiesInStoreOrder)
            numbering = made
            return made
        }
    }
}

/// The numbers by which rows name entities, from 1 in the order of stores.
private struct EntityNumbering {
    private let entities: [NSEntityDescription]
    private let numbers: [ObjectIdentifier: Int32]

    init(_ entities: [NSEntityDescription]) {
        self.entities = entities
        numbers = Dictionary(uniqueKeysWithValues: zip(entities.map(ObjectIdentifier.init), 1...))
    }

    func entity(_ number: Int32) -> NSEntityDescription? {
        entities.indices.contains(Int(number) - 1) ? entities[Int(number) - 1] : nil
    }

    func number(_ entity: NSEntityDescription) -> Int32 { numbers[ObjectIdentifier(entity)] ?? 0 }
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
    /// The IDs of the inserted objects, in their order.
    package var identifiers: [NSManagedObjectID] = []
    /// The new rows of the inserted objects and then of the updated ones, in their order.
    package var rows: [Row] = []
}
