/// Tests eight bytes at a time. Each result has the high bit set in every byte that passes the test, and no other bit;
/// the first byte of memory is the lowest.
enum ByteSearch {
    private static let highBits: UInt64 = 0x8080_8080_8080_8080
    private static let ones: UInt64 = 0x0101_0101_0101_0101

    /// The byte eight times.
    @inline(__always)
    static func pattern(_ byte: UInt8) -> UInt64 {
        ones &* UInt64(byte)
    }

    /// The bytes of `word` that equal the byte of which `pattern` is made.
    @inline(__always)
    static func equal(_ word: UInt64, _ pattern: UInt64) -> UInt64 {
        let difference = word ^ pattern
        return ~((difference & ~highBits) &+ ~highBits | difference) & highBits
    }

    /// The bytes of `word` below `limit`, which is at most 128.
    @inline(__always)
    static func below(_ word: UInt64, _ limit: UInt8) -> UInt64 {
        ~((word | highBits) &- pattern(limit)) & ~word & highBits
    }

    /// The bytes of `word` outside ASCII.
    @inline(__always)
    static func nonASCII(_ word: UInt64) -> UInt64 {
        word & highBits
    }

    /// The index of the first byte that passed.
    @inline(__always)
    static func first(_ result: UInt64) -> Int {
        result.trailingZeroBitCount >> 3
    }

    /// Eight bytes of memory in the order that the tests expect.
    @inline(__always)
    static func load(_ base: UnsafeRawPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}
