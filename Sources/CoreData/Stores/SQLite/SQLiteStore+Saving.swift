import CSQLite
import FoundationSupplement
import ManagedObjectModel

extension SQLiteStore {
    func saveChanges(_ changes: SaveChanges, in context: NSManagedObjectContext) throws -> SaveOutcome {
        do {
            do {
                return try inTransaction { try write(changes, in: context) }
            } catch let error as SQLiteError where error.isConstraintViolation {
                // Versions first: a value that somebody else has changed meanwhile may be what conflicts.
                let versions = try versionConflicts(changes)
                if !versions.isEmpty { throw versions }
                let conflicts = try uniquenessConflicts(changes, in: context)
                if !conflicts.isEmpty { throw conflicts }
                // The values are unique in the end, and only on the way there they weren't: rows that trade theirs.
                return try inTransaction { try write(changes, in: context, clearingFirst: true) }
            }
        } catch let error as SQLiteError {
            throw error.cocoaError(error.isConstraintViolation ? .managedObjectConstraintMerge : .sqlite, url: url)
        }
    }

    /// Runs `body` in a transaction, and does with the files of large values what becomes of it.
    private func inTransaction<R>(_ body: () throws -> R) throws -> R {
        do {
            let result = try connection.transaction {
                let result = try body()
                try externalData?.prepareCommit()
                return result
            }
            externalData?.commit(readers)
            return result
        } catch {
            externalData?.rollBack()
            throw error
        }
    }

    private func write(
        _ changes: SaveChanges, in context: NSManagedObjectContext, clearingFirst: Bool = false
    ) throws -> SaveOutcome {
        try writeMetadata()
        let history = try beginHistory(changes, in: context)
        var conflicts = SaveConflicts()
        // Keys first: rows refer to rows that come later.
        let keys = NewIdentifiers(changes.inserted, try allocateKeys(changes.inserted))
        var (newRows, updatedRows): ([Row], [Row]) = ([], [])
        newRows.reserveCapacity(changes.inserted.count)
        func key(_ value: SlotValue) throws -> (Int64, Int)? {
            switch value {
            case .reference(let key, let number): return (key, Int(number))
            case .object(let object):
                // An object that was inserted and deleted before it was ever saved has no row.
                if object.isGone, object.objectID.isTemporaryID { return nil }
                let id = try identifier(of: object, keys)
                return (id.primaryKey, Int(number(of: id.entity)))
            default: return nil
            }
        }
        // Deletions, then updates: a new row may take a unique value that they give up.
        for object in changes.deleted where try !delete(object, history) {
            try conflicts.versions.append(conflict(object))
        }
        if clearingFirst { try clearUniqueValues(changes.updated) }
        for object in changes.updated {
            if let row = try update(object, key, history) {
                updatedRows.append(row)
            } else {
                try conflicts.versions.append(conflict(object))
            }
        }
        for object in changes.locked where try !isCurrent(object) { try conflicts.versions.append(conflict(object)) }
        if !conflicts.isEmpty { throw conflicts }
        for (object, id) in zip(changes.inserted, keys.ids) {
            let entity = try sqlEntity(object.entity)
            let writer = try writer(entity)
            let values = try writer.externalized(object.slots)
            try writer.insert(primaryKey: id.primaryKey, values, key: key)
            newRows.append(Row(version: 1, values: try rowValues(values, key)))
            try history?.noteInsertion(entity, id.primaryKey)
        }
        for object in changes.inserted + changes.updated { try writeToMany(object, keys) }
        return SaveOutcome(identifiers: keys.ids, rows: newRows + updatedRows)
    }

    /// The ID of an object at the other end of a relationship: of a row that this store has, or is about to get.
    private func identifier(of object: NSManagedObject, _ keys: NewIdentifiers) throws -> NSManagedObjectID {
        let id = keys.identifier(of: object)
        guard !id.isTemporaryID, id.persistentStore === self else {
            throw CocoaError(
                .managedObjectExternalRelationship,
                userInfo: [NSLocalizedDescriptionKey: "\(object.objectID) is not in this store and can't be related to"]
            )
        }
        return id
    }

