import CObjectReference
import FoundationSupplement

/// The objects of a context by their IDs, held weakly.
///
/// Swift's weak references cost a side table per object, which also makes each later retain and release of the object
/// slower; with hundreds of thousands of fetched objects that was a quarter of the time. Instead the table holds plain
/// pointers, and an object takes its own out when it goes, under the table's lock. A look-up can meet an object whose
/// last reference was just dropped on another thread and which waits for the lock to take itself out: its memory is
/// still there, and the runtime (`CObjectReference`) says whether it is still alive.
final class ObjectRegistry: @unchecked Sendable {
    /// The context; nil after it is gone. Objects reach it through here.
    weak var context: NSManagedObjectContext?

    private let lock = NSLock()
    // Only used under the lock.
    @exclusivity(unchecked) private var table = ObjectTable()

    func object(_ key: ObjectKey) -> NSManagedObject? {
        lock.lock()
        defer { lock.unlock() }
        return table.object(key).flatMap(Self.retainedIfAlive)
    }

    func register(_ object: NSManagedObject) {
        let key = object.key
        lock.lock()
        defer { lock.unlock() }
        table.set(key, Unmanaged.passUnretained(object).toOpaque())
    }

    /// Takes an object out, unless its place was taken by another meanwhile. Also called from the object's `deinit`.
    func remove(_ object: NSManagedObject, _ key: ObjectKey) {
        lock.lock()
        defer { lock.unlock() }
        table.remove(key, Unmanaged.passUnretained(object).toOpaque())
    }

    func removeAll() {
        lock.withLock { table = ObjectTable() }
    }

    var objects: [NSManagedObject] {
        lock.withLock {
            var alive: [NSManagedObject] = []
            table.forEach { pointer in Self.retainedIfAlive(pointer).map { alive.append($0) } }
            return alive
        }
    }

    private static func retainedIfAlive(_ pointer: UnsafeMutableRawPointer) -> NSManagedObject? {
        object_retain_if_alive(pointer).map { Unmanaged<NSManagedObject>.fromOpaque($0).takeRetainedValue() }
    }
}
