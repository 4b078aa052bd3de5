import CSQLite
import FoundationSupplement
import ManagedObjectModel

extension SQLiteStore {
    func saveChanges(_ changes: SaveChanges) throws -> SaveOutcome {
        guard !isReadOnly else {
            throw CocoaError.store(.fileWriteNoPermission, url, "the store is read-only")
        }
        do {
            return try connection.transaction { try write(changes) }
        } catch let error as SQLiteError {
            throw error.cocoaError(error.isConstraintViolation ? .managedObjectConstraintMerge : .sqlite, url: url)
        }
    }

    private func write(_ changes: SaveChanges) throws -> SaveOutcome {
        var outcome = SaveOutcome()
        // Keys first: rows refer to rows that come later.
        let keys = try allocateKeys(changes.inserted)
        outcome.identifiers = keys
        func key(_ value: SlotValue) throws -> (Int64, Int)? {
            switch value {
            case .reference(let key, let number): return (key, Int(number))
            case .object(let object):
                let id = keys[ObjectIdentifier(object)] ?? object.objectID
                guard !id.isTemporaryID, id.persistentStore === self else {
                    throw CocoaError(
                        .managedObjectExternalRelationship,
                        userInfo: [NSLocalizedDescriptionKey: "\(object.objectID) is not in this store and can't be related to"])
                }
                return (id.primaryKey, Int(number(of: id.entity)))
            default: return nil
            }
        }
        for object in changes.deleted { try delete(object) }
        for object in changes.inserted {
            guard let id = keys[ObjectIdentifier(object)], let entity = schema.entity(object.entity) else { continue }
            try writer(entity).insert(primaryKey: id.primaryKey, object.slots, key: key)
            outcome.rows[ObjectIdentifier(object)] = Row(version: 1, values: try rowValues(object, key))
        }
        for object in changes.updated { try update(object, key, &outcome) }
        for object in changes.inserted + changes.updated { try writeToMany(object, keys) }
        return outcome
    }

    private func allocateKeys(_ objects: [NSManagedObject]) throws -> [ObjectIdentifier: NSManagedObjectID] {
        var result: [ObjectIdentifier: NSManagedObjectID] = [:]
        let byRoot = Dictionary(grouping: objects) { schema.entity($0.entity.rootEntity)?.number ?? 0 }
        for (root, members) in byRoot.sorted(by: { $0.key < $1.key }) {
            var next = try nextKey(root, count: members.count)
            for object in members {
                result[ObjectIdentifier(object)] = NSManagedObjectID(
                    object.entity, primaryKey: next, space: space(of: object.entity))
                next += 1
            }
        }
        return result
    }

    /// Takes `count` keys of a root entity's table; the first of them.
    private func nextKey(_ root: Int, count: Int) throws -> Int64 {
        let read = try connection.statement("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?")
        read.bind(1, Int64(root))
        guard try read.step() else {
            throw CocoaError.store(.persistentStoreIncompatibleSchema, url, "Z_PRIMARYKEY has no row for entity \(root)")
        }
        let last = read.int(0)
        read.reset()
        let write = try connection.statement("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?")
        write.bind(1, last + Int64(count))
        write.bind(2, Int64(root))
        try write.run()
        return last + 1
    }

    /// The values of an object as its row has them.
    private func rowValues(_ object: NSManagedObject, _ key: (SlotValue) throws -> (Int64, Int)?) throws -> [SlotValue] {
        try object.slots.map { value in
            switch value {
            case .object:
                guard let (primaryKey, number) = try key(value) else { return .null }
                return .reference(key: primaryKey, entity: Int32(number))
            case .toMany, .fetched: return .null
            default: return value
            }
        }
    }

    private func update(
        _ object: NSManagedObject, _ key: (SlotValue) throws -> (Int64, Int)?, _ outcome: inout SaveOutcome
    ) throws {
        guard let entity = schema.entity(object.entity) else { return }
        let version = object.row?.version ?? 1
        let isWritten = try writer(entity).update(
            primaryKey: object.objectID.primaryKey, version: version, slots: object.changedSlots, object.slots, key: key)
        guard isWritten else { throw conflict(object) }
        outcome.rows[ObjectIdentifier(object)] = Row(version: version + 1, values: try rowValues(object, key))
    }

    private func delete(_ object: NSManagedObject) throws {
        guard let entity = schema.entity(object.entity) else { return }
        let statement = try connection.statement("DELETE FROM \(entity.table.name) WHERE Z_PK = ?")
        statement.bind(1, object.objectID.primaryKey)
        try statement.run()
        for storage in entity.storage {
            guard case .join(let table, let own, _, _, _, _) = storage else { continue }
            for column in table.columns.contains("REFLEXIVE") ? table.columns : [own] {
                let rows = try connection.statement("DELETE FROM \(table.name) WHERE \(column) = ?")
                rows.bind(1, object.objectID.primaryKey)
                try rows.run()
            }
        }
    }

