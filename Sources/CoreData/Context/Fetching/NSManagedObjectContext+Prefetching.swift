import FoundationSupplement
import ManagedObjectModel

extension NSManagedObjectContext {
    /// Reads what is at the other ends of relationships, with one query for each step of a key path, so that reading them
    /// later asks no store.
    ///
    /// Objects that are faults stay faults: what was read is put by until they are filled.
    func prefetch(_ tree: PrefetchTree, for objects: [NSManagedObject]) throws {
        for (name, rest) in tree.branches {
            var found = ObjectList()
            try prefetch(name, for: objects) { if !rest.isEmpty { found.append($0) } }
            if !found.isEmpty { try prefetch(rest, for: found.objects) }
        }
    }

    /// Tells `note` of the objects at the other end.
    private func prefetch(
        _ name: String, for objects: [NSManagedObject], _ note: (NSManagedObject) -> Void
    ) throws {
        let groups = Dictionary(grouping: objects) { object in
            ObjectIdentifier(object.layout.slot(name).map { object.layout.properties[$0] } ?? object.layout.entity)
        }
        for group in groups.values {
            guard let slot = group[0].layout.slot(name) else { continue }
            switch group[0].layout.kinds[slot] {
            case .toOne(let relationship): try prefetchToOne(relationship, name, group, note)
            case .toMany(let relationship): try prefetchToMany(relationship, name, group, note)
            case .attribute, .fetched: break
            }
        }
    }

    /// Objects of one store and space.
    private func bySpace(_ objects: [NSManagedObject]) -> [(store: NSPersistentStore, objects: [NSManagedObject])] {
        let groups = Dictionary(grouping: objects) { ObjectIdentifier($0.space) }
        return groups.values.compactMap { group in group[0].space.store.map { ($0, group) } }
    }

    // MARK: To one

    private func prefetchToOne(
        _ relationship: NSRelationshipDescription, _ name: String, _ objects: [NSManagedObject],
        _ note: (NSManagedObject) -> Void
    ) throws {
        try readRows(of: objects.filter { $0.isFault && $0.row == nil })
        var ends: [(source: NSManagedObject, slot: Int, destination: NSManagedObject)] = []
        for object in objects {
            guard let slot = object.layout.slot(name), let value = object.knownValue(slot),
                let destination = object.object(at: value, of: relationship)
            else { continue }
            ends.append((object, slot, destination))
        }
        // Held in `ends`, so that they stay in memory.
        let missing = ObjectList(ends.map(\.destination).filter { $0.isFault && $0.row == nil }).objects
        try readRows(of: missing)
        for (source, slot, destination) in ends {
            source.putBy(.object(destination), slot)
            note(destination)
        }
    }

    /// Reads the rows of faults that have none, as far as the coordinator doesn't know them.
    func readRows(of faults: [NSManagedObject]) throws {
        guard parent == nil else { return faults.forEach(takeRow) }
        var unknown: [NSManagedObject] = []
        for fault in faults {
            if !fault.layout.hasDerivedAttributes,
                let row = fault.space.rows.row(fault.primaryKey, staleness: stalenessInterval)
            {
                fault.row = row
            } else {
                unknown.append(fault)
            }
        }
        for (store, objects) in bySpace(unknown) {
            guard let store = store as? SQLiteStore else {
                objects.forEach(takeRow)
                continue
            }
            // The space is that of a whole tree.
            let (entity, space) = (objects[0].entity.rootEntity, objects[0].space)
            try read([store]) {
                try store.findRows(entity, objects.map(\.primaryKey)) { layout, key, row in
                    _ = materialise(layout, key, space, row: row)
                }
            }
        }
    }

    private func takeRow(_ fault: NSManagedObject) {
        if case .success((_, let row)?) = storedRow(fault.objectID) { fault.row = row }
    }

    // MARK: To many

    private func prefetchToMany(
        _ relationship: NSRelationshipDescription, _ name: String, _ objects: [NSManagedObject],
        _ note: (NSManagedObject) -> Void
    ) throws {
        var wanted: [NSManagedObject] = []
        for object in objects {
            guard let slot = object.layout.slot(name) else { continue }
            if let known = object.knownToMany(slot) {
                known.objects.forEach(note)
            } else if !object.isInserted {
                wanted.append(object)
            }
        }
        let members = try ends(of: relationship, wanted)
        for object in wanted {
            guard let slot = object.layout.slot(name) else { continue }
            let ends = members[ObjectIdentifier(object)] ?? []
            object.putBy(ends, relationship, slot)
            ends.forEach(note)
        }
    }

    private func ends(
        of relationship: NSRelationshipDescription, _ objects: [NSManagedObject]
    ) throws -> [ObjectIdentifier: [NSManagedObject]] {
        guard parent == nil else { return endsOneByOne(of: relationship, objects) }
        var found: [ObjectIdentifier: [NSManagedObject]] = [:]
        for (store, sources) in bySpace(objects) {
            let ends =
                try (store as? SQLiteStore).map { try storedEnds(of: relationship, sources, $0) }
                ?? endsOneByOne(of: relationship, sources)
            found.merge(ends) { $1 }
        }
        return found
    }

    private func storedEnds(
        of relationship: NSRelationshipDescription, _ sources: [NSManagedObject], _ store: SQLiteStore
    ) throws -> [ObjectIdentifier: [NSManagedObject]] {
        guard let destination = relationship.destinationEntity else { return [:] }
        let space = store.space(of: destination)
        let byKey = Dictionary(sources.map { ($0.primaryKey, ObjectIdentifier($0)) }) { first, _ in first }
        var found: [ObjectIdentifier: [NSManagedObject]] = [:]
        // The ends of one object come one after the other.
        var (owner, ends): (Int64, [NSManagedObject]) = (0, [])
        var known: EntityLayout?
        func close() { if let source = byKey[owner] { found[source] = ends } }
        try read([store]) {
            let keys = sources.map(\.primaryKey)
            try store.findRelated(relationship, of: sources[0].entity, keys) { source, layout, key, row in
                guard layout === known || layout.entity.isKindOf(entity: destination) else { return }
                known = layout
                if source != owner {
                    close()
                    (owner, ends) = (source, [])
                }
                ends.append(materialise(layout, key, space, row: row))
            }
        }
        close()
        return found
    }

    /// From the parent context, or a store that lives in memory or is a program's.
    private func endsOneByOne(
        of relationship: NSRelationshipDescription, _ sources: [NSManagedObject]
    ) -> [ObjectIdentifier: [NSManagedObject]] {
        var found: [ObjectIdentifier: [NSManagedObject]] = [:]
        for source in sources {
            let ends = objects(of: relationship, source: source)
            for end in ends where end.isFault && end.row == nil { takeRow(end) }
            found[ObjectIdentifier(source)] = ends
        }
        return found
    }
}
