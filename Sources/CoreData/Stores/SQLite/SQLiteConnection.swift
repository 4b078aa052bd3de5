import CSQLite
import FoundationSupplement

/// An open database file. Used by one thread at a time; the store sees to that.
package final class SQLiteConnection {
    package let url: URL
    let handle: OpaquePointer
    // Statements by their text: the texts come from a fixed number of shapes, values are always bound.
    private var statements: [String: SQLiteStatement] = [:]

    package enum Mode {
        case readOnly, readWrite, create
        /// Read-only, and nobody else writes: no locks, no log.
        case immutable

        var flags: Int32 {
            switch self {
            case .readOnly: SQLITE_OPEN_READONLY
            case .immutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            case .readWrite: SQLITE_OPEN_READWRITE
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        }
    }

    package init(_ url: URL, _ mode: Mode, busyTimeout milliseconds: Int32 = 10_000) throws {
        self.url = url
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(
            mode == .immutable ? "\(url.absoluteString)?immutable=1" : url.path, &handle,
            mode.flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let handle else {
            defer { sqlite3_close_v2(handle) }
            throw SQLiteError(handle, code: code)
        }
        self.handle = handle
        sqlite3_busy_timeout(handle, milliseconds)
        SQLFunctions.register(on: handle)
    }

    deinit {
        statements = [:]
        sqlite3_close_v2(handle)
    }

    /// Runs statements that return nothing.
    package func execute(_ sql: String) throws {
        SQLLog.note(sql)
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw SQLiteError(handle, code: code, sql: sql) }
    }

    /// A prepared statement, kept for the next time the same text is asked for.
    package func statement(_ sql: String) throws -> SQLiteStatement {
        SQLLog.note(sql)
        if let known = statements[sql] {
            // One that is being stepped belongs to a fetch further up: `awakeFromFetch` may fetch again.
            guard !known.isBusy else { return try SQLiteStatement(handle, sql) }
            known.reset()
            return known
        }
        let statement = try SQLiteStatement(handle, sql)
        if statements.count >= 256 { statements.removeAll() }
        statements[sql] = statement
        return statement
    }

    /// The first column of the first row, as text.
    package func text(_ sql: String) throws -> String? {
        let statement = try SQLiteStatement(handle, sql)
        guard try statement.step(), !statement.isNull(0) else { return nil }
        return statement.string(0)
    }

    package func int(_ sql: String) throws -> Int64? {
        let statement = try SQLiteStatement(handle, sql)
        guard try statement.step(), !statement.isNull(0) else { return nil }
        return statement.int(0)
    }

    /// Runs `body` in a transaction that takes the write lock at once; an error undoes everything.
    package func transaction<R>(_ body: () throws -> R) throws -> R {
        try execute("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            if sqlite3_get_autocommit(handle) == 0 {
                do { try execute("ROLLBACK") } catch let failure { SQLLog.warn("rollback failed: \(failure)") }
            }
            throw error
        }
    }

    package var changes: Int { Int(sqlite3_changes64(handle)) }

    package func tables() throws -> Set<String> {
        let statement = try SQLiteStatement(handle, "SELECT name FROM sqlite_master WHERE type = 'table'")
        var names: Set<String> = []
        while try statement.step() { names.insert(statement.string(0)) }
        return names
    }
}

/// Apple's switch for seeing the SQL: `-com.apple.CoreData.SQLDebug 1` as an argument, or `COREDATA_SQLDEBUG=1`.
package enum SQLLog {
    package static let level: Int = {
        let arguments = ProcessInfo.processInfo.arguments
        if let at = arguments.firstIndex(of: "-com.apple.CoreData.SQLDebug"), at + 1 < arguments.count {
            return Int(arguments[at + 1]) ?? 0
        }
        return ProcessInfo.processInfo.environment["COREDATA_SQLDEBUG"].flatMap(Int.init) ?? 0
    }()

    static func note(_ sql: @autoclosure () -> String) {
        if level > 0 { write("CoreData: sql: \(sql())") }
    }

    static func warn(_ message: String) { write("CoreData: warning: \(message)") }

    private static func write(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }
}
