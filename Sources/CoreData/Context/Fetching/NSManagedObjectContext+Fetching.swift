import FoundationSupplement
import ManagedObjectModel

extension NSManagedObjectContext {
    /// Finds objects, in the stores and among the unsaved changes.
    ///
    /// ```swift
    /// let request = NSFetchRequest<City>(entityName: "City")
    /// request.predicate = NSPredicate(format: "country.name == %@", "Norway")
    /// request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    /// let cities = try context.fetch(request)
    /// ```
    /// What comes back is what the request's `resultType` says. Dictionaries show what the stores have; unsaved changes
    /// have no part in them, as on Apple's systems. With a `fetchBatchSize` the objects come without their values, which
    /// are read a batch at a time when first used; see ``batchedFetch(_:)`` for results that don't fit into memory.
    /// - Returns: the results in the order of the sort descriptors.
    /// - Throws: an error with code 134060 for a predicate, sort descriptor or request that can't be carried out.
    public func fetch<T: NSFetchRequestResult>(_ request: NSFetchRequest<T>) throws -> [T] {
        checkQueue()
        adoptPermanentIDs()
        return try Self.reporting {
            let plan = try FetchPlan(request, self)
            switch request.resultType {
            case .managedObjectResultType: return try cast(objects(plan))
            case .managedObjectIDResultType: return try cast(identifiers(plan))
            case .countResultType: return try cast([NSNumber(value: count(plan))])
            case .dictionaryResultType: return try cast(dictionaries(plan))
            default: throw CocoaError.request("\(request.resultType.rawValue) is no result type of a fetch request")
            }
        }
    }

    /// The number of results that a request would have.
    ///
    /// - Throws: what `fetch(_:)` throws.
    public func count<T: NSFetchRequestResult>(for request: NSFetchRequest<T>) throws -> Int {
        checkQueue()
        return try Self.reporting { try count(FetchPlan(request, self)) }
    }

    /// Runs `body`; what evaluating a predicate in memory says becomes Core Data's error.
    static func reporting<R>(_ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch let error as PredicateEvaluationError {
            throw CocoaError.request("\(error)")
        }
    }

    func cast<A: AnyObject, T: NSFetchRequestResult>(_ results: [A]) throws -> [T] {
        if A.self == T.self { return unsafeBitCast(results, to: [T].self) }
        guard let cast = results as? [T] else {
            throw CocoaError.request("the results are not of type \(T.self)")
        }
        return cast
    }

    func read<R>(_ stores: [NSPersistentStore], _ body: () throws -> R) throws -> R {
        try reading(coordinator(), stores, body)
    }

    // MARK: Numbers and IDs

    private func count(_ plan: FetchPlan) throws -> Int {
        if let wanted = plan.dictionaries, wanted.isDistinct || wanted.isGrouped { return try dictionaries(plan).count }
        let sees = plan.includesPendingChanges && plan.dictionaries == nil
        if sees, parent != nil || hasPendingChanges(plan.fetch.entity) { return try objects(plan).count }
        guard plan.stores.count > 1 else {
            return try read(plan.stores) { try plan.stores.first?.loggedCount(plan.fetch, in: self) ?? 0 }
        }
        let all = plan.fetch.unlimited
        let count = try read(plan.stores) { try plan.stores.reduce(0) { $0 + (try $1.loggedCount(all, in: self)) } }
        let rest = max(0, count - plan.fetch.offset)
        return plan.fetch.limit > 0 ? min(rest, plan.fetch.limit) : rest
    }

    private func identifiers(_ plan: FetchPlan) throws -> [NSManagedObjectID] {
        let merges = plan.includesPendingChanges && hasPendingChanges(plan.fetch.entity)
        guard !merges, parent == nil, plan.stores.count == 1, let store = plan.stores.first else {
            return try objects(plan).map(\.objectID)
        }
        var fetch = plan.fetch
        fetch.includesValues = false
        let space = store.space(of: fetch.entity)
        if let keys = try read([store], { try (store as? SQLiteStore)?.findKeys(fetch) }) {
            let layout = fetch.entity.layout
            return keys.map { NSManagedObjectID(layout, primaryKey: $0, space: space) }
        }
        var found: [NSManagedObjectID] = []
        try read(plan.stores) {
            try store.loggedFetch(fetch, in: self) { layout, key, _ in
                found.append(NSManagedObjectID(layout, primaryKey: key, space: space))
            }
        }
        return found
    }
}

extension NSPersistentStore {
    /// Fetches, and tells of it where SQL is told of.
    final func loggedFetch(
        _ fetch: StoreFetch, in context: NSManagedObjectContext, visit: (EntityLayout, Int64, Row?) throws -> Void
    ) throws {
        guard SQLLog.level > 0, self is SQLiteStore else { return try self.fetch(fetch, in: context, visit: visit) }
        var count = 0
        try SQLLog.timing {
            try self.fetch(fetch, in: context) {
                count += 1
                try visit($0, $1, $2)
            }
        } rows: {
            count
        }
    }

    final func loggedCount(_ fetch: StoreFetch, in context: NSManagedObjectContext) throws -> Int {
        guard self is SQLiteStore else { return try count(fetch, in: context) }
        return try SQLLog.timingCount { try count(fetch, in: context) }
    }
}
