import FoundationSupplement
import ManagedObjectModel

extension NSAtomicStore {
    /// Changes the nodes and has them written. When anything fails, the nodes become what they were.
    func saveChanges(_ changes: SaveChanges) throws -> SaveOutcome {
        try checkIsWritable()
        for object in changes.updated + changes.deleted { try checkVersion(of: object) }
        let identifiers = try identifiers(for: changes.inserted)
        for object in changes.inserted + changes.updated { try checkRelationships(of: object, identifiers) }
        let oldTrees = trees
        let restorations = changes.updated.compactMap { cacheNode(for: $0.objectID)?.restoration() }
        do {
            return try assuming(identifiers, of: changes.inserted) {
                var outcome = try write(changes)
                outcome.identifiers = identifiers
                return outcome
            }
        } catch {
            trees = oldTrees
            for restore in restorations { restore() }
            throw error
        }
    }

    /// A node that somebody else has deleted meanwhile is a conflict for an update, and none for a deletion.
    private func checkVersion(of object: NSManagedObject) throws {
        guard let node = cacheNode(for: object.objectID) else {
            if object.isDeleted { return }
            throw mergeConflict(of: object)
        }
        if let known = object.row?.version, known != node.version { throw mergeConflict(of: object) }
    }

    private func write(_ changes: SaveChanges) throws -> SaveOutcome {
        addCacheNodes(Set(try changes.inserted.map { try makeNode(for: $0) }))
        for object in changes.updated {
            guard let node = cacheNode(for: object.objectID) else { continue }
            try update(node, from: object)
            node.version += 1
        }
        let removed = changes.deleted.compactMap { cacheNode(for: $0.objectID) }
        if !removed.isEmpty {
            willRemoveCacheNodes(Set(removed))
            remove(removed)
        }
        try save()
        var outcome = SaveOutcome()
        for object in changes.inserted + changes.updated {
            let version = cacheNode(for: object.objectID)?.version ?? 1
            outcome.rows[ObjectIdentifier(object)] = Row(version: version, values: rowValues(of: object))
        }
        return outcome
    }
}
