import CoreData

/// A data model to be subclassed: it knows where its files are, and brings the store that the app ships with into place
/// before it is opened for the first time.
///
/// Subclasses say where things are by overriding `modelName`, `pathToModel`, `pathToLocalStore` or `pathToDefaultStore`.
class BasicDataModel {
    /// Why the model couldn't be set up.
    enum Failure: Error {
        case noModel(URL)
    }

    private(set) var mainContext: NSManagedObjectContext?

    class var modelName: String { "Places" }

    /// The folder for what the user changes.
    let folder: URL
    /// The folder of what the app ships with.
    let resources: URL

    init(folder: URL, resources: URL) {
        (self.folder, self.resources) = (folder, resources)
    }

    var pathToModel: URL { resources.appendingPathComponent("\(Self.modelName).xcdatamodeld") }
    var pathToLocalStore: URL { folder.appendingPathComponent("\(Self.modelName).sqlite") }
    var pathToDefaultStore: URL { resources.appendingPathComponent("\(Self.modelName).sqlite") }

    /// The context for the user interface, on the user's store.
    func context() throws -> NSManagedObjectContext {
        if let mainContext { return mainContext }
        guard let model = NSManagedObjectModel(contentsOf: pathToModel) else { throw Failure.noModel(pathToModel) }
        try installDefaultStore()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: pathToLocalStore, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        mainContext = context
        return context
    }

    /// Copies the shipped store, which is one file in rollback mode, unless the user has a store already. The copy gets
    /// its name only when it is whole.
    private func installDefaultStore() throws {
        let files = FileManager.default
        guard !files.fileExists(atPath: pathToLocalStore.path), files.fileExists(atPath: pathToDefaultStore.path)
        else { return }
        let copy = folder.appendingPathComponent(".\(UUID().uuidString).sqlite")
        try files.copyItem(at: pathToDefaultStore, to: copy)
        try files.moveItem(at: copy, to: pathToLocalStore)
    }
}
