import FoundationSupplement
import ManagedObjectModel

/// The rows of a store's entities and what relates them, to be compared with another store's whatever the keys are.
///
/// Each row has a signature: first that of its entity and attributes, then, round by round, also those of the rows that
/// it is related to, with its place among them where they have an order. Stores that hold the same have equally many
/// rows of each signature in each round.
struct RowGraph {
    private struct Row {
        let table: String
        let key: Int64
        var entity: String
        var content: String
        var edges: [Edge] = []
    }

    /// A relationship of a row to another one.
    private struct Edge {
        let label: String
        /// The other row; nil for one that isn't there.
        let target: Int?
        /// The place among the rows of an ordered relationship.
        var rank = 0
    }

    private var rows: [Row] = []
    private var positions: [String: [Int64: Int]] = [:]
    private var signatures: [Int] = []

    var count: Int { rows.count }

    /// Reads all rows. Columns and tables that a file lacks count as empty.
    init(_ connection: SQLiteConnection, _ schema: SQLSchema, _ facts: StoreFacts) throws {
        let names = Dictionary(facts.entities.map { ($0.value.number, $0.key) }) { first, _ in first }
        for table in schema.tables {
            guard let columns = facts.tables[table.name] else { continue }
            try readRows(connection, schema, table, Set(columns.map(\.name)), names)
        }
        for table in schema.tables {
            guard let columns = facts.tables[table.name] else { continue }
            try readKeys(connection, schema, table, Set(columns.map(\.name)))
        }
        for entity in schema.entities { try readJoins(connection, entity, facts) }
    }

    // MARK: Reading

    private mutating func readRows(
        _ connection: SQLiteConnection, _ schema: SQLSchema, _ table: SQLTable, _ columns: Set<String>,
        _ names: [Int64: String]
    ) throws {
        let members = schema.entities.filter { $0.table === table }
        let values = table.columns.map(\.name).filter(columns.contains)
        // By name, and only those of the row's own entity: what numbers columns of one name have may differ.
        let attributes = Dictionary(members.map { ($0.name, Self.attributes($0, values)) }) { first, _ in first }
        let list = (["Z_PK", "Z_ENT"] + values).joined(separator: ", ")
        let statement = try SQLiteStatement(connection.handle, "SELECT \(list) FROM \(table.name)")
        let external = ExternalData(store: connection.url)
        while try statement.step() {
            let entity = names[statement.int(1)] ?? "number \(statement.int(1))"
            var content: [String] = []
            var hasher = Hasher()
            hasher.combine(entity)
            for (name, position, isExternal) in attributes[entity] ?? [] {
                let cell = isExternal ? try StoredCell(external, statement, position) : StoredCell(statement, position)
                hasher.combine(name)
                hasher.combine(cell)
                if cell != .null { content.append("\(name) = \(cell.description)") }
            }
            positions[table.name, default: [:]][statement.int(0)] = rows.count
            rows.append(
                Row(
                    table: table.name, key: statement.int(0), entity: entity,
                    content: content.joined(separator: ", ")))
            signatures.append(hasher.finalize())
        }
    }

    /// The attributes of an entity that are among the columns, with their places in a result.
    private static func attributes(
        _ entity: SQLEntity, _ columns: [String]
    ) -> [(name: String, position: Int32, isExternal: Bool)] {
        let places = Dictionary(columns.enumerated().map { ($1, Int32($0) + 2) }) { first, _ in first }
        var result: [(name: String, position: Int32, isExternal: Bool)] = []
        for (slot, storage) in entity.storage.enumerated() {
            guard case .attribute(let attribute) = entity.layout.kinds[slot] else { continue }
            // Of a composite attribute several, in the order of its elements.
            for column in storage.columns {
                if let place = places[column.name] {
                    result.append((attribute.name, place, attribute.allowsExternalBinaryDataStorage))
                }
            }
        }
        return result
    }

    /// Relationships whose keys are in a table.
    private mutating func readKeys(
        _ connection: SQLiteConnection, _ schema: SQLSchema, _ table: SQLTable, _ columns: Set<String>
    ) throws {
        for key in Self.keys(in: table, schema) where columns.contains(key.column) {
            let order = key.order.flatMap { columns.contains($0) ? "\($0), " : nil } ?? ""
            let statement = try SQLiteStatement(
                connection.handle,
                "SELECT Z_PK, \(key.column) FROM \(table.name) WHERE \(key.column) IS NOT NULL"
                    + " ORDER BY \(key.column), \(order)Z_PK")
            var ranks: [Int64: Int] = [:]
            while try statement.step() {
                guard let row = positions[table.name]?[statement.int(0)],
                    key.entities?.contains(rows[row].entity) ?? true
                else { continue }
                let target = positions[key.target]?[statement.int(1)]
                let rank = key.order == nil ? 0 : ranks[statement.int(1), default: 0]
                ranks[statement.int(1), default: 0] += 1
                rows[row].edges.append(Edge(label: key.label, target: target, rank: rank))
                if let target { rows[target].edges.append(Edge(label: "^" + key.label, target: row, rank: rank)) }
            }
        }
    }

