extension NSComparisonPredicate {
    /// Whether the comparison holds in a context.
    func holds(in context: EvaluationContext) throws -> Bool {
        if isLocked { try checkLock() }
        let left = try leftExpression.evaluated(in: context)
        let right = try rightExpression.evaluated(in: context)
        if comparisonPredicateModifier == .direct { return try compare(left, right) }
        let elements = try elements(of: left, comparedWith: right)
        return comparisonPredicateModifier == .any
            ? try elements.contains { try compare($0, right) } : try elements.allSatisfy { try compare($0, right) }
    }

    /// The elements that ANY and ALL compare.
    ///
    /// A path through two collections gives collections of collections. Where the operator compares single values the
    /// innermost ones are meant: nothing else could match.
    private func elements(of value: Any?, comparedWith right: Any?) throws -> [Any?] {
        if PredicateValue(value).isNull { return [] }
        guard let elements = collectionElements(of: value) else {
            throw PredicateEvaluationError(
                "The left hand side for an ALL or ANY operator must be either an NSArray or an NSSet.")
        }
        let comparesCollections: Bool
        switch predicateOperatorType {
        case .contains: comparesCollections = true
        case .equalTo, .notEqualTo: comparesCollections = collectionElements(of: right) != nil
        default: comparesCollections = false
        }
        return comparesCollections ? elements : Self.innermost(elements)
    }

    private static func innermost(_ elements: [Any?]) -> [Any?] {
        elements.flatMap { element -> [Any?] in
            guard !(element is any DictionaryValues), let nested = collectionElements(of: element) else {
                return [element]
            }
            return innermost(nested)
        }
    }

    private func compare(_ left: Any?, _ right: Any?) throws -> Bool {
        let strings = StringComparison(options)
        switch predicateOperatorType {
        case .equalTo: return PredicateValue.areEqual(PredicateValue(left), PredicateValue(right), strings)
        case .notEqualTo: return !PredicateValue.areEqual(PredicateValue(left), PredicateValue(right), strings)
        case .lessThan: return try order(left, right, strings) { $0 == .orderedAscending }
        case .lessThanOrEqualTo: return try order(left, right, strings) { $0 != .orderedDescending }
        case .greaterThan: return try order(left, right, strings) { $0 == .orderedDescending }
        case .greaterThanOrEqualTo: return try order(left, right, strings) { $0 != .orderedAscending }
        case .between: return try isBetween(left, right, strings)
        case .in: return try isElement(left, of: right, strings)
        case .contains: return try isElement(right, of: left, strings)
        case .like: return try match(left, right) { strings.isLike($0, $1) }
        case .matches: return try match(left, right) { try strings.matches($0, $1) }
        case .beginsWith: return try match(left, right) { strings.hasPrefix($0, $1) }
        case .endsWith: return try match(left, right) { strings.hasSuffix($0, $1) }
        case .customSelector: return try callSelector(left, right)
        }
    }

    /// nil has no order: a comparison with it never holds, as in a store.
    private func order(
        _ left: Any?, _ right: Any?, _ strings: StringComparison, _ accepts: (ComparisonResult) -> Bool
    ) throws -> Bool {
        let (left, right) = (PredicateValue(left), PredicateValue(right))
        if left.isNull || right.isNull { return false }
        return try PredicateValue.order(left, right, strings).map(accepts) ?? false
    }

    private func isBetween(_ value: Any?, _ bounds: Any?, _ strings: StringComparison) throws -> Bool {
        if PredicateValue(bounds).isNull { return false }
        guard let elements = collectionElements(of: bounds), elements.count == 2, let bounds, !isUnordered(bounds)
        else {
            throw PredicateEvaluationError("BETWEEN needs an array of two values: \(formatText)")
        }
        return try order(elements[0], value, strings) { $0 != .orderedDescending }
            && order(value, elements[1], strings) { $0 != .orderedDescending }
    }

    private func isElement(_ value: Any?, of collection: Any?, _ strings: StringComparison) throws -> Bool {
        let element = PredicateValue(value)
        if predicateOperatorType == .in, options.isEmpty, case .constant(let constant?) = rightExpression.storage,
            let result = constantCollection.contains(element, in: constant)
        {
            return result
        }
        let container = PredicateValue(collection)
        switch container {
        case .null: return false
        case .string(let text):
            switch element {
            case .null: return false
            case .string(let part): return strings.contains(text, part)
            default: break
            }
        default:
            if let elements = collectionElements(of: collection) {
                return elements.contains { PredicateValue.areEqual(element, PredicateValue($0), strings) }
            }
        }
        throw PredicateEvaluationError(
            "Can't use in/contains operator with collection \(ConstantText.text(of: collection)) (not a collection)")
    }

    private func match(_ left: Any?, _ right: Any?, _ matches: (String, String) throws -> Bool) throws -> Bool {
        let (left, right) = (PredicateValue(left), PredicateValue(right))
        if left.isNull || right.isNull { return false }
        guard case .string(let text) = left, case .string(let pattern) = right else {
            let isPattern = predicateOperatorType == .like || predicateOperatorType == .matches
            let problem = isPattern ? "Can't do regex matching on" : "Can't do a substring operation with"
            throw PredicateEvaluationError("\(problem) \(left.description) and \(right.description)")
        }
        return try matches(text, pattern)
    }

    private func callSelector(_ left: Any?, _ right: Any?) throws -> Bool {
        guard let left, !(left is NSNull) else { return false }
        guard let selector = customSelector, let found = try callMethod(selector, on: left, [right]) else {
            throw PredicateEvaluationError("\(PredicateValue(left).description) has no method \(customSelector ?? "")")
        }
        guard case .number(let result) = PredicateValue(found.value) else { return false }
        return result.double != 0
    }
}
