import CoreData

/// Nobody reads any more: `coredata … | head`.
struct BrokenPipe: Error {}

/// Standard output can't be written to.
struct OutputError: Error, CustomStringConvertible {
    /// The system's number.
    let number: Int32

    /// The system's words.
    var description: String { "can't write the output: \(String(cString: strerror(number)))" }
}

/// Writes text to a file descriptor, 64 KB at a time.
final class BufferedOutput {
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private static let capacity = 1 << 16

    /// Writes to a descriptor, which stays open.
    init(_ descriptor: Int32 = STDOUT_FILENO) {
        self.descriptor = descriptor
        buffer.reserveCapacity(Self.capacity + 4096)
    }

    /// Writes text, now or later.
    func write(_ text: String) throws {
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= Self.capacity { try flush() }
    }

    /// Writes bytes, now or later.
    func write(_ data: Data) throws {
        buffer.append(contentsOf: data)
        if buffer.count >= Self.capacity { try flush() }
    }

    /// Writes text and a line break.
    func line(_ text: String) throws {
        try write(text)
        try write("\n")
    }

    /// Writes what is held back.
    func flush() throws {
        var start = 0
        while start < buffer.count {
            let written = buffer.withUnsafeBytes { bytes in
                Glibc.write(descriptor, bytes.baseAddress.map { $0 + start }, bytes.count - start)
            }
            if written > 0 { start += written }
            guard written < 0, errno != EINTR else { continue }
            let number = errno
            buffer.removeAll(keepingCapacity: true)
            if number == EPIPE { throw BrokenPipe() }
            throw OutputError(number: number)
        }
        buffer.removeAll(keepingCapacity: true)
    }
}

/// Writes a line to standard error.
func writeToStandardError(_ text: String) {
    let output = BufferedOutput(STDERR_FILENO)
    // Nothing is left to tell of a failure to write an error.
    try? output.write(text + "\n")
    try? output.flush()
}
