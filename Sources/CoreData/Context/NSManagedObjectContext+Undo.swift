import FoundationSupplement
import ManagedObjectModel

/// How to take back what one event did to one object.
private struct UndoStep {
    let object: NSManagedObject
    let kind: ContextEvent.Kind
    /// What the changed attributes and to-one relationships were at the start of the event.
    let values: [(slot: Int, value: SlotValue)]
    /// By slot: what was done to each to-many relationship.
    let journals: [(slot: Int, edits: [ToMany.Edit])]

    /// Nil where nothing is to be taken back.
    init?(_ object: NSManagedObject) {
        guard let kind = ContextEvent.kind(object) else { return nil }
        self.object = object
        self.kind = kind
        // A save may make a deletion final, after which the object is all that is left of its row.
        if kind == .deleted { object.fillForGood() }
        values = object.valuesBeforeEvent
        journals = object.slots.enumerated().compactMap { slot, value in
            guard case .toMany(let relation) = value, !relation.journal.isEmpty else { return nil }
            return (slot, relation.journal)
        }
        if kind == .updated, values.isEmpty, journals.isEmpty { return nil }
    }
}

extension NSManagedObjectContext {
    /// Notes how to take back an event, as one step.
    func registerUndo(of event: ContextEvent) {
        guard let undoManager, undoManager.isUndoRegistrationEnabled else { return }
        let steps = event.touched.compactMap { UndoStep($0) }
        guard !steps.isEmpty else { return }
        // The steps belong to this context's queue, where undoing happens too.
        nonisolated(unsafe) let held = steps
        undoManager.registerUndo(withTarget: self) { context in context.takeBack(held) }
    }

    /// Takes steps back, which is an event like any other: processing it notes how to do them again.
    private func takeBack(_ steps: [UndoStep]) {
        // First all objects that come back, since values may refer to them; last those that go.
        for step in steps.reversed() where step.kind == .deleted { takeBackDeletion(step.object) }
        for step in steps.reversed() where step.kind != .inserted { takeBackValues(step) }
        for step in steps.reversed() where step.kind == .inserted { takeBackInsertion(step.object) }
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
        object.state.subtract([.inserted, .deleted])
        object.state.insert(.deletedInEvent)
        inserted.remove(object)
        deleted.remove(object)
        release(object)
    }

    private func takeBackDeletion(_ object: NSManagedObject) {
        guard object.managedObjectContext == nil else {
            noteChange(of: object)
            object.state.remove(.deleted)
            object.state.insert(.insertedInEvent)
            deleted.remove(object)
            if object.isInserted { inserted.append(object) }
            return
        }
        // The object has left the context: by the undoing of its insertion, or by a save, after which it is a new one.
        if object.space !== ObjectIDSpace.temporary { object.becomeNew() }
        object.state = []
        enter(object)
    }

    private func takeBackValues(_ step: UndoStep) {
        let object = step.object
        guard object.managedObjectContext === self else { return }
        object.willAccessValue(forKey: nil)
        object.prepareChange()
        for (slot, value) in step.values where slot < object.slots.count {
            // What was deleted meanwhile, and saved so, is gone.
            if case .object(let other) = value, other.managedObjectContext !== self {
                object.slots[slot] = .null
            } else {
                object.slots[slot] = value
            }
        }
        for (slot, edits) in step.journals {
            object.toMany(slot).undo(edits) { $0.managedObjectContext === self }
        }
        noteUpdated(object)
    }

    /// Whether an object counts as updated follows from its values after an undo.
    private func noteUpdated(_ object: NSManagedObject) {
        guard !object.isInserted, !object.isDeleted else { return }
        if object.changedSlots.isEmpty {
            object.state.remove(.updated)
            updated.remove(object)
        } else {
            object.state.insert(.updated)
            updated.append(object)
        }
    }
}

extension NSManagedObject {
    /// What the attributes and to-one relationships that were changed in the current event were before it.
    fileprivate final var valuesBeforeEvent: [(slot: Int, value: SlotValue)] {
        guard let before = eventSlots.flatMap({ $0.isEmpty ? row?.values : $0 }) else { return [] }
        return slots.indices.compactMap { slot in
            if case .toMany = layout.kinds[slot] { return nil }
            guard slot < before.count, !slots[slot].isSame(as: before[slot]) else { return nil }
            // The object, not its key: should it be deleted and come back, it has another key.
            if case .toOne(let relationship) = layout.kinds[slot] {
                return (slot, object(at: before[slot], of: relationship).map { .object($0) } ?? .null)
            }
            return (slot, before[slot])
        }
    }

    /// Fills the object, and has objects for the keys in its relationships.
    fileprivate final func fillForGood() {
        willAccessValue(forKey: nil)
        for slot in slots.indices { if case .toOne = layout.kinds[slot] { _ = toOne(slot) } }
    }

    /// Makes an object whose row is gone one that was never saved, with the values that it still has.
    fileprivate final func becomeNew() {
        objectID = NSManagedObjectID(layout, primaryKey: NSManagedObjectID.nextTemporaryKey(), space: .temporary)
        row = nil
        slots = slots.map { value in
            guard case .toMany(let relation) = value else { return value }
            return .toMany(ToMany(relation.relationship, members: relation.objects))
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
