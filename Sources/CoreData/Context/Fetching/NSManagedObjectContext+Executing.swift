import FoundationSupplement
import ManagedObjectModel

extension NSManagedObjectContext {
    /// Carries out a request of any kind.
    ///
    /// ```swift
    /// let request = NSAsynchronousFetchRequest(fetchRequest: cities) { result in show(result.finalResult ?? []) }
    /// try context.execute(request)
    /// ```
    /// - Returns: the kind of result that goes with the request; for a fetch request an ``NSAsynchronousFetchResult``
    ///   that is complete.
    /// - Throws: 134091 for a kind of request that contexts don't carry out, and what the request causes.
    @discardableResult
    public func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        guard let request = request as? any ExecutableRequest else {
            throw CocoaError.store(
                .persistentStoreUnsupportedRequestType, nil, "requests of class \(type(of: request)) are not supported")
        }
        return try request.execute(in: self)
    }
}

/// A request that `NSManagedObjectContext.execute(_:)` carries out.
package protocol ExecutableRequest {
    func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult
}

extension NSFetchRequest: ExecutableRequest {
    package func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
        let result = NSAsynchronousFetchResult(NSAsynchronousFetchRequest(fetchRequest: self), context)
        result.finish(.success(try context.fetch(self)))
        return result
    }
}
