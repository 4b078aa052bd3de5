import Dispatch
import FoundationSupplement
import ManagedObjectModel

/// Stands between contexts and stores: it opens stores with a model, and carries out what contexts ask.
///
/// ```swift
/// let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
/// try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
/// ```
/// A coordinator may be used from any thread. It carries out one save at a time; SQLite stores with a write-ahead log,
/// which is the default, are fetched from meanwhile, and by several threads at once.
open class NSPersistentStoreCoordinator: NSObject, NSLocking, @unchecked Sendable {
    /// The model. Immutable from now on.
    public let managedObjectModel: NSManagedObjectModel
    // Both under `state`, which is never held for long: contexts look at the stores while another one saves.
    private var stores: [NSPersistentStore] = []
    private var label: String?
    private let state = NSLock()
    /// The contexts that save to these stores.
    let contexts = ContextList()
    // One lock for all that is done to the stores, and for reading from those that can't be read meanwhile.
    private let requests = NSRecursiveLock()
    let queue = DispatchQueue(label: "NSPersistentStoreCoordinator")

    /// Creates a coordinator without stores.
    public init(managedObjectModel model: NSManagedObjectModel) {
        managedObjectModel = model
        model.prepareForUse()
        LoadedModels.add(model)
    }

    /// A name for people.
    open var name: String? {
        get { state.withLock { label } }
        set { state.withLock { label = newValue } }
    }

    /// The open stores, in the order in which they were added.
    open var persistentStores: [NSPersistentStore] { state.withLock { stores } }

    // MARK: Adding and removing

    /// Opens a store, or makes it where there is none.
    ///
    /// - Parameters:
    ///   - storeType: `NSSQLiteStoreType`, another of the framework's types, or one that the program has registered.
    ///   - configuration: the name of the model's configuration for this store; nil for all entities.
    ///   - storeURL: the file. A SQLite store at `/dev/null` is kept in memory, for this coordinator only; one at a name
    ///     below, as `/dev/null/shared`, in memory for all coordinators of the process that name it.
    ///   - options: among others `NSReadOnlyPersistentStoreOption`, `NSPersistentStoreTimeoutOption` and
    ///     `NSSQLitePragmasOption`.
    /// - Returns: the store.
    /// - Throws: 134081 for a store that is open in this coordinator; `persistentStoreIncompatibleVersionHash` (134100)
    ///   for one of another model, with the entities that differ; `persistentStoreTypeMismatch` (134010) for one of
    ///   another type; `persistentStoreTimeout` (134090) for one that others keep locked; `fileReadNoSuchFile` (260),
    ///   `fileReadCorruptFile` (259), `fileReadUnknown` (256) or `fileWriteUnknown` (512) for what can't be opened.
    @discardableResult
    open func addPersistentStore(
        ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        let store = try requests.withLock {
            if let storeURL, persistentStore(for: storeURL) != nil {
                throw CocoaError.store(.persistentStoreAddedTwice, storeURL, "Can't add the same store twice")
            }
            let store = try makeStore(type: storeType, configuration: configuration, url: storeURL, options: options)
            attach(store)
            return store
        }
        // Without the lock: who listens may wait for other threads.
        post(.NSPersistentStoreCoordinatorStoresDidChange, [NSAddedPersistentStoresKey: [store]])
        return store
    }

    /// Opens the store that a description describes, or makes it where there is none, with its folder.
    ///
    /// - Parameter block: is called once, with the error if there is one: before this method returns, or on a background
    ///   queue if the description says that the store should be added asynchronously.
    open func addPersistentStore(
        with storeDescription: NSPersistentStoreDescription,
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        add(storeDescription) { _, error in block(storeDescription, error) }
    }

    /// Closes a store. Objects that came from it can't be filled or saved any more.
    ///
    /// Waits for requests that are being carried out.
    /// - Throws: an error for a store of another coordinator.
    open func remove(_ store: NSPersistentStore) throws {
        guard persistentStores.contains(where: { $0 === store }) else {
            throw CocoaError.request("\(store) is not one of the coordinator's stores and can't be removed")
        }
        announceRemoval(of: store)
        requests.withLock { detach(store) }
        post(.NSPersistentStoreCoordinatorStoresDidChange, [NSRemovedPersistentStoresKey: [store]])
    }

    /// Takes a store in among the coordinator's.
    func attach(_ store: NSPersistentStore) {
        store.persistentStoreCoordinator = self
        state.withLock { stores.append(store) }
        store.didAdd(to: self)
    }

    /// Lets a store go, and its file with it.
    func detach(_ store: NSPersistentStore) {
        state.withLock { stores.removeAll { $0 === store } }
        store.persistentStoreCoordinator = nil
        (store as? SQLiteStore)?.close()
    }

