import FoundationSupplement

/// Values as Xcode's files write them.
enum XcodeText {
    /// The default value of an attribute, by its type; nil for none, and for those that the XML can't say.
    static func defaultValue(of attribute: NSAttributeDescription) -> String? {
        guard let value = flattened(attribute.defaultValue) else { return nil }
        switch attribute.attributeType {
        case .stringAttributeType: return value as? String
        case .booleanAttributeType: return (value as? NSNumber).map { $0.boolValue ? "YES" : "NO" }
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            return (value as? NSNumber).map { "\($0.int64Value)" }
        case .doubleAttributeType: return (value as? NSNumber).map { "\($0.doubleValue)" }
        case .floatAttributeType: return (value as? NSNumber).map { "\($0.floatValue)" }
        case .decimalAttributeType:
            return ((value as? Decimal) ?? (value as? NSNumber)?.decimalValue).map { "\($0)" }
        case .dateAttributeType: return (value as? Date).map(interval)
        case .UUIDAttributeType: return (value as? UUID)?.uuidString
        case .URIAttributeType: return (value as? URL)?.absoluteString
        default: return nil
        }
    }

    /// Seconds since 2001.
    static func interval(_ date: Date) -> String { number(NSNumber(value: date.timeIntervalSinceReferenceDate)) }

    /// A number, without a fraction where it has none.
    static func number(_ number: NSNumber) -> String {
        Int64(exactly: number.doubleValue).map { "\($0)" } ?? "\(number.doubleValue)"
    }

    /// The expression of a derived attribute: Xcode's spelling of the one function that key paths can say.
    static func derivation(_ expression: FoundationSupplement.NSExpression) -> String {
        guard case .function("count:", nil, let arguments) = expression.storage, arguments.count == 1,
            case .keyPath(nil, let path) = arguments[0].storage
        else { return expression.description }
        return "\(path).@count"
    }

    static func deletionRule(_ rule: NSDeleteRule) -> String {
        switch rule {
        case .noActionDeleteRule: "No Action"
        case .nullifyDeleteRule: "Nullify"
        case .cascadeDeleteRule: "Cascade"
        case .denyDeleteRule: "Deny"
        }
    }
}
