import CoreData

/// A validation predicate in a form that costs nothing per row; other predicates are evaluated as they are.
enum ValueLimit {
    case minimum(Double), maximum(Double), minimumLength(Int), maximumLength(Int)
    /// All the rules together, through the predicates.
    case predicates

    /// The limits that an attribute's predicates come to.
    static func limits(of attribute: NSAttributeDescription) -> [ValueLimit] {
        let limits = attribute.validationPredicates.map(limit)
        // One that is not simple makes all of them go through the predicates: their order decides the error.
        return limits.contains { if case .predicates = $0 { true } else { false } } ? [.predicates] : limits
    }

    private static func limit(_ predicate: NSPredicate) -> ValueLimit {
        guard let comparison = predicate as? FoundationSupplement.NSComparisonPredicate,
            comparison.comparisonPredicateModifier == .direct,
            comparison.rightExpression.expressionType == .constantValue
        else { return .predicates }
        let bound: Double
        switch comparison.rightExpression.constantValue {
        // Its double value is not the nearest one on Linux.
        case let decimal as NSDecimalNumber: bound = Double("\(decimal)") ?? decimal.doubleValue
        case let number as NSNumber: bound = number.doubleValue
        case let date as Date: bound = date.timeIntervalSinceReferenceDate
        default: return .predicates
        }
        let isValue = comparison.leftExpression.expressionType == .evaluatedObject
        let isLength =
            comparison.leftExpression.expressionType == .keyPath && comparison.leftExpression.keyPath == "length"
        switch comparison.predicateOperatorType {
        case .greaterThanOrEqualTo where isValue: return .minimum(bound)
        case .lessThanOrEqualTo where isValue: return .maximum(bound)
        case .greaterThanOrEqualTo where isLength: return .minimumLength(Int(bound))
        case .lessThanOrEqualTo where isLength: return .maximumLength(Int(bound))
        default: return .predicates
        }
    }

    /// Whether a value keeps to the limit.
    func allows(_ value: SlotValue, _ attribute: NSAttributeDescription) -> Bool {
        switch (self, value) {
        case (.minimum(let bound), .real(let number)), (.minimum(let bound), .date(let number)): number >= bound
        case (.maximum(let bound), .real(let number)), (.maximum(let bound), .date(let number)): number <= bound
        // A large integer isn't rounded to a double first.
        case (.minimum(let bound), .integer(let number)):
            Int64(exactly: bound).map { number >= $0 } ?? (Double(number) >= bound)
        case (.maximum(let bound), .integer(let number)):
            Int64(exactly: bound).map { number <= $0 } ?? (Double(number) <= bound)
        // `length` counts as NSString does.
        case (.minimumLength(let length), .string(let text)): text.utf16.count >= length
        case (.maximumLength(let length), .string(let text)): text.utf16.count <= length
        default: attribute.brokenRule(value.foundationValue(attribute.attributeType)) == nil
        }
    }

    /// What the limit demands, for a message.
    func words(_ attribute: NSAttributeDescription) -> String {
        switch self {
        case .minimum(let bound): "must be at least \(Self.text(bound, attribute))"
        case .maximum(let bound): "must be at most \(Self.text(bound, attribute))"
        case .minimumLength(let length): "must have at least \(length) characters"
        case .maximumLength(let length): "must have at most \(length) characters"
        case .predicates:
            "breaks a rule of the model (\(attribute.validationPredicates.map(\.formatText).joined(separator: ", ")))"
        }
    }

    private static func text(_ bound: Double, _ attribute: NSAttributeDescription) -> String {
        if attribute.attributeType == .dateAttributeType { return "\(Date(timeIntervalSinceReferenceDate: bound))" }
        return bound == bound.rounded() && abs(bound) < 1e15 ? "\(Int64(bound))" : "\(bound)"
    }
}
