import CoreData

/// What an import keeps while it runs: the writer, the tables by which references are found, and where each row came
/// from.
final class ImportSession {
    let writer: SQLiteBulkWriter
    private(set) var counts: [Int: Int] = [:]
    private(set) var warnings: [String] = []
    private var tables: [TableKey: ReferenceTable] = [:]
    private var tablesByRoot: [Int: [ReferenceTable]] = [:]
    private var origins: [Int: RowOrigins] = [:]
    private var files: [(name: String, hasLines: Bool)] = []
    /// Keys that turned out to mean a row with another key: the same row was asked for by two attributes.
    private var aliases: [(root: SQLEntity, alias: Int64, primaryKey: Int64)] = []

    private struct TableKey: Hashable {
        let entity: Int
        let slot: Int
    }

    init(_ writer: SQLiteBulkWriter) { self.writer = writer }

    var schema: SQLSchema { writer.schema }

    func root(_ entity: SQLEntity) -> SQLEntity { entity.root ?? entity }

    // MARK: References

    /// The table for `country.isoCode`; made, and filled with the rows there are, when first asked for.
    func referenceTable(
        _ relationship: NSRelationshipDescription, _ parts: [String], at position: SourcePosition, _ name: String
    ) throws -> ReferenceTable {
        func refuse(_ message: String) -> SourceError { SourceError(position: position, message: message, value: name) }
        guard let destination = relationship.destinationEntity.flatMap(schema.entity) else {
            throw refuse("the relationship '\(parts[0])' has no destination")
        }
        guard parts.count == 2, let slot = destination.layout.slot(parts[1]) else {
            let example = destination.description.uniquenessConstraintNames.first?.first ?? "<attribute>"
            throw refuse(
                "'\(name)' must name the relationship and one attribute of \(destination.name) to find it by, as in '\(parts[0]).\(example)'")
        }
        guard case .attribute(let attribute) = destination.layout.kinds[slot], case .column(let column) = destination.storage[slot],
            let converter = AttributeConverter(attribute, destination.name), attribute.attributeType != .binaryDataAttributeType
        else { throw refuse("'\(parts[1])' of \(destination.name) is not an attribute to find rows by") }
        let key = TableKey(entity: destination.number, slot: slot)
        if let known = tables[key] { return known }
        let table = ReferenceTable(destination, slot: slot, converter)
        try fill(table, column)
        tables[key] = table
        tablesByRoot[root(destination).number, default: []].append(table)
        return table
    }

    private func fill(_ table: ReferenceTable, _ column: SQLColumn) throws {
        let numbers = table.entity.numbers.map(String.init).joined(separator: ", ")
        let statement = try writer.connection.statement(
            "SELECT Z_PK, \(column.name) FROM \(table.entity.table.name) WHERE Z_ENT IN (\(numbers)) AND \(column.name) IS NOT NULL")
        defer { statement.reset() }
        while try statement.step() {
            table.note(StoredValue.read(statement, 1, table.converter.type), statement.int(0))
        }
    }

    // MARK: Rows

    /// Numbers a file for the origins of rows.
    func number(of file: String, hasLines: Bool) -> Int {
        if let known = files.lastIndex(where: { $0.name == file }) { return known }
        files.append((file, hasLines))
        return files.count - 1
    }

    /// Writes a row; it takes the key that was promised to it, if one was.
    func insert(_ entity: SQLEntity, _ values: [SlotValue], file: Int, line: Int) throws {
        let root = root(entity)
        var primaryKey: Int64?
        let relevant = tablesByRoot[root.number, default: []].filter { $0.entity.numbers.contains(entity.number) }
        for table in relevant {
            guard let promised = table.claim(values[table.slot]) else { continue }
            if let primaryKey, primaryKey != promised { aliases.append((root, promised, primaryKey)) }
            primaryKey = primaryKey ?? promised
        }
        let key = primaryKey ?? writer.takeKey(entity)
        for table in relevant { table.noteInserted(values[table.slot], key) }
        origins[root.number, default: RowOrigins()].note(key, file: file, line: line)
        try writer.insert(entity, primaryKey: key, values)
        counts[entity.number, default: 0] += 1
    }

