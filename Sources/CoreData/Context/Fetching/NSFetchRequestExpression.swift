import FoundationSupplement
import ManagedObjectModel

/// `FETCH(request, context, countOnly)`: what a fetch request finds, or how much, as a part of a predicate.
///
/// ```swift
/// let request = NSExpression(forConstantValue: bigCities)
/// let fetch = NSFetchRequestExpression.expression(
///     forFetch: request, context: NSExpression(forConstantValue: context), countOnly: false)
/// people.predicate = NSPredicate(format: "city IN %@", fetch)
/// ```
/// A SQLite store carries it out as a part of the same statement.
open class NSFetchRequestExpression: NSExpression, CustomExpressionEvaluation {
    /// Creates the expression.
    ///
    /// - Parameters:
    ///   - fetch: has an `NSFetchRequest` as its value.
    ///   - context: has the `NSManagedObjectContext` to fetch in as its value.
    ///   - countFlag: whether the value is the number of results in place of the results.
    open class func expression(
        forFetch fetch: NSExpression, context: NSExpression, countOnly countFlag: Bool
    ) -> NSExpression {
        NSFetchRequestExpression(storage: .fetch(request: fetch, context: context, countOnly: countFlag))
    }

    /// Makes the format language's `FETCH` one of these.
    static let isRegistered: Bool = {
        FetchExpressionFactory.register { expression(forFetch: $0, context: $1, countOnly: $2) }
        return true
    }()

    private var parts: (request: NSExpression, context: NSExpression, countOnly: Bool)? {
        guard case .fetch(let request, let context, let countOnly) = storage else { return nil }
        return (request, context, countOnly)
    }

    /// What the fetch request comes from.
    open var requestExpression: NSExpression { parts?.request ?? NSExpression(forConstantValue: nil) }
    /// What the context comes from.
    open var contextExpression: NSExpression { parts?.context ?? NSExpression(forConstantValue: nil) }
    /// Whether the value is a number.
    open var isCountOnlyRequest: Bool { parts?.countOnly ?? false }

    package final func evaluate(with object: Any?, variables: [String: Any?]) throws -> Any? {
        let request = try requestExpression.evaluateThrowing(with: object, variables: variables)
        let context = try contextExpression.evaluateThrowing(with: object, variables: variables)
        guard let request = request as? any FetchableRequest, let context = context as? NSManagedObjectContext else {
            throw CocoaError.request("FETCH needs a fetch request and a context: \(self)")
        }
        return isCountOnlyRequest ? try request.count(in: context) : try request.results(in: context)
    }
}

/// A fetch request, whatever its results are.
private protocol FetchableRequest {
    func count(in context: NSManagedObjectContext) throws -> Int
    func results(in context: NSManagedObjectContext) throws -> [Any]
}

extension NSFetchRequest: FetchableRequest {
    fileprivate func count(in context: NSManagedObjectContext) throws -> Int { try context.count(for: self) }
    fileprivate func results(in context: NSManagedObjectContext) throws -> [Any] { try context.fetch(self) }
}
