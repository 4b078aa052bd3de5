extension PredicateValue {
    /// Whether two values are the same to a predicate. nil and NSNull are.
    package static func areEqual(
        _ left: PredicateValue, _ right: PredicateValue, _ strings: StringComparison = StringComparison([])
    ) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.number(let left), .number(let right)): left.compared(to: right) == .orderedSame
        case (.string(let left), .string(let right)): strings.areEqual(left, right)
        case (.date(let left), .date(let right)): left == right
        case (.other(let left), .other(let right)): areEqual(left, right, strings)
        default: false
        }
    }

    private static func areEqual(_ left: Any, _ right: Any, _ strings: StringComparison) -> Bool {
        if type(of: left) is AnyClass, type(of: right) is AnyClass {
            let (leftObject, rightObject) = (left as AnyObject, right as AnyObject)
            if leftObject === rightObject { return true }
            // Managed objects and other classes say themselves what is equal; collections are compared below.
            if let object = leftObject as? NSObject, object.isEqual(rightObject) { return true }
        }
        if let leftElements = collectionElements(of: left) {
            guard let rightElements = collectionElements(of: right), leftElements.count == rightElements.count,
                isUnordered(left) == isUnordered(right)
            else { return false }
            if isUnordered(left) {
                return Set(leftElements.map(ValueKey.init)) == Set(rightElements.map(ValueKey.init))
            }
            return zip(leftElements, rightElements).allSatisfy {
                areEqual(PredicateValue($0), PredicateValue($1), strings)
            }
        }
        guard let left = left as? AnyHashable, let right = right as? AnyHashable else { return false }
        return left == right
    }

    /// The order of two values that aren't nil.
    ///
    /// - Throws: ``PredicateEvaluationError`` when they have none: a string and a number, for example.
    package static func order(
        _ left: PredicateValue, _ right: PredicateValue, _ strings: StringComparison = StringComparison([])
    ) throws -> ComparisonResult? {
        switch (left, right) {
        case (.number(let left), .number(let right)): return left.compared(to: right)
        case (.string(let left), .string(let right)): return strings.order(left, right)
        case (.date(let left), .date(let right)): return left.compare(right)
        case (.other(let leftValue), .other(let rightValue)):
            if let leftValue = leftValue as? any Comparable, let result = order(leftValue, rightValue) {
                return result
            }
            if let left = leftValue as? Data, let right = rightValue as? Data {
                return left.elementsEqual(right)
                    ? .orderedSame : left.lexicographicallyPrecedes(right) ? .orderedAscending : .orderedDescending
            }
        default: break
        }
        throw PredicateEvaluationError("Can't compare \(left.description) with \(right.description)")
    }

    private static func order<Value: Comparable>(_ left: Value, _ right: Any) -> ComparisonResult? {
        guard let right = right as? Value else { return nil }
        return left < right ? .orderedAscending : left == right ? .orderedSame : .orderedDescending
    }

    /// The value and its kind, for messages.
    var description: String {
        switch self {
        case .null: "nil"
        case .number(let number): "the number \(number.value)"
        case .string(let text): "the string \(ConstantText.quoted(text))"
        case .date(let date): "the date \(date)"
        case .other(let other): "\(ConstantText.text(of: other)) of type \(type(of: other))"
        }
    }
}
