/// Bytes that grow and are used again, without the checks of an array.
struct ByteBuffer: ~Copyable {
    private var storage = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 16)
    /// How many bytes are in use.
    private(set) var count = 0

    init() {}

    deinit {
        storage.deallocate()
    }

    /// The bytes in use; valid until the next change.
    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: storage[..<count])
    }

    /// Forgets all bytes.
    mutating func removeAll() {
        count = 0
    }

    /// Forgets the bytes from `count` on.
    mutating func truncate(to count: Int) {
        self.count = min(self.count, count)
    }

    /// Adds bytes at the end.
    mutating func append(_ source: UnsafeRawPointer, _ length: Int) {
        reserve(length)
        if length > 0, let target = storage.baseAddress {
            (target + count).copyMemory(from: source, byteCount: length)
        }
        count += length
    }

    /// Adds a byte at the end.
    mutating func append(_ byte: UInt8) {
        reserve(1)
        storage[count] = byte
        count += 1
    }

    private mutating func reserve(_ length: Int) {
        guard count + length > storage.count else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(storage.count * 2, count + length), alignment: 16)
        larger.copyMemory(from: bytes)
        storage.deallocate()
        storage = larger
    }
}