    func promiseKey(_ entity: SQLEntity) -> Int64 { writer.takeKey(entity) }

    /// Where a row came from; nil for one that the store had before.
    func origin(_ entity: SQLEntity, _ primaryKey: Int64) -> SourcePosition? {
        guard let (file, line) = origins[root(entity).number]?.origin(primaryKey), files.indices.contains(file) else {
            return nil
        }
        let (name, hasLines) = files[file]
        return hasLines ? SourcePosition(file: name, line: line) : SourcePosition(file: name, record: line)
    }

    func warn(_ message: String) {
        if warnings.count < 20 { warnings.append(message) }
    }

    // MARK: The end

    /// Ties the rows together, checks them and makes them the store.
    func finish() throws {
        try refuseMissing()
        for (root, alias, primaryKey) in aliases { try redirect(root, from: alias, to: primaryKey) }
        for entity in schema.entities where counts[entity.number] != nil {
            for (slot, kind) in entity.layout.kinds.enumerated() {
                guard case .toOne(let relationship) = kind, case .toOne(let key, let number, let order) = entity.storage[slot]
                else { continue }
                if let number { try setEntityNumbers(entity, key, number, relationship) }
                if let order { try setOrder(entity, key, order) }
                try setInverse(entity, slot, key, relationship)
            }
        }
        try refuseDuplicates()
        try writer.finish()
    }

    private func refuseMissing() throws {
        let missing = tables.values.flatMap { table in table.missing.values.map { (table, $0) } }
        let first = missing.min { ($0.1.position.file, $0.1.position.line ?? 0, $0.1.position.record ?? 0) < ($1.1.position.file, $1.1.position.line ?? 0, $1.1.position.record ?? 0) }
        guard let (table, reference) = first else { return }
        let others = missing.count > 1 ? " (and \(missing.count - 1) more such references)" : ""
        throw SourceError(
            position: reference.position,
            message: "there is no \(table.entity.name) with the \(table.attributeName) '\(reference.text)'\(others)",
            value: reference.text)
    }

    private func redirect(_ root: SQLEntity, from alias: Int64, to primaryKey: Int64) throws {
        for entity in schema.entities {
            for (slot, kind) in entity.layout.kinds.enumerated() {
                guard case .toOne(let relationship) = kind, relationship.entity === entity.description,
                    case .toOne(let key, _, _) = entity.storage[slot],
                    let destination = relationship.destinationEntity.flatMap(schema.entity), self.root(destination) === root
                else { continue }
                let statement = try writer.connection.statement(
                    "UPDATE \(entity.table.name) SET \(key.name) = ? WHERE \(key.name) = ?")
                statement.bind(1, primaryKey)
                statement.bind(2, alias)
                try statement.run()
            }
        }
    }

    /// Where a destination has sub-entities, a row says which entity its object is of.
    private func setEntityNumbers(
        _ entity: SQLEntity, _ key: SQLColumn, _ number: SQLColumn, _ relationship: NSRelationshipDescription
    ) throws {
        guard let destination = relationship.destinationEntity.flatMap(schema.entity) else { return }
        try writer.connection.execute(
            "UPDATE \(entity.table.name) SET \(number.name) = (SELECT Z_ENT FROM \(destination.table.name) d"
                + " WHERE d.Z_PK = \(entity.table.name).\(key.name)) WHERE \(key.name) IS NOT NULL")
    }

    /// Positions in ordered relationships follow the order of the rows, after what the store has.
    private func setOrder(_ entity: SQLEntity, _ key: SQLColumn, _ order: SQLColumn) throws {
        let (table, key, order) = (entity.table.name, key.name, order.name)
        let last = "IFNULL((SELECT MAX(o.\(order)) FROM \(table) o WHERE o.\(key) = n.\(key)), \(SQLOrderKey.first - SQLOrderKey.step))"
        try writer.connection.execute(
            "UPDATE \(table) SET \(order) = f.position FROM (SELECT n.Z_PK AS pk, \(last) + \(SQLOrderKey.step) *"
                + " ROW_NUMBER() OVER (PARTITION BY n.\(key) ORDER BY n.Z_PK) AS position FROM \(table) n"
                + " WHERE n.\(key) IS NOT NULL AND n.\(order) IS NULL) f WHERE f.pk = \(table).Z_PK")
    }

