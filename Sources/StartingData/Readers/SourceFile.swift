import Foundation

/// The bytes of a source file, mapped into memory: the system keeps only the pages in use.
///
/// A file that can't be mapped (a pipe, a device) is read whole. Whoever shortens a mapped file while it is read ends the
/// process (SIGBUS), as with every mapped file.
final class SourceFile {
    /// The name of the file, as it is shown to a person.
    let name: String
    /// The bytes; valid as long as this object lives.
    let bytes: UnsafeRawBufferPointer
    private let isMapped: Bool

    /// Opens a file that must exist and hold something.
    init(_ url: URL, name: String? = nil) throws {
        let name = name ?? (url.isFileURL ? url.lastPathComponent : url.absoluteString)
        self.name = name
        func failure(_ message: String) -> SourceError {
            SourceError(position: SourcePosition(file: name), message: message, endsSource: true)
        }
        guard url.isFileURL else { throw failure("not a file") }
        let descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw failure(errno == ENOENT ? "no such file" : "can't open: \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("can't read: \(String(cString: strerror(errno)))") }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw failure("is a directory, not a file") }
        let content = try Self.content(of: descriptor, status).mapError { failure($0.reason) }.get()
        guard !content.bytes.isEmpty else { throw failure("the file is empty") }
        bytes = content.bytes
        isMapped = content.isMapped
    }

    /// Holds bytes that are in memory already, of which there must be some.
    init(_ data: Data, name: String) throws {
        guard !data.isEmpty else {
            throw SourceError(
                position: SourcePosition(file: name), message: "the file is empty", endsSource: true)
        }
        self.name = name
        bytes = Self.copy(of: data)
        isMapped = false
    }

    deinit {
        if isMapped {
            munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
        } else {
            bytes.deallocate()
        }
    }

    private struct Unreadable: Error {
        var reason = "can't read: \(String(cString: strerror(errno)))"
    }

    private static func content(
        of descriptor: Int32, _ status: stat
    ) -> Result<(bytes: UnsafeRawBufferPointer, isMapped: Bool), Unreadable> {
        let size = Int(status.st_size)
        if status.st_mode & S_IFMT == S_IFREG, size > 0,
            let start = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0), start != MAP_FAILED
        {
            madvise(start, size, Int32(MADV_SEQUENTIAL))
            return .success((UnsafeRawBufferPointer(start: start, count: size), true))
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        guard let data = try? handle.readToEnd() ?? Data() else { return .failure(Unreadable()) }
        return .success((copy(of: data), false))
    }

    private static func copy(of data: Data) -> UnsafeRawBufferPointer {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: data.count, alignment: 16)
        data.copyBytes(to: copy)
        return UnsafeRawBufferPointer(copy)
    }

    /// The length of a UTF-8 byte order mark; throws if the file is UTF-16 or UTF-32.
    func lengthOfByteOrderMark() throws -> Int {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return 3 }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            throw SourceError(
                position: SourcePosition(file: name), message: "the text is UTF-16; save it as UTF-8", endsSource: true)
        }
        return 0
    }
}
