import CSQLite
import FoundationSupplement

/// A prepared statement. It belongs to one connection and is used by one thread at a time.
package final class SQLiteStatement {
    let handle: OpaquePointer
    private let database: OpaquePointer
    package let sql: String

    init(_ database: OpaquePointer, _ sql: String) throws {
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK, let handle else { throw SQLiteError(database, code: code, sql: sql) }
        self.handle = handle
        self.database = database
        self.sql = sql
    }

    deinit { sqlite3_finalize(handle) }

    // MARK: Binding. Positions count from 1, as SQLite's do.

    package func bindNull(_ position: Int32) { sqlite3_bind_null(handle, position) }
    package func bind(_ position: Int32, _ value: Int64) { sqlite3_bind_int64(handle, position, value) }
    package func bind(_ position: Int32, _ value: Double) { sqlite3_bind_double(handle, position, value) }

    package func bind(_ position: Int32, _ value: String) {
        var value = value
        value.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { text in
                // An empty buffer has no address, which SQLite would take for NULL.
                withUnsafePointer(to: 0) { empty in
                    _ = csqlite_bind_text_copy(handle, position, text.baseAddress ?? empty, Int64(bytes.count))
                }
            }
        }
    }

    package func bind(_ position: Int32, _ value: Data) {
        if value.isEmpty {
            sqlite3_bind_zeroblob(handle, position, 0)
        } else {
            value.withUnsafeBytes { _ = csqlite_bind_blob_copy(handle, position, $0.baseAddress, Int64($0.count)) }
        }
    }

    package func bind(_ position: Int32, _ value: UUID) {
        withUnsafeBytes(of: value.uuid) { _ = csqlite_bind_blob_copy(handle, position, $0.baseAddress, 16) }
    }

    // MARK: Stepping

    /// Moves to the next row; false after the last one.
    @discardableResult
    package func step() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            let error = SQLiteError(database, code: code, sql: sql)
            sqlite3_reset(handle)
            throw error
        }
    }

    /// Carries out a statement that returns no rows, ready to be bound again.
    package func run() throws {
        try step()
        sqlite3_reset(handle)
    }

    /// Whether the statement is between two of its rows.
    var isBusy: Bool { sqlite3_stmt_busy(handle) != 0 }

    package func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    /// A column's value, for reading it several ways: cheaper than a call with the column's number for each. It is valid
    /// until the next step; the connection is used by one thread at a time, which makes that safe.
    struct Value {
        let handle: OpaquePointer

        @inline(__always) var isNull: Bool { sqlite3_value_type(handle) == SQLITE_NULL }
        @inline(__always) var int: Int64 { sqlite3_value_int64(handle) }
        @inline(__always) var double: Double { sqlite3_value_double(handle) }

        @inline(__always) var string: String {
            guard let text = sqlite3_value_text(handle) else { return "" }
            let count = Int(sqlite3_value_bytes(handle))
            return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
        }
    }

    @inline(__always)
    func value(_ column: Int32) -> Value? {
        sqlite3_column_value(handle, column).map { Value(handle: $0) }
    }

    // MARK: Columns. Positions count from 0, as SQLite's do.

    package var columnCount: Int32 { sqlite3_column_count(handle) }
    package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }
    package func type(_ column: Int32) -> Int32 { sqlite3_column_type(handle, column) }
    package func int(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
    package func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

    package func string(_ column: Int32) -> String {
        guard let text = sqlite3_column_text(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
    }

    package func data(_ column: Int32) -> Data {
        guard let bytes = sqlite3_column_blob(handle, column) else { return Data() }
        return Data(bytes: bytes, count: Int(sqlite3_column_bytes(handle, column)))
    }

    package func uuid(_ column: Int32) -> UUID? {
        guard let bytes = sqlite3_column_blob(handle, column), sqlite3_column_bytes(handle, column) == 16 else {
            return nil
        }
        return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }
}
