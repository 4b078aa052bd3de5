import CSQLite
import FoundationSupplement

/// The connections of a store that only read, so that fetches run beside each other and beside a save.
///
/// With a write-ahead log a reader sees the store as it was when its statement began, whatever a writer does meanwhile;
/// with a rollback journal the two would wait for each other, so only stores with a log, or that nobody here writes, are
/// read this way. Connections are opened when needed and kept for the next reader.
final class SQLiteReaders: @unchecked Sendable {
    private let lock = NSLock()
    // All under the lock.
    private var idle: [SQLiteReader] = []
    /// How often the place was changed: readers of another place aren't kept.
    private var generation = 0
    private var source: Source?
    private var active = 0
    private var waiting: [() -> Void] = []

    /// Where the connections lead.
    private struct Source {
        let url: URL
        let mode: SQLiteConnection.Mode
        let busyTimeout: Int32
        let pragmas: [String]
        let file: FileIdentity?
    }

    /// What tells a file from another one that has come into its place.
    private struct FileIdentity: Equatable {
        let (device, number): (UInt64, UInt64)

        init?(_ url: URL) {
            var status = stat()
            guard stat(url.path, &status) == 0 else { return nil }
            (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino))
        }
    }

    /// How many connections wait for the next reader; more are closed when they are given back.
    private static let capacity = max(2, ProcessInfo.processInfo.activeProcessorCount)

    /// Lets connections be made.
    ///
    /// - Parameter pragmas: statements that each of them starts with.
    func open(_ url: URL, _ mode: SQLiteConnection.Mode, busyTimeout: Int32, pragmas: [String]) {
        close()
        let file = FileIdentity(url)
        lock.withLock {
            generation += 1
            source = Source(url: url, mode: mode, busyTimeout: busyTimeout, pragmas: pragmas, file: file)
        }
    }

    /// Closes the connections. Those in use are closed when their readers are done.
    func close() {
        let closed = lock.withLock {
            defer { (idle, source) = ([], nil) }
            return idle
        }
        for reader in closed { reader.connection.close() }
    }

    /// Whether the store can be read this way.
    var isOpen: Bool { lock.withLock { source != nil } }

    /// Runs `body` with a connection that nobody else uses meanwhile; without one where the store can't be read this way,
    /// or another file has come into its place, which has other rows than those that the store's contexts know.
    func read<R>(_ body: (SQLiteReader?) throws -> R) throws -> R {
        lock.withLock { active += 1 }
        defer { noteEnd() }
        let reader = try take()
        defer { reader.map(giveBack) }
        return try body(reader)
    }

    /// Runs `body` when nobody reads: readers that are at work may see the store as it was before.
    func whenIdle(_ body: @escaping () -> Void) {
        let isIdle = lock.withLock {
            if active > 0 { waiting.append(body) }
            return active == 0
        }
        if isIdle { body() }
    }

    private func noteEnd() {
        let done = lock.withLock { () -> [() -> Void] in
            active -= 1
            guard active == 0 else { return [] }
            defer { waiting = [] }
            return waiting
        }
        for body in done { body() }
    }

    private func take() throws -> SQLiteReader? {
        let (known, source, generation) = lock.withLock { (idle.popLast(), self.source, self.generation) }
        if let known { return known }
        guard let source, source.file == FileIdentity(source.url) else { return nil }
        let connection = try SQLStoreFile.open(source.url, source.mode, busyTimeout: source.busyTimeout)
        // Nor one that came while it was opened.
        guard source.file == FileIdentity(source.url) else { return nil }
        for pragma in source.pragmas { _ = try connection.text(pragma) }
        return SQLiteReader(connection, generation: generation)
    }

    private func giveBack(_ reader: SQLiteReader) {
        let isKept = lock.withLock {
            guard source != nil, reader.generation == generation, idle.count < Self.capacity else { return false }
            idle.append(reader)
            return true
        }
        if !isKept { reader.connection.close() }
    }
}

/// A connection with what is prepared for reading on it. Used by one thread at a time.
final class SQLiteReader {
    let connection: SQLiteConnection
    private var rowQueries: [Int: RowQuery] = [:]
    private var rowReaders: [Int: SQLRowReader] = [:]

    fileprivate let generation: Int

    init(_ connection: SQLiteConnection, generation: Int = 0) {
        self.connection = connection
        self.generation = generation
    }

    /// One row by its key; nil when it is gone.
    func row(
        _ entity: SQLEntity, _ primaryKey: Int64, _ schema: SQLSchema
    ) throws -> (NSEntityDescription, Row)? {
        let query = rowQuery(entity, schema)
        let statement = try connection.statement(query.text)
        defer { statement.reset() }
        statement.bind(1, primaryKey)
        guard try statement.step(), let found = query.reader.layout(statement) else { return nil }
        return (found.entity, try query.reader.row(statement))
    }

    /// How one row of a root entity's table is read: made once, since faults are filled one by one.
    private func rowQuery(_ entity: SQLEntity, _ schema: SQLSchema) -> RowQuery {
        if let known = rowQueries[entity.number] { return known }
        let columns = SQLResultColumns(names: entity.rowColumns)
        let number = entity.hasSubentities ? "t0.Z_ENT" : "\(entity.number)"
        let values = columns.names.map { ", t0.\($0)" }.joined()
        let query = RowQuery(
            text: "SELECT \(number), t0.Z_PK, t0.Z_OPT\(values) FROM \(entity.table.name) t0 WHERE t0.Z_PK = ?",
            reader: rowReader(entity, columns, schema))
        rowQueries[entity.number] = query
        return query
    }

    private struct RowQuery {
        let text: String
        let reader: SQLRowReader
    }

    /// What makes slots of an entity's rows: made once for all of their columns.
    func rowReader(_ entity: SQLEntity, _ columns: SQLResultColumns, _ schema: SQLSchema) -> SQLRowReader {
        let isWhole = !columns.names.isEmpty
        if isWhole, let known = rowReaders[entity.number] { return known }
        let reader = SQLRowReader(entity, columns, schema, ExternalData(store: connection.url))
        if isWhole { rowReaders[entity.number] = reader }
        return reader
    }

    /// A query's statement with its values.
    func bound(_ query: SQLQuery) throws -> SQLiteStatement {
        let statement = try connection.statement(query.text)
        SQLLog.note(query.bindings)
        for (index, value) in query.bindings.enumerated() { try statement.bindSlot(Int32(index) + 1, value) }
        return statement
    }
}
