import CoreData

/// A store that is open to be read, with its model.
final class StoreReader {
    /// Where the store is.
    let url: URL
    /// The model: the one that was given, or the store's own.
    let model: NSManagedObjectModel
    /// What the store says of itself.
    let metadata: [String: Any]
    /// A context on the store.
    let context: NSManagedObjectContext

    private init(_ url: URL, modelPath: String?) throws {
        self.url = url
        metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url)
        model = try modelPath.map(loadModel) ?? NSManagedObjectModel(contentsOfStoreAt: url)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: Self.configuration(of: model, metadata), at: url,
            options: [NSReadOnlyPersistentStoreOption: true, NSPersistentStoreTimeoutOption: 10])
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
    }

    /// The configuration that a store was made for; nil for the whole model, or where none fits.
    private static func configuration(of model: NSManagedObjectModel, _ metadata: [String: Any]) -> String? {
        func fits(_ name: String?) -> Bool {
            model.isConfiguration(withName: name, compatibleWithStoreMetadata: metadata)
        }
        return fits(nil) ? nil : model.configurations.sorted().first(where: fits)
    }

    /// Opens a store, runs `body` on its context's queue, and closes the store, with nothing left beside it.
    static func read<R>(_ path: String, modelPath: String? = nil, _ body: (StoreReader) throws -> R) throws -> R {
        try InputError.requireFile(path, what: "store")
        let url = URL(fileURLWithPath: path)
        let sidecars = Sidecars(ofStoreAt: url.path)
        // The store is closed when the reader is let go, at the end of the inner function.
        defer { sidecars.removeNew() }
        return try readAndClose(url, modelPath, body)
    }

    private static func readAndClose<R>(_ url: URL, _ modelPath: String?, _ body: (StoreReader) throws -> R) throws -> R
    {
        let reader = try StoreReader(url, modelPath: modelPath)
        return try reader.context.performAndWait { () throws -> R in try body(reader) }
    }

    /// Opens a store's file to be read as it is, with no model, and leaves nothing beside it.
    static func withFile<R>(_ path: String, _ body: (SQLiteConnection) throws -> R) throws -> R {
        try InputError.requireFile(path, what: "store")
        let url = URL(fileURLWithPath: path)
        let sidecars = Sidecars(ofStoreAt: url.path)
        // The connection is closed when it is let go, at the end of the inner function.
        defer { sidecars.removeNew() }
        return try openAndClose(url, body)
    }

    private static func openAndClose<R>(_ url: URL, _ body: (SQLiteConnection) throws -> R) throws -> R {
        do {
            let connection = try SQLStoreFile.open(url, .readOnly)
            // So that a file of something else is called that.
            _ = try SQLStoreFile.metadata(on: connection)
            return try body(connection)
        } catch let error as SQLiteError {
            throw error.cocoaError(.persistentStoreOpen, url: url)
        }
    }

    /// Reads the version hashes in a store's metadata, and the model that it keeps, if it is of an age to keep one.
    static func cachedModel(ofStoreAt path: String) throws -> (NSManagedObjectModel?, [String: Data]) {
        let url = URL(fileURLWithPath: path)
        let sidecars = Sidecars(ofStoreAt: url.path)
        // The connection is closed when it is let go, at the end of the inner function.
        defer { sidecars.removeNew() }
        do {
            return try readCache(of: url)
        } catch let error as SQLiteError {
            throw error.cocoaError(.persistentStoreOpen, url: url)
        }
    }

    /// Opens a store of which no model is known, and runs `body`.
    static func readFile<R>(_ path: String, _ body: (SQLiteConnection) throws -> R) throws -> R {
        let url = URL(fileURLWithPath: path)
        let sidecars = Sidecars(ofStoreAt: url.path)
        defer { sidecars.removeNew() }
        return try openFile(url, body)
    }

    // The connection is closed when it is let go, at the end.
    private static func openFile<R>(_ url: URL, _ body: (SQLiteConnection) throws -> R) throws -> R {
        do {
            return try body(SQLStoreFile.open(url, .readOnly))
        } catch let error as SQLiteError {
            throw error.cocoaError(.persistentStoreOpen, url: url)
        }
    }

    private static func readCache(of url: URL) throws -> (NSManagedObjectModel?, [String: Data]) {
        let connection = try SQLStoreFile.open(url, .readOnly)
        let metadata = try SQLStoreFile.metadata(on: connection)
        let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
        let keepsModel =
            try connection.tables().contains("Z_MODELCACHE")
            && connection.int("SELECT count(*) FROM Z_MODELCACHE WHERE Z_CONTENT IS NOT NULL") != 0
        return (keepsModel ? try SQLStoreFile.model(on: connection) : nil, hashes)
    }

    /// Reads the model that a store keeps.
    static func model(ofStoreAt path: String) throws -> NSManagedObjectModel {
        let url = URL(fileURLWithPath: path)
        let sidecars = Sidecars(ofStoreAt: url.path)
        defer { sidecars.removeNew() }
        // So that a file of something else is called that, and not a store without a model.
        _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url)
        return try NSManagedObjectModel(contentsOfStoreAt: url)
    }
}

/// Reads a model, with an error for a path that leads to nothing.
func loadModel(_ path: String) throws -> NSManagedObjectModel {
    try InputError.requireReadable(path, what: "model")
    return try NSManagedObjectModel(validatingContentsOf: URL(fileURLWithPath: path))
}

extension NSManagedObjectModel {
    /// The names of all entities, in alphabetical order.
    var entityNames: [String] { entities.compactMap(\.name).sorted() }

    /// The entity of that name.
    ///
    /// - Throws: `UsageError` with near matches and the names that there are.
    func requireEntity(_ name: String) throws -> NSEntityDescription {
        if let entity = entitiesByName[name] { return entity }
        let suggestion = nearest(to: name, among: entityNames).map { "; did you mean '\($0)'?" } ?? ""
        throw UsageError(
            message: "There is no entity '\(name)'\(suggestion)",
            details: ["The model's entities: \(entityNames.joined(separator: ", "))"])
    }
}

extension Data {
    /// The bytes in lower-case hexadecimal digits.
    var hexadecimal: String {
        map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}
