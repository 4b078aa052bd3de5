import CoreData

/// The files that SQLite puts beside a store in write-ahead logging mode, even to read it.
///
/// SQLite leaves them behind when the last connection may only read. They are taken away again as SQLite itself would:
/// while a lock on the store's file proves that no process has it open.
struct Sidecars {
    private let path: String
    private let hadLog: Bool
    private let hadIndex: Bool

    /// Notes which files there are now, before the store is opened.
    init(ofStoreAt path: String) {
        self.path = path
        hadLog = access(path + "-wal", F_OK) == 0
        hadIndex = access(path + "-shm", F_OK) == 0
    }

    /// Takes away what came since, after the store was closed.
    func removeNew() {
        guard !hadLog || !hadIndex, access(path + "-shm", F_OK) == 0 || access(path + "-wal", F_OK) == 0 else { return }
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return }  // who may not write the store can't lock it
        defer { close(descriptor) }
        guard Self.lockExclusively(descriptor) else { return }
        var log = stat()
        if !hadLog, stat(path + "-wal", &log) == 0, log.st_size == 0 { unlink(path + "-wal") }
        if !hadIndex { unlink(path + "-shm") }
    }

    /// Takes SQLite's exclusive lock: on the bytes of which every connection locks one while it reads.
    private static func lockExclusively(_ descriptor: Int32) -> Bool {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = 0x4000_0002
        lock.l_len = 510
        return fcntl(descriptor, F_SETLK, &lock) == 0
    }
}
