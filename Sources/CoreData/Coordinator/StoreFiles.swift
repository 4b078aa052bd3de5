import CSQLite
import FoundationSupplement

/// What is done to the files of stores that this process need not have open.
struct StoreFiles {
    let type: String
    let options: StoreOptions

    private var isSQLite: Bool { type == NSSQLiteStoreType }

    // MARK: Destroying

    /// Makes a SQLite file empty, under its locks, and deletes others.
    func destroy(_ url: URL) throws {
        guard url.isFileURL, !url.isNullDevice else { return }
        if isSQLite, url.isInMemory { return try empty(url, .memory) }
        guard FileManager.default.fileExists(atPath: url.path) else { return }
        guard isSQLite else { return try FileManager.default.removeItem(at: url) }
        let folder = ExternalData.folder(ofStoreAt: url)
        if options.isOn(NSPersistentStoreForceDestroyOption) {
            try truncateFile(url)
            try removeSidecars(of: url)
        } else {
            try empty(url, .readWrite)
        }
        if !ExternalData.isShared(url) { try removeIfPresent(folder) }
    }

    /// Deletes the files of a store that nobody has open.
    func remove(_ url: URL) throws {
        let folder = ExternalData.folder(ofStoreAt: url)
        try removeIfPresent(url)
        guard isSQLite else { return }
        try removeSidecars(of: url)
        if !ExternalData.isShared(url) { try removeIfPresent(folder) }
    }

    /// Takes everything out of a database. SQLite does that also where the file is damaged.
    private func empty(_ url: URL, _ mode: SQLiteConnection.Mode) throws {
        do {
            let connection = try SQLiteConnection(url, mode, busyTimeout: options.timeout)
            _ = csqlite_db_config_int(connection.handle, SQLITE_DBCONFIG_RESET_DATABASE, 1, nil)
            defer { _ = csqlite_db_config_int(connection.handle, SQLITE_DBCONFIG_RESET_DATABASE, 0, nil) }
            try connection.execute("VACUUM")
            _ = csqlite_db_config_int(connection.handle, SQLITE_DBCONFIG_RESET_DATABASE, 0, nil)
            guard mode != .memory else { return }
            try shorten(url, connection)
        } catch let error as SQLiteError {
            throw error.cocoaError(.persistentStoreOperation, url: url)
        }
    }

    /// Cuts off what is left of an empty database, unless others are connected to it and so keep its log.
    private func shorten(_ url: URL, _ connection: SQLiteConnection) throws {
        sqlite3_busy_timeout(connection.handle, 0)
        do {
            guard try connection.text("PRAGMA journal_mode = DELETE") == "delete" else { return }
            try connection.execute("BEGIN EXCLUSIVE")
        } catch let error as SQLiteError where error.code == SQLITE_BUSY {
            return
        }
        // By name: closing a file of our own would give up SQLite's locks.
        try truncateFile(url)
        try connection.execute("ROLLBACK")
    }

    private func truncateFile(_ url: URL) throws {
        guard truncate(url.path, 0) == 0 else {
            let number = errno
            throw CocoaError.store(
                number == EACCES ? .fileWriteNoPermission : .fileWriteUnknown, url, String(cString: strerror(number)))
        }
    }

    private func removeSidecars(of url: URL) throws {
        for suffix in ["-wal", "-shm", "-journal"] {
            try removeIfPresent(URL(fileURLWithPath: url.path + suffix))
        }
    }

    private func removeIfPresent(_ url: URL) throws {
        if FileManager.default.fileExists(atPath: url.path) { try FileManager.default.removeItem(at: url) }
    }

    // MARK: Replacing

