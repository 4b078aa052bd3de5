import FoundationSupplement

/// The objects of a context by their IDs, held weakly.
///
/// Objects can be released on any thread, so the table has a lock of its own. An object that is released leaves its
/// empty entry behind; these are swept out when the table has doubled since the last sweep.
final class ObjectRegistry: @unchecked Sendable {
    private struct Entry {
        weak var object: NSManagedObject?
    }

    private let lock = NSLock()
    private var entries: [ObjectKey: Entry] = [:]
    private var sweepAt = 1024

    func object(_ key: ObjectKey) -> NSManagedObject? {
        lock.withLock { entries[key]?.object }
    }

    func register(_ object: NSManagedObject) {
        let key = object.objectID.key
        lock.withLock {
            entries[key] = Entry(object: object)
            if entries.count > sweepAt {
                entries = entries.filter { $0.value.object != nil }
                sweepAt = max(1024, entries.count * 2)
            }
        }
    }

    func remove(_ object: NSManagedObject) {
        let key = object.objectID.key
        _ = lock.withLock { entries.removeValue(forKey: key) }
    }

    func removeAll() {
        lock.withLock { entries = [:] }
    }

    func reserve(_ count: Int) {
        lock.withLock { entries.reserveCapacity(entries.count + count) }
    }

    var objects: [NSManagedObject] {
        lock.withLock { entries.values.compactMap(\.object) }
    }
}
