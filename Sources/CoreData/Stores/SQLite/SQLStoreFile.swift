import CSQLite
import FoundationSupplement
import ManagedObjectModel

/// The bookkeeping of a store's file: metadata, the model it was made with, and the next keys.
package enum SQLStoreFile {
    // MARK: Creating

    /// Makes the tables, and with `isIndexed` the indexes, of an empty store; false where somebody else has been faster.
    @discardableResult
    package static func create(
        _ schema: SQLSchema, on connection: SQLiteConnection, identifier: String, isIndexed: Bool = true
    ) throws -> Bool {
        try connection.transaction {
            guard try connection.tables().isEmpty else { return false }
            for sql in isIndexed ? try schema.creationStatements() : schema.tableStatements() + schema.bookkeeping {
                try connection.execute(sql)
            }
            let entry = try connection.statement(
                "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, 0)")
            for entity in schema.entities {
                entry.bind(1, Int64(entity.number))
                entry.bind(2, entity.name)
                entry.bind(3, Int64(entity.description.superentity.flatMap(schema.entity)?.number ?? 0))
                try entry.run()
            }
            try write(metadata(of: schema, identifier: identifier), identifier: identifier, on: connection)
            guard schema.era.keepsModel else { return true }
            let cache = try connection.statement("INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)")
            cache.bind(1, try Deflate.compress(ModelArchiveWriter.archive(schema.model, form: .cache)))
            try cache.run()
            return true
        }
    }

    /// The pragmas that must come before the first table.
    package static func prepareEmptyFile(_ connection: SQLiteConnection) throws {
        try connection.execute("PRAGMA page_size = 4096")
        try connection.execute("PRAGMA auto_vacuum = 2")
        try connection.execute("PRAGMA encoding = 'UTF-8'")
    }

    // MARK: Metadata

    /// The metadata of a new store.
    package static func metadata(of schema: SQLSchema, identifier: String) -> [String: Any] {
        var metadata = StoreMetadata.new(
            type: NSSQLiteStoreType, identifier: identifier, model: schema.model,
            configuration: schema.configurationName, era: schema.era)
        metadata["_NSAutoVacuumLevel"] = "2"
        return metadata
    }

    /// Puts a program's metadata in the place of the file's. What the framework itself needs stays where the program
    /// gives nothing for it; the UUID changes when another one is given.
    package static func replaceMetadata(_ metadata: [String: Any], on connection: SQLiteConnection) throws {
        let old = try self.metadata(on: connection)
        let own = old.filter { isOwn($0.key) }
        let identifier = metadata[NSStoreUUIDKey] as? String ?? old[NSStoreUUIDKey] as? String ?? UUID().uuidString
        try write(own.merging(metadata) { $1 }, identifier: identifier, on: connection)
    }

    /// Whether a key of metadata is the framework's and not a program's.
    static func isOwn(_ key: String) -> Bool {
        ["NSStoreModel", "NSPersistence", "NSStoreType", "_NS"].contains { key.hasPrefix($0) }
    }

    package static func write(_ metadata: [String: Any], identifier: String, on connection: SQLiteConnection) throws {
        var plist = metadata
        plist[NSStoreUUIDKey] = nil  // has a column of its own
        // With sorted keys, unlike Foundation's: stores that say the same have the same bytes.
        let data: Data
        do {
            data = Data(BinaryPropertyList.write(try PropertyListValue(foundation: plist)))
        } catch let fault as StoreFileFault {
            throw CocoaError.store(.persistentStoreSave, connection.url, fault.description)
        }
        let statement = try connection.statement(
            "INSERT OR REPLACE INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ?, ?)")
        statement.bind(1, identifier)
        statement.bind(2, data)
        try statement.run()
    }

    /// The metadata of an open file, with the UUID among it.
    package static func metadata(on connection: SQLiteConnection) throws -> [String: Any] {
        guard try connection.tables().contains("Z_METADATA") else {
            throw CocoaError.store(.persistentStoreOpen, connection.url, "is a SQLite file, but not a Core Data store")
        }
        let statement = try connection.statement("SELECT Z_UUID, Z_PLIST FROM Z_METADATA")
        defer { statement.reset() }
        guard try statement.step() else {
            throw CocoaError.store(.persistentStoreOpen, connection.url, "has no metadata")
        }
        let data = statement.data(1)
        var metadata: [String: Any] = [:]
        if !data.isEmpty {
            let plist = try? PropertyListSerialization.propertyList(from: data, format: nil)
            guard let dictionary = plist as? [String: Any] else {
                throw CocoaError.store(.persistentStoreOpen, connection.url, "has metadata that can't be read")
            }
            metadata = dictionary
        }
        metadata[NSStoreUUIDKey] = statement.string(0)
        metadata[NSStoreTypeKey] = metadata[NSStoreTypeKey] ?? NSSQLiteStoreType
        return metadata
    }

    // MARK: The model in the store

    /// The model that the store was made with, from its model cache.
    ///
    /// - Throws: an error for a store without one: those written before 2015, or by tools.
    package static func model(on connection: SQLiteConnection) throws -> NSManagedObjectModel {
        guard try connection.tables().contains("Z_MODELCACHE") else {
            throw CocoaError.store(.persistentStoreOpen, connection.url, "keeps no model; give the model with --model")
        }
        let statement = try connection.statement("SELECT Z_CONTENT FROM Z_MODELCACHE")
        defer { statement.reset() }
        guard try statement.step(), !statement.isNull(0) else {
            throw CocoaError.store(.persistentStoreOpen, connection.url, "keeps no model; give the model with --model")
        }
        let archive: Data
        do {
            archive = try Deflate.expand(statement.data(0))
        } catch {
            throw CocoaError.store(.persistentStoreOpen, connection.url, "keeps a model that can't be read: \(error)")
        }
        return try ModelArchiveReader.read(archive, path: "\(connection.url.path) (model cache)")
    }

    /// The layout of a store that is opened with `wanted`, that of a configuration: with regard to the tables that the file
    /// has, and another one where it has all of the model's entities, as one that was made without a configuration.
    static func schema(_ wanted: SQLSchema, of connection: SQLiteConnection) throws -> SQLSchema {
        let tables = try connection.tables()
        guard !tables.isEmpty else { return wanted }
        let (model, all) = (wanted.model, wanted.model.entities)
        let schema = try SQLSchema(model, configurationName: wanted.configurationName, existing: tables)
        guard schema.entities.count < all.count, tables.contains("Z_PRIMARYKEY") else { return schema }
        let statement = try connection.statement("SELECT Z_NAME FROM Z_PRIMARYKEY")
        defer { statement.reset() }
        var names: Set<String> = []
        while try statement.step() { names.insert(statement.string(0)) }
        return names.isSuperset(of: all.compactMap(\.name)) ? try SQLSchema(model, existing: tables) : schema
    }

    // MARK: Opening

    /// Opens a file and makes sure that it is a SQLite file.
    package static func open(
        _ url: URL, _ mode: SQLiteConnection.Mode, busyTimeout: Int32 = SQLiteConnection.defaultTimeout
    ) throws -> SQLiteConnection {
        do {
            return try openAndRead(url, mode, busyTimeout)
        } catch let error as SQLiteError {
            // A store with a write-ahead log, in a folder where SQLite can't make the log's index: without a log there
            // is nothing to miss, and the file can be read as it is. With one that has no index nobody else is at the
            // store, and the index can be in memory.
            let files = FileManager.default
            guard mode == .readOnly, [SQLITE_CANTOPEN, SQLITE_READONLY].contains(error.code),
                files.isReadableFile(atPath: url.path), !files.fileExists(atPath: url.path + "-shm")
            else { throw reported(error, url, mode) }
            let hasLog = files.fileExists(atPath: url.path + "-wal")
            do {
                return try openAndRead(url, hasLog ? .unlocked : .immutable, busyTimeout)
            } catch { throw reported(error, url, mode) }
        }
    }

    private static func openAndRead(
        _ url: URL, _ mode: SQLiteConnection.Mode, _ busyTimeout: Int32
    ) throws -> SQLiteConnection {
        // SQLite would wait for a pipe's other end.
        var status = stat()
        if mode != .memory, stat(url.path, &status) == 0, ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) {
            throw CocoaError.store(.fileReadCorruptFile, url, "is a device or pipe, not a SQLite file")
        }
        let connection = try SQLiteConnection(url, mode, busyTimeout: busyTimeout)
        if mode != .create { _ = try connection.int("SELECT COUNT(*) FROM sqlite_master") }
        return connection
    }

    private static func reported(_ error: any Error, _ url: URL, _ mode: SQLiteConnection.Mode) -> any Error {
        guard let error = error as? SQLiteError else { return error }
        switch error.code {
        case SQLITE_NOTADB:
            var own = error.cocoaError(.fileReadCorruptFile, url: url).userInfo
            own[NSLocalizedDescriptionKey] = "\(url.path): is not a SQLite file"
            return CocoaError(.fileReadCorruptFile, userInfo: own)
        case SQLITE_CANTOPEN where mode == .create:
            return CocoaError.store(
                error.systemCode == EACCES ? .fileWriteNoPermission : .fileWriteUnknown, url,
                "Failed to create file; code = \(error.systemCode)")
        case SQLITE_CANTOPEN where error.systemCode == ENOENT || error.systemCode == ENOTDIR:
            return CocoaError.store(.fileReadNoSuchFile, url, "there is no such file, or its folder can't be written")
        case SQLITE_CANTOPEN where FileManager.default.fileExists(atPath: url.path):
            return CocoaError.store(.fileReadNoPermission, url, "can't be opened")
        default: return error.cocoaError(.persistentStoreOpen, url: url)
        }
    }
}