    /// The values of an object as its row has them.
    private func rowValues(_ values: [SlotValue], _ key: (SlotValue) throws -> (Int64, Int)?) throws -> [SlotValue] {
        // Mostly the object and its row can share what they have.
        guard values.contains(where: \.differsInRow) else { return values }
        return try values.map { value in
            switch value {
            case .object:
                guard let (primaryKey, number) = try key(value) else { return .null }
                return .reference(key: primaryKey, entity: Int32(number))
            case .toMany, .fetched: return .null
            case .transformed(let object): return try Transformation.storedValue(object)
            default: return value
            }
        }
    }

    /// Writes what has changed; the new row, or nil when the row isn't as the object knows it any more.
    private func update(
        _ object: NSManagedObject, _ key: (SlotValue) throws -> (Int64, Int)?, _ history: HistoryTransaction?
    ) throws -> Row? {
        let entity = try sqlEntity(object.entity)
        let version = object.row?.version ?? 1
        guard version < .max else { throw corrupt("Z_OPT of \(object.objectID) is \(version)") }
        let changed = object.changedSlots
        let writer = try writer(entity)
        let values = try writer.externalized(object.slots, slots: changed)
        try writer.retireFiles(primaryKey: object.primaryKey, slots: changed)
        let isWritten = try writer.update(
            primaryKey: object.primaryKey, version: version, slots: changed, values, key: key)
        guard isWritten else { return nil }
        try history?.noteUpdate(entity, object.primaryKey, changed)
        try clearOrders(of: object, changed, entity)
        return Row(version: version + 1, values: try rowValues(values, key))
    }

    /// An object that left an ordered relationship has no position in it any more.
    private func clearOrders(of object: NSManagedObject, _ changed: [Int], _ entity: SQLEntity) throws {
        for slot in changed {
            guard case .toOne(_, _, let order?) = entity.storage[slot], object.slots[slot].isNull else { continue }
            let statement = try connection.statement(
                "UPDATE \(entity.table.name) SET \(order.name) = NULL WHERE Z_PK = ?")
            statement.bind(1, object.objectID.primaryKey)
            try statement.run()
        }
    }

    /// False when the row is there, but not as the object knows it.
    private func delete(_ object: NSManagedObject, _ history: HistoryTransaction?) throws -> Bool {
        guard let entity = schema.entity(object.entity) else { return true }
        let key = object.objectID.primaryKey
        try writer(entity).retireFiles(primaryKey: key)
        try history?.noteDeletion(entity, key)
        guard try deleteRow(object, entity) else { return false }
        for (slot, storage) in entity.storage.enumerated() {
            switch storage {
            case .join(let table, let own, _, _, _, _):
                for column in table.columns.contains("REFLEXIVE") ? table.columns : [own] {
                    try run("DELETE FROM \(table.name) WHERE \(column) = ?", key)
                }
            case .toMany(let column, _, let order, let destination):
                // Where the other end has an inverse, the delete rule has said what becomes of it.
                guard case .toMany(let relationship) = entity.layout.kinds[slot],
                    relationship.inverseRelationship == nil
                else { continue }
                let columns = [column.name] + (order.map { [$0.name] } ?? [])
                let assignments = columns.map { "\($0) = NULL" }.joined(separator: ", ")
                try run("UPDATE \(destination.table.name) SET \(assignments) WHERE \(column.name) = ?", key)
            case .none, .column, .composite, .toOne: continue
            }
        }
        return true
    }

