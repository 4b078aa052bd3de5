/// Rewrites the tree of a Swift predicate in the classes of formats.
struct SwiftPredicateConversion {
    /// A part of the tree: what is true or false is a predicate, everything else an expression.
    enum Part {
        case predicate(NSPredicate)
        case expression(NSExpression)
    }

    /// The tree has a part without a counterpart.
    struct Unsupported: Error {}

    private var variables: [PredicateExpressions.VariableID: NSExpression]
    private var localCount = 0

    init(of input: PredicateExpressions.VariableID) {
        variables = [input: .expressionForEvaluatedObject()]
    }

    private mutating func convert(_ part: Any) throws -> Part {
        guard let convertible = part as? any SwiftPredicatePart else { throw Unsupported() }
        return try convertible.converted(&self)
    }

    /// The part as a predicate; a Boolean value becomes `value == YES`.
    mutating func predicate(_ part: Any) throws -> NSPredicate {
        switch try convert(part) {
        case .predicate(let predicate): predicate
        case .expression(let value): Self.comparison(value, .equalTo, NSExpression(forConstantValue: true))
        }
    }

    /// The part as an expression; a predicate becomes `TERNARY(predicate, YES, NO)`.
    mutating func expression(_ part: Any) throws -> NSExpression {
        switch try convert(part) {
        case .expression(let expression): expression
        case .predicate(let predicate):
            NSExpression(
                forConditional: predicate, trueExpression: NSExpression(forConstantValue: true),
                falseExpression: NSExpression(forConstantValue: false))
        }
    }

    func value(of variable: PredicateExpressions.VariableID) throws -> NSExpression {
        guard let expression = variables[variable] else { throw Unsupported() }
        return expression
    }

    /// Lets a variable of the Swift predicate stand for an expression.
    mutating func bind(_ variable: PredicateExpressions.VariableID, to expression: NSExpression) {
        variables[variable] = expression
    }

    /// `SUBQUERY(elements, $_local_1, condition)`, with the closure's variable as the subquery's.
    mutating func subquery(
        _ elements: Any, _ variable: PredicateExpressions.VariableID, _ condition: Any, negated: Bool = false
    ) throws -> NSExpression {
        let collection = try expression(elements)
        localCount += 1
        let name = "_local_\(localCount)"
        bind(variable, to: NSExpression(forVariable: name))
        let test = try predicate(condition)
        return NSExpression(
            forSubquery: collection, usingIteratorVariable: name,
            predicate: negated ? NSCompoundPredicate(notPredicateWithSubpredicate: test) : test)
    }

    // MARK: Building

    static func comparison(
        _ left: NSExpression, _ type: NSComparisonPredicate.Operator, _ right: NSExpression
    ) -> NSPredicate {
        NSComparisonPredicate(leftExpression: left, rightExpression: right, modifier: .direct, type: type)
    }

    static func isNotNil(_ expression: NSExpression) -> NSPredicate {
        comparison(expression, .notEqualTo, NSExpression(forConstantValue: nil))
    }

    /// A key path on an expression: one longer path where the expression is a path itself.
    static func path(_ key: String, on expression: NSExpression) -> NSExpression {
        switch expression.storage {
        case .evaluatedObject: NSExpression(forKeyPath: key)
        case .keyPath(let operand, let path): NSExpression(storage: .keyPath(operand: operand, path: path + "." + key))
        default: NSExpression(storage: .keyPath(operand: expression, path: key))
        }
    }

    mutating func compare(_ left: Any, _ type: NSComparisonPredicate.Operator, _ right: Any) throws -> Part {
        .predicate(Self.comparison(try expression(left), type, try expression(right)))
    }

    mutating func call(_ function: String, _ arguments: Any...) throws -> Part {
        .expression(NSExpression(forFunction: function, arguments: try arguments.map { try expression($0) }))
    }
}

/// The parts of Swift predicates that have a counterpart.
protocol SwiftPredicatePart {
    func converted(_ conversion: inout SwiftPredicateConversion) throws -> SwiftPredicateConversion.Part
}
