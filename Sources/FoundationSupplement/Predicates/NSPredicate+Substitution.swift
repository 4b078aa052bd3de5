extension PredicateFormatInitializable where Self: NSPredicate {
    /// The predicate with constants in the places of variables.
    ///
    /// ```swift
    /// let template = NSPredicate(format: "name == $NAME")
    /// template.withSubstitutionVariables(["NAME": "Anna"])  // name == "Anna"
    /// ```
    ///
    /// A variable without a value stays. `NSNull` stands for nil.
    public func withSubstitutionVariables(_ variables: [String: Any]) -> Self {
        substituting(variables) as? Self ?? self
    }
}

extension NSPredicate {
    func substituting(_ variables: [String: Any]) -> NSPredicate {
        switch self {
        case let comparison as NSComparisonPredicate:
            let left = comparison.leftExpression.substituting(variables)
            let right = comparison.rightExpression.substituting(variables)
            if let selector = comparison.customSelector {
                return NSComparisonPredicate(leftExpression: left, rightExpression: right, customSelector: selector)
            }
            return NSComparisonPredicate(
                leftExpression: left, rightExpression: right, modifier: comparison.comparisonPredicateModifier,
                type: comparison.predicateOperatorType, options: comparison.options)
        case let compound as Foundation.NSCompoundPredicate:
            return NSCompoundPredicate(
                type: compound.compoundPredicateType,
                subpredicates: compound.subpredicates.map { $0.substituting(variables) })
        default: return self
        }
    }
}

extension NSExpression {
    /// The expression with constants in the places of variables.
    package func substituting(_ variables: [String: Any]) -> NSExpression {
        let copy = { (expression: NSExpression) in expression.substituting(variables) }
        switch storage {
        case .constant, .evaluatedObject, .anyKey, .symbolicIndex, .keyPath(nil, _): return self
        case .variable(let name):
            guard let value = variables[name] else { return self }
            return value as? NSExpression ?? NSExpression(forConstantValue: value is NSNull ? nil : value)
        case .keyPath(let operand?, let path):
            return NSExpression(storage: .keyPath(operand: copy(operand), path: path))
        case .function(let name, let operand, let arguments):
            return NSExpression(storage: .function(name: name, operand: operand.map(copy), arguments.map(copy)))
        case .set(let operation, let left, let right):
            return NSExpression(storage: .set(operation, copy(left), copy(right)))
        case .subquery(let collection, let variable, let predicate):
            // Inside, the variable is the subquery's own.
            let inner = predicate.substituting(variables.filter { $0.key != variable })
            return NSExpression(storage: .subquery(copy(collection), variable: variable, inner))
        case .aggregate(let elements): return NSExpression(storage: .aggregate(elements.map(copy)))
        case .block(let block, let arguments): return NSExpression(storage: .block(block, arguments.map(copy)))
        case .conditional(let predicate, let yes, let no):
            return NSExpression(storage: .conditional(predicate.substituting(variables), copy(yes), copy(no)))
        case .assignment(let name, let value): return NSExpression(storage: .assignment(name, copy(value)))
        case .fetch(let request, let context, let countOnly):
            return FetchExpressionFactory.make(copy(request), copy(context), countOnly)
        }
    }
}