    /// A one-to-one relationship has a key on both sides: fills the other one, and refuses two rows for one object.
    private func setInverse(
        _ entity: SQLEntity, _ slot: Int, _ key: SQLColumn, _ relationship: NSRelationshipDescription
    ) throws {
        guard let inverse = relationship.inverseRelationship, !inverse.isToMany,
            let destination = relationship.destinationEntity.flatMap(schema.entity),
            let inverseSlot = destination.layout.slot(inverse.name),
            case .toOne(let inverseKey, let inverseNumber, _) = destination.storage[inverseSlot]
        else { return }
        let (table, other) = (entity.table.name, destination.table.name)
        let twice = try writer.connection.statement(
            "SELECT \(key.name), MAX(Z_PK) FROM \(table) WHERE \(key.name) IS NOT NULL GROUP BY 1 HAVING COUNT(*) > 1 LIMIT 1")
        defer { twice.reset() }
        if try twice.step() {
            throw conflict(entity, twice.int(1), "another \(entity.name) has the same \(relationship.name)")
        }
        if let inverseNumber {
            try writer.connection.execute(
                "UPDATE \(other) SET \(inverseNumber.name) = (SELECT s.Z_ENT FROM \(table) s WHERE s.\(key.name) = \(other).Z_PK)"
                    + " WHERE Z_PK IN (SELECT \(key.name) FROM \(table)) AND \(inverseKey.name) IS NULL")
        }
        try writer.connection.execute(
            "UPDATE \(other) SET \(inverseKey.name) = (SELECT s.Z_PK FROM \(table) s WHERE s.\(key.name) = \(other).Z_PK)"
                + " WHERE Z_PK IN (SELECT \(key.name) FROM \(table)) AND \(inverseKey.name) IS NULL")
        let differing = try writer.connection.statement(
            "SELECT s.Z_PK FROM \(table) s JOIN \(other) d ON d.Z_PK = s.\(key.name) WHERE d.\(inverseKey.name) <> s.Z_PK LIMIT 1")
        defer { differing.reset() }
        if try differing.step() {
            throw conflict(
                entity, differing.int(0), "its \(relationship.name) has another \(entity.name) as its \(inverse.name)")
        }
    }

    private func conflict(_ entity: SQLEntity, _ primaryKey: Int64, _ message: String) -> any Error {
        let position = origin(entity, primaryKey) ?? SourcePosition(file: writer.connection.url.path)
        return SourceError(position: position, message: "\(entity.name): \(message)")
    }

    // MARK: Uniqueness

    /// A new store is indexed when it is full: before that, rows with equal unique keys are found and named.
    private func refuseDuplicates() throws {
        guard writer.isNew else { return }
        for entity in schema.entities {
            for names in entity.description.uniquenessConstraintNames { try refuseDuplicates(of: names, in: entity) }
        }
    }

    private func refuseDuplicates(of names: [String], in entity: SQLEntity) throws {
        let columns = names.compactMap { schema.column(of: $0, in: entity) }
        guard columns.count == names.count, !columns.isEmpty else { return }
        let list = columns.joined(separator: ", ")
        // Rows with NULL are never equal to others, as in the unique index.
        let given = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
        let statement = try writer.connection.statement(
            "SELECT MIN(Z_PK), MAX(Z_PK), \(list) FROM \(entity.table.name) WHERE \(given)"
                + " GROUP BY \(list) HAVING COUNT(*) > 1 ORDER BY 2 LIMIT 1")
        defer { statement.reset() }
        guard try statement.step() else { return }
        let value = columns.indices.map { statement.string(Int32($0) + 2) }.joined(separator: ", ")
        throw duplicate(entity, names, value, statement.int(0), statement.int(1))
    }

