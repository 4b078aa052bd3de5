import CSQLite
import FoundationSupplement

/// What SQLite said when a call failed: code, words and the statement.
package struct SQLiteError: Error, CustomStringConvertible {
    package let code: Int32
    package let extendedCode: Int32
    package let message: String
    package let sql: String?
    /// What the operating system said when a file couldn't be opened; else 0.
    let systemCode: Int32

    /// A file that was removed or replaced while it was open: `SQLITE_IOERR_VNODE`, as Apple's SQLite says it.
    static let moved = SQLiteError(
        nil, code: SQLITE_IOERR | 27 << 8, message: "the store's file was removed or replaced")

    init(_ database: OpaquePointer?, code: Int32, sql: String? = nil, message: String? = nil) {
        extendedCode = database.map { sqlite3_extended_errcode($0) } ?? code
        self.code = code & 0xff
        self.message =
            message ?? database.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) }
            ?? String(cString: sqlite3_errstr(code))
        systemCode = database.map { sqlite3_system_errno($0) } ?? 0
        self.sql = sql
    }

    package var description: String { sql.map { "\(message) (\($0))" } ?? message }

    package var isConstraintViolation: Bool { code == SQLITE_CONSTRAINT }

    /// The error as Core Data reports it: NSCocoaErrorDomain, with SQLite's extended code in the user info.
    ///
    /// - Parameter code: what to report for a failure that has no code of its own.
    package func cocoaError(_ code: CocoaError.Code, url: URL?) -> CocoaError {
        var info: [String: Any] = [
            NSSQLiteErrorDomain: NSNumber(value: extendedCode), "reason": message,
            NSLocalizedDescriptionKey: "\(url.map { "\($0.path): " } ?? "")\(message)",
        ]
        if let url { info[NSFilePathErrorKey] = url.path }
        return CocoaError(ownCode ?? code, userInfo: info)
    }

    /// Apple's code for what is wrong with a file rather than with a statement.
    private var ownCode: CocoaError.Code? {
        switch code {
        case SQLITE_NOTADB, SQLITE_CORRUPT: .fileReadCorruptFile
        case SQLITE_READONLY, SQLITE_PERM: .fileWriteNoPermission
        case SQLITE_FULL, SQLITE_IOERR, SQLITE_CANTOPEN: .fileReadUnknown
        // What a function that a predicate calls can't compute.
        case SQLITE_MISMATCH: .coreData
        case SQLITE_BUSY, SQLITE_LOCKED: .persistentStoreTimeout
        default: nil
        }
    }
}
