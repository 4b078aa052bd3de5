import CSQLite
import FoundationSupplement
import ManagedObjectModel

/// Writes many rows into a store without objects: all of them, or none.
///
/// A new store is built in a file beside its place, indexed when it is full, and renamed when it is whole. An existing
/// store is changed in one transaction. Either way the result is one file with a rollback journal.
package final class SQLiteBulkWriter {
    package let schema: SQLSchema
    package let connection: SQLiteConnection
    package let isNew: Bool
    private let url: URL
    private let workURL: URL
    private var lastKeys: [Int: Int64] = [:]
    private var writers: [Int: SQLRowWriter] = [:]
    private var isOpen = true

    package init(_ model: NSManagedObjectModel, url: URL) throws {
        model.freeze()
        self.url = url
        schema = try SQLSchema(model)
        isNew = ((try? FileManager.default.attributesOfItem(atPath: url.path))?[.size] as? Int ?? 0) == 0
        workURL = isNew ? URL(fileURLWithPath: "\(url.path).importing-\(getpid())") : url
        if isNew { SQLiteStore.removeFiles(workURL) }
        connection = try SQLStoreFile.open(workURL, isNew ? .create : .readWrite)
        do {
            try isNew ? begin() : beginOnExisting()
        } catch {
            cancel()
            throw (error as? SQLiteError)?.cocoaError(.persistentStoreOpen, url: url) ?? error
        }
    }

    deinit { cancel() }

    private func begin() throws {
        try SQLStoreFile.prepareEmptyFile(connection)
        // Nobody sees the file before it is whole: it needs no journal, and is flushed once at the end.
        try connection.execute("PRAGMA journal_mode = OFF")
        try connection.execute("PRAGMA synchronous = OFF")
        try SQLStoreFile.create(schema, on: connection, identifier: UUID().uuidString, isIndexed: false)
        try connection.execute("BEGIN IMMEDIATE")
        for sql in try schema.triggerStatements() { try connection.execute(sql) }
    }

    private func beginOnExisting() throws {
        let metadata = try SQLStoreFile.metadata(on: connection)
        guard schema.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) else {
            throw CocoaError.store(
                .persistentStoreIncompatibleVersionHash, url,
                "The model used to open the store is incompatible with the one used to create the store")
        }
        try connection.execute("BEGIN IMMEDIATE")
        let keys = try connection.statement("SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY")
        while try keys.step() { lastKeys[Int(keys.int(0))] = keys.int(1) }
        keys.reset()
    }

    // MARK: Rows

    /// The next primary key of an entity's table.
    package func takeKey(_ entity: SQLEntity) -> Int64 {
        let root = entity.root?.number ?? entity.number
        let key = lastKeys[root, default: 0] + 1
        lastKeys[root] = key
        return key
    }

    package func insert(_ entity: SQLEntity, primaryKey: Int64, _ values: [SlotValue]) throws {
        let writer = try writers[entity.number] ?? SQLRowWriter(entity, connection)
        writers[entity.number] = writer
        try writer.insert(primaryKey: primaryKey, values) { value in
            guard case .reference(let key, let number) = value else { return nil }
            return (key, Int(number))
        }
    }

    // MARK: Ending

    /// Makes what was written the store. After an error the store is as it was.
    package func finish() throws {
        do {
            let keys = try connection.statement("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?")
            for (root, key) in lastKeys.sorted(by: { $0.key < $1.key }) {
                keys.bind(1, key)
                keys.bind(2, Int64(root))
                try keys.run()
            }
            if isNew { for sql in try schema.indexStatements() { try connection.execute(sql) } }
            try connection.execute("COMMIT")
            try isNew ? putInPlace() : leaveWriteAheadLog()
            isOpen = false
        } catch let error as SQLiteError {
            throw error.cocoaError(error.isConstraintViolation ? .managedObjectConstraintMerge : .sqlite, url: url)
        }
    }

    private func putInPlace() throws {
        if let problem = try connection.text("PRAGMA quick_check"), problem != "ok" {
            throw CocoaError.store(.persistentStoreSave, url, "the new store is damaged: \(problem)")
        }
        // Flushed, then renamed: after a power cut there is the whole store or none.
        for path in [workURL.path, workURL.deletingLastPathComponent().path] {
            if path != workURL.path, rename(workURL.path, url.path) != 0 { throw failure(errno) }
            let file = open(path, O_RDONLY)
            guard file >= 0 else { throw failure(errno) }
            defer { close(file) }
            guard fsync(file) == 0 else { throw failure(errno) }
        }
    }

    private func failure(_ code: Int32) -> CocoaError {
        let kind: CocoaError.Code = code == ENOSPC ? .fileWriteOutOfSpace : code == EACCES ? .fileWriteNoPermission : .fileWriteUnknown
        return CocoaError.store(kind, url, String(cString: strerror(code)))
    }

    /// A store that is shipped must be one file.
    private func leaveWriteAheadLog() throws {
        guard try connection.text("PRAGMA journal_mode") == "wal" else { return }
        _ = try connection.text("PRAGMA wal_checkpoint(TRUNCATE)")
        _ = try connection.text("PRAGMA journal_mode = DELETE")
    }

    /// Leaves everything as it was before.
    package func cancel() {
        guard isOpen else { return }
        isOpen = false
        writers = [:]
        if isNew {
            SQLiteStore.removeFiles(workURL)
        } else if sqlite3_get_autocommit(connection.handle) == 0 {
            do { try connection.execute("ROLLBACK") } catch { SQLLog.warn("rollback failed: \(error)") }
        }
    }
}
