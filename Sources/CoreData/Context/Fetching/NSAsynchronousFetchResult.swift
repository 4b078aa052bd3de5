import FoundationSupplement
import ManagedObjectModel

/// What an ``NSAsynchronousFetchRequest`` finds, as soon as it has found it.
open class NSAsynchronousFetchResult<ResultType: NSFetchRequestResult>: NSPersistentStoreAsynchronousResult,
    @unchecked Sendable
{
    /// The request.
    public let fetchRequest: NSAsynchronousFetchRequest<ResultType>
    private let resultLock = NSLock()
    private var found: [ResultType]?

    init(
        _ request: NSAsynchronousFetchRequest<ResultType>, _ context: NSManagedObjectContext, progress: Progress? = nil
    ) {
        fetchRequest = request
        super.init(context, progress: progress)
    }

    /// The results; nil until they are there, and where there is an `operationError`.
    open var finalResult: [ResultType]? { resultLock.withLock { found } }

    final func finish(_ result: Result<[ResultType], any Error>) {
        switch result {
        case .success(let results): resultLock.withLock { found = results }
        case .failure(let error): fail(error)
        }
    }
}

/// What is called with an asynchronous fetch's result.
public typealias NSPersistentStoreAsynchronousFetchResultCompletionBlock =
    (NSAsynchronousFetchResult<any NSFetchRequestResult>) -> Void
