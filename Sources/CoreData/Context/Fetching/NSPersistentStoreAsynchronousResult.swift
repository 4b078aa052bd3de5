import FoundationSupplement

/// What becomes of a request that is carried out while the program goes on.
open class NSPersistentStoreAsynchronousResult: NSPersistentStoreResult, @unchecked Sendable {
    /// The context that carries out the request.
    public let managedObjectContext: NSManagedObjectContext
    /// How far it is: there is one where a `Progress` was current (`becomeCurrent(withPendingUnitCount:)`) when the
    /// request was given to the context. Cancelling it cancels the request.
    public let progress: Progress?
    private let lock = NSLock()
    private var failure: (any Error)?
    private var wasCancelled = false

    init(_ context: NSManagedObjectContext, progress: Progress?) {
        managedObjectContext = context
        self.progress = progress
    }

    /// Why there is no result; nil as long as nothing went wrong.
    open var operationError: (any Error)? { lock.withLock { failure } }

    /// Stops the request as soon as possible. It is then completed with the error `userCancelled` (3072).
    open func cancel() {
        lock.withLock { wasCancelled = true }
        progress?.cancel()
    }

    final var isCancelled: Bool { lock.withLock { wasCancelled } || progress?.isCancelled == true }

    final func fail(_ error: any Error) { lock.withLock { failure = error } }
}
