/// Makes the expression for `FETCH(request, context, countOnly)`.
///
/// The class for it, `NSFetchRequestExpression`, belongs to CoreData, which this target can't see: CoreData registers
/// how to make one.
package enum FetchExpressionFactory {
    package typealias Maker =
        @Sendable (_ request: NSExpression, _ context: NSExpression, _ countOnly: Bool) ->
        NSExpression

    private static let lock = NSLock()
    nonisolated(unsafe) private static var maker: Maker?

    /// Sets how the expressions are made from now on.
    package static func register(_ maker: @escaping Maker) {
        lock.withLock { Self.maker = maker }
    }

    static func make(_ request: NSExpression, _ context: NSExpression, _ countOnly: Bool) -> NSExpression {
        let maker = lock.withLock { Self.maker }
        return maker?(request, context, countOnly)
            ?? NSExpression(storage: .fetch(request: request, context: context, countOnly: countOnly))
    }
}
