import FoundationSupplement
import ManagedObjectModel

extension NSAtomicStore {
    /// Changes the nodes and has them written. When anything fails, the nodes become what they were.
    func saveChanges(_ changes: SaveChanges) throws -> SaveOutcome {
        try checkIsWritable()
        try checkVersions(of: changes.updated + changes.deleted + changes.locked)
        let identifiers = try identifiers(for: changes.inserted)
        for object in changes.inserted + changes.updated { try checkRelationships(of: object, identifiers) }
        let removed = changes.deleted.compactMap { cacheNode(for: $0.objectID) }
        let restorations = changes.updated.compactMap { cacheNode(for: $0.objectID)?.restoration() }
        do {
            return try assuming(identifiers, of: changes.inserted) {
                var outcome = try write(changes, removing: removed)
                outcome.identifiers = identifiers.ids
                return outcome
            }
        } catch {
            remove(identifiers.ids)
            addCacheNodes(Set(removed))
            for restore in restorations { restore() }
            throw error
        }
    }

    /// Objects whose nodes others have changed. A node that somebody else has deleted meanwhile is a conflict for an
    /// update, and none for a deletion.
    private func checkVersions(of objects: [NSManagedObject]) throws {
        var conflicts = SaveConflicts()
        for object in objects {
            let node = cacheNode(for: object.objectID)
            if node == nil, object.isDeleted { continue }
            if let node, object.row.map({ $0.version == node.version }) ?? true { continue }
            conflicts.versions.append(
                VersionConflict(object: object, newRow: try node?.row(in: self), isCached: false))
        }
        if !conflicts.isEmpty { throw conflicts }
    }

    private func write(
        _ changes: SaveChanges, removing removed: [NSAtomicStoreCacheNode]
    ) throws -> SaveOutcome {
        let nodes = try changes.inserted.map { try makeNode(for: $0) }
        addCacheNodes(Set(nodes))
        for object in changes.updated {
            guard let node = cacheNode(for: object.objectID) else { continue }
            try update(node, from: object)
            node.version += 1
        }
        let now = Date()
        for node in nodes + changes.updated.compactMap({ cacheNode(for: $0.objectID) }) { node.noteSave(at: now) }
        if !removed.isEmpty {
            willRemoveCacheNodes(Set(removed))
            remove(removed.map(\.objectID))
        }
        try save()
        var outcome = SaveOutcome()
        for object in changes.inserted + changes.updated {
            let version = cacheNode(for: object.objectID)?.version ?? 1
            outcome.rows.append(Row(version: version, values: try rowValues(of: object)))
        }
        return outcome
    }
}
