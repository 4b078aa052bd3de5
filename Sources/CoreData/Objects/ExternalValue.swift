import FoundationSupplement

/// The data of an attribute that a store keeps in a file of its own. It is read when it is first asked for, and then kept,
/// for as long as the row that it belongs to.
package final class ExternalValue: @unchecked Sendable {
    let file: URL
    private let lock = NSLock()
    private var known: Data?
    private var isRetired = false

    private init(_ file: URL, _ data: Data?) {
        self.file = file
        known = data
    }

    deinit {
        guard isRetired else { return }
        unlink(file.path)
        Self.table.withLock { _ = Self.retired.remove(file.path) }
    }

    // MARK: One for each file

    private struct Weak { weak var value: ExternalValue? }

    private static let table = NSLock()
    nonisolated(unsafe) private static var values: [String: Weak] = [:]
    nonisolated(unsafe) private static var limit = 256
    /// The files that are deleted when nobody holds their values any more, and at the latest when the process ends.
    nonisolated(unsafe) private static var retired: Set<String> = []
    private static let deletionAtExit: Void = {
        atexit { for path in ExternalValue.table.withLock({ ExternalValue.retired }) { unlink(path) } }
    }()

    /// The value for a file: the one that somebody holds, or a new one.
    static func value(_ file: URL, data: Data? = nil) -> ExternalValue {
        // What others let go meanwhile is let go after unlocking: its deinit takes the lock.
        var held: [ExternalValue] = []
        defer { held = [] }
        return table.withLock {
            if let value = values[file.path]?.value { return value }
            if values.count >= limit {
                values = values.filter { _, weak in
                    guard let value = weak.value else { return false }
                    held.append(value)
                    return true
                }
                limit = max(256, 2 * values.count)
            }
            let value = ExternalValue(file, data)
            values[file.path] = Weak(value: value)
            return value
        }
    }

    /// Deletes a file that no row of the store refers to any more: at once, or when the last one lets go who holds a row
    /// that did, as a context that hasn't heard of the change, or an undo manager.
    static func retire(_ file: URL) {
        guard let value = table.withLock({ values[file.path]?.value }) else {
            unlink(file.path)
            return
        }
        _ = deletionAtExit
        value.lock.withLock { value.isRetired = true }
        table.withLock { _ = retired.insert(file.path) }
    }

    // MARK: Reading

    /// The data.
    ///
    /// - Throws: an error that names the file, for one that is gone or can't be read.
    func data() throws -> Data {
        lock.lock()
        defer { lock.unlock() }
        if let known { return known }
        let data = try ExternalFile.read(file)
        known = data
        return data
    }

    /// The data, or nil, with a warning in Apple's words, where the file is gone: key-value coding can't throw.
    package var dataOrWarning: Data? {
        do { return try data() } catch {
            SQLLog.warn("External data reference can't find underlying file. \(error.localizedDescription)")
            return nil
        }
    }

    /// Whether the file has these bytes. It is read only where its length doesn't tell already.
    func holds(_ data: Data) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        if let known { return known == data }
        return ExternalFile.size(file) == data.count && (try? ExternalFile.read(file)) == data
    }

    func isSame(as other: SlotValue) -> Bool {
        switch other {
        case .external(let value): value.file == file || ((try? value.data()).map(holds) ?? false)
        case .data(let data): holds(data)
        case .transformed(let object): (try? data()).map { Transformation.isSame(object, $0) } ?? false
        default: false
        }
    }
}

/// Reading and writing one of these files. They are written once, and never changed.
enum ExternalFile {
    static func size(_ file: URL) -> Int? {
        var status = stat()
        return lstat(file.path, &status) == 0 ? Int(status.st_size) : nil
    }

    /// What is in a file. Links, pipes and devices, which nobody's store has, are not followed or waited for.
    static func read(_ file: URL) throws -> Data {
        let descriptor = open(file.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw missing(file, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw missing(file, EINVAL) }
        do {
            return try FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).readToEnd() ?? Data()
        } catch {
            throw missing(file, errno)
        }
    }

    private static func missing(_ file: URL, _ number: Int32) -> CocoaError {
        CocoaError.store(
            number == EACCES ? .fileReadNoPermission : .fileReadNoSuchFile, file,
            "the file of an externally stored value can't be read: \(String(cString: strerror(number)))")
    }

    /// Makes a file that is on the disk when the call returns; nothing is left of one that can't be written whole.
    static func write(_ data: Data, to file: URL) throws {
        let descriptor = open(file.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw failure(file, errno) }
        do {
            try data.withUnsafeBytes { try write($0, descriptor, file) }
            guard fsync(descriptor) == 0 else { throw failure(file, errno) }
        } catch {
            close(descriptor)
            unlink(file.path)
            throw error
        }
        guard close(descriptor) == 0 else { throw failure(file, errno) }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, _ descriptor: Int32, _ file: URL) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0 {
                guard errno == EINTR else { throw failure(file, errno) }
            } else {
                rest = rest.dropFirst(count)
            }
        }
    }

    static func failure(_ file: URL, _ number: Int32) -> CocoaError {
        let code: CocoaError.Code =
            switch number {
            case ENOSPC, EDQUOT: .fileWriteOutOfSpace
            case EACCES, EPERM, EROFS: .fileWriteNoPermission
            default: .fileWriteUnknown
            }
        return CocoaError.store(
            code, file, "an externally stored value can't be written: \(String(cString: strerror(number)))")
    }
}
