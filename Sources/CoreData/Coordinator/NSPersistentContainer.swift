import FoundationSupplement
import ManagedObjectModel

/// Model, coordinator and context in one: the usual start of a program.
///
/// ```swift
/// let container = NSPersistentContainer(name: "World")
/// container.loadPersistentStores { description, error in
///     if let error { … }
/// }
/// let cities = try container.viewContext.fetch(request)
/// ```
open class NSPersistentContainer: NSObject, @unchecked Sendable {
    /// The container's name, and that of its store's file.
    public let name: String
    /// The model.
    public let managedObjectModel: NSManagedObjectModel
    /// The coordinator.
    public let persistentStoreCoordinator: NSPersistentStoreCoordinator
    /// A context on the main queue.
    public let viewContext: NSManagedObjectContext
    /// The stores to open. Default: a SQLite store, `<name>.sqlite` in `defaultDirectoryURL()`. Set before
    /// `loadPersistentStores`.
    open var persistentStoreDescriptions: [NSPersistentStoreDescription]
    private let lock = NSLock()
    private var loaded: [LoadedStore] = []

    private struct LoadedStore {
        let description: NSPersistentStoreDescription
        weak var store: NSPersistentStore?
    }

    /// Creates a container with the model of that name, which is looked for in the program's bundle, in all others, and
    /// in the resource bundles beside the program, as `.momd`, `.mom`, `.xcdatamodeld` or `.xcdatamodel`.
    ///
    /// As on Apple's systems, a model that isn't found is logged, and the container has an empty one.
    public convenience init(name: String) {
        let model = ModelSearch().model(named: name)
        if model == nil { SQLLog.error(" Failed to load model named \(name)") }
        self.init(name: name, managedObjectModel: model ?? NSManagedObjectModel())
    }

    /// Creates a container; nothing is opened before `loadPersistentStores`.
    public init(name: String, managedObjectModel model: NSManagedObjectModel) {
        self.name = name
        managedObjectModel = model
        persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        viewContext = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        viewContext.persistentStoreCoordinator = persistentStoreCoordinator
        persistentStoreDescriptions = []
        super.init()
        let url = type(of: self).defaultDirectoryURL().appendingPathComponent(name + ".sqlite")
        persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
    }

    /// The folder for stores, which is made when stores are loaded: the program's name in `$XDG_DATA_HOME`, or in
    /// `~/.local/share` where that isn't set. Subclasses may override it.
    open class func defaultDirectoryURL() -> URL {
        let environment = ProcessInfo.processInfo.environment
        // The specification says that relative paths don't count.
        let data = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? URL(fileURLWithPath: $0) : nil }
        let home = URL(fileURLWithPath: environment["HOME"] ?? NSHomeDirectory())
        let program = Bundle.main.infoDictionary?["CFBundleName"] as? String ?? ProcessInfo.processInfo.processName
        return (data ?? home.appendingPathComponent(".local/share")).appendingPathComponent(program)
    }

    /// Opens the described stores, apart from those that the container has opened already.
    ///
    /// - Parameter block: is called for each, with the error if it failed: on the calling thread before this method
    ///   returns, or on a background queue for descriptions that say that their store should be added asynchronously.
    open func loadPersistentStores(
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        for description in persistentStoreDescriptions where !isLoaded(description) {
            persistentStoreCoordinator.add(description) { store, error in
                if let store { self.noteLoaded(description, store) }
                block(description, error)
            }
        }
    }

    private func isLoaded(_ description: NSPersistentStoreDescription) -> Bool {
        lock.withLock {
            loaded.removeAll { $0.store?.persistentStoreCoordinator !== persistentStoreCoordinator }
            return loaded.contains { $0.description === description }
        }
    }

    private func noteLoaded(_ description: NSPersistentStoreDescription, _ store: NSPersistentStore) {
        lock.withLock { loaded.append(LoadedStore(description: description, store: store)) }
    }

    // MARK: Contexts

    /// A new context on a queue of its own.
    open func newBackgroundContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = persistentStoreCoordinator
        return context
    }

    /// Runs a block with a new context, on that context's queue, later.
    @preconcurrency
    open func performBackgroundTask(_ block: @escaping @Sendable (NSManagedObjectContext) -> Void) {
        let context = newBackgroundContext()
        context.perform { block(context) }
    }

    /// Runs a block with a new context, on that context's queue, and waits for it without keeping a thread.
    ///
    /// ```swift
    /// let count = try await container.performBackgroundTask { context in
    ///     try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "City"))
    /// }
    /// ```
    /// - Returns: what the block returns. Managed objects belong to the context and should not be returned.
    @preconcurrency
    public func performBackgroundTask<T, E: Error>(
        _ block: @escaping @Sendable (NSManagedObjectContext) throws(E) -> T
    ) async throws(E) -> T {
        let result: Unchecked<Result<T, E>> = await withCheckedContinuation { continuation in
            performBackgroundTask { context in
                let result: Result<T, E>
                do throws(E) { result = .success(try block(context)) } catch { result = .failure(error) }
                continuation.resume(returning: Unchecked(value: result))
            }
        }
        return try result.value.get()
    }
}
