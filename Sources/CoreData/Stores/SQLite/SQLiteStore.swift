import CSQLite
import FoundationSupplement
import ManagedObjectModel

/// A store in a SQLite file with Apple's layout.
package final class SQLiteStore: NSPersistentStore {
    package let schema: SQLSchema
    package let connection: SQLiteConnection
    private var writers: [Int: SQLRowWriter] = [:]

    package override var type: String { NSSQLiteStoreType }

    /// Opens the store, or makes it where there is no file yet.
    init(_ model: NSManagedObjectModel, url: URL, configurationName: String?, options: [AnyHashable: Any]?) throws {
        let isReadOnly =
            (options?[NSReadOnlyPersistentStoreOption] as? NSNumber)?.boolValue
            ?? options?[NSReadOnlyPersistentStoreOption] as? Bool ?? false
        schema = try SQLSchema(model)
        let exists = ((try? FileManager.default.attributesOfItem(atPath: url.path))?[.size] as? Int ?? 0) > 0
        if !exists, isReadOnly { throw CocoaError.store(.fileReadNoSuchFile, url, "there is no such file") }
        connection = try SQLStoreFile.open(url, isReadOnly ? .readOnly : exists ? .readWrite : .create)
        super.init(persistentStoreCoordinator: nil, configurationName: configurationName, at: url, options: options)
        do {
            try exists ? checkCompatibility() : create()
            if !isReadOnly { try setPragmas() }
        } catch {
            if !exists { Self.removeFiles(url) }
            throw (error as? SQLiteError)?.cocoaError(.persistentStoreOpen, url: url) ?? error
        }
        metadata = try SQLStoreFile.metadata(on: connection)
    }

    package required convenience init(
        _frameworkOnly root: NSPersistentStoreCoordinator, configurationName: String?, at url: URL,
        options: [AnyHashable: Any]?
    ) throws {
        try self.init(root.managedObjectModel, url: url, configurationName: configurationName, options: options)
    }

    package override class var isFile: Bool { true }

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
            let identifier = metadata?[NSStoreUUIDKey] as? String
            let known = try SQLStoreFile.metadata(on: connection)[NSStoreUUIDKey] as? String
            try SQLStoreFile.write(
                metadata ?? [:], identifier: identifier ?? known ?? UUID().uuidString, on: connection)
        } catch let error as SQLiteError {
            throw error.cocoaError(.persistentStoreSave, url: url)
        }
    }

    private func create() throws {
        try SQLStoreFile.prepareEmptyFile(connection)
        try SQLStoreFile.create(schema, on: connection, identifier: UUID().uuidString)
    }

    /// Apple's default is write-ahead logging; a program may ask for other pragmas.
    private func setPragmas() throws {
        var pragmas = options?[NSSQLitePragmasOption] as? [String: String] ?? [:]
        let journal = pragmas.removeValue(forKey: "journal_mode") ?? "WAL"
        for (name, value) in [("journal_mode", journal)] + pragmas.sorted(by: { $0.key < $1.key }) {
            // Pragmas take no parameters, so what could be more than a word is refused.
            guard (name + value).allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") })
            else {
                throw CocoaError.store(
                    .persistentStoreOpen, url, "the pragma '\(name) = \(value)' is not a word and a value")
            }
            _ = try connection.text("PRAGMA \(name) = \(value)")
        }
    }

    private func checkCompatibility() throws {
        let metadata = try SQLStoreFile.metadata(on: connection)
        if options?[NSIgnorePersistentStoreVersioningOption] as? Bool == true { return }
        // Stores made here have the tables and hashes of the whole model, whatever their configuration.
        guard
            [configurationName, nil].contains(where: {
                schema.model.isConfiguration(withName: $0, compatibleWithStoreMetadata: metadata)
            })
        else {
            let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
            let difference = Self.difference(stored, schema.model.entityVersionHashesByName)
            throw CocoaError(
                .persistentStoreIncompatibleVersionHash,
                userInfo: [
                    NSLocalizedDescriptionKey:
                        "The model used to open the store is incompatible with the one used to create the store. \(difference)",
                    NSFilePathErrorKey: url?.path ?? "", "metadata": metadata,
                    "reason": "The model used to open the store is incompatible with the one used to create the store",
                ])
        }
    }

    static func difference(_ stored: [String: Data], _ model: [String: Data]) -> String {
        let missing = stored.keys.filter { model[$0] == nil }.sorted()
        let added = model.keys.filter { stored[$0] == nil }.sorted()
        let changed = stored.keys.filter { model[$0] != nil && model[$0] != stored[$0] }.sorted()
        return [("only in the store", missing), ("only in the model", added), ("different", changed)]
            .filter { !$0.1.isEmpty }.map { "\($0.0): \($0.1.joined(separator: ", "))" }.joined(separator: "; ")
    }

    package static func removeFiles(_ url: URL) {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            try? FileManager.default.removeItem(atPath: url.path + suffix)  // most of them were never there
        }
    }

    package override func entity(number: Int32) -> NSEntityDescription? {
        schema.entity(number: Int64(number))?.description
    }

    package override func number(of entity: NSEntityDescription) -> Int32 {
        Int32(schema.entity(entity)?.number ?? 0)
    }

    private func sqlEntity(_ entity: NSEntityDescription) throws -> SQLEntity {
        guard let found = schema.entity(entity) else {
            throw CocoaError.request("the entity '\(entity.name ?? "")' is not of the coordinator's model")
        }
        return found
    }

    package func writer(_ entity: SQLEntity) throws -> SQLRowWriter {
        if let known = writers[entity.number] { return known }
        let writer = try SQLRowWriter(entity, connection)
        writers[entity.number] = writer
        return writer
    }

    // MARK: Reading

    package override func fetch(
        _ fetch: StoreFetch, in context: NSManagedObjectContext, visit: (EntityLayout, Int64, Row?) throws -> Void
    ) throws {
        let entity = try sqlEntity(fetch.entity)
        let (query, columns) = try SQLGenerator.select(fetch, entity, schema)
        try reporting {
            let statement = try bound(query)
            defer { statement.reset() }
            let reader = SQLRowReader(entity, columns, schema, ExternalData(store: url))
            while try statement.step() {
                guard let layout = reader.layout(statement) else { continue }
                let row = fetch.includesValues ? try reader.row(statement) : nil
                try visit(layout, statement.int(SQLResultColumns.primaryKey), row)
            }
        }
    }

    package override func count(_ fetch: StoreFetch, in context: NSManagedObjectContext) throws -> Int {
        let query = try SQLGenerator.count(fetch, sqlEntity(fetch.entity), schema)
        return try reporting {
            let statement = try bound(query)
            defer { statement.reset() }
            return try statement.step() ? Int(statement.int(0)) : 0
        }
    }

    package override func row(
        _ entity: NSEntityDescription, _ primaryKey: Int64, in context: NSManagedObjectContext
    ) throws -> (NSEntityDescription, Row)? {
        let entity = try sqlEntity(entity.rootEntity)
        let columns = SQLResultColumns(names: SQLGenerator.columnNames(entity, schema))
        let number = entity.hasSubentities ? "t0.Z_ENT" : "\(entity.number)"
        let values = columns.names.map { ", t0.\($0)" }.joined()
        let text = "SELECT \(number), t0.Z_PK, t0.Z_OPT\(values) FROM \(entity.table.name) t0 WHERE t0.Z_PK = ?"
        return try reporting {
            let statement = try bound(SQLQuery(text: text, bindings: [.integer(primaryKey)]))
            defer { statement.reset() }
            let reader = SQLRowReader(entity, columns, schema, ExternalData(store: url))
            guard try statement.step(), let found = reader.layout(statement) else { return nil }
            return (found.entity, try reader.row(statement))
        }
    }

    package override func keys(
        of relationship: NSRelationshipDescription, _ entity: NSEntityDescription, _ primaryKey: Int64,
        in context: NSManagedObjectContext
    ) throws -> [(NSEntityDescription, Int64)] {
        let entity = try sqlEntity(entity)
        guard let slot = entity.layout.slot(relationship.name) else { return [] }
        let text: String
        switch entity.storage[slot] {
        case .toMany(let key, _, let order, let destination):
            let sort = order.map { "t0.\($0.name), t0.Z_PK" } ?? "t0.Z_PK"
            text =
                "SELECT t0.Z_ENT, t0.Z_PK FROM \(destination.table.name) t0 WHERE t0.\(key.name) = ? ORDER BY \(sort)"
        case .join(let table, let own, let other, _, let order, let destination):
            let sort = order.map { "t1.\($0), t0.Z_PK" } ?? "t0.Z_PK"
            text =
                "SELECT t0.Z_ENT, t0.Z_PK FROM \(table.name) t1 JOIN \(destination.table.name) t0"
                + " ON t0.Z_PK = t1.\(other) WHERE t1.\(own) = ? ORDER BY \(sort)"
        case .none, .column, .toOne: return []
        }
        return try reporting {
            let statement = try bound(SQLQuery(text: text, bindings: [.integer(primaryKey)]))
            defer { statement.reset() }
            var result: [(NSEntityDescription, Int64)] = []
            while try statement.step() {
                guard let found = schema.entity(number: statement.int(0)) else { continue }
                result.append((found.description, statement.int(1)))
            }
            return result
        }
    }

    package override func save(_ changes: SaveChanges, in context: NSManagedObjectContext) throws -> SaveOutcome {
        try saveChanges(changes)
    }

    private func bound(_ query: SQLQuery) throws -> SQLiteStatement {
        let statement = try connection.statement(query.text)
        for (index, value) in query.bindings.enumerated() { try statement.bindSlot(Int32(index) + 1, value) }
        return statement
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
