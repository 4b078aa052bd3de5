/// Pointers to managed objects by their keys, without owning them: open addressing with linear probing.
///
/// A fetch looks up and enters every object that it finds. The key is read from the object itself, whose memory is
/// there for as long as its pointer is in the table. Primary keys are small numbers in a row, for which multiplying by
/// an odd constant spreads as well as the standard dictionary's hash does, at a tenth of its cost.
struct ObjectTable {
    private var entries: [UnsafeMutableRawPointer?] = []
    private(set) var count = 0

    func object(_ key: ObjectKey) -> UnsafeMutableRawPointer? {
        guard !entries.isEmpty else { return nil }
        var at = key.slot(entries.count)
        while let object = entries[at] {
            if Self.key(object) == key { return object }
            at = (at + 1) & (entries.count - 1)
        }
        return nil
    }

    mutating func set(_ key: ObjectKey, _ object: UnsafeMutableRawPointer) {
        if (count + 1) * 2 > entries.count { grow() }
        var at = key.slot(entries.count)
        while let other = entries[at], Self.key(other) != key { at = (at + 1) & (entries.count - 1) }
        if entries[at] == nil { count += 1 }
        entries[at] = object
    }

    /// Takes a key out if it leads to this object.
    mutating func remove(_ key: ObjectKey, _ object: UnsafeMutableRawPointer) {
        guard !entries.isEmpty else { return }
        let mask = entries.count - 1
        var hole = key.slot(entries.count)
        while let found = entries[hole], found != object { hole = (hole + 1) & mask }
        guard entries[hole] != nil else { return }
        count -= 1
        // Entries after the hole that would not be found over it move into it.
        var next = (hole + 1) & mask
        while let other = entries[next] {
            let home = Self.key(other).slot(entries.count)
            if (next &- home) & mask >= (next &- hole) & mask {
                entries[hole] = other
                hole = next
            }
            next = (next + 1) & mask
        }
        entries[hole] = nil
    }

    private mutating func grow() {
        let old = entries
        entries = Array(repeating: nil, count: max(64, old.count * 2))
        count = 0
        for case let object? in old { set(Self.key(object), object) }
    }

    func forEach(_ body: (UnsafeMutableRawPointer) -> Void) {
        for case let object? in entries { body(object) }
    }

    @inline(__always)
    private static func key(_ object: UnsafeMutableRawPointer) -> ObjectKey {
        Unmanaged<NSManagedObject>.fromOpaque(object)._withUnsafeGuaranteedRef { $0.key }
    }
}

extension ObjectKey {
    /// The place where a table of a power-of-two size looks first.
    fileprivate func slot(_ size: Int) -> Int {
        // Eight keys in a row share a place, so that rows in their order meet memory in its order.
        let key = UInt(truncatingIfNeeded: primaryKey)
        let mixed = ((key >> 3) ^ (UInt(bitPattern: space) >> 4)) &* 0x9e37_79b9_7f4a_7c15
        return Int((mixed >> 20) << 3 | key & 7) & (size - 1)
    }
}
