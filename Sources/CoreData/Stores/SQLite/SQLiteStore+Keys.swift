import FoundationSupplement
import ManagedObjectModel

extension SQLiteStore {
    func takeKeys(for objects: [NSManagedObject]) throws -> [NSManagedObjectID] {
        let keys = try reporting { try connection.transaction { try allocateKeys(objects) } }
        return objects.compactMap { keys[ObjectIdentifier($0)] }
    }

    /// The keys of new objects, by the order of their entities and then of insertion, with those that were given before.
    func allocateKeys(_ objects: [NSManagedObject]) throws -> [ObjectIdentifier: NSManagedObjectID] {
        var result: [ObjectIdentifier: NSManagedObjectID] = [:]
        result.reserveCapacity(objects.count)
        for object in objects where object.space !== ObjectIDSpace.temporary {
            result[ObjectIdentifier(object)] = object.objectID
        }
        let new = objects.filter { $0.space === ObjectIDSpace.temporary }
        let byEntity = Dictionary(grouping: new) { ObjectIdentifier($0.layout) }
        let byRoot = Dictionary(grouping: byEntity.values) { members in
            schema.entity(members[0].entity.rootEntity)?.number ?? 0
        }
        for (number, groups) in byRoot.sorted(by: { $0.key < $1.key }) {
            guard let root = schema.entity(number: Int64(number)) else { continue }
            var next = try nextKey(root, count: groups.reduce(0) { $0 + $1.count })
            for members in groups.sorted(by: { $0[0].primaryKey > $1[0].primaryKey }) {
                let space = space(of: members[0].entity)
                for object in members {
                    result[ObjectIdentifier(object)] = NSManagedObjectID(object.layout, primaryKey: next, space: space)
                    next += 1
                }
            }
        }
        return result
    }

    /// Takes `count` keys of a root entity's table; the first of them.
    private func nextKey(_ root: SQLEntity, count: Int) throws -> Int64 {
        let read = try connection.statement("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?")
        read.bind(1, Int64(root.number))
        guard try read.step() else {
            throw CocoaError.store(
                .persistentStoreIncompatibleSchema, url, "Z_PRIMARYKEY has no row for entity \(root.number)")
        }
        let counted = read.int(0)
        read.reset()
        // Other programs have written rows without counting them.
        let last = max(counted, try connection.int("SELECT MAX(Z_PK) FROM \(root.table.name)") ?? 0)
        guard counted >= 0, last < Int64.max - Int64(count) else {
            throw corrupt("Z_MAX of entity \(root.number) is \(counted), and its last row \(last)")
        }
        let write = try connection.statement("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?")
        write.bind(1, last + Int64(count))
        write.bind(2, Int64(root.number))
        try write.run()
        return last + 1
    }
}
