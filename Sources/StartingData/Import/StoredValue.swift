import CoreData

/// A value of a row of the store, as the attribute has it.
enum StoredValue {
    /// Reads a column that isn't NULL.
    static func read(_ statement: SQLiteStatement, _ column: Int32, _ type: NSAttributeType) -> SlotValue {
        switch type {
        case .stringAttributeType: .string(statement.string(column))
        case .URIAttributeType: URL(string: statement.string(column)).map { .uri($0) } ?? .null
        case .UUIDAttributeType: statement.uuid(column).map { .uuid($0) } ?? .null
        case .doubleAttributeType, .floatAttributeType, .decimalAttributeType: .real(statement.double(column))
        case .dateAttributeType: .date(statement.double(column))
        default: .integer(statement.int(column))
        }
    }
}
