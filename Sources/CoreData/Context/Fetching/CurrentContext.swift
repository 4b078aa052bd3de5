import Dispatch
import FoundationSupplement
import ManagedObjectModel

/// The context whose block the current thread runs: where `NSFetchRequest.execute()` fetches.
enum CurrentContext {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    static var current: NSManagedObjectContext? {
        pthread_getspecific(key).map { Unmanaged<NSManagedObjectContext>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Runs a block of a context, which is alive meanwhile.
    static func run<R, E: Error>(_ context: NSManagedObjectContext, _ body: () throws(E) -> R) throws(E) -> R {
        let outer = pthread_getspecific(key)
        pthread_setspecific(key, Unmanaged.passUnretained(context).toOpaque())
        defer {
            pthread_setspecific(key, outer)
            withExtendedLifetime(context) {}
        }
        return try body()
    }
}

extension NSFetchRequest {
    /// Carries the request out in the context whose block runs on the current thread.
    ///
    /// ```swift
    /// let cities = try await context.perform { try NSFetchRequest<City>(entityName: "City").execute() }
    /// ```
    /// - Throws: what `NSManagedObjectContext.fetch(_:)` throws, and 134060 outside of all contexts' blocks.
    public func execute() throws -> [ResultType] {
        guard let context = CurrentContext.current else {
            throw CocoaError.request(
                "execute() of a fetch request needs a context: call it within a block given to perform or performAndWait"
            )
        }
        return try context.fetch(self)
    }
}
