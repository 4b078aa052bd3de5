import FoundationSupplement
import ManagedObjectModel

/// The objects that a fetch finds, each made when it is asked for: our addition, for results that don't fit into memory.
///
/// ```swift
/// let request = NSFetchRequest<Reading>(entityName: "Reading")
/// request.fetchBatchSize = 1_000
/// for reading in try context.batchedFetch(request) { sum += reading.value }
/// ```
/// On Apple's systems the array of a fetch with a `fetchBatchSize` is of this kind; a Swift array on Linux is not able to
/// be. Keeps eight bytes for each result, and the objects of the two batches used last. A batch costs one query.
/// Used on the context's queue, like the objects.
public final class BatchedResults<Element: NSManagedObject>: RandomAccessCollection {
    private let context: NSManagedObjectContext
    private let source: Source
    /// By the batch's number, the batch used last at the end.
    private var loaded: [(place: Int, objects: [Element])] = []

    private enum Source {
        /// The keys of rows.
        case keys([Int64], space: ObjectIDSpace, EntityLayout, size: Int, PrefetchTree)
        /// Where unsaved changes, a parent context or several stores have a part in the result.
        case objects([Element])
    }

    private init(_ context: NSManagedObjectContext, _ source: Source) {
        self.context = context
        self.source = source
    }

    /// Always 0.
    public var startIndex: Int { 0 }

    /// How many objects the fetch has found.
    public var endIndex: Int {
        switch source {
        case .keys(let keys, _, _, _, _): keys.count
        case .objects(let objects): objects.count
        }
    }

    /// An object. Reads its batch where that is not in memory; one whose row is gone by then is a fault.
    public subscript(position: Int) -> Element {
        switch source {
        case .objects(let objects): return objects[position]
        case .keys(let keys, let space, let layout, let size, let prefetching):
            let place = position / size
            if let last = loaded.last, last.place == place { return last.objects[position - place * size] }
            let objects = batch(place, keys, space, layout, size, prefetching)
            return objects[position - place * size]
        }
    }

    private func batch(
        _ place: Int, _ keys: [Int64], _ space: ObjectIDSpace, _ layout: EntityLayout, _ size: Int,
        _ prefetching: PrefetchTree
    ) -> [Element] {
        context.checkQueue()
        let known = loaded.firstIndex { $0.place == place }.map { loaded.remove(at: $0).objects }
        let objects =
            known
            ?? keys[(place * size)..<Swift.min(keys.count, (place + 1) * size)].map { key in
                // The class was checked when the results were made.
                unsafeDowncast(context.materialise(layout, key, space, row: nil), to: Element.self)
            }
        if known == nil { read(objects, prefetching) }
        if loaded.count > 1 { loaded.removeFirst() }
        loaded.append((place, objects))
        return objects
    }

    private func read(_ objects: [Element], _ prefetching: PrefetchTree) {
        do {
            try context.readRows(of: objects.filter { $0.isFault && $0.row == nil })
            if !prefetching.isEmpty { try context.prefetch(prefetching, for: objects) }
        } catch {
            SQLLog.warn("a batch of \(objects.count) objects can't be read: \(error.localizedDescription)")
        }
    }

    /// Finds the keys.
    static func find(_ plan: FetchPlan, in context: NSManagedObjectContext) throws -> BatchedResults {
        let merges = plan.includesPendingChanges && context.hasPendingChanges(plan.fetch.entity)
        guard let store = plan.batchedStore, context.parent == nil, !merges,
            plan.fetch.entity.layout.objectClass is Element.Type,
            let keys = try context.read([store], { try store.findKeys(plan.fetch) })
        else { return BatchedResults(context, .objects(try context.cast(context.objects(plan)))) }
        let layout = plan.fetch.entity.layout
        let size = Swift.min(plan.batchSize, Swift.max(1, keys.count))
        return BatchedResults(
            context,
            .keys(keys, space: store.space(of: plan.fetch.entity), layout, size: size, plan.prefetching))
    }
}

extension NSManagedObjectContext {
    /// Finds objects, and makes each when it is asked for: our addition.
    ///
    /// - Parameter request: a request for objects. Its `fetchBatchSize` says how many are read at a time; 0 means 1,000.
    /// - Returns: the objects in order. With unsaved changes of the entity, in a child context, over several stores and
    ///   for entities with sub-entities all objects are in memory, as in the result of `fetch(_:)`.
    /// - Throws: what `fetch(_:)` throws.
    public func batchedFetch<T: NSManagedObject>(_ request: NSFetchRequest<T>) throws -> BatchedResults<T> {
        checkQueue()
        adoptPermanentIDs()
        guard request.resultType == .managedObjectResultType else {
            throw CocoaError.request("a batched fetch is one for managed objects")
        }
        return try Self.reporting {
            try BatchedResults.find(FetchPlan(request, self, defaultBatchSize: 1_000), in: self)
        }
    }
}
