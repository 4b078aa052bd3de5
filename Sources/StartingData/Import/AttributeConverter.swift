import CoreData

/// Turns fields of files into values of one attribute, and checks them against the model's rules.
final class AttributeConverter {
    let attribute: NSAttributeDescription
    let entityName: String
    let type: NSAttributeType
    private let limits: [ValueLimit]

    /// Nil for a type that no file can hold.
    init?(_ attribute: NSAttributeDescription, _ entityName: String) {
        switch attribute.attributeType {
        case .undefinedAttributeType, .transformableAttributeType, .objectIDAttributeType, .compositeAttributeType:
            return nil
        default: break
        }
        self.attribute = attribute
        self.entityName = entityName
        type = attribute.attributeType
        limits = ValueLimit.limits(of: attribute)
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
            guard isNumeric else { throw wrongType(field) }
            return try fromText(bytes, field)
        case .integer, .real, .boolean, .date, .data: return try fromNative(field)
        case .list, .object: throw wrongType(field)
        }
    }

    /// Whether a number is a value of the attribute; for Booleans 0 and 1 are.
    private var isNumeric: Bool {
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .booleanAttributeType,
            .doubleAttributeType, .floatAttributeType, .decimalAttributeType:
            true
        default: false
        }
    }

    /// Whether a store can't keep all digits of a field: it keeps decimals as doubles, which hold 15.
    func losesDigits(of field: FieldValue) -> Bool {
        guard type == .decimalAttributeType else { return false }
        return switch field {
        case .text(let bytes), .number(let bytes): TextValue.significantDigits(bytes) > 15
        case .integer(let number): Int64(exactly: Double(number)) != number
        default: false
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
            case .doubleAttributeType, .floatAttributeType: try real(TextValue.double(bytes), field)
            case .decimalAttributeType: try real(TextValue.decimal(bytes), field)
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

    private func real(_ parsed: TextValue.Parsed<Double>, _ field: FieldValue) throws -> SlotValue? {
        switch parsed {
        case .value(let number): return try real(number, field)
        case .tooLarge: throw outOfRange(field)
        case .notANumber: return nil
        }
    }

    /// A number for Double, Float and Decimal; a store would keep NaN as no value at all.
    private func real(_ number: Double, _ field: FieldValue) throws -> SlotValue {
        let stored = type == .floatAttributeType ? Double(Float(number)) : number
        guard stored.isFinite else { throw outOfRange(field) }
        return .real(stored)
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
        case (.integer(let number), .doubleAttributeType), (.integer(let number), .floatAttributeType),
            (.integer(let number), .decimalAttributeType):
            return try real(Double(number), field)
        case (.real(let number), .doubleAttributeType), (.real(let number), .floatAttributeType),
            (.real(let number), .decimalAttributeType):
            return try real(number, field)
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
