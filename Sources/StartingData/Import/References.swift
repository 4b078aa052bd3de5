import CoreData

/// The tables by which references are found, and what becomes of the references.
final class References {
    private let writer: SQLiteBulkWriter
    private var tables: [TableKey: ReferenceTable] = [:]
    /// For each entity's number the tables that its rows are in.
    private var tablesByEntity: [[ReferenceTable]]
    /// For each root's number the keys that turned out to mean a row with another key: two attributes led to it.
    private(set) var aliases: [Int: [(alias: Int64, primaryKey: Int64)]] = [:]

    private struct TableKey: Hashable {
        let entity: Int
        let slot: Int
    }

    init(_ writer: SQLiteBulkWriter) {
        self.writer = writer
        tablesByEntity = Array(repeating: [], count: writer.schema.entities.count + 1)
    }

    /// The table for `country.isoCode`; made, and filled with the rows there are, when first asked for.
    ///
    /// - Throws: `Refusal` with what is wrong with the name.
    func table(_ relationship: NSRelationshipDescription, _ parts: [String], _ name: String) throws -> ReferenceTable {
        func refuse(_ message: String) -> Refusal { Refusal(message: message, value: name) }
        guard let destination = relationship.destinationEntity.flatMap(writer.schema.entity) else {
            throw refuse("the relationship '\(parts[0])' has no destination")
        }
        guard parts.count == 2, let slot = destination.layout.slot(parts[1]) else {
            let example = destination.description.uniquenessConstraintNames.first?.first ?? "<attribute>"
            throw refuse(
                "'\(name)' must name the relationship and one attribute of \(destination.name) to find it by,"
                    + " as in '\(parts[0]).\(example)'"
            )
        }
        guard case .attribute(let attribute) = destination.layout.kinds[slot],
            case .column(let column) = destination.storage[slot], !(attribute is NSDerivedAttributeDescription),
            let converter = AttributeConverter(attribute, destination.name),
            attribute.attributeType != .binaryDataAttributeType
        else { throw refuse("'\(parts[1])' of \(destination.name) is not an attribute to find rows by") }
        let key = TableKey(entity: destination.number, slot: slot)
        if let known = tables[key] { return known }
        let table = ReferenceTable(destination, slot: slot, converter)
        try fill(table, column)
        tables[key] = table
        for number in destination.numbers { tablesByEntity[number].append(table) }
        return table
    }

    private func fill(_ table: ReferenceTable, _ column: SQLColumn) throws {
        let numbers = table.entity.numbers.map(String.init).joined(separator: ", ")
        let statement = try writer.connection.statement(
            "SELECT Z_PK, \(column.name) FROM \(table.entity.table.name) WHERE Z_ENT IN (\(numbers))"
                + " AND \(column.name) IS NOT NULL"
        )
        defer { statement.reset() }
        while try statement.step() {
            guard let key = ReferenceKey(StoredValue.read(statement, 1, table.converter.type)) else { continue }
            try table.note(key, statement.int(0))
        }
    }

    /// The key for a new row: the one that was promised to it, if one was. From now on references find the row.
    func settleKey(_ entity: SQLEntity, _ values: [SlotValue]) throws -> Int64 {
        let tables = tablesByEntity[entity.number]
        if tables.isEmpty { return writer.takeKey(entity) }
        var primaryKey: Int64?
        for table in tables {
            guard let promised = ReferenceKey(values[table.slot]).flatMap(table.promised) else { continue }
            if let primaryKey, primaryKey != promised {
                aliases[entity.root?.number ?? entity.number, default: []].append((promised, primaryKey))
            }
            primaryKey = primaryKey ?? promised
        }
        let settled = primaryKey ?? writer.takeKey(entity)
        for table in tables {
            if let key = ReferenceKey(values[table.slot]) { try table.note(key, settled) }
        }
        return settled
    }

    /// The earliest reference to a row that never came, and how many more there are.
    func firstMissing() -> (table: ReferenceTable, key: ReferenceKey, place: ReferenceTable.FieldPlace, others: Int)? {
        let missing = tables.values.flatMap { table in table.missing.map { (table, $0.key, $0.value) } }
        // Two columns of one record may both be missing.
        guard let first = missing.min(by: { ($0.2.origin, $0.2.column) < ($1.2.origin, $1.2.column) }) else {
            return nil
        }
        return (first.0, first.1, first.2, missing.count - 1)
    }
}