    private func duplicate(
        _ entity: SQLEntity, _ names: [String], _ value: String, _ first: Int64, _ second: Int64
    ) -> SourceError {
        var places = [origin(entity, first), origin(entity, second)].compactMap(\.self)
        places.sort { ($0.file, $0.line ?? 0) < ($1.file, $1.line ?? 0) }
        let before = places.count > 1 ? places[0].description : "the store"
        return SourceError(
            position: places.last ?? SourcePosition(file: entity.name),
            message: "another \(entity.name) with the \(names.joined(separator: ", ")) '\(value)' is at \(before)", value: value)
    }

    /// The error for a row that an index of an existing store refused.
    func duplicate(_ entity: SQLEntity, _ values: [SlotValue], at position: SourcePosition) throws -> SourceError? {
        for candidate in sequence(first: entity.description, next: \.superentity) {
            for names in candidate.uniquenessConstraintNames {
                let slots = names.compactMap { entity.layout.slot($0) }
                let columns = names.compactMap { schema.column(of: $0, in: entity) }
                guard slots.count == names.count, columns.count == names.count else { continue }
                let condition = columns.map { "\($0) = ?" }.joined(separator: " AND ")
                let statement = try writer.connection.statement("SELECT Z_PK FROM \(entity.table.name) WHERE \(condition)")
                defer { statement.reset() }
                for (index, slot) in slots.enumerated() { try statement.bindSlot(Int32(index) + 1, values[slot]) }
                guard try statement.step() else { continue }
                let value = slots.map { AttributeText.text(values[$0]) }.joined(separator: ", ")
                let before = origin(entity, statement.int(0))?.description ?? "the store already"
                return SourceError(
                    position: position,
                    message: "another \(entity.name) with the \(names.joined(separator: ", ")) '\(value)' is at \(before)"
                        .replacingOccurrences(of: "is at the store already", with: "is in the store already"),
                    value: value)
            }
        }
        return nil
    }
}

/// For each row of a table the file and line that it came from, in eight bytes.
struct RowOrigins {
    private var packed: [UInt64] = []
    private var firstKey: Int64 = 0

    mutating func note(_ primaryKey: Int64, file: Int, line: Int) {
        if packed.isEmpty { firstKey = primaryKey }
        if primaryKey < firstKey {  // a promised key that comes late
            packed.insert(contentsOf: repeatElement(0, count: Int(firstKey - primaryKey)), at: 0)
            firstKey = primaryKey
        }
        let index = Int(primaryKey - firstKey)
        while packed.count <= index { packed.append(0) }
        packed[index] = UInt64(file) << 40 | UInt64(line)
    }

    func origin(_ primaryKey: Int64) -> (file: Int, line: Int)? {
        let index = primaryKey - firstKey
        guard index >= 0, index < packed.count, packed[Int(index)] != 0 else { return nil }
        return (Int(packed[Int(index)] >> 40), Int(packed[Int(index)] & 0xff_ffff_ffff))
    }
}

/// A value of a row of the store, as the attribute has it.
enum StoredValue {
    static func read(_ statement: SQLiteStatement, _ column: Int32, _ type: NSAttributeType) -> SlotValue {
        switch type {
        case .stringAttributeType: .string(statement.string(column))
        case .URIAttributeType: URL(string: statement.string(column)).map { .uri($0) } ?? .null
        case .UUIDAttributeType: statement.uuid(column).map { .uuid($0) } ?? .null
        case .doubleAttributeType, .floatAttributeType: .real(statement.double(column))
        case .dateAttributeType: .date(statement.double(column))
        case .decimalAttributeType: Decimal(string: "\(statement.double(column))").map { .decimal($0) } ?? .null
        default: .integer(statement.int(column))
        }
    }
}

/// A value as a message shows it.
enum AttributeText {
    static func text(_ value: SlotValue) -> String { ReferenceKey(value).map { "\($0)" } ?? "" }
}
