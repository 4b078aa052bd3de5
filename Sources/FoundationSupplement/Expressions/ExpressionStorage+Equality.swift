extension ExpressionStorage {
    func isEqual(to other: ExpressionStorage) -> Bool {
        switch (self, other) {
        case (.constant(let left), .constant(let right)): Self.areEqual(left, right)
        case (.evaluatedObject, .evaluatedObject), (.anyKey, .anyKey): true
        case (.variable(let left), .variable(let right)): left == right
        case (.keyPath(let leftOperand, let leftPath), .keyPath(let rightOperand, let rightPath)):
            leftPath == rightPath && Self.start(leftOperand) == Self.start(rightOperand)
        case (.function(let name, let operand, let arguments), .function(let otherName, let otherOperand, let others)):
            name == otherName && operand == otherOperand && arguments == others
        case (.set(let operation, let left, let right), .set(let otherOperation, let otherLeft, let otherRight)):
            operation == otherOperation && left == otherLeft && right == otherRight
        case (.subquery(let left, let variable, let predicate), .subquery(let right, let otherVariable, let other)):
            left == right && variable == otherVariable && predicate == other
        case (.aggregate(let left), .aggregate(let right)): left == right
        case (.conditional(let left, let yes, let no), .conditional(let right, let otherYes, let otherNo)):
            left == right && yes == otherYes && no == otherNo
        case (.symbolicIndex(let left), .symbolicIndex(let right)): left == right
        case (.assignment(let name, let value), .assignment(let otherName, let otherValue)):
            name == otherName && value == otherValue
        case (.fetch(let request, let context, let count), .fetch(let otherRequest, let otherContext, let otherCount)):
            request == otherRequest && context == otherContext && count == otherCount
        // Closures can't be compared.
        default: false
        }
    }

    /// What a path starts from: `SELF.x` is `x`.
    private static func start(_ operand: NSExpression?) -> NSExpression? {
        if case .evaluatedObject? = operand?.storage { return nil }
        return operand
    }

    private static func areEqual(_ left: Any?, _ right: Any?) -> Bool {
        // nil and NSNull match the same values but aren't the same constant.
        guard let left, let right else { return left == nil && right == nil }
        return PredicateValue.areEqual(PredicateValue(left), PredicateValue(right))
    }

    func hash(into hasher: inout Hasher) {
        switch self {
        case .constant(let value): hasher.combine(ValueKey(value))
        case .evaluatedObject: hasher.combine(1)
        case .variable(let name): hasher.combine(name)
        case .keyPath(_, let path): hasher.combine(path)
        case .function(let name, _, let arguments):
            hasher.combine(name)
            hasher.combine(arguments)
        case .set(let operation, let left, let right):
            hasher.combine(operation)
            hasher.combine(left)
            hasher.combine(right)
        case .subquery(let collection, let variable, _):
            hasher.combine(collection)
            hasher.combine(variable)
        case .aggregate(let elements): hasher.combine(elements)
        case .anyKey: hasher.combine(2)
        case .block: hasher.combine(3)
        case .conditional(_, let yes, let no):
            hasher.combine(yes)
            hasher.combine(no)
        case .symbolicIndex(let index): hasher.combine(index)
        case .assignment(let name, _): hasher.combine(name)
        case .fetch(let request, _, _): hasher.combine(request)
        }
    }
}