    /// Deletes a row that is still as the object knows it; one that somebody else has deleted is no conflict.
    private func deleteRow(_ object: NSManagedObject, _ entity: SQLEntity) throws -> Bool {
        let (table, key) = (entity.table.name, object.objectID.primaryKey)
        guard let version = object.row?.version else {
            try run("DELETE FROM \(table) WHERE Z_PK = ?", key)
            return true
        }
        let statement = try connection.statement("DELETE FROM \(table) WHERE Z_PK = ? AND Z_OPT = ?")
        statement.bind(1, key)
        statement.bind(2, version)
        try statement.run()
        guard connection.changes == 0 else { return true }
        let rest = try connection.statement("SELECT 1 FROM \(table) WHERE Z_PK = ?")
        rest.bind(1, key)
        let isThere = try rest.step()
        rest.reset()
        return !isThere
    }

    private func versionConflicts(_ changes: SaveChanges) throws -> SaveConflicts {
        var conflicts = SaveConflicts()
        for object in changes.updated + changes.deleted + changes.locked where try !isCurrent(object) {
            let conflict = try conflict(object)
            // Two deletions are none.
            if !object.isDeleted || conflict.newRow != nil { conflicts.versions.append(conflict) }
        }
        return conflicts
    }

    /// Whether the row is still as the object knows it.
    private func isCurrent(_ object: NSManagedObject) throws -> Bool {
        guard let entity = schema.entity(object.entity), let version = object.row?.version else { return true }
        let statement = try connection.statement("SELECT Z_OPT FROM \(entity.table.name) WHERE Z_PK = ?")
        defer { statement.reset() }
        statement.bind(1, object.objectID.primaryKey)
        return try statement.step() && statement.int(0) == version
    }

    private func run(_ sql: String, _ key: Int64) throws {
        let statement = try connection.statement(sql)
        statement.bind(1, key)
        try statement.run()
    }

    func corrupt(_ what: String) -> CocoaError { CocoaError.store(.fileReadCorruptFile, url, what) }

    private func conflict(_ object: NSManagedObject) throws -> VersionConflict {
        VersionConflict(object: object, newRow: try row(of: object), isCached: false)
    }

    private func row(of object: NSManagedObject) throws -> Row? {
        try writtenRow(object.entity, object.objectID.primaryKey)
    }

    // MARK: To-many relationships

    private func writeToMany(_ object: NSManagedObject, _ keys: NewIdentifiers) throws {
        guard !object.isFault, let entity = schema.entity(object.entity) else { return }
        for (slot, value) in object.slots.enumerated() {
            guard case .toMany(let relation) = value, relation.hasChanges else { continue }
            let source = keys.identifier(of: object).primaryKey
            let destination = { (other: NSManagedObject) in try self.identifier(of: other, keys).primaryKey }
            switch entity.storage[slot] {
            case .join(let table, let own, let other, _, let otherOrder, _):
                try writeJoins(relation, table, own, other, source, destination)
                if let otherOrder {
                    try writeOrder(relation, table.name, otherOrder, own: own, other: other, source, destination)
                }
            case .toMany(let key, _, let order, let target):
                if relation.relationship.inverseRelationship == nil {
                    try writeKeys(relation, target, key, order, source, destination)
                }
                if let order {
                    try writeOrder(
                        relation, target.table.name, order.name, own: key.name, other: "Z_PK", source, destination)
                }
            case .none where !relation.relationship.isTransient:
                // Of an entity outside of the store's configuration: such objects can only be another store's.
                for object in relation.added.objects where !object.isGone { _ = try destination(object) }
            case .none, .column, .composite, .toOne: break
            }
        }
    }

    private func writeJoins(
        _ relation: ToMany, _ table: SQLJoinTable, _ own: String, _ other: String, _ source: Int64,
        _ destination: (NSManagedObject) throws -> Int64
    ) throws {
        let remove = try connection.statement("DELETE FROM \(table.name) WHERE \(own) = ? AND \(other) = ?")
        for object in relation.removed.objects where !object.objectID.isTemporaryID {
            remove.bind(1, source)
            remove.bind(2, try destination(object))
            try remove.run()
        }
        // Both ends know of the pair and only one row is wanted.
        let add = try connection.statement("INSERT OR IGNORE INTO \(table.name) (\(own), \(other)) VALUES (?, ?)")
        for object in relation.added.objects where !object.isGone {
            add.bind(1, source)
            add.bind(2, try destination(object))
            try add.run()
        }
    }

