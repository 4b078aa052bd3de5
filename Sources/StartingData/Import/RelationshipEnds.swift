import CoreData

/// What is done for relationships when all rows are there: the columns that depend on the row at the other end.
struct RelationshipEnds {
    private let session: ImportSession

    /// A to-one relationship of an entity that got rows, or of one of its super-entities.
    private struct Relationship {
        let entity: SQLEntity
        let destination: SQLEntity
        let name: String
        let key: SQLColumn
        /// The column for the number of the destination's entity.
        let number: SQLColumn?
        /// The column for the position in an ordered inverse.
        let order: SQLColumn?
        /// The columns of the other end of a one-to-one relationship.
        let inverse: (name: String, key: SQLColumn, number: SQLColumn?)?

        var table: String { entity.table.name }
    }

    init(_ session: ImportSession) { self.session = session }

    private var connection: SQLiteConnection { session.writer.connection }

    /// Fills the columns, and refuses rows that contradict each other.
    func tie() throws {
        try redirectAliases()
        let relationships = session.schema.entities.filter { entity in
            entity.numbers.contains { session.counts[$0] > 0 }
        }
        .flatMap(relationships)
        // All checks come before the first change: a filled end would look like one that a file gave.
        for relationship in relationships { try refuseConflicts(relationship) }
        for relationship in relationships {
            try setEntityNumbers(relationship)
            try setOrder(relationship)
            try fillInverse(relationship)
        }
        try refuseEmptyMandatoryEnds()
    }

    private func relationships(of entity: SQLEntity) -> [Relationship] {
        entity.layout.kinds.enumerated().compactMap { slot, kind in
            guard case .toOne(let description) = kind, description.entity === entity.description,
                case .toOne(let key, let number, let order) = entity.storage[slot],
                let destination = description.destinationEntity.flatMap(session.schema.entity)
            else { return nil }
            var inverse: (String, SQLColumn, SQLColumn?)?
            if let other = description.inverseRelationship, !other.isToMany,
                let otherSlot = destination.layout.slot(other.name),
                case .toOne(let key, let number, _) = destination.storage[otherSlot]
            {
                inverse = (other.name, key, number)
            }
            return Relationship(
                entity: entity, destination: destination, name: description.name, key: key, number: number,
                order: order,
                inverse: inverse)
        }
    }

    /// Where two attributes led to one row before it was there, it has one of the two keys: mends the other's uses.
    private func redirectAliases() throws {
        for (root, aliases) in session.references.aliases {
            try connection.execute("CREATE TEMP TABLE alias (key INTEGER PRIMARY KEY, row INTEGER)")
            let insert = try connection.statement("INSERT INTO temp.alias VALUES (?, ?)")
            for (alias, primaryKey) in aliases {
                insert.bind(1, alias)
                insert.bind(2, primaryKey)
                try insert.run()
            }
            for relationship in session.schema.entities.flatMap(relationships)
            where (relationship.destination.root ?? relationship.destination).number == root {
                let key = relationship.key.name
                try connection.execute(
                    "UPDATE \(relationship.table) SET \(key) = (SELECT row FROM temp.alias WHERE alias.key = \(key))"
                        + " WHERE \(key) IN (SELECT key FROM temp.alias)")
            }
            try connection.execute("DROP TABLE temp.alias")
        }
    }

    /// Where a destination has sub-entities, a row says which entity its object is of.
    private func setEntityNumbers(_ relationship: Relationship) throws {
        guard let number = relationship.number else { return }
        let (table, key) = (relationship.table, relationship.key.name)
        try connection.execute(
            "UPDATE \(table) SET \(number.name) = (SELECT Z_ENT FROM \(relationship.destination.table.name) d"
                + " WHERE d.Z_PK = \(table).\(key)) WHERE \(key) IS NOT NULL AND \(isNew(relationship.entity))")
    }

    private func isNew(_ entity: SQLEntity) -> String { "Z_PK >= \(session.writer.firstNewKey(entity))" }

    // MARK: Ordered inverses

    /// Positions in ordered relationships follow the order of the records, after what the store has.
    private func setOrder(_ relationship: Relationship) throws {
        guard let order = relationship.order else { return }
        let (table, key) = (relationship.table, relationship.key.name)
        var last = try lastPositions(relationship, order)
        let rows = try connection.statement(
            "SELECT Z_PK, \(key) FROM \(table) WHERE \(key) IS NOT NULL AND \(order.name) IS NULL"
                + " AND \(isNew(relationship.entity))"
        )
        var found: [(row: Int64, owner: Int64, origin: RowOrigin)] = []
        while try rows.step() {
            guard let origin = session.origin(relationship.entity, rows.int(0)) else { continue }
            found.append((rows.int(0), rows.int(1), origin))
        }
        rows.reset()
        let update = try connection.statement("UPDATE \(table) SET \(order.name) = ? WHERE Z_PK = ?")
        for (row, owner, _) in found.sorted(by: { $0.origin < $1.origin }) {
            let position = last[owner].map { $0 + SQLOrderKey.step } ?? SQLOrderKey.first
            last[owner] = position
            update.bind(1, position)
            update.bind(2, row)
            try update.run()
        }
    }

