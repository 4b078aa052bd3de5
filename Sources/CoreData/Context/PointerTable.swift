import CObjectReference

/// What a `PointerTable` can hold.
protocol PointerTableEntry: AnyObject {
    var key: ObjectKey { get }
}

/// Pointers to objects by their keys, without owning them: open addressing with linear probing.
///
/// A fetch looks up and enters every object that it finds. The key is read from the object itself, whose memory is
/// there for as long as its pointer is in the table. Primary keys are small numbers in a row, for which multiplying by
/// an odd constant spreads as well as the standard dictionary's hash does, at a tenth of its cost.
///
/// Swift's weak references cost a side table per object, which also makes each later retain and release of the object
/// slower; with hundreds of thousands of fetched objects that was a quarter of the time. Instead an object takes its own
/// pointer out when it goes, under its table's lock. A look-up can meet an object whose last reference was just dropped
/// on another thread and which waits for the lock to take itself out: its memory is still there, and the runtime
/// (`CObjectReference`) says whether it is still alive.
struct PointerTable<Element: PointerTableEntry> {
    private var entries: [UnsafeMutableRawPointer?] = []
    private var count = 0

    /// The object with a key, if it is alive.
    func element(_ key: ObjectKey) -> Element? {
        guard !entries.isEmpty else { return nil }
        var at = key.slot(entries.count)
        while let pointer = entries[at] {
            if Self.key(pointer) == key { return Self.retainedIfAlive(pointer) }
            at = (at + 1) & (entries.count - 1)
        }
        return nil
    }

    /// Enters an object, in place of one with the same key.
    mutating func set(_ element: Element) { set(element.key, Unmanaged.passUnretained(element).toOpaque()) }

    private mutating func set(_ key: ObjectKey, _ pointer: UnsafeMutableRawPointer) {
        if (count + 1) * 2 > entries.count { grow() }
        var at = key.slot(entries.count)
        while let other = entries[at], Self.key(other) != key { at = (at + 1) & (entries.count - 1) }
        if entries[at] == nil { count += 1 }
        entries[at] = pointer
    }

    /// Takes an object out, unless its place was taken by another.
    mutating func remove(_ element: Element) {
        guard !entries.isEmpty else { return }
        let mask = entries.count - 1
        let pointer = Unmanaged.passUnretained(element).toOpaque()
        var hole = element.key.slot(entries.count)
        while let found = entries[hole], found != pointer { hole = (hole + 1) & mask }
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
        for case let pointer? in old { set(Self.key(pointer), pointer) }
    }

    /// All that are alive.
    var elements: [Element] {
        var alive: [Element] = []
        for case let pointer? in entries {
            if let element = Self.retainedIfAlive(pointer) { alive.append(element) }
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
    /// The place where a table of a power-of-two size looks first.
    fileprivate func slot(_ size: Int) -> Int {
        // Eight keys in a row share a place, so that rows in their order meet memory in its order.
        let key = UInt(truncatingIfNeeded: primaryKey)
        let mixed = ((key >> 3) ^ (UInt(bitPattern: space) >> 4)) &* 0x9e37_79b9_7f4a_7c15
        return Int((mixed >> 20) << 3 | key & 7) & (size - 1)
    }
}
