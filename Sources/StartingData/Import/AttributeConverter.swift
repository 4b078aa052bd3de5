import CoreData

/// Turns fields of files into values of one attribute, and checks them against the model's rules.
struct AttributeConverter {
    let attribute: NSAttributeDescription
    let entityName: String
    let type: NSAttributeType
    private let limits: [ValueLimit]

    /// Nil for a type that no file can hold.
    init?(_ attribute: NSAttributeDescription, _ entityName: String) {
        switch attribute.attributeType {
        case .undefinedAttributeType, .transformableAttributeType, .objectIDAttributeType, .compositeAttributeType: return nil
        default: break
        }
        self.attribute = attribute
        self.entityName = entityName
        type = attribute.attributeType
        limits = ValueLimit.limits(of: attribute)
    }

    /// Why a field is not a value of the attribute.
    struct Refusal: Error {
        let message: String
        let value: String
    }

    /// The value of a field; `.null` for none.
    ///
    /// - Throws: `Refusal` when the field is not a value of the attribute's type, out of range, or against a rule.
    func value(_ field: FieldValue) throws -> SlotValue {
        let value = try typed(field)
        if !limits.isEmpty, !value.isNull {
            for limit in limits where !limit.allows(value, attribute) {
                throw refusal(field, "\(entityName).\(attribute.name) \(limit.words(attribute))")
            }
        }
        return value
    }

    private func refusal(_ field: FieldValue, _ message: String) -> Refusal {
        let text = Self.text(field)
        return Refusal(message: "\(message): '\(text)'", value: text)
    }

    private func wrongType(_ field: FieldValue) -> Refusal {
        refusal(field, "\(entityName).\(attribute.name) is \(type.displayName), and this value is not one")
    }

    private func typed(_ field: FieldValue) throws -> SlotValue {
        switch field {
        case .null: return .null
        case .text(let bytes): return try fromText(bytes, field)
        case .number(let bytes):
            if type == .stringAttributeType || type == .booleanAttributeType || type == .dateAttributeType {
                throw wrongType(field)
            }
            return try fromText(bytes, field)
        case .integer, .real, .boolean, .date, .data: return try fromNative(field)
        case .list, .object: throw wrongType(field)
        }
    }

    // MARK: Text

    private func fromText(_ bytes: UnsafeRawBufferPointer, _ field: FieldValue) throws -> SlotValue {
        if type == .stringAttributeType { return .string(String(decoding: bytes, as: UTF8.self)) }
        let parsed: SlotValue? =
            switch type {
            case .integer16AttributeType: try integer(bytes, field, Int64(Int16.min)...Int64(Int16.max))
            case .integer32AttributeType: try integer(bytes, field, Int64(Int32.min)...Int64(Int32.max))
            case .integer64AttributeType: try integer(bytes, field, Int64.min...Int64.max)
            case .booleanAttributeType: TextValue.boolean(bytes).map { .integer($0 ? 1 : 0) }
            case .doubleAttributeType: TextValue.double(bytes).map { .real($0) }
            case .floatAttributeType: TextValue.double(bytes).map { .real(Double(Float($0))) }
            case .decimalAttributeType: TextValue.decimal(bytes).map { .decimal($0) }
            case .dateAttributeType: TextValue.date(bytes).map { .date($0) }
            case .UUIDAttributeType: UUID(uuidString: String(decoding: bytes, as: UTF8.self)).map { .uuid($0) }
            case .URIAttributeType: Self.url(bytes).map { .uri($0) }
            case .binaryDataAttributeType: Data(base64Encoded: String(decoding: bytes, as: UTF8.self)).map { .data($0) }
            default: nil
            }
        guard let parsed else { throw wrongType(field) }
        return parsed
    }

    private func integer(
        _ bytes: UnsafeRawBufferPointer, _ field: FieldValue, _ range: ClosedRange<Int64>
    ) throws -> SlotValue? {
        switch TextValue.integer(bytes) {
        case .value(let number):
            guard range.contains(number) else { throw outOfRange(field) }
            return .integer(number)
        case .tooLarge: throw outOfRange(field)
        case .notANumber: return nil
        }
    }

    private func outOfRange(_ field: FieldValue) -> Refusal {
        refusal(field, "the value is out of the range of \(entityName).\(attribute.name), which is \(type.displayName)")
    }

    private static func url(_ bytes: UnsafeRawBufferPointer) -> URL? {
        let text = String(decoding: bytes, as: UTF8.self)
        // Foundation would percent-encode what is no URI.
        return text.isEmpty ? nil : URL(string: text, encodingInvalidCharacters: false)
    }

    // MARK: Typed values of property lists and JSON