    private func lastPositions(_ relationship: Relationship, _ order: SQLColumn) throws -> [Int64: Int64] {
        if session.writer.isNew { return [:] }
        let key = relationship.key.name
        let statement = try connection.statement(
            "SELECT \(key), MAX(\(order.name)) FROM \(relationship.table) WHERE \(order.name) IS NOT NULL GROUP BY 1")
        defer { statement.reset() }
        var last: [Int64: Int64] = [:]
        while try statement.step() { last[statement.int(0)] = statement.int(1) }
        return last
    }

    // MARK: One-to-one

    /// A one-to-one relationship has a key on both sides: refuses two rows for one object, and ends that disagree.
    private func refuseConflicts(_ relationship: Relationship) throws {
        guard let inverse = relationship.inverse else { return }
        let (table, key, entity) = (relationship.table, relationship.key.name, relationship.entity)
        let twice = try connection.statement(
            "SELECT MIN(Z_PK), MAX(Z_PK) FROM \(table) WHERE \(key) IS NOT NULL GROUP BY \(key)"
                + " HAVING COUNT(*) > 1 AND MAX(\(isNew(entity))) ORDER BY 2 LIMIT 1")
        defer { twice.reset() }
        if try twice.step() {
            let rows = [twice.int(0), twice.int(1)].compactMap { session.origin(entity, $0) }.sorted()
            throw try conflict(relationship, rows.last, "another \(entity.name) has the same \(relationship.name)")
        }
        let differing = try connection.statement(
            "SELECT s.Z_PK FROM \(table) s JOIN \(relationship.destination.table.name) d ON d.Z_PK = s.\(key)"
                + " WHERE d.\(inverse.key.name) <> s.Z_PK AND s.\(isNew(entity)) ORDER BY 1 LIMIT 1")
        defer { differing.reset() }
        if try differing.step() {
            throw try conflict(
                relationship, session.origin(entity, differing.int(0)),
                "its \(relationship.name) has another \(entity.name) as its \(inverse.name)")
        }
    }

    private func conflict(_ relationship: Relationship, _ origin: RowOrigin?, _ message: String) throws -> any Error {
        let place = try origin.map { try session.position(of: $0, relationship.name) }
        return SourceError(
            position: place?.position ?? SourcePosition(file: session.writer.url.lastPathComponent),
            message:
                "\(relationship.entity.name).\(relationship.name): \(message)\(place?.text.map { ": '\($0)'" } ?? "")",
            value: place?.text)
    }

    /// Gives the other end its key. A row that was in the store before counts the change in its version.
    private func fillInverse(_ relationship: Relationship) throws {
        guard let inverse = relationship.inverse else { return }
        let (table, other) = (relationship.table, relationship.destination.table.name)
        let number = inverse.number.map { ", \($0.name) = s.Z_ENT" } ?? ""
        let version =
            session.writer.isNew ? "" : ", Z_OPT = \(other).Z_OPT + NOT (\(other).\(isNew(relationship.destination)))"
        try connection.execute(
            "UPDATE \(other) SET \(inverse.key.name) = s.Z_PK\(number)\(version) FROM \(table) s"
                + " WHERE s.\(relationship.key.name) = \(other).Z_PK AND \(other).\(inverse.key.name) IS NULL"
                + " AND s.\(isNew(relationship.entity))"
        )
    }

    /// The mandatory end of a one-to-one relationship may be filled by the other end's record: so it is checked here.
    private func refuseEmptyMandatoryEnds() throws {
        for entity in session.schema.entities where session.counts[entity.number] > 0 {
            for (slot, kind) in entity.layout.kinds.enumerated() {
                guard case .toOne(let description) = kind, !description.isOptional,
                    description.inverseRelationship?.isToMany == false,
                    case .toOne(let key, _, _) = entity.storage[slot]
                else { continue }
                let statement = try connection.statement(
                    "SELECT Z_PK FROM \(entity.table.name) WHERE Z_ENT = \(entity.number)"
                        + " AND \(key.name) IS NULL AND \(isNew(entity)) ORDER BY 1 LIMIT 1"
                )
                defer { statement.reset() }
                guard try statement.step(), let origin = session.origin(entity, statement.int(0)) else { continue }
                throw SourceError(
                    position: try session.position(of: origin, description.name).position,
                    message: "\(entity.name).\(description.name) is mandatory, and no record gives it a value")
            }
        }
    }
}
