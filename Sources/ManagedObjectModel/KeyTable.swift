/// The positions of a few names. Looking one up is what key-value coding does for every value.
///
/// Most keys are short literals, which Swift keeps in the string's own sixteen bytes: equal bytes are equal strings,
/// whatever the bytes mean. Such a key is found by its bytes alone, at a tenth of the cost of hashing its text; all
/// others are found by their text.
struct KeyTable {
    /// By a mix of the string's bytes, open addressing, a power of two, at most half full; -1 is free.
    private let buckets: [Int32]
    private let bits: [(UInt64, UInt64)]
    private let byText: [String: Int]

    init(_ names: [String]) {
        byText = Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        bits = names.map(Self.bits)
        var size = 8
        while size < names.count * 2 { size *= 2 }
        var buckets = [Int32](repeating: -1, count: size)
        for index in names.indices {
            var at = Self.place(bits[index], size)
            while buckets[at] >= 0 { at = (at + 1) & (size - 1) }
            buckets[at] = Int32(index)
        }
        self.buckets = buckets
    }

    @inline(__always)
    func index(of name: String) -> Int? {
        let wanted = Self.bits(name)
        var at = Self.place(wanted, buckets.count)
        while buckets[at] >= 0 {
            let index = Int(buckets[at])
            if bits[index] == wanted { return index }
            at = (at + 1) & (buckets.count - 1)
        }
        return byText[name]
    }

    @inline(__always)
    private static func bits(_ name: String) -> (UInt64, UInt64) {
        unsafeBitCast(name, to: (UInt64, UInt64).self)
    }

    @inline(__always)
    private static func place(_ bits: (UInt64, UInt64), _ size: Int) -> Int {
        let mixed = (bits.0 ^ bits.1 &* 0x9e37_79b9_7f4a_7c15) &* 0xff51_afd7_ed55_8ccd
        return Int(truncatingIfNeeded: mixed >> 32) & (size - 1)
    }
}
