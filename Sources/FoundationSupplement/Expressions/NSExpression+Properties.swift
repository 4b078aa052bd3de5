extension NSExpression {
    /// What the expression is; it decides which of the other properties may be read.
    public var expressionType: ExpressionType {
        switch storage {
        case .constant, .symbolicIndex: .constantValue
        case .evaluatedObject: .evaluatedObject
        case .variable: .variable
        case .keyPath: .keyPath
        case .function, .assignment, .fetch: .function
        case .set(.union, _, _): .unionSet
        case .set(.intersect, _, _): .intersectSet
        case .set(.minus, _, _): .minusSet
        case .subquery: .subquery
        case .aggregate: .aggregate
        case .anyKey: .anyKey
        case .block: .block
        case .conditional: .conditional
        }
    }

    /// The value of a constant.
    public var constantValue: Any? {
        switch storage {
        case .constant(let value): return value
        case .symbolicIndex(let index): return index.rawValue
        default: return wrongType("constantValue", nil)
        }
    }

    /// The path of a key-path expression, without what it starts from: `$x.name` has the path `name`.
    public var keyPath: String {
        if case .keyPath(_, let path) = storage { return path }
        return wrongType("keyPath", "")
    }

    /// The name of a function: `sum:`, `add:to:`.
    public var function: String {
        switch storage {
        case .function(let name, _, _): return name
        case .assignment: return "assign:to:"
        case .fetch: return "fetch:"
        default: return wrongType("function", "")
        }
    }

    /// The name of a variable, or of a subquery's element, without `$`.
    public var variable: String {
        switch storage {
        case .variable(let name), .subquery(_, let name, _), .assignment(let name, _): return name
        default: return wrongType("variable", "")
        }
    }

    /// What a function is called on, or what a key path starts from.
    ///
    /// Built-in functions, which have a utility class for operand on Apple's systems, have the constant `nil`.
    public var operand: NSExpression {
        switch storage {
        case .keyPath(let operand, _): return operand ?? .expressionForEvaluatedObject()
        case .function(_, let operand, _): return operand ?? NSExpression(forConstantValue: nil)
        default: return wrongType("operand", NSExpression(forConstantValue: nil))
        }
    }

    /// The arguments of a function or a block; `nil` for every other type.
    public var arguments: [NSExpression]? {
        switch storage {
        case .function(_, _, let arguments), .block(_, let arguments): arguments
        case .assignment(_, let value): [value]
        case .fetch(let request, let context, let countOnly):
            [request, context, NSExpression(forConstantValue: countOnly)]
        default: nil
        }
    }

    /// The expressions of an aggregate, or the expression whose elements a subquery goes through.
    public var collection: Any {
        switch storage {
        case .aggregate(let elements): return elements
        case .subquery(let collection, _, _): return collection
        case .constant(let value?): return value
        default: return wrongType("collection", [NSExpression]())
        }
    }

    /// The predicate of a subquery or of a conditional expression.
    public var predicate: NSPredicate {
        switch storage {
        case .subquery(_, _, let predicate), .conditional(let predicate, _, _): return predicate
        default: return wrongType("predicate", NSPredicate(value: false))
        }
    }

    /// The left collection of a set operation.
    public var left: NSExpression {
        if case .set(_, let left, _) = storage { return left }
        return wrongType("left", NSExpression(forConstantValue: nil))
    }

    /// The right collection of a set operation.
    public var right: NSExpression {
        if case .set(_, _, let right) = storage { return right }
        return wrongType("right", NSExpression(forConstantValue: nil))
    }

    /// What a conditional expression is when its predicate holds.
    public var `true`: NSExpression {
        if case .conditional(_, let expression, _) = storage { return expression }
        return wrongType("true", NSExpression(forConstantValue: nil))
    }

    /// What a conditional expression is when its predicate doesn't hold.
    public var `false`: NSExpression {
        if case .conditional(_, _, let expression) = storage { return expression }
        return wrongType("false", NSExpression(forConstantValue: nil))
    }

    /// The closure of a block expression.
    public var expressionBlock: Block {
        if case .block(let block, _) = storage { return block }
        return wrongType("expressionBlock") { _, _, _ in NSNull() }
    }

    /// The path of a key path that starts from the evaluated object, written `x.y` or `SELF.x.y`; `nil` for all other
    /// expressions.
    package var plainKeyPath: String? {
        guard case .keyPath(let operand, let path) = storage else { return nil }
        guard let operand else { return path }
        if case .evaluatedObject = operand.storage { return path }
        return nil
    }

    private func wrongType<Value>(_ property: String, _ substitute: Value) -> Value {
        misuse("\(property) is not defined for an NSExpression of type \(expressionType): \(formatText)")
        return substitute
    }
}
