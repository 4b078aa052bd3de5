import FoundationSupplement

/// The objects of a context by their IDs, held weakly.
final class ObjectRegistry: @unchecked Sendable {
    /// The context; nil after it is gone. Objects reach it through here.
    weak var context: NSManagedObjectContext?

    private let lock = NSLock()
    // Only used under the lock.
    @exclusivity(unchecked) private var table = PointerTable<NSManagedObject>()

    func object(_ key: ObjectKey) -> NSManagedObject? {
        lock.lock()
        defer { lock.unlock() }
        return table.element(key)
    }

    func register(_ object: NSManagedObject) {
        lock.lock()
        defer { lock.unlock() }
        table.set(object)
    }

    /// Takes an object out, unless its place was taken by another meanwhile. Also called from the object's `deinit`.
    func remove(_ object: NSManagedObject) {
        lock.lock()
        defer { lock.unlock() }
        table.remove(object)
    }

    func removeAll() {
        lock.withLock { table = PointerTable() }
    }

    var objects: [NSManagedObject] { lock.withLock { table.elements } }
}
