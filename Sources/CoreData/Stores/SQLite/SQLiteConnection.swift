import CSQLite
import FoundationSupplement

/// An open database file. Used by one thread at a time; the store sees to that.
package final class SQLiteConnection {
    package let url: URL
    let handle: OpaquePointer
    // Statements by their text: the texts come from a fixed number of shapes, values are always bound.
    private var statements: [String: SQLiteStatement] = [:]
    private var isClosed = false

    package enum Mode {
        case readOnly, readWrite, create
        /// Read-only, and nobody else writes: no locks, no log.
        case immutable
        /// Read-only, in a folder where nobody can write: no locks, and the log's index in memory.
        case unlocked
        /// In memory: the connection's own at `/dev/null`, shared within the process at a name below it.
        case memory

        var flags: Int32 {
            switch self {
            case .readOnly: SQLITE_OPEN_READONLY
            case .immutable, .unlocked: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            case .readWrite: SQLITE_OPEN_READWRITE
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .memory: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI
            }
        }

        func fileName(_ url: URL) -> String {
            switch self {
            case .readOnly, .readWrite, .create: url.path
            case .immutable: "\(url.absoluteString)?immutable=1"
            case .unlocked: "\(url.absoluteString)?vfs=unix-none"
            // Databases of this file system are shared by their name, and locked like files.
            case .memory: url.isNullDevice ? ":memory:" : "file:\(url.path(percentEncoded: true))?vfs=memdb"
            }
        }
    }

    /// Opens a file.
    ///
    /// - Parameter milliseconds: how long to wait for others who have the file locked.
    package init(_ url: URL, _ mode: Mode, busyTimeout milliseconds: Int32 = SQLiteConnection.defaultTimeout) throws {
        self.url = url
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(
            mode.fileName(url), &handle, mode.flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let handle else {
            defer { sqlite3_close_v2(handle) }
            throw SQLiteError(handle, code: code)
        }
        self.handle = handle
        sqlite3_busy_timeout(handle, milliseconds)
        // Before the first read, which decides where the log's index is.
        if mode == .unlocked { sqlite3_exec(handle, "PRAGMA locking_mode = EXCLUSIVE", nil, nil, nil) }
        SQLFunctions.register(on: handle)
    }

    package static let defaultTimeout: Int32 = 10_000

    deinit { close() }

    /// Lets go of the file. What is asked later fails.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        statements = [:]
        // Statements that somebody still holds keep the handle alive.
        sqlite3_close_v2(handle)
    }

    private func checkOpen() throws {
        if isClosed { throw SQLiteError(nil, code: SQLITE_MISUSE) }
    }

    /// Whether the file was removed or replaced since it was opened: what is written then goes nowhere.
    package var hasMoved: Bool {
        guard !isClosed else { return true }
        var moved: Int32 = 0
        return sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0
    }

    /// Runs statements that return nothing.
    package func execute(_ sql: String) throws {
        SQLLog.note(sql)
        try checkOpen()
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw SQLiteError(handle, code: code, sql: sql) }
    }

    /// A prepared statement, kept for the next time the same text is asked for.
    package func statement(_ sql: String) throws -> SQLiteStatement {
        SQLLog.note(sql)
        try checkOpen()
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
        try checkOpen()
        let statement = try SQLiteStatement(handle, sql)
        guard try statement.step(), !statement.isNull(0) else { return nil }
        return statement.string(0)
    }

    package func int(_ sql: String) throws -> Int64? {
        try checkOpen()
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
        try checkOpen()
        let statement = try SQLiteStatement(handle, "SELECT name FROM sqlite_master WHERE type = 'table'")
        var names: Set<String> = []
        while try statement.step() { names.insert(statement.string(0)) }
        return names
    }
}

extension URL {
    /// Whether this is `/dev/null`, which means a database in memory.
    var isNullDevice: Bool { isFileURL && path == "/dev/null" }

    /// Whether this is `/dev/null` or a name below it.
    var isInMemory: Bool { isNullDevice || isFileURL && path.hasPrefix("/dev/null/") }
}
