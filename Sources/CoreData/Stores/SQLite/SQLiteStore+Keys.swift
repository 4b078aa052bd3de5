import FoundationSupplement
import ManagedObjectModel

extension SQLiteStore {
    func takeKeys(for objects: [NSManagedObject]) throws -> [NSManagedObjectID] {
        try reporting { try connection.transaction { try allocateKeys(objects) } }
    }

    /// The permanent IDs of objects, in their order: those that they have, or new ones, whose keys follow each other
    /// within an entity.
    func allocateKeys(_ objects: [NSManagedObject]) throws -> [NSManagedObjectID] {
        var ids = objects.map { $0.space === ObjectIDSpace.temporary ? nil : $0.objectID }
        var groups: [(layout: EntityLayout, members: [Int])] = []
        for (index, object) in objects.enumerated() where ids[index] == nil {
            if let at = groups.lastIndex(where: { $0.layout === object.layout }) {
                groups[at].members.append(index)
            } else {
                groups.append((object.layout, [index]))
            }
        }
        for (root, groups) in Dictionary(grouping: groups, by: { $0.layout.entity.rootEntity }) {
            let space = space(of: root)
            var next = try nextKey(sqlEntity(root), count: groups.reduce(0) { $0 + $1.members.count })
            for (layout, members) in groups {
                for index in members {
                    ids[index] = NSManagedObjectID(layout, primaryKey: next, space: space)
                    next += 1
                }
            }
        }
        return ids.compactMap(\.self)
    }

    /// Takes `count` keys of a root entity's table; the first of them.
    private func nextKey(_ root: SQLEntity, count: Int) throws -> Int64 {
        let keys = try connection.takeKeys(count, of: root.table.name, number: Int64(root.number))
        guard keys.areCounted else {
            throw CocoaError.store(
                .persistentStoreIncompatibleSchema, url, "Z_PRIMARYKEY has no row for entity \(root.number)")
        }
        return keys.first
    }
}

extension SQLiteConnection {
    /// Takes `count` keys of a table, whose last one `Z_PRIMARYKEY` has under a number; whether it has is said too. Keys
    /// are never given twice, also where rows were deleted.
    func takeKeys(_ count: Int, of table: String, number: Int64) throws -> (first: Int64, areCounted: Bool) {
        let read = try statement("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?")
        read.bind(1, number)
        let counted = try read.step() ? read.int(0) : nil
        read.reset()
        // Other programs have written rows without counting them.
        let last = max(counted ?? 0, try int("SELECT MAX(Z_PK) FROM \(table)") ?? 0)
        guard counted ?? 0 >= 0, last < Int64.max - Int64(count) else {
            throw CocoaError.store(
                .fileReadCorruptFile, url, "Z_MAX of entity \(number) is \(counted ?? 0), and its last row \(last)")
        }
        let write = try statement("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?")
        write.bind(1, last + Int64(count))
        write.bind(2, number)
        try write.run()
        return (last + 1, counted != nil)
    }
}
