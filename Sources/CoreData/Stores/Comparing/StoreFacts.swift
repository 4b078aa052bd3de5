import FoundationSupplement
import ManagedObjectModel

/// What a SQLite store's file says of its layout: what two stores of one model must have alike.
struct StoreFacts {
    struct Column: Hashable {
        let name: String
        let type: String
        /// The place in the primary key, from 1; 0 outside of it.
        let keyPosition: Int64

        var text: String { keyPosition == 0 ? "\(name) \(type)" : "\(name) \(type) (key)" }
    }

    /// By the table's name.
    private(set) var tables: [String: [Column]] = [:]
    /// Virtual tables, by name, as they were declared.
    private(set) var virtualTables: [String: String] = [:]
    /// By name, as they were declared; of those that SQLite makes by itself, their columns.
    private(set) var indexes: [String: String] = [:]
    private(set) var triggers: [String: String] = [:]
    /// The entities in `Z_PRIMARYKEY` by name.
    private(set) var entities: [String: Entity] = [:]
    /// The kind of value of each key of the metadata.
    private(set) var metadata: [String: String] = [:]

    struct Entity {
        let number: Int64
        let superentity: Int64

        var text: String { superentity == 0 ? "number \(number)" : "number \(number), below \(superentity)" }
    }

    init(_ connection: SQLiteConnection) throws {
        let schema = try SQLiteStatement(connection.handle, "SELECT type, name, sql FROM sqlite_master")
        while try schema.step() {
            let (type, name, sql) = (schema.string(0), schema.string(1), Self.plain(schema.string(2)))
            switch type {
            case "table" where sql.uppercased().hasPrefix("CREATE VIRTUAL TABLE"): virtualTables[name] = sql
            case "table" where !name.hasPrefix("sqlite_"): tables[name] = try Self.columns(of: name, connection)
            case "index": indexes[name] = sql.isEmpty ? try Self.uniqueColumns(of: name, connection) : sql
            case "trigger": triggers[name] = sql
            default: break
            }
        }
        if tables["Z_PRIMARYKEY"] != nil { entities = try Self.entities(connection) }
        if tables["Z_METADATA"] != nil {
            metadata = try SQLStoreFile.metadata(on: connection).mapValues(Self.kind)
            metadata[NSStoreUUIDKey] = nil  // has a column of its own
        }
    }

    /// A statement with single blanks: how it was broken into lines says nothing.
    private static func plain(_ sql: String) -> String {
        sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    private static func columns(of table: String, _ connection: SQLiteConnection) throws -> [Column] {
        let statement = try SQLiteStatement(connection.handle, "SELECT name, type, pk FROM pragma_table_info(?)")
        statement.bind(1, table)
        var columns: [Column] = []
        while try statement.step() {
            columns.append(
                Column(name: statement.string(0), type: statement.string(1), keyPosition: statement.int(2)))
        }
        return columns
    }

    /// The columns of an index that keeps a key or a constraint of a table.
    private static func uniqueColumns(of index: String, _ connection: SQLiteConnection) throws -> String {
        let statement = try SQLiteStatement(connection.handle, "SELECT name FROM pragma_index_info(?)")
        statement.bind(1, index)
        var names: [String] = []
        while try statement.step() { names.append(statement.string(0)) }
        return "unique (\(names.joined(separator: ", ")))"
    }

    private static func entities(_ connection: SQLiteConnection) throws -> [String: Entity] {
        let statement = try SQLiteStatement(connection.handle, "SELECT Z_NAME, Z_ENT, Z_SUPER FROM Z_PRIMARYKEY")
        var entities: [String: Entity] = [:]
        while try statement.step() {
            entities[statement.string(0)] = Entity(number: statement.int(1), superentity: statement.int(2))
        }
        return entities
    }

    private static func kind(_ value: Any) -> String {
        switch value {
        case is String: "a string"
        case is Data: "data"
        case is Date: "a date"
        case is [Any]: "an array"
        case is [String: Any]: "a dictionary"
        default: "a number"
        }
    }

    // MARK: Persistent history

    /// The number from which on entities are those of persistent history.
    static let firstHistoryNumber: Int64 = 16000

    /// Leaves out what persistent history adds to a store.
    mutating func removeHistory() {
        let names = ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"]
        for name in names {
            tables[name] = nil
            indexes = indexes.filter { !$0.key.hasPrefix("sqlite_autoindex_\(name)_") }
        }
        indexes = indexes.filter { !Self.isOn(names, $0.value) }
        triggers = triggers.filter { !Self.isOn(names, $0.value) }
        entities = entities.filter { $0.value.number < Self.firstHistoryNumber }
    }

    private static func isOn(_ tables: [String], _ sql: String) -> Bool {
        let words = sql.split(separator: " ").map(String.init)
        guard let on = words.firstIndex(of: "ON"), words.indices.contains(on + 1) else { return false }
        return tables.contains(words[on + 1])
    }
}
