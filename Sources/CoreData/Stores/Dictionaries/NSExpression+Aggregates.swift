import FoundationSupplement
import ManagedObjectModel

/// Expressions over the rows of a group, or of a whole result: `sum:(price)`.
extension DictionaryFetch.Expression {
    private static let aggregates: Set<String> = [
        "sum:", "count:", "min:", "max:", "average:", "median:", "mode:", "stddev:",
    ]

    /// The function and what it takes of each row; nil for other expressions.
    var aggregate: (function: String, argument: DictionaryFetch.Expression)? {
        guard case .function(let name, nil, let arguments) = storage, Self.aggregates.contains(name),
            arguments.count == 1, !arguments[0].isSame, !arguments[0].isList
        else { return nil }
        return (name, arguments[0])
    }

    /// Whether the value is one of several rows.
    var isAggregate: Bool {
        if aggregate != nil { return true }
        return switch storage {
        case .function(_, _, let arguments): arguments.contains(where: \.isAggregate)
        case .conditional(_, let yes, let no): yes.isAggregate || no.isAggregate
        default: false
        }
    }

    /// Whether the value is the same for every row.
    var isSame: Bool {
        switch storage {
        case .constant: true
        case .function(_, nil, let arguments): arguments.allSatisfy(\.isSame)
        case .aggregate(let elements): elements.allSatisfy(\.isSame)
        default: false
        }
    }

    private var isList: Bool { if case .aggregate = storage { true } else { false } }

    /// The type of the values, where nobody has said one.
    func resultType(_ entity: NSEntityDescription) -> NSAttributeType {
        switch storage {
        case .evaluatedObject: return .objectIDAttributeType
        case .keyPath(nil, let path):
            switch entity.end(ofPath: path) {
            case .attribute(let attribute): return attribute.attributeType
            case .object: return .objectIDAttributeType
            case .toMany, .none: return .undefinedAttributeType
            }
        default: break
        }
        guard let (function, argument) = aggregate else { return .undefinedAttributeType }
        if function == "count:" { return .integer64AttributeType }
        let type = argument.resultType(entity)
        switch (function, type) {
        case ("min:", _), ("max:", _): return type
        case ("sum:", .integer16AttributeType), ("sum:", .integer32AttributeType), ("sum:", .booleanAttributeType):
            return .integer64AttributeType
        case ("sum:", _): return type
        case (_, .decimalAttributeType): return type
        default: return .doubleAttributeType
        }
    }
}
