import FoundationSupplement
import ManagedObjectModel

/// How to take back what one event did to one object.
private struct UndoStep {
    let object: NSManagedObject
    let kind: ContextEvent.Kind
    /// The slots at the start of the event; those of to-many relationships count for nothing.
    let slots: [SlotValue]
    /// By slot: what was done to each to-many relationship.
    let journals: [(slot: Int, edits: [ToMany.Edit])]
}

extension NSManagedObjectContext {
    /// Notes how to take back an event, as one step.
    func registerUndo(of event: ContextEvent) {
        guard let undoManager, undoManager.isUndoRegistrationEnabled else { return }
        let steps = event.touched.compactMap { object -> UndoStep? in
            guard let kind = ContextEvent.kind(object) else { return nil }
            let journals = object.slots.enumerated().compactMap { slot, value -> (Int, [ToMany.Edit])? in
                guard case .toMany(let relation) = value, !relation.journal.isEmpty else { return nil }
                return (slot, relation.journal)
            }
            return UndoStep(object: object, kind: kind, slots: object.eventSlots ?? object.slots, journals: journals)
        }
        guard !steps.isEmpty else { return }
        // The steps belong to this context's queue, where undoing happens too.
        nonisolated(unsafe) let held = steps
        undoManager.registerUndo(withTarget: self) { context in context.takeBack(held) }
    }

    /// Takes steps back, which is an event like any other: processing it notes how to do them again.
    private func takeBack(_ steps: [UndoStep]) {
        for step in steps.reversed() {
            switch step.kind {
            case .inserted: takeBackInsertion(step.object)
            case .deleted: takeBackDeletion(step)
            case .updated: takeBackUpdate(step)
            }
        }
        // No delete rules: what they did is among the steps.
        pendingDeletes = []
        processPendingChanges()
        for step in steps {
            step.object.awake(fromSnapshotEvents: step.kind.snapshotEvent)
        }
    }

    private func takeBackInsertion(_ object: NSManagedObject) {
        guard object.managedObjectContext === self else { return }
        guard object.isInserted else { return delete(object) }  // saved meanwhile
        noteChange(of: object)
        object.state.remove(.inserted)
        object.state.insert(.deletedInEvent)
        inserted.remove(object)
        deleted.remove(object)
        object.state.remove(.deleted)
        release(object)
    }

    private func takeBackDeletion(_ step: UndoStep) {
        let object = step.object
        guard object.managedObjectContext == nil else {
            noteChange(of: object)
            object.state.remove(.deleted)
            object.state.insert(.insertedInEvent)
            deleted.remove(object)
            if object.isInserted { inserted.append(object) } else { noteUpdated(object) }
            return
        }
        // The object has left the context: by the undoing of its insertion, or by a save, after which it is a new one.
        if object.space !== ObjectIDSpace.temporary {
            object.objectID = NSManagedObjectID(
                object.layout, primaryKey: NSManagedObjectID.nextTemporaryKey(), space: .temporary)
            object.row = nil
            object.slots = step.slots.map { if case .toMany = $0 { .null } else { $0 } }
        }
        object.state = []
        enter(object)
    }

    private func takeBackUpdate(_ step: UndoStep) {
        let object = step.object
        guard object.managedObjectContext === self else { return }
        object.willAccessValue(forKey: nil)
        object.prepareChange()
        for (slot, value) in step.slots.enumerated() where slot < object.slots.count {
            if case .toMany = object.layout.kinds[slot] { continue }
            object.slots[slot] = value
        }
        for (slot, edits) in step.journals {
            object.unfilledToMany(slot).undo(edits)
        }
        if object.isUpdated { noteUpdated(object) }
    }

    /// Whether an object counts as updated follows from its values after an undo.
    private func noteUpdated(_ object: NSManagedObject) {
        if object.changedSlots.isEmpty {
            object.state.remove(.updated)
            updated.remove(object)
        } else {
            object.state.insert(.updated)
            updated.append(object)
        }
    }
}

extension ContextEvent.Kind {
    fileprivate var snapshotEvent: NSSnapshotEventType {
        switch self {
        case .inserted: .undoInsertion
        case .deleted: .undoDeletion
        case .updated: .undoUpdate
        }
    }
}
