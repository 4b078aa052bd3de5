import CObjectReference
import FoundationSupplement
import ManagedObjectModel

/// Some of the objects of a fetch with a batch size: they come as faults, and are filled together when the first of them
/// is used.
final class FetchBatch: NSObject {
    private let batches: FetchBatches
    private let place: Int

    init(_ batches: FetchBatches, _ place: Int) {
        self.batches = batches
        self.place = place
    }

    /// What a fault of the batch keeps: one array for all of them.
    var mark: [SlotValue] { [.transformed(self)] }

    /// Reads the rows of the batch, with one query, and what is to be prefetched for them.
    func load(in context: NSManagedObjectContext) { batches.load(place, in: context) }
}

/// The batches of one fetch.
final class FetchBatches {
    private let keys: [Int64]
    private let size: Int
    private let space: ObjectIDSpace
    private let prefetching: PrefetchTree
    /// The batches whose rows are in memory, the oldest first.
    private var loaded: [Int] = []

    init(_ keys: [Int64], size: Int, _ space: ObjectIDSpace, _ prefetching: PrefetchTree) {
        self.keys = keys
        self.size = min(size, max(1, keys.count))
        self.space = space
        self.prefetching = prefetching
    }

    /// How many batches keep their rows: the one in use, and one for programs that go back and forth.
    private static let kept = 2

    var count: Int { (keys.count + size - 1) / size }

    /// Where the results of a batch are.
    func range(_ place: Int) -> Range<Int> { (place * size)..<min(keys.count, (place + 1) * size) }

    fileprivate func keys(_ place: Int) -> ArraySlice<Int64> { keys[range(place)] }

    fileprivate func load(_ place: Int, in context: NSManagedObjectContext) {
        let objects = keys(place).compactMap(known(context)).filter { $0.isFault && $0.row == nil }
        for object in objects { object.batch = nil }
        do {
            try context.readRows(of: objects)
            if !prefetching.isEmpty { try context.prefetch(prefetching, for: objects) }
        } catch {
            SQLLog.warn("a batch of \(objects.count) objects can't be read: \(error.localizedDescription)")
        }
        loaded.removeAll { $0 == place }
        loaded.append(place)
        if loaded.count > Self.kept { release(loaded.removeFirst(), in: context) }
    }

    private func known(_ context: NSManagedObjectContext) -> (Int64) -> NSManagedObject? {
        let space = ObjectIdentifier(space)
        return { context.registry.object(ObjectKey(space: space, primaryKey: $0)) }
    }

    /// Makes the objects of a batch faults again that nobody but the fetch's result holds, as on Apple's systems they
    /// would go: a walk through a large result needs the memory of a few batches.
    private func release(_ place: Int, in context: NSManagedObjectContext) {
        let mark = FetchBatch(self, place).mark
        for key in keys(place) {
            guard let object = known(context)(key), object.state.isDisjoint(with: .unsaved.union(.event)),
                object.isHeldOnceMore
            else { continue }
            if !object.isFault { object.turnIntoFault() }
            object.row = nil
            object.slots = mark
        }
    }
}

extension NSManagedObject {
    /// Whether there is only one reference to the object beside that of the caller's.
    fileprivate final var isHeldOnceMore: Bool {
        object_retain_count(Unmanaged.passUnretained(self).toOpaque()) <= 2
    }
}

extension FetchPlan {
    /// The store whose objects come in batches; nil where all have to be looked at anyway.
    var batchedStore: SQLiteStore? {
        guard batchSize > 0, !fillsObjects, !refreshesObjects, fetch.includesValues, stores.count == 1 else {
            return nil
        }
        return stores.first as? SQLiteStore
    }
}

extension NSManagedObjectContext {
    /// The objects of a fetch with a batch size: faults, made from their keys alone.
    func batchedFaults(_ plan: FetchPlan, _ store: SQLiteStore) throws -> [NSManagedObject] {
        var fetch = plan.fetch
        fetch.includesValues = false
        let space = store.space(of: fetch.entity)
        var objects: [NSManagedObject] = []
        try read([store]) {
            try store.loggedFetch(fetch, in: self) { layout, key, _ in
                objects.append(materialise(layout, key, space, row: nil))
            }
        }
        // Only now, when SQLite has freed what it has sorted with.
        let batches = FetchBatches(objects.map(\.primaryKey), size: plan.batchSize, space, plan.prefetching)
        for place in 0..<batches.count {
            let mark = FetchBatch(batches, place).mark
            for object in objects[batches.range(place)]
            where object.isFault && object.row == nil && object.slots.isEmpty {
                object.slots = mark
            }
        }
        return objects
    }
}