    func announceRemoval(of store: NSPersistentStore) {
        store.willRemove(from: self)
        NotificationCenter.default.post(name: .NSPersistentStoreCoordinatorWillRemoveStore, object: store)
    }

    func post(_ name: Notification.Name, _ userInfo: [AnyHashable: Any]) {
        NotificationCenter.default.post(name: name, object: self, userInfo: userInfo)
    }

    // MARK: Places

    /// The open store at an address.
    open func persistentStore(for URL: URL) -> NSPersistentStore? {
        persistentStores.first { $0.url?.standardizedFileURL == URL.standardizedFileURL }
    }

    /// Where a store is; `/dev/null` for one that was added without an address.
    open func url(for store: NSPersistentStore) -> URL { store.url ?? URL(fileURLWithPath: "/dev/null") }

    /// Goes on with a store at another place.
    ///
    /// A store that is read and written whole will be written there at the next save. A SQLite store must be there
    /// already, as a copy of this one; it is closed here and opened there.
    /// - Returns: whether that could be done; the reason why not is logged.
    open func setURL(_ url: URL, for store: NSPersistentStore) -> Bool {
        requests.withLock {
            do {
                guard persistentStores.contains(where: { $0 === store }) else {
                    throw CocoaError.request("\(store) is not one of the coordinator's stores")
                }
                guard persistentStore(for: url).map({ $0 === store }) ?? true else {
                    throw CocoaError.store(.persistentStoreAddedTwice, url, "Can't add the same store twice")
                }
                if let store = store as? SQLiteStore { try store.move(to: url) } else { store.url = url }
                return true
            } catch {
                SQLLog.error("the store at \(self.url(for: store)) can't move to \(url): \(error.localizedDescription)")
                return false
            }
        }
    }

    // MARK: Metadata

    /// What a store says of itself, with what a program has set.
    open func metadata(for store: NSPersistentStore) -> [String: Any] { requests.withLock { store.metadata ?? [:] } }

