import CSQLite
import FoundationSupplement

/// What SQLite said when a call failed: code, words and the statement.
package struct SQLiteError: Error, CustomStringConvertible {
    package let code: Int32
    package let extendedCode: Int32
    package let message: String
    package let sql: String?

    init(_ database: OpaquePointer?, code: Int32, sql: String? = nil) {
        extendedCode = database.map { sqlite3_extended_errcode($0) } ?? code
        self.code = code & 0xff
        message =
            database.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) } ?? String(cString: sqlite3_errstr(code))
        self.sql = sql
    }

    package var description: String { sql.map { "\(message) (\($0))" } ?? message }

    package var isConstraintViolation: Bool { code == SQLITE_CONSTRAINT }

    /// The error as Core Data reports it: NSCocoaErrorDomain, with SQLite's code in the user info.
    package func cocoaError(_ code: CocoaError.Code, url: URL?) -> CocoaError {
        var info: [String: Any] = [
            NSSQLiteErrorDomain: NSNumber(value: self.code), "reason": message,
            NSLocalizedDescriptionKey: "\(url.map { "\($0.path): " } ?? "")\(message)",
        ]
        if let url { info[NSFilePathErrorKey] = url.path }
        return CocoaError(code, userInfo: info)
    }
}
