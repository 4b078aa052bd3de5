import CSQLite
import FoundationSupplement
import ManagedObjectModel

/// A store in a SQLite file with Apple's layout, or, at `/dev/null`, in memory.
package final class SQLiteStore: NSPersistentStore {
    package let schema: SQLSchema
    /// The connection that writes; it reads too where the store can't have readers of its own.
    package var connection: SQLiteConnection { writer.connection }
    private var writer: SQLiteReader
    let readers = SQLiteReaders()
    private var writers: [Int: SQLRowWriter] = [:]
    /// What the transaction that is going on does to the files of large values.
    private(set) lazy var externalData = ExternalDataChanges(store: url)
    /// Writes persistent history, where the store has it.
    var history: HistoryWriter?
    var storeOptions: StoreOptions { StoreOptions(options) }

    package override var type: String { NSSQLiteStoreType }
    package override class var isFile: Bool { true }

    // MARK: Opening

    /// Opens the store, or makes it where there is no file yet.
    init(_ model: NSManagedObjectModel, url: URL, configurationName: String?, options: [AnyHashable: Any]?) throws {
        let storeOptions = StoreOptions(options)
        // First: a model that no store can keep leaves no file.
        let wanted = try SQLSchema(model, configurationName: configurationName)
        let connection = try Self.connect(url, storeOptions)
        writer = SQLiteReader(connection)
        do {
            schema = try SQLStoreFile.schema(wanted, of: connection)
        } catch let error as SQLiteError {
            throw error.cocoaError(.persistentStoreOpen, url: url)
        }
        super.init(persistentStoreCoordinator: nil, configurationName: configurationName, at: url, options: options)
        do {
            if try !createIfEmpty() { try checkCompatibility(of: connection) }
            try prepareHistory(isWanted: storeOptions.isOn(NSPersistentHistoryTrackingKey))
            try setPragmas()
            if !isReadOnly { try maintain() }
            metadata = try SQLStoreFile.metadata(on: connection)
            hasUnsavedMetadata = false
        } catch let error as SQLiteError {
            throw error.cocoaError(.persistentStoreOpen, url: url)
        }
    }

    package required convenience init(
        _frameworkOnly root: NSPersistentStoreCoordinator, configurationName: String?, at url: URL,
        options: [AnyHashable: Any]?
    ) throws {
        try self.init(root.managedObjectModel, url: url, configurationName: configurationName, options: options)
    }

    private static func connect(_ url: URL, _ options: StoreOptions) throws -> SQLiteConnection {
        if url.isInMemory { return try SQLStoreFile.open(url, .memory, busyTimeout: options.timeout) }
        let exists = size(url) > 0
        if !exists, options.isReadOnly { throw missing(url) }
        return try SQLStoreFile.open(
            url, options.isReadOnly ? .readOnly : exists ? .readWrite : .create, busyTimeout: options.timeout)
    }

    private static func size(_ url: URL) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: url.path))?[.size] as? Int ?? 0
    }

    private static func missing(_ url: URL) -> CocoaError {
        CocoaError.store(.fileReadNoSuchFile, url, "Attempt to open missing file read only")
    }

    private var isEmpty: Bool { get throws { try connection.int("SELECT COUNT(*) FROM sqlite_master") == 0 } }

    /// Makes the tables of a store that has none; false for one that has.
    private func createIfEmpty() throws -> Bool {
        guard try isEmpty else { return false }
        guard let url, !isReadOnly else { throw Self.missing(connection.url) }
        do {
            try SQLStoreFile.prepareEmptyFile(connection)
            return try SQLStoreFile.create(schema, on: connection, identifier: UUID().uuidString)
        } catch {
            // The file may be another program's by now, which then has put something into it. Where nobody can tell, the
            // file that couldn't be made isn't worth keeping.
            if !url.isInMemory, (try? isEmpty) ?? true { Self.removeFiles(url) }
            throw error
        }
    }

    private func checkCompatibility(of connection: SQLiteConnection) throws {
        let check = StoreCompatibility(
            model: schema.model, configuration: configurationName, options: storeOptions, url: connection.url)
        try check.check(SQLStoreFile.metadata(on: connection)) {
            do { return try SQLStoreFile.model(on: connection) } catch {
                SQLLog.warn(
                    "\(connection.url.path): the model of the store can't be read: \(error.localizedDescription)")
                return nil
            }
        }
    }

    // MARK: Moving and closing

    /// Goes on with the same store in another file, which must be there.
    func move(to url: URL) throws {
        if !url.isInMemory, Self.size(url) == 0 { throw Self.missing(url) }
        let other = try Self.connect(url, storeOptions)
        let found = try SQLStoreFile.metadata(on: other)
        guard found[NSStoreUUIDKey] as? String == identifier else {
            throw CocoaError.store(.persistentStoreOpen, url, "is another store than \(identifier ?? "")")
        }
        try checkCompatibility(of: other)
        close()
        writer = SQLiteReader(other)
        self.url = url
        isReadOnly = storeOptions.isReadOnly
        externalData = ExternalDataChanges(store: url)
        try prepareHistory(isWanted: storeOptions.isOn(NSPersistentHistoryTrackingKey))
        try setPragmas()
        metadata = found
        hasUnsavedMetadata = false
        listenForChanges()
    }

    package override func didAdd(to coordinator: NSPersistentStoreCoordinator) { listenForChanges() }

    private func listenForChanges() {
        if storeOptions.isOn(NSPersistentStoreRemoteChangeNotificationPostOptionKey) { RemoteChanges.add(self) }
    }

    /// Lets go of the file. Nothing can be read or written any more.
    func close() {
        RemoteChanges.remove(self)
        writers = [:]
        readers.close()
        connection.close()
    }

    package static func removeFiles(_ url: URL) {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            try? FileManager.default.removeItem(atPath: url.path + suffix)  // most of them were never there
        }
    }

    // MARK: Metadata

    /// Whether a program has changed the metadata since they were last written.
    package override var wantsEmptySaves: Bool { hasUnsavedMetadata }
    private var hasUnsavedMetadata = false

    package override var metadata: [String: Any]! { didSet { hasUnsavedMetadata = true } }

    package override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        let connection = try SQLStoreFile.open(url, .readOnly)
        do {
            return try SQLStoreFile.metadata(on: connection)
        } catch let error as SQLiteError {
            throw error.cocoaError(.persistentStoreOpen, url: url)
        }
    }

    package override class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        let connection = try SQLStoreFile.open(url, .readWrite)
        do {
            try connection.transaction { try SQLStoreFile.replaceMetadata(metadata ?? [:], on: connection) }
        } catch let error as SQLiteError {
            throw error.cocoaError(.persistentStoreSave, url: url)
        }
    }

    /// Writes metadata that a program has changed, as a part of a save.
    func writeMetadata() throws {
        if hasUnsavedMetadata { try SQLStoreFile.replaceMetadata(metadata ?? [:], on: connection) }
    }

    package override func entity(number: Int32) -> NSEntityDescription? {
        schema.entity(number: Int64(number))?.description
    }

    package override func number(of entity: NSEntityDescription) -> Int32 {
        Int32(schema.entity(entity)?.number ?? 0)
    }

    func sqlEntity(_ entity: NSEntityDescription) throws -> SQLEntity {
        guard let found = schema.entity(entity) else {
            throw CocoaError.request("the entity '\(entity.name ?? "")' is not of the coordinator's model")
        }
        return found
    }

    package func writer(_ entity: SQLEntity) throws -> SQLRowWriter {
        if let known = writers[entity.number] { return known }
        let writer = try SQLRowWriter(entity, connection, externalData)
        writers[entity.number] = writer
        return writer
    }

    // MARK: Reading

    package override var readsConcurrently: Bool { readers.isOpen }

    /// Runs `body` with a connection to read from; what SQLite says becomes Core Data's error.
    func reading<R>(_ body: (SQLiteReader) throws -> R) throws -> R {
        try reporting {
            try readers.read { reader in
                // Without one the writer reads: nobody else may use it then. The lock is recursive.
                try reader.map(body) ?? exclusively { try body(writer) }
            }
        }
    }

    private func exclusively<R>(_ body: () throws -> R) throws -> R {
        try persistentStoreCoordinator.map { try $0.exclusively(body) } ?? body()
    }

    package override func fetch(
        _ fetch: StoreFetch, in context: NSManagedObjectContext, visit: (EntityLayout, Int64, Row?) throws -> Void
    ) throws {
        let entity = try sqlEntity(fetch.entity)
        let (query, columns) = try SQLGenerator.select(fetch, entity, schema)
        try reading { connection in
            let statement = try connection.bound(query)
            defer { statement.reset() }
            let reader = connection.rowReader(entity, columns, schema)
            while try statement.step() {
                guard let layout = reader.layout(statement) else { continue }
                let row = fetch.includesValues ? try reader.row(statement) : nil
                try visit(layout, statement.int(SQLResultColumns.primaryKey), row)
            }
        }
    }

    package override func count(_ fetch: StoreFetch, in context: NSManagedObjectContext) throws -> Int {
        let query = try SQLGenerator.count(fetch, sqlEntity(fetch.entity), schema)
        return try reading { connection in
            let statement = try connection.bound(query)
            defer { statement.reset() }
            return try statement.step() ? Int(statement.int(0)) : 0
        }
    }

    package override func row(
        _ entity: NSEntityDescription, _ primaryKey: Int64, in context: NSManagedObjectContext
    ) throws -> (NSEntityDescription, Row)? {
        let entity = try sqlEntity(entity.rootEntity)
        return try reading { try $0.row(entity, primaryKey, schema) }
    }

    /// One row as it is in the save that is going on.
    func writtenRow(_ entity: NSEntityDescription, _ primaryKey: Int64) throws -> Row? {
        try writer.row(sqlEntity(entity.rootEntity), primaryKey, schema)?.1
    }

    package override func keys(
        of relationship: NSRelationshipDescription, _ entity: NSEntityDescription, _ primaryKey: Int64,
        in context: NSManagedObjectContext
    ) throws -> [(NSEntityDescription, Int64)] {
        let entity = try sqlEntity(entity)
        guard let slot = entity.layout.slot(relationship.name),
            let text = SQLGenerator.relatedKeys(entity.storage[slot])
        else { return [] }
        return try reading { connection in
            let statement = try connection.bound(SQLQuery(text: text, bindings: [.integer(primaryKey)]))
            defer { statement.reset() }
            var result: [(NSEntityDescription, Int64)] = []
            while try statement.step() {
                guard let found = schema.entity(number: statement.int(0)) else { continue }
                result.append((found.description, statement.int(1)))
            }
            return result
        }
    }

    package override func dictionaries(
        _ wanted: DictionaryFetch, in context: NSManagedObjectContext
    ) throws -> [NSDictionary] {
        try findDictionaries(wanted, sqlEntity(wanted.fetch.entity))
    }

    package override func save(_ changes: SaveChanges, in context: NSManagedObjectContext) throws -> SaveOutcome {
        try checkCanWrite()
        let outcome = try saveChanges(changes, in: context)
        hasUnsavedMetadata = false
        RemoteChanges.noteSave(to: url)
        return outcome
    }

    private func checkCanWrite() throws {
        try checkIsWritable()
        // What is saved to a file that was removed would be lost with the connection. Apple's SQLite notices it too.
        guard !connection.hasMoved else { throw SQLiteError.moved.cocoaError(.sqlite, url: url) }
    }

    package override func permanentIDs(for objects: [NSManagedObject]) throws -> [NSManagedObjectID] {
        try checkCanWrite()
        return try takeKeys(for: objects)
    }

    /// Runs `body`; what SQLite says becomes Core Data's error.
    func reporting<R>(_ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch let error as SQLiteError {
            throw error.cocoaError(.sqlite, url: url)
        }
    }
}
