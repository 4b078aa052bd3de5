/// The positions of a few names. Looking one up is what key-value coding does for every value, so this table hashes
/// three bytes and the length in place of the whole text, and compares what it finds.
struct KeyTable {
    private let names: [String]
    /// Open addressing; -1 is free. A power of two, at most half full.
    private let buckets: [Int32]

    init(_ names: [String]) {
        self.names = names
        var size = 8
        while size < names.count * 2 { size *= 2 }
        var buckets = [Int32](repeating: -1, count: size)
        for (index, name) in names.enumerated() {
            var at = Self.hash(name) & (size - 1)
            while buckets[at] >= 0 { at = (at + 1) & (size - 1) }
            buckets[at] = Int32(index)
        }
        self.buckets = buckets
    }

    @inline(__always)
    func index(of name: String) -> Int? {
        let mask = buckets.count - 1
        var at = Self.hash(name) & mask
        while buckets[at] >= 0 {
            let index = Int(buckets[at])
            if names[index] == name { return index }
            at = (at + 1) & mask
        }
        return nil
    }

    @inline(__always)
    private static func hash(_ name: String) -> Int {
        let bytes = name.utf8
        let count = bytes.count
        guard count > 0 else { return 0 }
        let first = bytes[bytes.startIndex]
        let middle = bytes[bytes.index(bytes.startIndex, offsetBy: count / 2)]
        let last = bytes[bytes.index(before: bytes.endIndex)]
        return count &+ Int(first) &* 7 &+ Int(middle) &* 31 &+ Int(last) &* 131
    }
}