    private func fromNative(_ field: FieldValue) throws -> SlotValue {
        switch (field, type) {
        case (.date(let date), .dateAttributeType): return .date(date.timeIntervalSinceReferenceDate)
        case (.data(let data), .binaryDataAttributeType): return .data(data)
        case (.boolean(let flag), .booleanAttributeType): return .integer(flag ? 1 : 0)
        case (.integer(let number), .booleanAttributeType) where number == 0 || number == 1: return .integer(number)
        case (.integer(let number), .integer16AttributeType):
            guard Int16(exactly: number) != nil else { throw outOfRange(field) }
            return .integer(number)
        case (.integer(let number), .integer32AttributeType):
            guard Int32(exactly: number) != nil else { throw outOfRange(field) }
            return .integer(number)
        case (.integer(let number), .integer64AttributeType): return .integer(number)
        case (.integer(let number), .doubleAttributeType), (.integer(let number), .floatAttributeType):
            return .real(Double(number))
        case (.integer(let number), .decimalAttributeType): return .decimal(Decimal(number))
        case (.real(let number), .doubleAttributeType): return .real(number)
        case (.real(let number), .floatAttributeType): return .real(Double(Float(number)))
        case (.real(let number), .decimalAttributeType): return .decimal(Decimal(string: "\(number)") ?? Decimal(number))
        default: throw wrongType(field)
        }
    }

    /// A field as a message shows it.
    static func text(_ field: FieldValue) -> String {
        let text: String =
            switch field {
            case .null: ""
            case .text(let bytes), .number(let bytes): String(decoding: bytes, as: UTF8.self)
            case .integer(let number): "\(number)"
            case .real(let number): "\(number)"
            case .boolean(let flag): "\(flag)"
            case .date(let date): "\(date)"
            case .data(let data): "\(data.count) bytes"
            case .list(let list): "a list of \(list.count)"
            case .object: "an object"
            }
        return text.count > 80 ? text.prefix(80) + "…" : text
    }
}

/// A validation predicate in a form that costs nothing per row; other predicates are evaluated as they are.
private enum ValueLimit {
    case minimum(Double), maximum(Double), minimumLength(Int), maximumLength(Int)
    /// All the rules together, through the predicates.
    case predicates

    static func limits(of attribute: NSAttributeDescription) -> [ValueLimit] {
        let limits = attribute.validationPredicates.map(limit)
        // One that is not simple makes all of them go through the predicates: their order decides the error.
        return limits.contains { if case .predicates = $0 { true } else { false } } ? [.predicates] : limits
    }

    private static func limit(_ predicate: NSPredicate) -> ValueLimit {
        guard let comparison = predicate as? FoundationSupplement.NSComparisonPredicate, comparison.comparisonPredicateModifier == .direct,
            comparison.rightExpression.expressionType == .constantValue
        else { return .predicates }
        let bound: Double
        switch comparison.rightExpression.constantValue {
        case let number as NSNumber: bound = number.doubleValue
        case let date as Date: bound = date.timeIntervalSinceReferenceDate
        default: return .predicates
        }
        let isValue = comparison.leftExpression.expressionType == .evaluatedObject
        let isLength = comparison.leftExpression.expressionType == .keyPath && comparison.leftExpression.keyPath == "length"
        switch comparison.predicateOperatorType {
        case .greaterThanOrEqualTo where isValue: return .minimum(bound)
        case .lessThanOrEqualTo where isValue: return .maximum(bound)
        case .greaterThanOrEqualTo where isLength: return .minimumLength(Int(bound))
        case .lessThanOrEqualTo where isLength: return .maximumLength(Int(bound))
        default: return .predicates
        }
    }

    func allows(_ value: SlotValue, _ attribute: NSAttributeDescription) -> Bool {
        switch (self, value) {
        case (.minimum(let bound), .real(let number)), (.minimum(let bound), .date(let number)): number >= bound
        case (.maximum(let bound), .real(let number)), (.maximum(let bound), .date(let number)): number <= bound
        case (.minimum(let bound), .integer(let number)): Double(number) >= bound
        case (.maximum(let bound), .integer(let number)): Double(number) <= bound
        // `length` counts as NSString does.
        case (.minimumLength(let length), .string(let text)): text.utf16.count >= length
        case (.maximumLength(let length), .string(let text)): text.utf16.count <= length
        default: attribute.brokenRule(value.foundationValue(attribute.attributeType)) == nil
        }
    }

    func words(_ attribute: NSAttributeDescription) -> String {
        switch self {
        case .minimum(let bound): "must be at least \(Self.text(bound, attribute))"
        case .maximum(let bound): "must be at most \(Self.text(bound, attribute))"
        case .minimumLength(let length): "must have at least \(length) characters"
        case .maximumLength(let length): "must have at most \(length) characters"
        case .predicates: "breaks a rule of the model (\(attribute.validationPredicates.map(\.formatText).joined(separator: ", ")))"
        }
    }

    private static func text(_ bound: Double, _ attribute: NSAttributeDescription) -> String {
        if attribute.attributeType == .dateAttributeType { return "\(Date(timeIntervalSinceReferenceDate: bound))" }
        return bound == bound.rounded() && abs(bound) < 1e15 ? "\(Int64(bound))" : "\(bound)"
    }
}
