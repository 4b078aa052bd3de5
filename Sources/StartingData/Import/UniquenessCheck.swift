import CoreData

/// Finds rows with equal unique keys, and names both.
struct UniquenessCheck {
    private let session: ImportSession

    init(_ session: ImportSession) { self.session = session }

    /// A new store is indexed when it is full: before that, equal keys are looked for.
    func refuseDuplicates() throws {
        guard session.writer.isNew else { return }
        for entity in session.schema.entities {
            for names in entity.description.uniquenessConstraintNames { try refuseDuplicates(of: names, in: entity) }
        }
    }

    private func refuseDuplicates(of names: [String], in entity: SQLEntity) throws {
        let columns = names.compactMap { session.schema.column(of: $0, in: entity) }
        guard columns.count == names.count, !columns.isEmpty else { return }
        let list = columns.joined(separator: ", ")
        // Rows with NULL are never equal to others, as in the unique index.
        let given = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
        let statement = try session.writer.connection.statement(
            "SELECT MIN(Z_PK), MAX(Z_PK) FROM \(entity.table.name) WHERE \(given)"
                + " GROUP BY \(list) HAVING COUNT(*) > 1 ORDER BY 2 LIMIT 1")
        defer { statement.reset() }
        guard try statement.step() else { return }
        let rows = [statement.int(0), statement.int(1)].compactMap { session.origin(entity, $0) }.sorted()
        guard let first = rows.first, let second = rows.last else { return }
        throw try error(entity, names, at: second, before: first)
    }

    /// The error for a row that an index of the store refused; nil when no constraint of the model explains it.
    func error(_ entity: SQLEntity, _ values: [SlotValue], at origin: RowOrigin) throws -> SourceError? {
        for candidate in sequence(first: entity.description, next: \.superentity) {
            for names in candidate.uniquenessConstraintNames {
                guard let primaryKey = try row(with: names, of: values, in: entity) else { continue }
                return try error(entity, names, at: origin, before: session.origin(entity, primaryKey))
            }
        }
        return nil
    }

    private func row(with names: [String], of values: [SlotValue], in entity: SQLEntity) throws -> Int64? {
        let slots = names.compactMap { entity.layout.slot($0) }
        let columns = names.compactMap { session.schema.column(of: $0, in: entity) }
        guard slots.count == names.count, columns.count == names.count else { return nil }
        let condition = columns.map { "\($0) = ?" }.joined(separator: " AND ")
        let statement = try session.writer.connection.statement(
            "SELECT Z_PK FROM \(entity.table.name) WHERE \(condition)")
        defer { statement.reset() }
        for (index, slot) in slots.enumerated() { try statement.bindSlot(Int32(index) + 1, values[slot]) }
        return try statement.step() ? statement.int(0) : nil
    }

    private func error(
        _ entity: SQLEntity, _ names: [String], at origin: RowOrigin, before: RowOrigin?
    ) throws -> SourceError {
        // The earlier place first: both may be in one file, whose reader is at one record at a time.
        let earlier =
            try before.map { "at \(try session.position(of: $0, names[0]).position)" } ?? "in the store already"
        let texts = try names.map { try session.position(of: origin, $0).text ?? "" }
        let value = texts.joined(separator: ", ")
        return SourceError(
            position: try session.position(of: origin, names[0]).position,
            message: "another \(entity.name) with the \(names.joined(separator: ", ")) '\(value)' is \(earlier)",
            value: value)
    }
}
