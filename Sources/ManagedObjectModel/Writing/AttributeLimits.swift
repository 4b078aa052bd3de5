import FoundationSupplement

/// The validation predicates of an attribute as the limits of Xcode's editor: the way back from what the reader of XML
/// makes of them.
struct AttributeLimits {
    /// The attributes of the XML element.
    private(set) var attributes: [String: String] = [:]
    /// Whether these are all predicates that the attribute has.
    private(set) var isComplete = true

    init(_ attribute: NSAttributeDescription) {
        let warnings = attribute.validationWarnings
        for (index, predicate) in attribute.validationPredicates.enumerated() {
            let code = index < warnings.count ? (warnings[index] as? NSNumber)?.intValue : nil
            guard let code, let (name, value) = Self.limit(predicate, code, attribute.attributeType),
                attributes.updateValue(value, forKey: name) == nil
            else {
                isComplete = false
                continue
            }
        }
    }

    /// The limit that a predicate with one of Apple's error codes stands for.
    private static func limit(
        _ predicate: NSPredicate, _ code: Int, _ type: NSAttributeType
    ) -> (String, String)? {
        guard let comparison = predicate as? FoundationSupplement.NSComparisonPredicate,
            case .constant(let constant) = comparison.rightExpression.storage, comparison.options == [],
            let subject = subject(of: comparison)
        else { return nil }
        let (isText, isDate) = (type == .stringAttributeType, type == .dateAttributeType)
        switch (code, subject, comparison.predicateOperatorType, constant) {
        case (1670, .length, .greaterThanOrEqualTo, let number as NSNumber) where isText:
            return ("minValueString", XcodeText.number(number))
        case (1660, .length, .lessThanOrEqualTo, let number as NSNumber) where isText:
            return ("maxValueString", XcodeText.number(number))
        case (1680, .value, .matches, let pattern as String) where isText: return ("regularExpressionString", pattern)
        case (1640, .value, .greaterThanOrEqualTo, let date as Date) where isDate:
            return ("minDateTimeInterval", XcodeText.interval(date))
        case (1630, .value, .lessThanOrEqualTo, let date as Date) where isDate:
            return ("maxDateTimeInterval", XcodeText.interval(date))
        case (1620, .value, .greaterThanOrEqualTo, let number as NSNumber) where !isText && !isDate:
            return ("minValueString", XcodeText.number(number))
        case (1610, .value, .lessThanOrEqualTo, let number as NSNumber) where !isText && !isDate:
            return ("maxValueString", XcodeText.number(number))
        default: return nil
        }
    }

    private enum Subject { case value, length }

    private static func subject(of comparison: FoundationSupplement.NSComparisonPredicate) -> Subject? {
        switch comparison.leftExpression.storage {
        case .evaluatedObject: .value
        case .keyPath(nil, "length"): .length
        default: nil
        }
    }
}
