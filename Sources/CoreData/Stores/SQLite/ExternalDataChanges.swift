import FoundationSupplement

/// What a transaction does to the files of large values.
///
/// New files are on the disk before the transaction commits, and files that no row needs any more go after it has. So
/// whatever happens between, each row has its file; a crash leaves at most files that no row has.
final class ExternalDataChanges {
    private let folder: URL
    private var written: [URL] = []
    private var retired: [URL] = []
    private var madeFolders: [URL] = []

    /// - Parameter store: the store's file; the values of one in memory stay there.
    init?(store: URL?) {
        guard let store, !store.isInMemory else { return nil }
        folder = ExternalData.files(ofStoreAt: store)
    }

    /// Writes a value to a new file.
    func write(_ data: Data) throws -> ExternalValue {
        if written.isEmpty { try makeFolder() }
        let file = folder.appendingPathComponent(UUID().uuidString)
        UnfinishedStores.add(file)
        written.append(file)
        try ExternalFile.write(data, to: file)
        return ExternalValue.value(file, data: data)
    }

    /// Notes that a row no longer refers to a file.
    func retire(_ name: String) {
        // What isn't a UUID was never a file of ours.
        guard UUID(uuidString: name) != nil else { return }
        retired.append(folder.appendingPathComponent(name))
    }

    private func makeFolder() throws {
        for folder in [folder.deletingLastPathComponent(), folder] {
            if mkdir(folder.path, 0o755) == 0 {
                madeFolders.append(folder)
            } else if errno != EEXIST {
                throw ExternalFile.failure(folder, errno)
            }
        }
    }

    /// To be called before the transaction commits: brings the files' names to the disk.
    func prepareCommit() throws {
        guard !written.isEmpty else { return }
        for folder in [folder] + madeFolders.map({ $0.deletingLastPathComponent() }) {
            let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else { throw ExternalFile.failure(folder, errno) }
            defer { close(descriptor) }
            // Some file systems can't flush a folder.
            guard fsync(descriptor) == 0 || errno == EINVAL else { throw ExternalFile.failure(folder, errno) }
        }
        // From now on they may belong to rows.
        for file in written { UnfinishedStores.remove(file) }
    }

    /// To be called after it has committed.
    ///
    /// - Parameter readers: who may still see the rows as they were, and need the files.
    func commit(_ readers: SQLiteReaders? = nil) {
        if !retired.isEmpty {
            let delete = { [retired] in for file in retired { ExternalValue.retire(file) } }
            if let readers { readers.whenIdle(delete) } else { delete() }
        }
        forget()
    }

    /// To be called when it has failed. Nothing is left of it.
    func rollBack() {
        for file in written {
            unlink(file.path)
            UnfinishedStores.remove(file)
        }
        for folder in madeFolders.reversed() { rmdir(folder.path) }
        forget()
    }

    private func forget() {
        written = []
        retired = []
        madeFolders = []
    }
}
