import FoundationSupplement
import ManagedObjectModel

extension NSManagedObjectContext {
    func insertObject(_ object: NSManagedObject) {
        checkQueue()
        if let other = object.managedObjectContext {
            if other !== self {
                misuse("An NSManagedObject's context can't be changed: \(object) belongs to another context.")
            }
            return
        }
        guard !object.entity.isAbstract else {
            misuse("Cannot create instances of abstract entity \(object.entity.name ?? "")")
            return
        }
        enter(object)
        // What is set here is where the object starts from, and no change.
        object.awakeFromInsert()
        object.eventSlots = object.slots
    }

    /// Makes an object one to be inserted by the next save.
    func enter(_ object: NSManagedObject) {
        object.registry = registry
        object.state.formUnion([.inserted, .insertedInEvent])
        inserted.append(object)
        register(object)
        noteChange(of: object)
    }

    func register(_ object: NSManagedObject) {
        registry.register(object)
        if retainsRegisteredObjects { retained.append(object) }
    }

    func deleteObject(_ object: NSManagedObject) {
        checkQueue()
        guard object.managedObjectContext === self else {
            misuse("An NSManagedObjectContext cannot delete objects in other contexts.")
            return
        }
        object.prepareForDeletion()
        guard !object.isDeleted else { return }
        noteChange(of: object)
        object.state.formUnion([.deleted, .deletedInEvent])
        updated.remove(object)
        object.state.remove(.updated)
        // An object that was never saved leaves when the deletion is processed, and no save hears of it.
        if object.isInserted { inserted.remove(object) } else { deleted.append(object) }
        pendingDeletes.append(object)
    }

    /// Lists an object as touched in the current event, before its first change in it.
    func noteChange(of object: NSManagedObject) {
        guard object.state.isDisjoint(with: [.awaking, .noted]) else { return }
        checkQueue()
        if object.eventSlots != nil { object.forgetEvent() }
        object.state.insert(.noted)
        object.eventSlots = object.slots
        event.touched.append(object)
        scheduleProcessing()
        guard object.state.isDisjoint(with: .unsaved) else { return }
        object.state.insert(.updated)
        updated.append(object)
    }

    /// Forgets that an object was changed in the current event: its changes are dropped.
    func dropEvent(of object: NSManagedObject) {
        guard object.state.contains(.noted), !object.isInserted,
            let at = event.touched.lastIndex(where: { $0 === object })
        else { return }
        event.touched.remove(at: at)
        object.endEvent()
        object.forgetEvent()
    }

    /// An object whose row is gone counts as deleted, unless the program doesn't want that.
    func noteInaccessible(_ object: NSManagedObject, _ property: NSPropertyDescription?) {
        if !shouldHandleInaccessibleFault(object, for: object.objectID, triggeredByProperty: property) {
            misuse("CoreData could not fulfill a fault for '\(object.objectID)'")
        }
        object.state.remove(.updated)
        updated.remove(object)
        object.state.formUnion([.deleted, .inaccessible])
        deleted.append(object)
    }

    // MARK: Processing

    func processPendingChanges(isSaving: Bool) {
        guard !isProcessing else { return }
        isProcessing = true
        let unsaved = isSaving || propagatesDeletesAtEndOfEvent ? propagateDeletes() : []
        let ended = event
        event = ContextEvent()
        if ended.isEmpty { isProcessing = false } else { end(ended) }
        // What was deleted before it was ever saved is nobody's business any more.
        for object in unsaved where object.isDeleted { leave(object) }
    }

    private func end(_ ended: ContextEvent) {
        registerUndo(of: ended)
        let userInfo = ended.userInfo
        event.newcomers = ended.mergedInserts
        for object in ended.touched { object.endEvent() }
        isProcessing = false
        if !userInfo.isEmpty { post(.NSManagedObjectContextObjectsDidChange, userInfo) }
        // Unless whoever was told has changed an object again.
        for object in ended.touched where !object.state.contains(.noted) { object.forgetEvent() }
    }

    /// Applies the delete rules of deleted objects, and those of the objects that the rules delete.
    ///
    /// - Returns: those among them that were never saved.
    private func propagateDeletes() -> [NSManagedObject] {
        var unsaved: [NSManagedObject] = []
        while let object = pendingDeletes.popLast() {
            propagateDelete(object)
            if object.isInserted { unsaved.append(object) }
        }
        return unsaved
    }

    private func propagateDelete(_ object: NSManagedObject) {
        for (slot, property) in object.layout.properties.enumerated() {
            guard let relationship = property as? NSRelationshipDescription else { continue }
            let rule = relationship.deleteRule
            // An object that was never saved leaves nothing behind that others could lead to, or be denied for.
            guard rule == .cascadeDeleteRule || rule == .nullifyDeleteRule || object.isInserted else { continue }
            for other in object.related(slot) {
                if rule == .cascadeDeleteRule {
                    if !other.isDeleted { delete(other) }
                } else if !other.isDeleted, let inverse = relationship.inverseRelationship {
                    other.detach(inverse, object)
                }
            }
        }
    }

    // MARK: Dropping changes

    func forgetAll() {
        checkQueue()
        let objects = registry.objects
        let identifiers = objects.map(\.objectID)
        undoManager?.removeAllActions(withTarget: self)
        forgetChanges()
        registry.removeAll()
        retained = []
        permanentIDs = [:]
        temporaryKeysInParent = []
        for object in objects { object.orphan() }
        post(.NSManagedObjectContextObjectsDidChange, [NSInvalidatedAllObjectsKey: identifiers])
    }

    private func forgetChanges() {
        inserted.removeAll()
        updated.removeAll()
        deleted.removeAll()
        locked.removeAll()
        event = ContextEvent()
        pendingDeletes = []
        openChanges = []
        assignedStores = [:]
    }

    func dropAllChanges() {
        checkQueue()
        let touched = event.touched
        let new = inserted.objects + pendingDeletes.filter(\.isInserted)
        let old = updated.objects + deleted.objects
        undoManager?.removeAllActions(withTarget: self)
        forgetChanges()
        for object in touched {
            object.endEvent()
            object.forgetEvent()
        }
        for object in old {
            let wasInaccessible = object.isInaccessible
            object.state.subtract([.updated, .deleted, .inaccessible])
            if wasInaccessible { object.state.insert(.fault) } else { object.restoreCommitted() }
            object.awake(fromSnapshotEvents: .rollback)
            event.refreshed.append(object)
        }
        for object in new {
            release(object)
            object.state.subtract([.inserted, .deleted])
            event.dropped.append(object)
        }
        processPendingChanges()
    }

    /// Lets an object leave the context.
    func release(_ object: NSManagedObject) {
        registry.remove(object)
        object.registry = nil
        if retainsRegisteredObjects { retained.removeAll { $0 === object } }
    }
}

extension NSManagedObject {
    /// The event is over: what is changed from now on belongs to the next one. What this one has changed can still be
    /// asked for.
    final func endEvent() {
        state.subtract(.event)
        for case .toMany(let relation) in slots { relation.endEvent() }
    }

    /// Forgets what the last event has changed.
    final func forgetEvent() {
        eventSlots = nil
        for case .toMany(let relation) in slots { relation.forgetEvent() }
    }

    /// Takes back all changes since the object was last read or saved.
    final func restoreCommitted() {
        guard !isFault, let row else { return }
        slots = row.values
    }
}
