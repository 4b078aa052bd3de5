import FoundationSupplement
import ManagedObjectModel

extension NSManagedObjectContext {
    /// Gives all changes to the parent context, as changes that are to be saved there.
    func save(to parent: NSManagedObjectContext) throws -> SavedObjects {
        var saved = SavedObjects()
        saved.inserted = inserted.objects.filter { !$0.isDeleted }
        saved.updated = updated.objects.filter { !$0.isDeleted && !$0.changedSlots.isEmpty }
        saved.deleted = deleted.objects.filter { !$0.isInserted && !$0.isInaccessible }
        for object in saved.inserted + saved.updated { object.loadReorderedRelationships() }
        // This context waits meanwhile, so that its objects may be read on the parent's queue.
        nonisolated(unsafe) let changes = saved
        let chosen = assignedStores
        parent.performAndWait { parent.take(changes, chosen) }
        for object in saved.inserted + saved.updated {
            object.row = object.baseline
            if object.objectID.isTemporaryID { temporaryKeysInParent.insert(object.primaryKey) }
        }
        finish(saved.inserted + saved.updated)
        for object in saved.deleted { leave(object) }
        return saved
    }

    /// Makes a child's changes this context's own.
    private func take(_ changes: SavedObjects, _ chosen: [ObjectIdentifier: NSPersistentStore]) {
        for object in changes.inserted {
            let own = object.layout.objectClass.init(_frameworkOnly: object.entity)
            own.setKey(object.primaryKey, object.space)
            insert(own)
            if let store = chosen[ObjectIdentifier(object)] { assignedStores[ObjectIdentifier(own)] = store }
        }
        for object in changes.inserted { counterpart(object).map { take(object, into: $0, object.slots.indices) } }
        for object in changes.updated {
            counterpart(object).map { take(object, into: $0, object.changedSlots) }
        }
        for object in changes.deleted { counterpart(object).map { if !$0.isDeleted { delete($0) } } }
        processPendingChanges()
    }

    private func take(_ object: NSManagedObject, into own: NSManagedObject, _ slots: some Sequence<Int>) {
        own.willAccessValue(forKey: nil)
        guard !own.isDeleted else { return }
        for slot in slots {
            switch (object.layout.kinds[slot], object.slots[slot]) {
            case (.toOne(let relationship), let value):
                let target: NSManagedObject? =
                    switch value {
                    case .object(let other): counterpart(other)
                    case .reference(let key, let number):
                        self.object(primaryKey: key, entityNumber: number, of: relationship, source: own)
                    default: nil
                    }
                let old = own.toOne(slot)
                guard old !== target else { continue }
                if let old { own.unlink(relationship, old) }
                if let target { own.link(relationship, target) }
            case (.toMany(let relationship), .toMany(let relation)):
                for other in relation.removed.objects { counterpart(other).map { own.unlink(relationship, $0) } }
                for other in relation.added.objects { counterpart(other).map { own.link(relationship, $0) } }
                if relation.isReordered {
                    own.reorder(relationship, relation.objects.compactMap { counterpart($0) })
                } else if relationship.isOrdered {
                    // New ones are the last, in their order, whichever of them came here first.
                    let new = ObjectList(relation.added.objects.compactMap { counterpart($0) })
                    let others = own.toMany(slot).objects.filter { !new.contains($0) }
                    own.reorder(relationship, others + new.objects)
                }
            case (.attribute, let value): own.setSlot(slot, value)
            default: continue
            }
        }
    }

    /// This context's object for one of a child.
    private func counterpart(_ object: NSManagedObject) -> NSManagedObject? {
        if let known = registeredObject(for: object.objectID) { return known }
        guard object.objectID.isTemporaryID else { return self.object(with: object.objectID) }
        return identifier(temporaryKey: object.primaryKey).map { self.object(with: $0) }
    }
}

extension NSManagedObject {
    /// The values as they are now, as what the parent context has. Objects themselves, not their keys: a temporary key
    /// doesn't last.
    fileprivate final var baseline: Row {
        let values = slots.map { value -> SlotValue in
            switch value {
            case .toMany, .fetched: .null
            default: value
            }
        }
        return Row(version: row?.version ?? 0, values: values)
    }
}
