import FoundationSupplement
import ManagedObjectModel

extension SQLiteStore {
    /// The objects to be saved whose values for a uniqueness constraint another one, or a row, has too.
    func uniquenessConflicts(_ changes: SaveChanges, in context: NSManagedObjectContext) throws -> SaveConflicts {
        var conflicts = SaveConflicts()
        let leaving = Set(changes.deleted.map(\.primaryKey))
        // By constraint, and by its values in text: the objects of the context that have them.
        for (constraint, objects) in constrained(changes.inserted + changes.updated) {
            var groups: [[ConstraintValue]: [NSManagedObject]] = [:]
            for object in objects {
                guard let values = constraint.values(of: object) else { continue }
                groups[values, default: []].append(object)
            }
            let moving = Dictionary(
                objects.filter { !$0.isInserted }.map { ($0.primaryKey, constraint.values(of: $0)) }
            ) { first, _ in first }
            for (values, members) in groups.sorted(by: { ($0.value[0].primaryKey) < ($1.value[0].primaryKey) }) {
                let found = try row(with: members[0], constraint) { key in
                    !leaving.contains(key) && !members.contains { !$0.isInserted && $0.primaryKey == key }
                        && (moving[key].map { $0 == values } ?? true)
                }
                guard members.count > 1 || found != nil else { continue }
                let saved = members.filter { !$0.isInserted }, new = members.filter(\.isInserted)
                let rowID = try found.flatMap { key, entity -> (NSManagedObjectID, Row?) in
                    let id = NSManagedObjectID(entity, primaryKey: key, space: space(of: entity))
                    return (id, try writtenRow(entity, key))
                }
                conflicts.uniqueness.append(
                    UniquenessConflict(
                        constraint: constraint.names, objects: saved + new, rowID: rowID?.0, row: rowID?.1))
            }
        }
        return conflicts
    }

    /// Takes away the unique values of rows that get others, so that rows can trade them.
    func clearUniqueValues(_ objects: [NSManagedObject]) throws {
        for (constraint, members) in constrained(objects) {
            let assignments = constraint.columns.map { "\($0) = NULL" }.joined(separator: ", ")
            let statement = try connection.statement("UPDATE \(constraint.table) SET \(assignments) WHERE Z_PK = ?")
            for object in members
            where !Set(object.changedSlots).isDisjoint(with: constraint.names.compactMap { object.layout.slot($0) }) {
                statement.bind(1, object.objectID.primaryKey)
                try statement.run()
            }
        }
    }

    private func constrained(_ objects: [NSManagedObject]) -> [(Constraint, [NSManagedObject])] {
        var result: [(Constraint, [NSManagedObject])] = []
        let byEntity = Dictionary(grouping: objects, by: { $0.entity.name ?? "" }).sorted { $0.key < $1.key }
        for (_, members) in byEntity {
            guard let entity = members.first?.entity, let table = schema.entity(entity) else { continue }
            for constraint in Constraint.all(of: entity, table) {
                if let at = result.firstIndex(where: { $0.0 == constraint }) {
                    result[at].1 += members
                } else {
                    result.append((constraint, members))
                }
            }
        }
        return result
    }

    /// A row, other than those left out, that has the values of an object.
    private func row(
        with object: NSManagedObject, _ constraint: Constraint, where isOther: (Int64) -> Bool
    ) throws -> (Int64, NSEntityDescription)? {
        let conditions = constraint.columns.map { "\($0) = ?" }.joined(separator: " AND ")
        let statement = try connection.statement(
            "SELECT Z_PK, Z_ENT FROM \(constraint.table) WHERE \(conditions) ORDER BY Z_PK")
        defer { statement.reset() }
        for (index, name) in constraint.names.enumerated() {
            guard let slot = object.layout.slot(name) else { return nil }
            try statement.bindSlot(Int32(index) + 1, object.slotValue(slot))
        }
        while try statement.step() {
            let key = statement.int(0)
            guard isOther(key), let entity = schema.entity(number: statement.int(1)) else { continue }
            return (key, entity.description)
        }
        return nil
    }
}

/// A uniqueness constraint in terms of a table.
private struct Constraint: Hashable {
    let table: String
    let names: [String]
    let columns: [String]

    /// The constraints of an entity, with those that it inherits.
    static func all(of entity: NSEntityDescription, _ table: SQLEntity) -> [Constraint] {
        var result: [Constraint] = []
        var current: NSEntityDescription? = entity
        while let entity = current {
            for constraint in entity.uniquenessConstraints {
                let names = constraint.compactMap { $0 as? String ?? ($0 as? NSAttributeDescription)?.name }
                let columns = names.compactMap { name -> String? in
                    guard let slot = table.layout.slot(name) else { return nil }
                    switch table.storage[slot] {
                    case .column(let column), .toOne(let column, _, _): return column.name
                    case .none, .composite, .toMany, .join: return nil
                    }
                }
                if columns.count == names.count, !names.isEmpty {
                    result.append(Constraint(table: table.table.name, names: names, columns: columns))
                }
            }
            current = entity.superentity
        }
        return result
    }

    /// The object's values; nil if one is null, which is never the same as another.
    func values(of object: NSManagedObject) -> [ConstraintValue]? {
        var result: [ConstraintValue] = []
        for name in names {
            guard let slot = object.layout.slot(name) else { return nil }
            let value = object.slotValue(slot)
            if value.isNull { return nil }
            result.append(ConstraintValue(value: value))
        }
        return result
    }
}

/// A value as a constraint compares it.
private struct ConstraintValue: Hashable {
    let value: SlotValue

    static func == (a: Self, b: Self) -> Bool { a.value.isSame(as: b.value) }

    func hash(into hasher: inout Hasher) {
        switch value {
        case .string(let text): for unit in text.utf8 { hasher.combine(unit) }
        case .integer(let number): hasher.combine(number)
        case .real(let number), .date(let number): hasher.combine(number)
        case .data(let data): hasher.combine(data)
        case .external(let value): hasher.combine(try? value.data())
        case .uuid(let uuid): hasher.combine(uuid)
        case .uri(let url): hasher.combine(url)
        case .decimal(let decimal): hasher.combine(decimal)
        case .null, .composite, .transformed, .reference, .object, .toMany, .fetched: break
        }
    }
}