    /// Sets what a store says of itself. The store's file changes with the next save.
    ///
    /// - Parameter metadata: property list values. The store's type is always added, its UUID unless another is given.
    open func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
        requests.withLock {
            var all = metadata ?? [:]
            all[NSStoreTypeKey] = store.type
            all[NSStoreUUIDKey] = all[NSStoreUUIDKey] ?? store.identifier
            store.metadata = all
        }
    }

    /// What the file of a store says of itself, without opening it with a model.
    ///
    /// - Throws: an error for a file that is missing or not a store.
    open class func metadataForPersistentStore(
        ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        try storeClass(forType: storeType, at: url).metadataForPersistentStore(with: url)
    }

    /// Replaces what the file of a store says of itself, without opening it with a model.
    ///
    /// What the framework needs to open the store is kept where `metadata` says nothing of it; a UUID under
    /// `NSStoreUUIDKey` becomes the store's.
    /// - Throws: an error for a file that is missing, not a store, or can't be written.
    open class func setMetadata(
        _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) throws {
        try storeClass(forType: storeType, at: url).setMetadata(metadata, forPersistentStoreAt: url)
    }

    // MARK: Moving, replacing, destroying

    /// Copies a store's objects into a new store, which takes its place.
    ///
    /// The new store gets a UUID of its own, and the old one's metadata apart from that; the old store's file stays as it
    /// was. All objects are in memory for a while: to copy a SQLite store as it is, `replacePersistentStore` is better.
    /// - Returns: the new store. The old one can't be used any more.
    /// - Throws: `fileWriteFileExists` (516) where there is a file already, and what reading and writing stores throw;
    ///   nothing has changed then.
    @discardableResult
    open func migratePersistentStore(
        _ store: NSPersistentStore, to URL: URL, options: [AnyHashable: Any]? = nil, withType storeType: String
    ) throws -> NSPersistentStore {
        try requests.withLock { try migrate(store, to: URL, options, storeType) }
    }

    /// Puts a copy of one store in the place of another, or where there is none.
    ///
    /// A SQLite store is copied by SQLite, under its locks, with what is in its log. A store that this coordinator has
    /// open at the destination is removed from it first.
    /// - Parameters:
    ///   - destinationURL: what is replaced.
    ///   - destinationOptions: the options that the store there is added with.
    ///   - sourceURL: what is copied.
    ///   - sourceOptions: the options that the store there is added with.
    ///   - storeType: the type of both.
    /// - Throws: `fileReadNoSuchFile` (260) without a source, `persistentStoreTimeout` (134090) where others have one of
    ///   them locked, and what reading and writing files throw.
    open func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil, ofType storeType: String
    ) throws {
        _ = try Self.storeClass(forType: storeType, at: destinationURL)
        try removeStore(at: destinationURL)
        let files = StoreFiles(type: storeType, options: StoreOptions(destinationOptions))
        try requests.withLock {
            try files.replace(destinationURL, withStoreAt: sourceURL, StoreOptions(sourceOptions))
        }
    }

    /// Destroys a store: of a SQLite store an empty file remains, others are deleted. Where there is none, nothing
    /// happens.
    ///
    /// A store that this coordinator has open there is removed from it first.
    /// - Parameters:
    ///   - url: the store's file.
    ///   - storeType: its type.
    ///   - options: the options that it is added with; with `NSPersistentStoreForceDestroyOption` locks don't count.
    /// - Throws: `persistentStoreTimeout` (134090) where others have the store locked, and what writing files throws.
    open func destroyPersistentStore(at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil) throws {
        _ = try Self.storeClass(forType: storeType, at: url)
        try removeStore(at: url)
        try requests.withLock { try StoreFiles(type: storeType, options: StoreOptions(options)).destroy(url) }
    }

    private func removeStore(at url: URL) throws {
        if let store = persistentStore(for: url) { try remove(store) }
    }

    // MARK: Requests

    /// Carries out a request for a context.
    ///
    /// - Returns: for a fetch the results, an array; for a save, which must be one of all changes of the context, an
    ///   empty array.
    /// - Throws: what the context's own methods throw; `persistentStoreUnsupportedRequestType` (134091) for other
    ///   requests.
    open func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext) throws -> Any {
        // Without the lock: a context takes it itself, after the queues of its parents.
        try carryOut(request, context)
    }

    /// Runs a block later, while no other request is carried out.
    open func perform(_ block: @escaping () -> Void) {
        nonisolated(unsafe) let block = block
        queue.async { self.requests.withLock { block() } }
    }

    /// The ID that a text made by `uriRepresentation()` means: one of an object in one of the open stores, or of an
    /// object of this process that was never saved; nil for others.
    open func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
        guard let uri = ObjectURI(url), let entity = managedObjectModel.entitiesByName[uri.entity] else { return nil }
        if uri.store.isEmpty { return NSManagedObjectID(entity, temporaryURI: url, uri) }
        guard uri.key.hasPrefix("p") else { return nil }
        return requests.withLock {
            let store = persistentStores.first { $0.identifier?.lowercased() == uri.store.lowercased() }
            return store?.objectID(of: entity, uriKey: String(uri.key.dropFirst()))
        }
    }

    // MARK: NSLocking

    /// Waits until nothing is done to the stores, and lets nothing begin; fetches that don't wait for saves don't wait
    /// for this either. Deprecated by Apple: use `performAndWait`.
    open func lock() { requests.lock() }

    /// Ends what `lock()` began.
    open func unlock() { requests.unlock() }

    /// Like `lock()`, unless it would have to wait.
    open func tryLock() -> Bool { requests.try() }

    // MARK: For contexts

    /// Runs `body`, which only reads from `stores`: beside other requests where all of them can be read so, else alone.
    package func reading<R>(_ stores: [NSPersistentStore], _ body: () throws -> R) rethrows -> R {
        try stores.allSatisfy(\.readsConcurrently) ? body() : exclusively(body)
    }

    /// Runs `body` while no other request is carried out.
    package func exclusively<R>(_ body: () throws -> R) rethrows -> R {
        try requests.withLock(body)
    }

    /// The stores that may hold rows of an entity.
    package func stores(for entity: NSEntityDescription) -> [NSPersistentStore] {
        persistentStores.filter { isKept(entity, in: $0) }
    }

    /// Whether an entity is of the configuration that a store was added with.
    package func isKept(_ entity: NSEntityDescription, in store: NSPersistentStore) -> Bool {
        managedObjectModel.entities(forConfigurationName: store.configurationName)?.contains { $0 === entity } ?? false
    }

    /// The store that a new object of an entity goes to: the first that may hold it and may be written.
    package func storeForInsertion(of entity: NSEntityDescription) throws -> NSPersistentStore {
        let candidates = stores(for: entity)
        if let store = candidates.first(where: { !$0.isReadOnly }) { return store }
        if let store = candidates.first { throw store.readOnlyError }
        throw CocoaError.request(
            persistentStores.isEmpty
                ? "This NSPersistentStoreCoordinator has no persistent stores (unknown).  It cannot perform a save operation."
                : "no store is configured for the entity '\(entity.name ?? "")'")
    }
}

extension NSPersistentStore {
    /// What saving to a read-only store throws.
    package var readOnlyError: CocoaError {
        var info = CocoaError.store(.fileWriteNoPermission, url, "the store is read-only").userInfo
        info["NSPersistentStoreOptions"] = options ?? [:]
        info[NSPersistentStoreURLKey] = url
        return CocoaError(.fileWriteNoPermission, userInfo: info)
    }
}
