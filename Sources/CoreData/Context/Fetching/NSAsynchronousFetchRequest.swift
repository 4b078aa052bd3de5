import Dispatch
import FoundationSupplement
import ManagedObjectModel

/// A fetch that is carried out while the program goes on.
///
/// ```swift
/// let request = NSAsynchronousFetchRequest(fetchRequest: cities) { result in
///     show(result.finalResult ?? [])   // on the context's queue
/// }
/// try context.execute(request)
/// ```
/// A SQLite store is read on another thread, so that the context's queue stays free; the objects are made on the queue,
/// with the unsaved changes of that moment.
open class NSAsynchronousFetchRequest<ResultType: NSFetchRequestResult>: NSPersistentStoreRequest {
    /// What to fetch.
    public let fetchRequest: NSFetchRequest<ResultType>
    /// What is called on the context's queue in the end, once.
    public let completionBlock: ((NSAsynchronousFetchResult<ResultType>) -> Void)?
    /// How many results there will be, as far as the program knows: what makes progress tell a fraction. 0: unknown.
    open var estimatedResultCount = 0

    /// Creates a request for `NSManagedObjectContext.execute(_:)`.
    ///
    /// - Parameters:
    ///   - request: what to fetch.
    ///   - blk: called on the context's queue when the results are there, or the fetch has failed or was cancelled.
    public init(
        fetchRequest request: NSFetchRequest<ResultType>,
        completionBlock blk: ((NSAsynchronousFetchResult<ResultType>) -> Void)? = nil
    ) {
        fetchRequest = request
        completionBlock = blk
        super.init()
    }

    /// Always a fetch.
    open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    /// A request for the same, which can be changed.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let fetch = fetchRequest.copy() as? NSFetchRequest<ResultType> ?? fetchRequest
        let copy = NSAsynchronousFetchRequest(fetchRequest: fetch, completionBlock: completionBlock)
        copy.estimatedResultCount = estimatedResultCount
        copy.affectedStoreObjects = affectedStoreObjects
        return copy
    }
}

extension NSAsynchronousFetchRequest: ExecutableRequest {
    package func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
        guard context.concurrencyType != .confinementConcurrencyType else {
            throw CocoaError.request(
                "NSConfinementConcurrencyType context \(context) cannot support asynchronous fetch request \(self).")
        }
        let progress = Progress.current().map { _ in
            Progress(totalUnitCount: estimatedResultCount > 0 ? Int64(estimatedResultCount) : -1)
        }
        let result = NSAsynchronousFetchResult(self, context, progress: progress)
        let plan = try FetchPlan(fetchRequest, context)
        nonisolated(unsafe) let run = AsynchronousFetch(result, plan)
        guard fetchRequest.resultType == .managedObjectResultType, context.parent == nil,
            plan.stores.allSatisfy({ $0 is SQLiteStore })
        else {
            context.enqueue { run.finish(rows: nil) }
            return result
        }
        nonisolated(unsafe) let fetch = context.searched(plan.fetch)
        let coordinator = try context.coordinator()
        DispatchQueue.global().async {
            let rows = Result { try run.rows(fetch, coordinator) }
            nonisolated(unsafe) let found = rows
            context.enqueue { run.finish(rows: found) }
        }
        return result
    }
}

/// An asynchronous fetch that is going on.
private final class AsynchronousFetch<ResultType: NSFetchRequestResult> {
    private let result: NSAsynchronousFetchResult<ResultType>
    private let plan: FetchPlan
    private var context: NSManagedObjectContext { result.managedObjectContext }

    init(_ result: NSAsynchronousFetchResult<ResultType>, _ plan: FetchPlan) {
        self.result = result
        self.plan = plan
    }

    /// Reads the rows, on a thread that is not the context's.
    func rows(_ fetch: StoreFetch, _ coordinator: NSPersistentStoreCoordinator) throws -> FoundRows {
        try coordinator.reading(plan.stores) {
            var found = FoundRows(readSince: RowCache.now)
            for store in plan.stores {
                let space = store.space(of: fetch.entity)
                // SQLite stores don't ask the context anything.
                try store.loggedFetch(fetch, in: context) { layout, key, row in
                    if result.isCancelled { throw CocoaError(.userCancelled) }
                    found.rows.append((layout, key, space, row))
                    if found.rows.count % 128 == 0 { note(found.rows.count) }
                }
            }
            return found
        }
    }

    private func note(_ count: Int) {
        guard let progress = result.progress else { return }
        progress.completedUnitCount =
            progress.totalUnitCount > 0 ? min(Int64(count), progress.totalUnitCount) : Int64(count)
    }

    /// Makes the results, on the context's queue.
    func finish(rows: Result<FoundRows, any Error>?) {
        let outcome = Result { () throws -> [ResultType] in
            if result.isCancelled { throw CocoaError(.userCancelled) }
            guard let rows = try rows?.get() else { return try context.fetch(result.fetchRequest.fetchRequest) }
            return try NSManagedObjectContext.reporting { try context.cast(context.objects(plan, replaying: rows)) }
        }
        if case .success(let results) = outcome, let progress = result.progress {
            progress.totalUnitCount = Int64(results.count)
            progress.completedUnitCount = Int64(results.count)
        }
        result.finish(outcome)
        result.fetchRequest.completionBlock?(result)
    }
}

/// What was read for a context before it makes objects of it.
private struct FoundRows {
    /// When the reading began, by the row cache's clock.
    let readSince: Double
    var rows: [(layout: EntityLayout, key: Int64, space: ObjectIDSpace, row: Row?)] = []
}

extension NSManagedObjectContext {
    /// The objects of rows that were read for a plan's window and beyond it.
    fileprivate func objects(_ plan: FetchPlan, replaying found: FoundRows) throws -> [NSManagedObject] {
        adoptPermanentIDs()
        let outer = readingSince
        defer { readingSince = outer }
        readingSince = found.readSince
        let isWhole = plan.stores.count > 1 || plan.includesPendingChanges && hasPendingChanges(plan.fetch.entity)
        let rows = isWhole ? found.rows : plan.fetch.window(of: found.rows)
        return try objects(plan) { visit in
            for found in rows { try visit(found.layout, found.key, found.space, found.row) }
        }
    }
}
