/// What an expression holds. One enumeration in place of a class for each type keeps evaluation and printing in one
/// `switch` each.
package indirect enum ExpressionStorage {
    case constant(Any?)
    case evaluatedObject
    case variable(String)
    /// Without an operand the path starts from the evaluated object.
    case keyPath(operand: NSExpression?, path: String)
    /// A built-in function has no operand; `FUNCTION(target, "name:")` has its target.
    case function(name: String, operand: NSExpression?, [NSExpression])
    case set(SetOperation, NSExpression, NSExpression)
    case subquery(NSExpression, variable: String, NSPredicate)
    case aggregate([NSExpression])
    case anyKey
    case block(NSExpression.Block, [NSExpression])
    case conditional(NSPredicate, NSExpression, NSExpression)
    /// `FIRST`, `LAST` or `SIZE` between brackets.
    case symbolicIndex(SymbolicIndex)
    /// `$name := value`
    case assignment(String, NSExpression)
    /// `FETCH(request, context, countOnly)`, as long as CoreData registers no class for it.
    case fetch(request: NSExpression, context: NSExpression, countOnly: Bool)
}

/// How two collections are combined.
package enum SetOperation: String, Sendable {
    case union = "UNION"
    case intersect = "INTERSECT"
    case minus = "MINUS"
}

/// A place in an ordered collection that has a name.
package enum SymbolicIndex: String, Sendable {
    case first = "FIRST"
    case last = "LAST"
    case size = "SIZE"
}
