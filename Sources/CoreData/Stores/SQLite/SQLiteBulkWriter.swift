import CSQLite
import FoundationSupplement
import ManagedObjectModel

/// Writes many rows into a store without objects: all of them, or none.
///
/// A new store is built in a file beside its place, indexed when it is full, and renamed when it is whole. An existing
/// store is changed in one transaction, with no other connection let in. Either way the result is one file with a
/// rollback journal.
package final class SQLiteBulkWriter {
    /// The tables of the store.
    package let schema: SQLSchema
    /// The connection that the rows go through.
    package let connection: SQLiteConnection
    /// Whether there was no store before.
    package let isNew: Bool
    /// The store.
    package let url: URL
    private let workURL: URL
    /// The last primary key in use, by the number of the root entity.
    private var lastKeys: [Int64]
    /// The same before the first new row.
    private var initialKeys: [Int64]
    private var writers: [SQLRowWriter?]
    private let externalData: ExternalDataChanges?
    private var isOpen = true

    /// How long a lock of somebody else is waited for: longer than an app's save takes.
    private static let patience: Int32 = 3000

    /// Opens the store for writing; makes it where there is none.
    ///
    /// - Throws: `CocoaError` for a file that is no store, one of another model, or one that is in use.
    package init(_ model: NSManagedObjectModel, url: URL) throws {
        model.prepareForUse()
        // SQLite puts logs and journals beside the file itself, not beside a link to it.
        let url = url.resolvingSymlinksInPath()
        self.url = url
        schema = try SQLSchema(model)
        externalData = ExternalDataChanges(store: url)
        lastKeys = Array(repeating: 0, count: schema.entities.count + 1)
        initialKeys = lastKeys
        writers = Array(repeating: nil, count: lastKeys.count)
        isNew = try !Self.holdsStore(url)
        // Unlike the process, the name is this writer's alone.
        workURL = isNew ? URL(fileURLWithPath: "\(url.path).importing-\(UUID().uuidString)") : url
        if isNew { UnfinishedStores.add(workURL) }
        // Nothing is read yet: how a write-ahead log is used is decided by the first read.
        do {
            connection = try SQLiteConnection(workURL, isNew ? .create : .readWrite, busyTimeout: Self.patience)
        } catch let error as SQLiteError {
            throw Self.readable(error, url)
        }
        do {
            try isNew ? begin() : beginOnExisting()
        } catch {
            cancel()
            throw (error as? SQLiteError).map { Self.readable($0, url) } ?? error as any Error
        }
    }

    deinit { cancel() }

    /// Whether there is something at a place that a new store must not replace. An empty file is nothing, unless all
    /// that was written is still in its write-ahead log.
    private static func holdsStore(_ url: URL) throws -> Bool {
        let folder = url.deletingLastPathComponent()
        var isFolder = ObjCBool(false)
        guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder.boolValue else {
            throw CocoaError.store(.fileNoSuchFile, url, "there is no folder \(folder.path)")
        }
        var status = stat()
        if lstat(url.path, &status) == 0 {
            switch status.st_mode & S_IFMT {
            case S_IFREG: break
            case S_IFDIR: throw CocoaError.store(.persistentStoreOpen, url, "is a folder, not a store")
            // Links to files were followed before: this one leads nowhere.
            case S_IFLNK: throw CocoaError.store(.persistentStoreOpen, url, "is a link to a file that isn't there")
            default: throw CocoaError.store(.persistentStoreOpen, url, "is a device or pipe, not a store")
            }
        }
        return size(url.path) > 0 || (FileManager.default.fileExists(atPath: url.path) && size(url.path + "-wal") > 0)
    }

    private static func size(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    private func begin() throws {
        try SQLStoreFile.prepareEmptyFile(connection)
        // Nobody sees the file before it is whole: it needs no journal, and is flushed once at the end.
        try connection.execute("PRAGMA journal_mode = OFF")
        try connection.execute("PRAGMA synchronous = OFF")
        try SQLStoreFile.create(schema, on: connection, identifier: UUID().uuidString, isIndexed: false)
        try connection.execute("BEGIN IMMEDIATE")
    }

    private func beginOnExisting() throws {
        let hasLog = Self.size(url.path + "-wal") > 0
        if hasLog || Self.isInLogMode(url) {
            // Alone in the file, so that nothing can come between the commit and the end of the write-ahead log.
            try connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            // An import that fails leaves file and log as they were: nothing goes to the log before the commit, and
            // closing doesn't fold the log into the file.
            try connection.execute("PRAGMA cache_spill = OFF")
            if hasLog { keepLogOnClosing(true) }
        }
        try connection.execute("BEGIN EXCLUSIVE")
        let metadata = try SQLStoreFile.metadata(on: connection)
        guard schema.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) else {
            throw CocoaError.store(
                .persistentStoreIncompatibleVersionHash, url,
                "The model used to open the store is incompatible with the one used to create the store")
        }
        try readKeys()
    }

    private func readKeys() throws {
        let keys = try connection.statement("SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY")
        defer { keys.reset() }
        var counted: Set<Int> = []
        while try keys.step() {
            // Beyond the model's entities are those of persistent history.
            guard let entity = schema.entity(number: keys.int(0)) else { continue }
            counted.insert(entity.number)
            lastKeys[entity.number] = keys.int(1)
        }
        // Other programs have written rows without counting them.
        for entity in schema.entities where entity.root == nil {
            let last = try connection.int("SELECT MAX(Z_PK) FROM \(entity.table.name)") ?? 0
            lastKeys[entity.number] = max(lastKeys[entity.number], last)
            guard counted.contains(entity.number), (0...Int64.max / 2).contains(lastKeys[entity.number]) else {
                throw CocoaError.store(
                    .persistentStoreIncompatibleSchema, url, "Z_PRIMARYKEY has no usable key for \(entity.name)")
            }
        }
        initialKeys = lastKeys
    }

    /// Whether a file's header says that it has a write-ahead log.
    private static func isInLogMode(_ url: URL) -> Bool {
        let header = (try? FileHandle(forReadingFrom: url))?.readData(ofLength: 20) ?? Data()
        return header.count == 20 && header[18] == 2
    }

    private func keepLogOnClosing(_ flag: Bool) {
        _ = csqlite_db_config_int(connection.handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, flag ? 1 : 0, nil)
    }

    // MARK: Rows

    /// The next primary key of an entity's table.
    package func takeKey(_ entity: SQLEntity) -> Int64 {
        let root = entity.root?.number ?? entity.number
        lastKeys[root] += 1
        return lastKeys[root]
    }

    /// The first primary key of an entity's table that is not of a row which the store had before.
    package func firstNewKey(_ entity: SQLEntity) -> Int64 {
        initialKeys[entity.root?.number ?? entity.number] + 1
    }

    /// Writes a row: a value for each slot of the entity's layout.
    package func insert(_ entity: SQLEntity, primaryKey: Int64, _ values: [SlotValue]) throws {
        let writer = try writer(entity)
        try writer.insert(primaryKey: primaryKey, writer.externalized(values)) { value in
            guard case .reference(let key, let number) = value else { return nil }
            return (key, Int(number))
        }
    }

    private func writer(_ entity: SQLEntity) throws -> SQLRowWriter {
        if let known = writers[entity.number] { return known }
        let made = try SQLRowWriter(entity, connection, externalData)
        writers[entity.number] = made
        return made
    }

    // MARK: Ending

    /// Makes what was written the store. After an error the store is as it was, once `cancel` has been called.
    package func finish() throws {
        do {
            let keys = try connection.statement("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?")
            for (root, key) in lastKeys.enumerated() where key != initialKeys[root] {
                keys.bind(1, key)
                keys.bind(2, Int64(root))
                try keys.run()
            }
            if isNew {
                for sql in try schema.indexStatements() + schema.lateStatements() { try connection.execute(sql) }
            }
            try writeHistory()
            try externalData?.prepareCommit()
            try connection.execute("COMMIT")
            // The rows of an existing store refer to their files now, whatever becomes of its log.
            if !isNew { externalData?.commit() }
            try isNew ? putInPlace() : leaveWriteAheadLog()
            externalData?.commit()
            isOpen = false
            UnfinishedStores.remove(workURL)
        } catch let error as SQLiteError {
            throw Self.readable(error, url)
        }
    }

    /// Tells the history of an existing store, if it has one, of the new rows.
    private func writeHistory() throws {
        guard !isNew, try HistoryTables.exist(on: connection) else { return }
        let roots = schema.entities.filter { lastKeys[$0.number] != initialKeys[$0.number] }
        let count = roots.reduce(0) { $0 + lastKeys[$1.number] - initialKeys[$1.number] }
        guard count > 0 else { return }
        let history = try HistoryWriter(schema, connection).begin(
            HistoryOrigin(author: nil, contextName: nil), insertions: Int(count), updates: 0, deletions: 0)
        for root in roots { try history.noteInsertions(into: root.table, from: firstNewKey(root)) }
    }

    private func putInPlace() throws {
        if let problem = try connection.text("PRAGMA quick_check"), problem != "ok" {
            throw CocoaError.store(.persistentStoreSave, url, "the new store is damaged: \(problem)")
        }
        guard try !Self.holdsStore(url) else {
            throw Self.isThereAlready(url)
        }
        // Flushed, then put in its place: after a power cut there is the whole store or none.
        try flush(workURL.path)
        // A log or journal without its store would be taken for the new one's; one of somebody who was faster is his.
        for suffix in Self.size(url.path) > 0 ? [] : ["-wal", "-shm", "-journal"] { unlink(url.path + suffix) }
        // A link, unlike a rename, fails where somebody else was faster.
        if link(workURL.path, url.path) == 0 {
            unlink(workURL.path)
        } else if errno == EEXIST {
            try replaceEmptyFile()
        } else if errno == EPERM || errno == ENOTSUP || errno == EMLINK {  // a file system without links
            guard rename(workURL.path, url.path) == 0 else { throw failure(errno) }
        } else {
            throw failure(errno)
        }
        // The store is there; some file systems can't flush a folder.
        try? flush(url.deletingLastPathComponent().path)
    }

    /// Takes the place of an empty file. Whoever holds its lock, and finds it there still, is the one who may.
    private func replaceEmptyFile() throws {
        let file = open(url.path, O_RDWR)
        guard file >= 0 else { throw failure(errno) }
        defer { close(file) }
        guard flock(file, LOCK_EX) == 0 else { throw failure(errno) }
        var (held, found) = (stat(), stat())
        guard fstat(file, &held) == 0, stat(url.path, &found) == 0, held.st_ino == found.st_ino, found.st_size == 0
        else {
            throw Self.isThereAlready(url)
        }
        guard rename(workURL.path, url.path) == 0 else { throw failure(errno) }
    }

    private static func isThereAlready(_ url: URL) -> CocoaError {
        CocoaError.store(.fileWriteFileExists, url, "somebody else has made a store here meanwhile")
    }

    private func flush(_ path: String) throws {
        let file = open(path, O_RDONLY)
        guard file >= 0 else { throw failure(errno) }
        defer { close(file) }
        guard fsync(file) == 0 else { throw failure(errno) }
    }

    private func failure(_ code: Int32) -> CocoaError {
        let kind: CocoaError.Code =
            code == ENOSPC ? .fileWriteOutOfSpace : code == EACCES ? .fileWriteNoPermission : .fileWriteUnknown
        return CocoaError.store(kind, url, String(cString: strerror(code)))
    }

    /// The error to report for one that came up while rows were written.
    package func explained(_ error: any Error) -> any Error {
        (error as? SQLiteError).map { Self.readable($0, url) } ?? error
    }

    /// What SQLite said, in the words of somebody who imports.
    private static func readable(_ error: SQLiteError, _ url: URL) -> CocoaError {
        switch error.code {
        case SQLITE_BUSY, SQLITE_LOCKED:
            CocoaError.store(.persistentStoreTimeout, url, "the store is in use by another program (\(error.message))")
        case SQLITE_NOTADB: CocoaError.store(.fileReadCorruptFile, url, "is not a SQLite file")
        case SQLITE_FULL: CocoaError.store(.fileWriteOutOfSpace, url, error.message)
        case SQLITE_READONLY, SQLITE_PERM: CocoaError.store(.fileWriteNoPermission, url, error.message)
        case SQLITE_CONSTRAINT: error.cocoaError(.managedObjectConstraintMerge, url: url)
        default: error.cocoaError(.sqlite, url: url)
        }
    }

    /// A store that is shipped must be one file. Nobody else is connected, so nothing of this has to wait.
    private func leaveWriteAheadLog() throws {
        guard try connection.text("PRAGMA journal_mode") == "wal" else { return }
        keepLogOnClosing(false)
        _ = try connection.text("PRAGMA wal_checkpoint(TRUNCATE)")
        _ = try connection.text("PRAGMA journal_mode = DELETE")
        unlink(url.path + "-shm")
    }

    /// Leaves everything as it was before.
    package func cancel() {
        guard isOpen else { return }
        isOpen = false
        writers = []
        // After a commit nothing is left of what this would undo.
        defer { externalData?.rollBack() }
        if isNew {
            SQLiteStore.removeFiles(workURL)
            UnfinishedStores.remove(workURL)
        } else if sqlite3_get_autocommit(connection.handle) == 0 {
            do { try connection.execute("ROLLBACK") } catch { SQLLog.warn("rollback failed: \(error)") }
        } else if Self.size(url.path + "-journal") > 0 {
            // After some errors, such as a full disk, SQLite has ended the transaction and left its journal to the next
            // reader.
            do { _ = try connection.int("SELECT COUNT(*) FROM sqlite_master") } catch {
                SQLLog.warn("the journal was left behind: \(error)")
            }
        }
    }
}
