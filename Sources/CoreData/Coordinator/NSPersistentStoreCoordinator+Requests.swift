import Dispatch
import FoundationSupplement
import ManagedObjectModel

extension NSPersistentStoreCoordinator {
    /// Runs a block while no other request is carried out, on the calling thread, and waits for it. Calls may be nested.
    ///
    /// - Returns: what the block returns.
    public func performAndWait<T, E: Error>(_ block: () throws(E) -> T) throws(E) -> T {
        lock()
        defer { unlock() }
        return try block()
    }

    /// Runs a block while no other request is carried out, and waits for it without keeping a thread.
    ///
    /// - Returns: what the block returns.
    @preconcurrency
    public func perform<T, E: Error>(_ block: @escaping @Sendable () throws(E) -> T) async throws(E) -> T {
        // The value goes from one thread to one other, which the compiler can't see through the continuation.
        let result: Unchecked<Result<T, E>> = await withCheckedContinuation { continuation in
            perform {
                let result: Result<T, E>
                do throws(E) { result = .success(try block()) } catch { result = .failure(error) }
                continuation.resume(returning: Unchecked(value: result))
            }
        }
        return try result.value.get()
    }

    /// The ID that a text means that was made from `uriRepresentation()`; nil for others.
    public func managedObjectID(for string: String) -> NSManagedObjectID? {
        URL(string: string).flatMap { managedObjectID(forURIRepresentation: $0) }
    }

    func carryOut(_ request: NSPersistentStoreRequest, _ context: NSManagedObjectContext) throws -> Any {
        guard let request = request as? any ContextRequest else {
            throw CocoaError.store(
                .persistentStoreUnsupportedRequestType, nil, "requests of class \(type(of: request)) are not supported")
        }
        guard context.persistentStoreCoordinator === self else {
            throw CocoaError.request("the context that a request is carried out for is not one of this coordinator")
        }
        return try request.carryOut(in: context)
    }
}

/// A value that goes from one thread to another, which then is its only user.
struct Unchecked<Value>: @unchecked Sendable {
    let value: Value
}

/// A request that a context can carry out.
private protocol ContextRequest {
    func carryOut(in context: NSManagedObjectContext) throws -> Any
}

extension NSFetchRequest: ContextRequest {
    fileprivate func carryOut(in context: NSManagedObjectContext) throws -> Any { try context.fetch(self) }
}

extension NSSaveChangesRequest: ContextRequest {
    fileprivate func carryOut(in context: NSManagedObjectContext) throws -> Any {
        guard (insertedObjects ?? []) == context.insertedObjects, (updatedObjects ?? []) == context.updatedObjects,
            (deletedObjects ?? []) == context.deletedObjects
        else { throw CocoaError.unsupported("a request to save a part of a context's changes") }
        try context.save()
        return [Any]()
    }
}

extension NSManagedObjectID {
    /// The temporary ID that has a URI in this process; nil for a URI of another one.
    convenience init?(_ entity: NSEntityDescription, temporaryURI url: URL, _ uri: ObjectURI) {
        guard uri.key.hasPrefix("t") else { return nil }
        // A UUID may stand before the number.
        let digits = uri.key.count > 37 ? uri.key.dropFirst(37) : uri.key.dropFirst()
        guard let number = Int64(digits), number > 0 else { return nil }
        self.init(entity, primaryKey: -number, space: .temporary)
        guard uriRepresentation() == url else { return nil }
    }
}
