import FoundationSupplement
import ManagedObjectModel

/// Who makes a transaction.
struct HistoryOrigin {
    let author: String?
    let contextName: String?
    var bundleID: String? { Bundle.main.bundleIdentifier }
    var processID: String { ProcessInfo.processInfo.processName }

    /// The texts by the columns that they are for.
    fileprivate var texts: [(column: String, text: String)] {
        [("ZAUTHOR", author), ("ZBUNDLEID", bundleID), ("ZCONTEXTNAME", contextName), ("ZPROCESSID", processID)]
            .compactMap { column, text in text.map { (column, $0) } }
    }
}

/// Writes the persistent history of a store, in the transaction of the save that it tells of.
///
/// Stores of older systems have fewer columns, so what there is decides what is written.
final class HistoryWriter {
    fileprivate let connection: SQLiteConnection
    private let schema: SQLSchema
    private let hasStrings: Bool
    fileprivate let tombstones: Int
    private var layouts: [Int: HistoryLayout] = [:]

    init(_ schema: SQLSchema, _ connection: SQLiteConnection) throws {
        self.schema = schema
        self.connection = connection
        let tables = try connection.tables()
        let columns = try connection.columns(of: "ATRANSACTION")
        hasStrings = tables.contains("ATRANSACTIONSTRING") && columns.contains("ZAUTHORTS")
        tombstones = try connection.columns(of: "ACHANGE").filter { $0.hasPrefix("ZTOMBSTONE") }.count
    }

    fileprivate func layout(_ entity: SQLEntity) -> HistoryLayout {
        if let known = layouts[entity.number] { return known }
        let layout = HistoryLayout(entity)
        layouts[entity.number] = layout
        return layout
    }

    /// Writes the row of a transaction, and takes the keys of its changes: first insertions, then updates, then
    /// deletions, in whichever order they are written.
    func begin(
        _ origin: HistoryOrigin, insertions: Int, updates: Int, deletions: Int
    ) throws -> HistoryTransaction {
        let number = try takeKeys(1, of: "ATRANSACTION", HistoryTables.Number.transaction, "TRANSACTION")
        var columns = ["Z_PK", "Z_ENT", "ZTIMESTAMP"]
        var values: [SlotValue] = [
            .integer(number), .integer(HistoryTables.Number.transaction),
            .real(Date().timeIntervalSinceReferenceDate),
        ]
        for (column, text) in origin.texts {
            columns.append(hasStrings ? column + "TS" : column)
            values.append(hasStrings ? .integer(try string(text)) : .string(text))
        }
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        let statement = try connection.statement(
            "INSERT INTO ATRANSACTION (\(columns.joined(separator: ", "))) VALUES (\(marks))")
        for (index, value) in values.enumerated() { try statement.bindSlot(Int32(index) + 1, value) }
        try statement.run()
        let first = try takeKeys(
            insertions + updates + deletions, of: "ACHANGE", HistoryTables.Number.change, "CHANGE")
        return HistoryTransaction(
            self, number: number,
            firstKeys: [first, first + Int64(insertions), first + Int64(insertions + updates)])
    }

    /// The key of a text, which all transactions share.
    private func string(_ text: String) throws -> Int64 {
        let find = try connection.statement("SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?")
        find.bind(1, text)
        defer { find.reset() }
        if try find.step() { return find.int(0) }
        let key = try takeKeys(1, of: "ATRANSACTIONSTRING", HistoryTables.Number.string, "TRANSACTIONSTRING")
        let insert = try connection.statement("INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (?, ?, ?)")
        insert.bind(1, key)
        insert.bind(2, HistoryTables.Number.string)
        insert.bind(3, text)
        try insert.run()
        return key
    }

    /// Takes keys of a table; the first of them.
    private func takeKeys(_ count: Int, of table: String, _ number: Int64, _ name: String) throws -> Int64 {
        let keys = try connection.takeKeys(count, of: table, number: number)
        // Some stores have the tables and don't count their keys.
        if !keys.areCounted {
            try HistoryTables.addEntry(number, name, last: keys.first + Int64(count) - 1, on: connection)
        }
        return keys.first
    }
}