    /// A column with keys of another table's rows.
    private struct Key {
        let label: String
        let column: String
        let order: String?
        let target: String
        /// Whose rows the column is for; nil for all.
        let entities: Set<String>?
    }

    private static func keys(in table: SQLTable, _ schema: SQLSchema) -> [Key] {
        schema.entities.flatMap { entity in
            entity.storage.enumerated().compactMap { slot, storage -> Key? in
                guard let relationship = entity.layout.properties[slot] as? NSRelationshipDescription,
                    relationship.entity === entity.description
                else { return nil }
                let label = "\(entity.name).\(relationship.name)"
                switch storage {
                case .toOne(let key, _, let order) where entity.table === table:
                    guard let target = relationship.destinationEntity.flatMap(schema.entity) else { return nil }
                    let names = Set(relationship.entity.selfAndDescendants.compactMap(\.name))
                    return Key(
                        label: label, column: key.name, order: order?.name, target: target.table.name, entities: names)
                case .toMany(let key, _, let order, let destination)
                where destination.table === table && relationship.inverseRelationship == nil:
                    return Key(
                        label: label, column: key.name, order: order?.name, target: entity.table.name, entities: nil)
                default: return nil
                }
            }
        }
    }

    /// Many-to-many relationships, from the side of the entity.
    private mutating func readJoins(
        _ connection: SQLiteConnection, _ entity: SQLEntity, _ facts: StoreFacts
    ) throws {
        for (slot, storage) in entity.storage.enumerated() {
            guard case .join(let table, let own, let other, _, let order, let destination) = storage,
                entity.layout.properties[slot].entity === entity.description,
                let columns = facts.tables[table.name]?.map(\.name), columns.contains(own), columns.contains(other)
            else { continue }
            let sort = order.flatMap { columns.contains($0) ? "\(own), \($0), \(other)" : nil } ?? own
            let statement = try SQLiteStatement(
                connection.handle, "SELECT \(own), \(other) FROM \(table.name) ORDER BY \(sort)")
            var ranks: [Int64: Int] = [:]
            let label = "\(entity.name).\(entity.layout.properties[slot].name)"
            while try statement.step() {
                guard let row = positions[entity.table.name]?[statement.int(0)] else { continue }
                let target = positions[destination.table.name]?[statement.int(1)]
                let rank = order == nil ? 0 : ranks[statement.int(0), default: 0]
                ranks[statement.int(0), default: 0] += 1
                rows[row].edges.append(Edge(label: label, target: target, rank: rank))
            }
        }
    }

    // MARK: Comparing

    /// What only one of the graphs holds, as found in the first round that shows a difference.
    static func differences(_ old: RowGraph, _ new: RowGraph) -> [StoreDifference] {
        var (old, new) = (old, new)
        var kinds = -1
        while true {
            let found = unmatched(old, new)
            guard found.isEmpty else { return found }
            // As long as a round tells rows apart that the last one didn't, the next one may as well.
            let now = Set(old.signatures).count
            guard now > kinds else { return [] }
            kinds = now
            old.refine()
            new.refine()
        }
    }

    private mutating func refine() {
        let before = signatures
        for (index, row) in rows.enumerated() {
            let related = row.edges.map { edge -> Int in
                var hasher = Hasher()
                hasher.combine(edge.label)
                hasher.combine(edge.rank)
                hasher.combine(edge.target.map { before[$0] })
                return hasher.finalize()
            }
            var hasher = Hasher()
            hasher.combine(before[index])
            hasher.combine(related.sorted())
            signatures[index] = hasher.finalize()
        }
    }

    private static func unmatched(_ old: RowGraph, _ new: RowGraph) -> [StoreDifference] {
        var counts: [Int: Int] = [:]
        for signature in new.signatures { counts[signature, default: 0] += 1 }
        let lost = old.taking(&counts)
        counts = [:]
        for signature in old.signatures { counts[signature, default: 0] += 1 }
        let come = new.taking(&counts)
        return lost.map { StoreDifference(aspect: .row, name: $0.name, old: $0.text, new: nil) }
            + come.map { StoreDifference(aspect: .row, name: $0.name, old: nil, new: $0.text) }
    }

    /// The rows that find no partner among the signatures counted.
    private func taking(_ counts: inout [Int: Int]) -> [(name: String, text: String)] {
        var result: [(name: String, text: String)] = []
        for (row, signature) in zip(rows, signatures) {
            guard let left = counts[signature], left > 0 else {
                let related = row.edges.filter { !$0.label.hasPrefix("^") }.map { edge in
                    "\(edge.label) → \(edge.target.map { "\(rows[$0].entity) \(rows[$0].key)" } ?? "nothing")"
                }
                let text = ([row.content] + related).filter { !$0.isEmpty }.joined(separator: ", ")
                result.append(("\(row.entity) \(row.key)", text))
                continue
            }
            counts[signature] = left - 1
        }
        return result
    }
}
