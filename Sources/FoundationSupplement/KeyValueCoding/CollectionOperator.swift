/// An operator of a key path that makes one value of a collection: `lines.@sum.price`.
enum CollectionOperator: String {
    case count = "@count"
    case sum = "@sum"
    case average = "@avg"
    case minimum = "@min"
    case maximum = "@max"
    case distinctUnionOfObjects = "@distinctUnionOfObjects"
    case unionOfObjects = "@unionOfObjects"
    case distinctUnionOfArrays = "@distinctUnionOfArrays"
    case unionOfArrays = "@unionOfArrays"
    case distinctUnionOfSets = "@distinctUnionOfSets"
    case unionOfSets = "@unionOfSets"

    /// The result for a value, or nil when the value is no collection and may have a key of the operator's name.
    ///
    /// - Parameter rest: The key path behind the operator, which is read from each element.
    func apply(to value: Any?, rest: String) throws -> Found? {
        guard let value, !(value is NSNull) else { return Found(value: resultForNil) }
        guard let elements = collectionElements(of: value) else { return nil }
        if self == .count {
            if !rest.isEmpty { throw PredicateEvaluationError("@count takes no key: @count.\(rest)") }
            return Found(value: elements.count)
        }
        if rest.isEmpty { throw PredicateEvaluationError("\(rawValue) needs a key") }
        let values = try elements.map { try keyPathValue(of: $0, path: rest) }
        return Found(value: try result(for: values))
    }

    private var resultForNil: Any? {
        switch self {
        case .count, .sum: 0
        default: nil
        }
    }

    private func result(for values: [Any?]) throws -> Any? {
        switch self {
        case .count: values.count
        case .sum: try Arithmetic.sum(values).value
        // By Apple's documentation nil counts as 0 here.
        case .average: try Arithmetic.average(values.map { PredicateValue($0).isNull ? 0 : $0 })
        case .minimum: try Arithmetic.extreme(values, .orderedAscending)
        case .maximum: try Arithmetic.extreme(values, .orderedDescending)
        case .unionOfObjects: values.compactMap { $0 }
        case .distinctUnionOfObjects: ValueKey.distinct(values)
        case .unionOfArrays, .unionOfSets: joined(values).compactMap { $0 }
        case .distinctUnionOfArrays, .distinctUnionOfSets: ValueKey.distinct(joined(values))
        }
    }

    private func joined(_ collections: [Any?]) -> [Any?] {
        collections.flatMap { collectionElements(of: $0) ?? [] }
    }
}
