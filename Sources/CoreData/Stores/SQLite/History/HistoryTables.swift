import FoundationSupplement
import ManagedObjectModel

/// The tables of persistent history: a row for each transaction, one for each object that it changed, and one for each
/// text that transactions have.
enum HistoryTables {
    /// The entity numbers of the tables, which are beyond those of any model.
    enum Number {
        static let change: Int64 = 16001
        static let transaction: Int64 = 16002
        static let string: Int64 = 16003
    }

    /// Each table's name, and its number and name among the entities.
    static let all = [
        (table: "ACHANGE", number: Number.change, name: "CHANGE"),
        (table: "ATRANSACTION", number: Number.transaction, name: "TRANSACTION"),
        (table: "ATRANSACTIONSTRING", number: Number.string, name: "TRANSACTIONSTRING"),
    ]

    /// Whether the store has been written by somebody who wanted a history.
    static func exist(on connection: SQLiteConnection) throws -> Bool {
        try connection.tables().isSuperset(of: ["ACHANGE", "ATRANSACTION"])
    }

    /// Makes the tables of a store that has none.
    static func create(for schema: SQLSchema, on connection: SQLiteConnection) throws {
        guard try !exist(on: connection) else { return }
        try connection.transaction {
            guard try !exist(on: connection) else { return }
            for sql in statements(for: schema) { try connection.execute(sql) }
            for table in all { try addEntry(table.number, table.name, last: 0, on: connection) }
        }
    }

    static func addEntry(_ number: Int64, _ name: String, last: Int64, on connection: SQLiteConnection) throws {
        let entry = try connection.statement(
            "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, 0, ?)")
        entry.bind(1, number)
        entry.bind(2, name)
        entry.bind(3, last)
        try entry.run()
    }

    /// Word for word as Apple's stores have them. A deleted object keeps as many values as the model asks of any one
    /// entity.
    static func statements(for schema: SQLSchema) -> [String] {
        let kept = schema.entities.map { HistoryLayout($0).preserved.count }.max() ?? 0
        let tombstones = (0..<kept).map { ", ZTOMBSTONE\($0) BLOB" }.joined()
        let keys = ["AUTHOR", "BUNDLEID", "CONTEXTNAME", "PROCESSID"]
        return [
            "CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER,"
                + " ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB\(tombstones) )",
            "CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER"
                + keys.map { ", Z\($0)TS INTEGER" }.joined() + ", ZTIMESTAMP FLOAT"
                + keys.map { ", Z\($0) VARCHAR" }.joined() + ", ZQUERYGEN BLOB )",
            "CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR )",
            "CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
        ] + keys.map { "CREATE INDEX ATRANSACTION_Z\($0)TS_INDEX ON ATRANSACTION (Z\($0)TS)" } + [
            "CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION (ZAUTHOR COLLATE BINARY ASC)",
            "CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION (ZTIMESTAMP COLLATE BINARY ASC)",
            "CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC)",
        ]
    }
}
