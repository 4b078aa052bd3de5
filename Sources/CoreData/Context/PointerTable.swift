import CObjectReference

/// What a `PointerTable` can hold.
protocol PointerTableEntry: AnyObject {
    var key: ObjectKey { get }
}

/// Pointers to objects by their keys, without owning them: open addressing with linear probing.
///
/// A fetch looks up and enters every object that it finds. The key is read from the object itself, whose memory is
/// there for as long as its pointer is in the table; the hash beside the pointer says without a look there, mostly a
/// cache miss, where an entry belongs and which it is not. Primary keys are small numbers in a row, for which multiplying
/// by an odd constant spreads as well as the standard dictionary's hash does, at a tenth of its cost.
///
/// Swift's weak references cost a side table per object, which also makes each later retain and release of the object
/// slower; with hundreds of thousands of fetched objects that was a quarter of the time. Instead an object takes its own
/// pointer out when it goes, under its table's lock. A look-up can meet an object whose last reference was just dropped
/// on another thread and which waits for the lock to take itself out: its memory is still there, and the runtime
/// (`CObjectReference`) says whether it is still alive.
struct PointerTable<Element: PointerTableEntry> {
    private struct Entry {
        /// Nil for a free place.
        var pointer: UnsafeMutableRawPointer?
        var hash: UInt = 0
    }

    private var entries: [Entry] = []
    private var count = 0

    /// The object with a key, if it is alive.
    func element(_ key: ObjectKey) -> Element? {
        guard !entries.isEmpty else { return nil }
        let hash = key.tableHash
        return entries.withUnsafeBufferPointer { entries in
            let mask = entries.count - 1
            var at = Int(truncatingIfNeeded: hash) & mask
            while let pointer = entries[at].pointer {
                if entries[at].hash == hash, Self.key(pointer) == key { return Self.retainedIfAlive(pointer) }
                at = (at + 1) & mask
            }
            return nil
        }
    }

    /// Enters an object, in place of one with the same key.
    mutating func set(_ element: Element) {
        if (count + 1) * 3 > entries.count * 2 { grow() }
        let (key, hash) = (element.key, element.key.tableHash)
        let isNew = entries.withUnsafeMutableBufferPointer { entries in
            let mask = entries.count - 1
            var at = Int(truncatingIfNeeded: hash) & mask
            while let other = entries[at].pointer, entries[at].hash != hash || Self.key(other) != key {
                at = (at + 1) & mask
            }
            defer { entries[at] = Entry(pointer: Unmanaged.passUnretained(element).toOpaque(), hash: hash) }
            return entries[at].pointer == nil
        }
        if isNew { count += 1 }
    }

    /// Takes an object out, unless its place was taken by another.
    mutating func remove(_ element: Element) {
        guard !entries.isEmpty else { return }
        let mask = entries.count - 1
        let pointer = Unmanaged.passUnretained(element).toOpaque()
        var hole = Int(truncatingIfNeeded: element.key.tableHash) & mask
        while let found = entries[hole].pointer, found != pointer { hole = (hole + 1) & mask }
        guard entries[hole].pointer != nil else { return }
        count -= 1
        // Entries after the hole that would not be found over it move into it.
        var next = (hole + 1) & mask
        while entries[next].pointer != nil {
            let home = Int(truncatingIfNeeded: entries[next].hash) & mask
            if (next &- home) & mask >= (next &- hole) & mask {
                entries[hole] = entries[next]
                hole = next
            }
            next = (next + 1) & mask
        }
        entries[hole] = Entry()
    }

    private mutating func grow() {
        let old = entries
        entries = Array(repeating: Entry(), count: max(64, old.count * 2))
        entries.withUnsafeMutableBufferPointer { entries in
            let mask = entries.count - 1
            for entry in old where entry.pointer != nil {
                var at = Int(truncatingIfNeeded: entry.hash) & mask
                while entries[at].pointer != nil { at = (at + 1) & mask }
                entries[at] = entry
            }
        }
    }

    /// All that are alive.
    var elements: [Element] {
        var alive: [Element] = []
        for entry in entries {
            if let pointer = entry.pointer, let element = Self.retainedIfAlive(pointer) { alive.append(element) }
        }
        return alive
    }

    @inline(__always)
    private static func key(_ pointer: UnsafeMutableRawPointer) -> ObjectKey {
        Unmanaged<Element>.fromOpaque(pointer)._withUnsafeGuaranteedRef { $0.key }
    }

    private static func retainedIfAlive(_ pointer: UnsafeMutableRawPointer) -> Element? {
        object_retain_if_alive(pointer).map { Unmanaged<Element>.fromOpaque($0).takeRetainedValue() }
    }
}

extension ObjectKey {
    /// Where a table looks for the key first; the table takes as many of the lower bits as it needs.
    fileprivate var tableHash: UInt {
        // Eight keys in a row share a place, so that rows in their order meet memory in its order.
        let key = UInt(truncatingIfNeeded: primaryKey)
        let mixed = ((key >> 3) ^ (UInt(bitPattern: space) >> 4)) &* 0x9e37_79b9_7f4a_7c15
        return (mixed >> 20) << 3 | key & 7
    }
}