    private func writeKeys(
        _ relation: ToMany, _ target: SQLEntity, _ key: SQLColumn, _ order: SQLColumn?, _ source: Int64,
        _ destination: (NSManagedObject) throws -> Int64
    ) throws {
        let position = order.map { ", \($0.name) = NULL" } ?? ""
        // Another owner may have taken the object meanwhile: then the key is no longer this one's to clear.
        let clear = try connection.statement(
            "UPDATE \(target.table.name) SET \(key.name) = NULL\(position) WHERE Z_PK = ? AND \(key.name) = ?")
        for object in relation.removed.objects where !object.objectID.isTemporaryID {
            clear.bind(1, try destination(object))
            clear.bind(2, source)
            try clear.run()
        }
        let set = try connection.statement("UPDATE \(target.table.name) SET \(key.name) = ? WHERE Z_PK = ?")
        for object in relation.added.objects where !object.isGone {
            set.bind(1, source)
            set.bind(2, try destination(object))
            try set.run()
        }
    }

    /// Positions are sparse, as Apple's are: 2048 for the first, 1024 more for each next one. Objects that came at the
    /// end get positions after the last; in another order, those that moved get positions between their neighbours.
    private func writeOrder(
        _ relation: ToMany, _ table: String, _ order: String, own: String, other: String, _ source: Int64,
        _ destination: (NSManagedObject) throws -> Int64
    ) throws {
        let members = try relation.added.objects.filter { !$0.isGone }.map(destination)
        let reordered = relation.isReordered && relation.isLoaded ? relation.objects.filter { !$0.isGone } : []
        guard !members.isEmpty || !reordered.isEmpty else { return }
        let set = try connection.statement("UPDATE \(table) SET \(order) = ?1 WHERE \(other) = ?2 AND \(own) = ?3")
        func give(_ position: Int64?, to member: Int64) throws {
            if let position { set.bind(1, position) } else { set.bindNull(1) }
            set.bind(2, member)
            set.bind(3, source)
            try set.run()
        }
        // What an object brings from another relationship's order counts for nothing here.
        for member in members { try give(nil, to: member) }
        if !reordered.isEmpty {
            let known = try positions(in: table, order, own: own, other: other, source)
            for (member, position) in SQLOrderKey.changes(try reordered.map(destination), known: known) {
                try give(position, to: member)
            }
            return
        }
        let last = try connection.statement("SELECT MAX(\(order)) FROM \(table) WHERE \(own) = ?")
        last.bind(1, source)
        var next = SQLOrderKey.first
        if !relation.isReordered, try last.step(), !last.isNull(0) {
            guard last.int(0) < Int64.max - Int64(members.count + 1) * SQLOrderKey.step else {
                throw corrupt("a position in \(order) is \(last.int(0))")
            }
            next = last.int(0) + SQLOrderKey.step
        }
        last.reset()
        for member in members {
            try give(next, to: member)
            next += SQLOrderKey.step
        }
    }

    /// The positions of the members of a relationship that have one.
    private func positions(
        in table: String, _ order: String, own: String, other: String, _ source: Int64
    ) throws -> [Int64: Int64] {
        let statement = try connection.statement(
            "SELECT \(other), \(order) FROM \(table) WHERE \(own) = ? AND \(order) IS NOT NULL")
        defer { statement.reset() }
        statement.bind(1, source)
        var positions: [Int64: Int64] = [:]
        while try statement.step() { positions[statement.int(0)] = statement.int(1) }
        return positions
    }
}
