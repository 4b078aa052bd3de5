import ManagedObjectModel

/// The types of attributes whose values compare with each other. A string never equals a number, in memory as in SQL,
/// where SQLite left alone would convert one into the other.
enum ValueFamily {
    case number, string, date, uuid, uri, data
    /// What a store keeps as bytes that only a program understands.
    case opaque

    /// Nil for types that no column has.
    init?(_ type: NSAttributeType) {
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .booleanAttributeType,
            .doubleAttributeType, .floatAttributeType, .decimalAttributeType:
            self = .number
        case .stringAttributeType: self = .string
        case .dateAttributeType: self = .date
        case .UUIDAttributeType: self = .uuid
        case .URIAttributeType: self = .uri
        case .binaryDataAttributeType: self = .data
        case .transformableAttributeType: self = .opaque
        case .undefinedAttributeType, .objectIDAttributeType, .compositeAttributeType: return nil
        }
    }
}

extension NSAttributeType {
    /// Whether the values are whole numbers.
    var isInteger: Bool {
        switch self {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .booleanAttributeType: true
        default: false
        }
    }
}