/// What history has to be told of the save that is going on.
final class HistoryTransaction {
    /// The key of the transaction, by which tokens know it.
    let number: Int64
    private let writer: HistoryWriter
    /// The key of the next change of each kind.
    private var next: [Int64]
    private var insertStatement: SQLiteStatement?

    private enum Kind: Int { case insertion, update, deletion }

    fileprivate init(_ writer: HistoryWriter, number: Int64, firstKeys: [Int64]) {
        self.writer = writer
        self.number = number
        next = firstKeys
    }

    func noteInsertion(_ entity: SQLEntity, _ primaryKey: Int64) throws {
        try note(.insertion, entity, primaryKey, columns: nil)
    }

    /// - Parameter slots: the slots of the properties that were changed.
    func noteUpdate(_ entity: SQLEntity, _ primaryKey: Int64, _ slots: [Int]) throws {
        try note(.update, entity, primaryKey, columns: writer.layout(entity).columns(slots))
    }

    private func note(_ kind: Kind, _ entity: SQLEntity, _ primaryKey: Int64, columns: Data?) throws {
        let statement = try insert()
        bind(statement, kind)
        statement.bind(5, primaryKey)
        statement.bind(4, Int64(entity.number))
        if let columns { statement.bind(7, columns) } else { statement.bindNull(7) }
        try statement.run()
    }

    private func insert() throws -> SQLiteStatement {
        if let insertStatement { return insertStatement }
        let statement = try writer.connection.statement(
            "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS)"
                + " VALUES (?, ?, ?, ?, ?, ?, ?)")
        insertStatement = statement
        return statement
    }

    /// To be called before the row goes: some of its values are kept. One that is gone already is told of by whoever has
    /// deleted it.
    func noteDeletion(_ entity: SQLEntity, _ primaryKey: Int64) throws {
        let kept = writer.layout(entity).preserved.prefix(writer.tombstones).enumerated()
            .compactMap { index, column in column.map { (index, $0) } }
        let names = kept.map { ", ZTOMBSTONE\($0.0)" }.joined()
        let values = kept.map { ", \($0.1)" }.joined()
        let statement = try writer.connection.statement(
            "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID\(names))"
                + " SELECT ?, ?, ?, ?, Z_PK, ?6\(values) FROM \(entity.table.name) WHERE Z_PK = ?5")
        bind(statement, .deletion)
        statement.bind(4, Int64(entity.number))
        statement.bind(5, primaryKey)
        try statement.run()
    }

    /// Tells of all rows of a table from a key on that they were inserted.
    func noteInsertions(into table: SQLTable, from first: Int64) throws {
        let statement = try writer.connection.statement(
            "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID)"
                + " SELECT ? + ROW_NUMBER() OVER (ORDER BY Z_PK) - 1, ?, ?, Z_ENT, Z_PK, ?6 FROM \(table.name)"
                + " WHERE Z_PK >= ?4")
        bind(statement, .insertion)
        statement.bind(4, first)
        try statement.run()
        next[Kind.insertion.rawValue] += Int64(writer.connection.changes - 1)
    }

    private func bind(_ statement: SQLiteStatement, _ kind: Kind) {
        statement.bind(1, next[kind.rawValue])
        statement.bind(2, HistoryTables.Number.change)
        statement.bind(3, Int64(kind.rawValue))
        statement.bind(6, number)
        next[kind.rawValue] += 1
    }
}

extension SQLiteConnection {
    /// The names of a table's columns, in their order.
    package func columns(of table: String) throws -> [String] {
        let statement = try statement("SELECT name FROM pragma_table_info(?) ORDER BY cid")
        defer { statement.reset() }
        statement.bind(1, table)
        var names: [String] = []
        while try statement.step() { names.append(statement.string(0)) }
        return names
    }
}