    /// Puts a copy of the store at `source` at `destination`.
    func replace(_ destination: URL, withStoreAt source: URL, _ sourceOptions: StoreOptions) throws {
        guard source.standardizedFileURL != destination.standardizedFileURL else { return }
        guard source.isInMemory || FileManager.default.fileExists(atPath: source.path) else {
            throw CocoaError.store(.fileReadNoSuchFile, source, "there is no store to copy")
        }
        guard isSQLite else { return try replaceFile(destination, source) }
        let from = try SQLStoreFile.open(
            source, source.isInMemory ? .memory : .readOnly, busyTimeout: sourceOptions.timeout)
        let files = try copyExternalData(to: destination, source)
        do {
            do {
                try copy(from, to: destination)
            } catch let error as SQLiteError where [SQLITE_NOTADB, SQLITE_CORRUPT].contains(error.code) {
                // It is the destination that is damaged, or else the next try fails in the same way.
                try destroy(destination)
                _ = try copyExternalData(to: destination, source)
                try copy(from, to: destination)
            }
        } catch {
            for file in files.new { unlink(file.path) }
            throw (error as? SQLiteError)?.cocoaError(.persistentStoreOperation, url: destination) ?? error
        }
        // What the source's own program has added while its rows were copied.
        _ = try copyExternalData(to: destination, source)
        for file in files.old { ExternalValue.retire(file) }
    }

    /// Copies a database into another in one transaction.
    private func copy(_ from: SQLiteConnection, to destination: URL) throws {
        let to = try SQLiteConnection(
            destination, destination.isInMemory ? .memory : .create, busyTimeout: options.timeout)
        guard let backup = sqlite3_backup_init(to.handle, "main", from.handle, "main") else {
            throw SQLiteError(to.handle, code: sqlite3_errcode(to.handle))
        }
        let step = sqlite3_backup_step(backup, -1)
        let end = sqlite3_backup_finish(backup)
        guard step == SQLITE_DONE, end == SQLITE_OK else {
            throw SQLiteError(to.handle, code: end == SQLITE_OK ? step : end)
        }
    }

    /// Copies the files of large values beside those of the store that is there. Their names are their own, so that they
    /// do no harm before the rows come, which may fail.
    ///
    /// - Returns: the files that are new, and those that no row will need any more.
    private func copyExternalData(to destination: URL, _ source: URL) throws -> (new: [URL], old: [URL]) {
        guard !source.isInMemory, !destination.isInMemory else { return ([], []) }
        let (from, to) = (ExternalData.files(ofStoreAt: source), ExternalData.files(ofStoreAt: destination))
        let names = externalFiles(from)
        guard from.standardizedFileURL != to.standardizedFileURL else {
            guard names.isEmpty else {
                throw CocoaError.store(
                    .persistentStoreOperation, destination,
                    "keeps its large values where \(source.lastPathComponent) does, since the names differ in what"
                        + " follows the last point only")
            }
            return ([], [])
        }
        let present = Set(externalFiles(to))
        if !names.isEmpty { try FileManager.default.createDirectory(at: to, withIntermediateDirectories: true) }
        var new: [URL] = []
        do {
            for name in names where !present.contains(name) {
                new.append(to.appendingPathComponent(name))
                try ExternalFile.write(
                    ExternalFile.read(from.appendingPathComponent(name)), to: to.appendingPathComponent(name))
            }
        } catch {
            for file in new { unlink(file.path) }
            throw error
        }
        return (new, present.subtracting(names).sorted().map { to.appendingPathComponent($0) })
    }

    private func externalFiles(_ folder: URL) -> [String] {
        // There is no such folder where no value is large.
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter {
            UUID(uuidString: $0) != nil
        }
    }

    /// Copies a file beside another and renames it, so that there is always one of both.
    private func replaceFile(_ destination: URL, _ source: URL) throws {
        let work = destination.deletingLastPathComponent()
            .appendingPathComponent(".\(destination.lastPathComponent)-\(UUID().uuidString)")
        do {
            try FileManager.default.copyItem(at: source, to: work)
            guard rename(work.path, destination.path) == 0 else {
                throw CocoaError.store(.fileWriteUnknown, destination, String(cString: strerror(errno)))
            }
        } catch {
            try removeIfPresent(work)
            throw error
        }
    }
}
