import FoundationSupplement
import ManagedObjectModel

/// The changes of a save, as what other contexts need to know of it.
struct SavedChanges: Sendable {
    var inserted: [NSManagedObjectID] = []
    var updated: [NSManagedObjectID] = []
    var deleted: [NSManagedObjectID] = []
    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}

extension NSManagedObjectContext {
    func merge(_ notification: Notification) {
        checkQueue()
        let changes = Self.changes(notification.userInfo ?? [:], self)
        let other = (notification.object as? NSManagedObjectContext)?.persistentStoreCoordinator
        // What the coordinator remembers it has from its own contexts' saves.
        if let other, other !== persistentStoreCoordinator { mergeNewer(changes) } else { merge(changes) }
    }

    static func merge(remote info: [AnyHashable: Any], into contexts: [NSManagedObjectContext]) {
        func depth(_ context: NSManagedObjectContext) -> Int { context.parent.map { depth($0) + 1 } ?? 0 }
        for context in contexts.sorted(by: { depth($0) < depth($1) }) {
            context.performAndWait {
                let changes = changes(info, context)
                if context.parent == nil { context.mergeNewer(changes) } else { context.merge(changes) }
            }
        }
    }

    /// Merges changes of which the coordinator doesn't know: what it remembers of these rows is of before.
    private func mergeNewer(_ changes: SavedChanges) {
        for id in changes.updated + changes.deleted { id.space.rows.forget(id.primaryKey) }
        for id in changes.updated {
            guard let object = known(id) else { continue }
            object.dropWhatIsPutBy()
            if object.isFault { object.row = nil } else { adoptNewestRow(object) }
        }
        merge(changes)
    }

    /// Reads the row of an object whose values are known, so that refreshing the object brings in what it says.
    private func adoptNewestRow(_ object: NSManagedObject) {
        guard case .success((_, let row)?) = storedRow(object.objectID), !object.isDeleted else { return }
        object.rebase(on: row)
    }

    private static func changes(_ info: [AnyHashable: Any], _ context: NSManagedObjectContext) -> SavedChanges {
        SavedChanges(
            inserted: identifiers(info, [NSInsertedObjectsKey, NSInsertedObjectIDsKey], context),
            updated: identifiers(
                info, [NSUpdatedObjectsKey, NSUpdatedObjectIDsKey, NSRefreshedObjectsKey, NSRefreshedObjectIDsKey],
                context),
            deleted: identifiers(info, [NSDeletedObjectsKey, NSDeletedObjectIDsKey], context))
    }

    private static func identifiers(
        _ info: [AnyHashable: Any], _ keys: [String], _ context: NSManagedObjectContext
    ) -> [NSManagedObjectID] {
        keys.flatMap { key -> [Any] in
            switch info[key] {
            case let list as [Any]: list
            case let set as Set<AnyHashable>: set.map(\.base)
            case let set as Set<NSManagedObject>: Array(set)
            case let set as Set<NSManagedObjectID>: Array(set)
            case let set as NSSet: set.allObjects
            default: []
            }
        }.compactMap { item in
            switch item {
            case let object as NSManagedObject: context.own(object.objectID)
            case let id as NSManagedObjectID: context.own(id)
            case let uri as URL: context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri)
            default: nil
            }
        }
    }

    /// The ID that the context's coordinator has for the row of an ID, which may be another coordinator's.
    private func own(_ id: NSManagedObjectID) -> NSManagedObjectID? {
        let coordinator = persistentStoreCoordinator
        if id.isTemporaryID || id.persistentStore?.persistentStoreCoordinator === coordinator { return id }
        return coordinator?.managedObjectID(forURIRepresentation: id.uriRepresentation())
    }

    func merge(_ changes: SavedChanges) {
        adoptPermanentIDs()
        var refreshed: [NSManagedObject] = []
        for id in changes.updated {
            // An object that nobody has seen the values of needs no telling.
            guard let object = registeredObject(for: id), !object.isDeleted else { continue }
            object.dropWhatIsPutBy()
            if object.isFault { continue }
            refresh(object, mergeChanges: true)
            refreshed.append(object)
        }
        let inserted = changes.inserted.map { object(with: $0) }
        event.mergedInserts += inserted
        var deleted: [NSManagedObject] = []
        for id in changes.deleted {
            guard let object = registeredObject(for: id), !object.isDeleted else { continue }
            object.willAccessCached()
            updated.remove(object)
            object.state.remove(.updated)
            object.state.insert(.deleted)
            self.deleted.append(object)
            event.mergedDeletes.append(object)
            deleted.append(object)
        }
        processPendingChanges()
        post(
            .NSManagedObjectContextDidMergeChangesObjectIDs,
            [
                NSInsertedObjectIDsKey: Set(inserted.map(\.objectID)), NSUpdatedObjectIDsKey: Set(changes.updated),
                NSRefreshedObjectIDsKey: Set(refreshed.map(\.objectID)),
                NSDeletedObjectIDsKey: Set(deleted.map(\.objectID)),
            ])
    }

    /// Tells the contexts that merge by themselves what this one has saved.
    func announce(_ changes: SavedChanges) {
        guard !changes.isEmpty else { return }
        let others = parent.map { $0.children } ?? persistentStoreCoordinator?.contexts
        var listeners = (others?.contexts ?? []) + children.contexts
        listeners.removeAll { $0 === self || !$0.automaticallyMergesChangesFromParent }
        for context in listeners {
            context.perform { [weak context] in context?.merge(changes) }
        }
    }
}

extension NSManagedObject {
    /// Before the row is gone for good: a fault shows what is known of it.
    fileprivate final func willAccessCached() {
        guard isFault else { return }
        slots = row?.values ?? layout.emptySlots
        state.remove(.fault)
        if row == nil { state.insert(.inaccessible) }
    }
}
