import FoundationSupplement
import ManagedObjectModel

/// Model, coordinator and context in one: the usual start of a program.
///
/// ```swift
/// let container = NSPersistentContainer(name: "World", managedObjectModel: model)
/// container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
/// container.loadPersistentStores { _, error in … }
/// let cities = try container.viewContext.fetch(request)
/// ```
open class NSPersistentContainer: NSObject {
    /// The container's name, and that of its store's file.
    public let name: String
    /// The model.
    public let managedObjectModel: NSManagedObjectModel
    /// The coordinator.
    public let persistentStoreCoordinator: NSPersistentStoreCoordinator
    /// A context on the main queue.
    public let viewContext: NSManagedObjectContext
    /// The stores to open. Default: `<name>.sqlite` in `defaultDirectoryURL()`.
    open var persistentStoreDescriptions: [NSPersistentStoreDescription]

    /// Creates a container; nothing is opened before `loadPersistentStores`.
    public init(name: String, managedObjectModel model: NSManagedObjectModel) {
        self.name = name
        managedObjectModel = model
        persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        viewContext = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        viewContext.persistentStoreCoordinator = persistentStoreCoordinator
        let url = Self.defaultDirectoryURL().appendingPathComponent(name + ".sqlite")
        persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
    }

    /// The folder for stores: the user's application support folder.
    open class func defaultDirectoryURL() -> URL {
        FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
            ?? URL(fileURLWithPath: NSHomeDirectory())
    }

    /// Opens the described stores and calls `block` for each, with the error if it failed.
    open func loadPersistentStores(completionHandler block: @escaping (NSPersistentStoreDescription, Error?) -> Void) {
        for description in persistentStoreDescriptions {
            do {
                if let folder = description.url?.deletingLastPathComponent(), !description.isReadOnly {
                    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                }
                try persistentStoreCoordinator.addPersistentStore(
                    ofType: description.type, configurationName: description.configuration, at: description.url,
                    options: description.coordinatorOptions)
                block(description, nil)
            } catch {
                block(description, error)
            }
        }
    }

    /// A new context on a queue of its own.
    open func newBackgroundContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = persistentStoreCoordinator
        return context
    }

    /// Runs a block with a new context, on that context's queue.
    open func performBackgroundTask(_ block: @escaping (NSManagedObjectContext) -> Void) {
        let context = newBackgroundContext()
        context.perform { block(context) }
    }
}
