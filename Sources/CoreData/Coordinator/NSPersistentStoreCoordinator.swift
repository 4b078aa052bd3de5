import FoundationSupplement
import ManagedObjectModel

/// Stands between contexts and stores: it opens stores with a model, and carries out what contexts ask.
///
/// ```swift
/// let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
/// try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
/// ```
/// A coordinator may be used from any thread: it carries out one request at a time.
open class NSPersistentStoreCoordinator: NSObject, @unchecked Sendable {
    /// The model. Immutable from now on.
    public let managedObjectModel: NSManagedObjectModel
    /// A name for people.
    open var name: String?
    private var stores: [NSPersistentStore] = []
    // One lock for all stores: SQLite connections here are used by one thread at a time.
    private let lock = NSRecursiveLock()

    /// Creates a coordinator without stores.
    public init(managedObjectModel model: NSManagedObjectModel) {
        managedObjectModel = model
        model.prepareForUse()
    }

    /// The open stores, in the order in which they were added.
    open var persistentStores: [NSPersistentStore] { lock.withLock { stores } }

    /// Opens a store, or makes it where there is none.
    ///
    /// - Parameters:
    ///   - storeType: `NSSQLiteStoreType`.
    ///   - configuration: the name of the model's configuration for this store; nil for all entities.
    ///   - storeURL: the file.
    ///   - options: among others `NSReadOnlyPersistentStoreOption` and `NSSQLitePragmasOption`.
    /// - Throws: `persistentStoreIncompatibleVersionHash` (134100) for a store of another model, with the entities that
    ///   differ; `persistentStoreOpen`, `fileReadNoSuchFile` or `fileReadCorruptFile` for what can't be opened.
    @discardableResult
    open func addPersistentStore(
        ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        return try lock.withLock {
            if let storeURL, stores.contains(where: { $0.url?.standardizedFileURL == storeURL.standardizedFileURL }) {
                throw CocoaError.store(.persistentStoreOpen, storeURL, "Can't add the same store twice")
            }
            let store = try makeStore(type: storeType, configuration: configuration, url: storeURL, options: options)
            stores.append(store)
            store.didAdd(to: self)
            return store
        }
    }

    /// Closes a store. Objects that came from it can't be filled or saved any more.
    open func remove(_ store: NSPersistentStore) throws {
        lock.withLock {
            store.willRemove(from: self)
            stores.removeAll { $0 === store }
            store.persistentStoreCoordinator = nil
        }
    }

    /// The open store at an address.
    open func persistentStore(for URL: URL) -> NSPersistentStore? {
        persistentStores.first { $0.url?.standardizedFileURL == URL.standardizedFileURL }
    }

    /// What the file of a store says of itself, without opening it with a model.
    ///
    /// - Throws: an error for a file that is missing or not a store.
    open class func metadataForPersistentStore(
        ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        try storeClass(forType: storeType, at: url).metadataForPersistentStore(with: url)
    }

    /// The ID that a text made by `uriRepresentation()` means, in one of the open stores; nil for others.
    open func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
        guard let uri = ObjectURI(url), uri.key.hasPrefix("p"),
            let entity = managedObjectModel.entitiesByName[uri.entity],
            let store = persistentStores.first(where: { $0.identifier.lowercased() == uri.store.lowercased() })
        else { return nil }
        return store.objectID(of: entity, uriKey: String(uri.key.dropFirst()))
    }

    // MARK: For contexts

    /// Runs `body` while no other request is carried out.
    package func exclusively<R>(_ body: () throws -> R) rethrows -> R {
        try lock.withLock(body)
    }

    /// The stores that may hold rows of an entity.
    package func stores(for entity: NSEntityDescription) -> [NSPersistentStore] {
        persistentStores.filter { store in
            managedObjectModel.entities(forConfigurationName: store.configurationName)?.contains { $0 === entity }
                ?? false
        }
    }

    /// The store that a new object of an entity goes to: the first that may hold it and may be written.
    package func storeForInsertion(of entity: NSEntityDescription) throws -> NSPersistentStore {
        let candidates = stores(for: entity)
        if let store = candidates.first(where: { !$0.isReadOnly }) { return store }
        if let store = candidates.first {
            throw CocoaError.store(.fileWriteNoPermission, store.url, "the store is read-only")
        }
        throw CocoaError.request(
            persistentStores.isEmpty
                ? "This NSPersistentStoreCoordinator has no persistent stores. It cannot perform a save operation."
                : "no store is configured for the entity '\(entity.name ?? "")'")
    }
}
