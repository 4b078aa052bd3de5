/// Pointers to managed objects by their keys, without owning them: open addressing with linear probing.
///
/// A fetch looks up and enters every object that it finds. Primary keys are small numbers in a row, for which
/// multiplying by an odd constant spreads as well as the standard dictionary's hash does, at a tenth of its cost.
struct ObjectTable {
    private struct Entry {
        var key: ObjectKey
        var object: UnsafeMutableRawPointer?
    }

    private var entries: [Entry] = []
    private(set) var count = 0

    func object(_ key: ObjectKey) -> UnsafeMutableRawPointer? {
        guard !entries.isEmpty else { return nil }
        return entries.withUnsafeBufferPointer { entries in
            var at = key.slot(entries.count)
            while let object = entries[at].object {
                if entries[at].key == key { return object }
                at = (at + 1) & (entries.count - 1)
            }
            return nil
        }
    }

    mutating func set(_ key: ObjectKey, _ object: UnsafeMutableRawPointer) {
        if (count + 1) * 2 > entries.count { grow() }
        let mask = entries.count - 1
        entries.withUnsafeMutableBufferPointer { entries in
            var at = key.slot(entries.count)
            while entries[at].object != nil, entries[at].key != key { at = (at + 1) & mask }
            if entries[at].object == nil { count += 1 }
            entries[at] = Entry(key: key, object: object)
        }
    }

    /// Takes a key out if it leads to this object.
    mutating func remove(_ key: ObjectKey, _ object: UnsafeMutableRawPointer) {
        guard !entries.isEmpty else { return }
        let mask = entries.count - 1
        entries.withUnsafeMutableBufferPointer { entries in
            var at = key.slot(entries.count)
            while let found = entries[at].object, entries[at].key != key || found != object { at = (at + 1) & mask }
            guard entries[at].object != nil else { return }
            count -= 1
            // Entries after the hole that would not be found over it move into it.
            var hole = at
            var next = (at + 1) & mask
            while entries[next].object != nil {
                let home = entries[next].key.slot(entries.count)
                if (next &- home) & mask >= (next &- hole) & mask {
                    entries[hole] = entries[next]
                    hole = next
                }
                next = (next + 1) & mask
            }
            entries[hole].object = nil
        }
    }

    private mutating func grow() {
        let old = entries
        let empty = Entry(key: ObjectKey(space: ObjectIdentifier(ObjectIDSpace.temporary), primaryKey: 0), object: nil)
        entries = Array(repeating: empty, count: max(64, old.count * 2))
        count = 0
        for entry in old { if let object = entry.object { set(entry.key, object) } }
    }

    func forEach(_ body: (UnsafeMutableRawPointer) -> Void) {
        for entry in entries { if let object = entry.object { body(object) } }
    }
}

extension ObjectKey {
    /// The place where a table of a power-of-two size looks first.
    fileprivate func slot(_ size: Int) -> Int {
        let mixed = (UInt(truncatingIfNeeded: primaryKey) ^ UInt(bitPattern: space) >> 4) &* 0x9e37_79b9_7f4a_7c15
        return Int(mixed >> 20) & (size - 1)
    }
}