    private func conflict(_ object: NSManagedObject) -> CocoaError {
        CocoaError(
            .managedObjectMerge,
            userInfo: [
                NSLocalizedDescriptionKey:
                    "Could not merge changes: \(object.objectID) was changed or deleted by someone else since it was read.",
                NSPersistentStoreSaveConflictsErrorKey: [object],
            ])
    }

    // MARK: To-many relationships

    private func writeToMany(_ object: NSManagedObject, _ keys: [ObjectIdentifier: NSManagedObjectID]) throws {
        guard !object.isFault, let entity = schema.entity(object.entity) else { return }
        for (slot, value) in object.slots.enumerated() {
            guard case .toMany(let relation) = value, relation.hasChanges else { continue }
            let source = (keys[ObjectIdentifier(object)] ?? object.objectID).primaryKey
            let destination = { (other: NSManagedObject) in (keys[ObjectIdentifier(other)] ?? other.objectID).primaryKey }
            switch entity.storage[slot] {
            case .join(let table, let own, let other, let ownOrder, let otherOrder, _):
                try writeJoins(relation, table, own, other, source, destination)
                if let otherOrder, relation.isReordered {
                    let sql = "UPDATE \(table.name) SET \(otherOrder) = ?1 WHERE \(other) = ?2 AND \(own) = ?3"
                    try writeOrder(sql, object.toMany(slot).objects.map(destination), source)
                }
                if let ownOrder { try appendToOrder(relation, table.name, own, other, ownOrder, source, destination) }
            case .toMany(let key, _, let order, let target):
                if relation.relationship.inverseRelationship == nil {
                    try writeKeys(relation, target, key, source, destination)
                }
                if let order, relation.isReordered {
                    let sql = "UPDATE \(target.table.name) SET \(order.name) = ?1 WHERE Z_PK = ?2 AND \(key.name) = ?3"
                    try writeOrder(sql, object.toMany(slot).objects.map(destination), source)
                }
            case .none, .column, .toOne: break
            }
        }
    }

    private func writeJoins(
        _ relation: ToMany, _ table: SQLJoinTable, _ own: String, _ other: String, _ source: Int64,
        _ destination: (NSManagedObject) -> Int64
    ) throws {
        let remove = try connection.statement("DELETE FROM \(table.name) WHERE \(own) = ? AND \(other) = ?")
        for object in relation.removed.objects where !object.objectID.isTemporaryID {
            remove.bind(1, source)
            remove.bind(2, destination(object))
            try remove.run()
        }
        // Both ends know of the pair and only one row is wanted.
        let add = try connection.statement("INSERT OR IGNORE INTO \(table.name) (\(own), \(other)) VALUES (?, ?)")
        for object in relation.added.objects {
            add.bind(1, source)
            add.bind(2, destination(object))
            try add.run()
        }
    }

    private func writeKeys(
        _ relation: ToMany, _ target: SQLEntity, _ key: SQLColumn, _ source: Int64,
        _ destination: (NSManagedObject) -> Int64
    ) throws {
        let set = try connection.statement("UPDATE \(target.table.name) SET \(key.name) = ? WHERE Z_PK = ?")
        for (objects, value) in [(relation.removed.objects, nil), (relation.added.objects, source)] {
            for object in objects where value != nil || !object.objectID.isTemporaryID {
                if let value { set.bind(1, value) } else { set.bindNull(1) }
                set.bind(2, destination(object))
                try set.run()
            }
        }
    }

    /// Positions are sparse, as Apple's are: 2048 for the first, 1024 more for each next one.
    private func writeOrder(_ sql: String, _ members: [Int64], _ source: Int64) throws {
        let statement = try connection.statement(sql)
        for (index, member) in members.enumerated() {
            statement.bind(1, SQLOrderKey.first + Int64(index) * SQLOrderKey.step)
            statement.bind(2, member)
            statement.bind(3, source)
            try statement.run()
        }
    }

    /// Where the other side of a many-to-many relationship is ordered and this side added a pair, the pair goes to the
    /// end of the other side's order.
    private func appendToOrder(
        _ relation: ToMany, _ table: String, _ own: String, _ other: String, _ order: String, _ source: Int64,
        _ destination: (NSManagedObject) -> Int64
    ) throws {
        let statement = try connection.statement(
            "UPDATE \(table) SET \(order) = IFNULL((SELECT MAX(\(order)) + \(SQLOrderKey.step) FROM \(table) WHERE \(other) = ?1),"
                + " \(SQLOrderKey.first)) WHERE \(own) = ?2 AND \(other) = ?1 AND \(order) IS NULL")
        for object in relation.added.objects {
            statement.bind(1, destination(object))
            statement.bind(2, source)
            try statement.run()
        }
    }
}

/// The numbers by which ordered relationships are sorted.
package enum SQLOrderKey {
    package static let first: Int64 = 2048
    package static let step: Int64 = 1024
}
