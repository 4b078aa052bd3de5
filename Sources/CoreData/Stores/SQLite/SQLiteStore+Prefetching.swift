import FoundationSupplement
import ManagedObjectModel

extension SQLiteStore {
    /// The keys that a fetch finds, in its order; nil for an entity with sub-entities, where keys don't say enough.
    func findKeys(_ fetch: StoreFetch) throws -> [Int64]? {
        let entity = try sqlEntity(fetch.entity)
        guard !entity.hasSubentities else { return nil }
        var generator = SQLGenerator(schema)
        let text = try generator.statement(fetch, generator.newScope(entity)) { $0.key }
        let query = SQLQuery(text: text, bindings: generator.bindings)
        return try SQLLog.timing {
            try reading { connection in
                let statement = try connection.bound(query)
                defer { statement.reset() }
                var keys: [Int64] = []
                while try statement.step() { keys.append(statement.int(0)) }
                return keys
            }
        } rows: {
            $0.count
        }
    }

    /// The rows of some keys, with one query whatever their number.
    func findRows(
        _ entity: NSEntityDescription, _ keys: [Int64], _ visit: (EntityLayout, Int64, Row) throws -> Void
    ) throws {
        let entity = try sqlEntity(entity)
        let (text, columns) = SQLGenerator.rows(entity)
        try read(entity, SQLQuery(text: text, bindings: [.keyList(keys)]), columns) { reader, statement in
            guard let layout = reader.layout(statement) else { return }
            try visit(layout, statement.int(SQLResultColumns.primaryKey), reader.row(statement))
        }
    }

    /// The rows at the other ends of a to-many relationship of some keys, with one query.
    func findRelated(
        _ relationship: NSRelationshipDescription, of entity: NSEntityDescription, _ keys: [Int64],
        _ visit: (Int64, EntityLayout, Int64, Row) throws -> Void
    ) throws {
        let entity = try sqlEntity(entity)
        guard let slot = entity.layout.slot(relationship.name),
            let (text, columns, destination) = SQLGenerator.related(entity.storage[slot])
        else { return }
        let source = SQLResultColumns.firstValue + Int32(columns.names.count)
        try read(destination, SQLQuery(text: text, bindings: [.keyList(keys)]), columns) { reader, statement in
            guard let layout = reader.layout(statement) else { return }
            let key = statement.int(SQLResultColumns.primaryKey)
            try visit(statement.int(source), layout, key, reader.row(statement))
        }
    }

    private func read(
        _ entity: SQLEntity, _ query: SQLQuery, _ columns: SQLResultColumns,
        _ visit: (SQLRowReader, SQLiteStatement) throws -> Void
    ) throws {
        var count = 0
        try SQLLog.timing {
            try reading { connection in
                let statement = try connection.bound(query)
                defer { statement.reset() }
                let reader = connection.rowReader(entity, columns, schema)
                while try statement.step() {
                    count += 1
                    try visit(reader, statement)
                }
            }
        } rows: {
            count
        }
    }
}

extension SlotValue {
    /// Keys as one value, for `json_each`: there may be any number, and the statement stays the same.
    static func keyList(_ keys: [Int64]) -> SlotValue { .string("[\(keys.map(String.init).joined(separator: ","))]") }
}
