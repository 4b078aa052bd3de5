/// Expressions of other targets that have a value of their own, such as CoreData's fetch expression.
package protocol CustomExpressionEvaluation {
    func evaluate(with object: Any?, variables: [String: Any?]) throws -> Any?
}

extension NSExpression {
    /// The value of the expression for an object.
    ///
    /// - Throws: ``PredicateEvaluationError``, or what a ``FunctionExpressionTarget`` throws.
    package func evaluateThrowing(with object: Any?, variables: [String: Any?] = [:]) throws -> Any? {
        try evaluated(in: EvaluationContext(object: object, variables: variables))
    }

    /// The value of the expression in a context.
    func evaluated(in context: EvaluationContext) throws -> Any? {
        if isLocked { try checkLock() }
        if type(of: self) != NSExpression.self, let custom = self as? any CustomExpressionEvaluation {
            return try custom.evaluate(with: context.object, variables: context.variables)
        }
        switch storage {
        case .constant(let value): return value
        case .evaluatedObject: return context.object
        case .variable(let name): return try context.value(of: name)
        case .keyPath(nil, let path): return try keyPathValue(of: context.object, path: path)
        case .symbolicIndex(let index): return index.rawValue
        case .anyKey: throw PredicateEvaluationError("ANYKEY has a meaning in Spotlight only")
        case .fetch: throw PredicateEvaluationError("\(formatText) can be evaluated with Core Data only")
        default: return try context.descend { try valueOverOthers(in: context) }
        }
    }

    /// The value of an expression that is made of others.
    private func valueOverOthers(in context: EvaluationContext) throws -> Any? {
        switch storage {
        case .keyPath(let operand?, let path): return try keyPathValue(of: operand.evaluated(in: context), path: path)
        case .function(let name, nil, let arguments):
            return try BuiltInFunction.evaluate(name, arguments, in: context)
        case .function(let name, let target?, let arguments):
            return try call(name, on: target, arguments, in: context)
        case .set(let operation, let left, let right):
            return try combine(operation, left.evaluated(in: context), right.evaluated(in: context))
        case .subquery(let collection, let variable, let predicate):
            return try matches(in: collection, variable, predicate, context)
        case .aggregate(let elements): return try elements.map { try $0.evaluated(in: context) ?? NSNull() }
        case .block(let block, let arguments):
            return flattened(block(context.object, arguments, context.bag))
        case .conditional(let predicate, let yes, let no):
            return try (predicate.evaluated(in: context) ? yes : no).evaluated(in: context)
        case .assignment(let name, let value):
            let value = try value.evaluated(in: context)
            context.assign(value, to: name)
            return value
        default: return nil
        }
    }

    private func matches(
        in collection: NSExpression, _ variable: String, _ predicate: NSPredicate, _ context: EvaluationContext
    ) throws -> [Any] {
        let value = try collection.evaluated(in: context)
        if PredicateValue(value).isNull { return [] }
        guard let elements = collectionElements(of: value) else {
            throw PredicateEvaluationError("SUBQUERY needs a collection, not \(PredicateValue(value).description)")
        }
        return try elements.filter { try predicate.evaluated(in: context.binding(variable, to: $0)) }
            .map { $0 ?? NSNull() }
    }

    private func combine(_ operation: SetOperation, _ left: Any?, _ right: Any?) throws -> [Any] {
        let sides = try [left, right].map { value in
            guard let elements = collectionElements(of: value) else {
                throw PredicateEvaluationError(
                    "\(operation.rawValue) needs collections, not \(PredicateValue(value).description)")
            }
            return elements
        }
        let others = Set(sides[1].map { ValueKey($0) })
        switch operation {
        case .union: return ValueKey.distinct(sides[0] + sides[1])
        case .intersect: return ValueKey.distinct(sides[0].filter { others.contains(ValueKey($0)) })
        case .minus: return ValueKey.distinct(sides[0].filter { !others.contains(ValueKey($0)) })
        }
    }

    private func call(
        _ name: String, on target: NSExpression, _ arguments: [NSExpression], in context: EvaluationContext
    ) throws -> Any? {
        let receiver = try target.evaluated(in: context)
        let values = try arguments.map { try $0.evaluated(in: context) }
        // A message to nil gives nil.
        guard let receiver, !(receiver is NSNull) else { return nil }
        guard let found = try callMethod(name, on: receiver, values) else {
            throw PredicateEvaluationError("Unsupported function expression \(formatText)")
        }
        return found.value
    }
}

/// The result of a method called by name, or nil when there is none of that name.
func callMethod(_ name: String, on receiver: Any, _ arguments: [Any?]) throws -> Found? {
    if let object = receiver as? any FunctionExpressionTarget {
        return Found(value: flattened(try object.callFunction(name, arguments: arguments)))
    }
    if let found = FoundationMethods.call(name, on: receiver, arguments) { return found }
    if name == "valueForKey:" || name == "valueForKeyPath:" || name == "objectForKey:", arguments.count == 1,
        case .string(let path) = PredicateValue(arguments[0])
    {
        return Found(value: try keyPathValue(of: receiver, path: path))
    }
    guard arguments.isEmpty, !name.contains(":") else { return nil }
    // `FUNCTION("a", "uppercase")`: a built-in function of one argument, or a property.
    let builtIn = BuiltInFunction.canonicalName(name)
    if builtIn.hasSuffix(":") {
        let argument = NSExpression(forConstantValue: receiver)
        let context = EvaluationContext(object: nil, variables: [:])
        return Found(value: try BuiltInFunction.evaluate(builtIn, [argument], in: context))
    }
    return Found(value: try keyValue(of: receiver, key: name))
}
