import CSQLite
import FoundationSupplement

/// A value of a row as SQLite keeps it: two are equal when storage class and bytes are.
enum StoredCell: Hashable {
    case null
    case integer(Int64)
    /// As bits: minus zero is not zero.
    case real(UInt64)
    /// UTF-8: Swift takes strings for equal that only look alike.
    case text([UInt8])
    case blob([UInt8])

    init(_ statement: SQLiteStatement, _ column: Int32) {
        switch statement.type(column) {
        case SQLITE_INTEGER: self = .integer(statement.int(column))
        case SQLITE_FLOAT: self = .real(statement.double(column).bitPattern)
        case SQLITE_TEXT: self = .text(Array(statement.string(column).utf8))
        case SQLITE_BLOB: self = .blob(Array(statement.data(column)))
        default: self = .null
        }
    }

    /// The data of an attribute that may be kept in a file, wherever it is: the files' names are random.
    init(_ external: ExternalData, _ statement: SQLiteStatement, _ column: Int32) throws {
        switch try external.value(statement, column) {
        case .data(let data): self = .blob(Array(data))
        case .external(let value):
            // One that is missing is compared by its name.
            self = .blob(Array((try? value.data()) ?? Data(value.file.lastPathComponent.utf8)))
        default: self = .null
        }
    }

    /// The value as SQL would write it; long ones are cut.
    var description: String {
        switch self {
        case .null: return "NULL"
        case .integer(let number): return "\(number)"
        case .real(let bits): return "\(Double(bitPattern: bits))"
        case .text(let bytes):
            let text = String(decoding: bytes, as: UTF8.self)
            return "'\(text.count > 60 ? text.prefix(60) + "…" : text[...])'"
        case .blob(let bytes):
            let digits = bytes.prefix(20).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            return "x'\(digits)\(bytes.count > 20 ? "…" : "")' (\(bytes.count) bytes)"
        }
    }
}
