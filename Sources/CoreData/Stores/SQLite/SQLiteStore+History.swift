import FoundationSupplement
import ManagedObjectModel

extension SQLiteStore {
    /// Gets ready to write history where the store is to have it. Who hasn't asked for it may only read a store that has
    /// one, since what he writes would be missing there.
    func prepareHistory(isWanted: Bool) throws {
        history = nil
        guard !isReadOnly else { return }
        if isWanted {
            try HistoryTables.create(for: schema, on: connection)
            history = try HistoryWriter(schema, connection)
        } else if try HistoryTables.exist(on: connection) {
            isReadOnly = true
            SQLLog.error(
                "Store opened without NSPersistentHistoryTrackingKey but previously had been opened with"
                    + " NSPersistentHistoryTrackingKey - Forcing into Read Only mode store at \(connection.url)")
        }
    }

    /// Begins the transaction that history tells of a save; nil where the store has no history, or the save no changes.
    func beginHistory(_ changes: SaveChanges, in context: NSManagedObjectContext) throws -> HistoryTransaction? {
        guard let history else { return nil }
        let count = changes.inserted.count + changes.updated.count + changes.deleted.count
        guard count > 0 else { return nil }
        return try history.begin(
            HistoryOrigin(author: context.transactionAuthor, contextName: context.name),
            insertions: changes.inserted.count, updates: changes.updated.count, deletions: changes.deleted.count)
    }

    /// Deletes the files of large values that no row has. Crashes leave such files.
    ///
    /// Under the write lock, nobody is between writing a file and writing its row; files of the last hour stay all the
    /// same, since other programs may not write both under one lock.
    func removeUnusedFiles() throws {
        guard let url, !url.isInMemory, !ExternalData.isShared(url) else { return }
        let folder = ExternalData.files(ofStoreAt: url)
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path), !names.isEmpty else {
            return
        }
        try connection.transaction {
            let used = try usedFiles()
            for name in names where !used.contains(name) && UUID(uuidString: name) != nil {
                let file = folder.appendingPathComponent(name)
                var status = stat()
                guard lstat(file.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                    time(nil) - status.st_mtim.tv_sec > 3600
                else { continue }
                ExternalValue.retire(file)
            }
        }
    }

    private func usedFiles() throws -> Set<String> {
        var used: Set<String> = []
        for entity in schema.entities {
            for (slot, storage) in entity.storage.enumerated() {
                guard case .column(let column) = storage, case .attribute(let attribute) = entity.layout.kinds[slot],
                    attribute.allowsExternalBinaryDataStorage
                else { continue }
                let statement = try connection.statement(
                    "SELECT substr(\(column.name), 1, 38) FROM \(entity.table.name) WHERE substr(\(column.name), 1, 1) = x'02'"
                )
                defer { statement.reset() }
                while try statement.step() {
                    if let name = ExternalData.name(statement.data(0)) { used.insert(name) }
                }
            }
        }
        return used
    }
}
