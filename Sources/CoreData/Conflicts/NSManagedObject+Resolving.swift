import FoundationSupplement
import ManagedObjectModel

extension NSManagedObject {
    /// Takes the new row's values, but for those that were changed here and, if both sides have changed one, may stay.
    final func merge(_ old: Row, _ new: Row, storeWins: Bool) {
        var values = slots
        for slot in slots.indices {
            if case .toMany = layout.kinds[slot] { continue }
            let isChangedHere = !slots[slot].isSame(as: old.values[slot])
            let isChangedThere = !new.values[slot].isSame(as: old.values[slot])
            if isChangedThere, storeWins || !isChangedHere { values[slot] = new.values[slot] }
        }
        prepareChange()
        slots = values
    }

    /// Gives back the values of some attributes that the object was made from.
    final func restore(_ names: [String]) {
        guard let row else { return }
        for name in names { layout.slot(name).map { setSlot($0, row.values[$0]) } }
    }

    /// Takes over what a duplicate has: its values, unless the own ones stay, and its relationships, so that what pointed
    /// to the duplicate points here.
    final func takeOver(_ duplicate: NSManagedObject, keepsOwnValues: Bool) {
        willAccessValue(forKey: nil)
        duplicate.willAccessValue(forKey: nil)
        for (slot, property) in duplicate.layout.properties.enumerated() {
            guard let own = layout.slot(property.name) else { continue }
            switch duplicate.layout.kinds[slot] {
            case .attribute:
                if !keepsOwnValues { setSlot(own, duplicate.slotValue(slot)) }
            case .toOne(let relationship):
                let other = duplicate.toOne(slot)
                if let other { duplicate.unlink(relationship, other) }
                let keeps = keepsOwnValues && toOne(own) != nil
                guard !keeps, let other, other !== self, toOne(own) !== other else { continue }
                if let old = toOne(own) { unlink(relationship, old) }
                link(relationship, other)
            case .toMany(let relationship):
                for other in duplicate.toMany(slot).objects {
                    duplicate.unlink(relationship, other)
                    if other !== self { link(relationship, other) }
                }
            case .fetched: continue
            }
        }
    }
}

extension NSManagedObjectContext {
    /// An object whose row someone else has deleted leaves the context.
    func dropAsDeleted(_ object: NSManagedObject) {
        updated.remove(object)
        event.dropped.append(object)
        pendingDeletes.removeAll { $0 === object }
        object.space.rows.forget(object.primaryKey)
        leave(object)
    }

    func cancelDeletion(_ object: NSManagedObject) {
        deleted.remove(object)
        object.state.remove(.deleted)
        pendingDeletes.removeAll { $0 === object }
        if !object.isFault { object.turnIntoFault() }
        event.refreshed.append(object)
    }

    /// The object is as the new row, without changes.
    func dropChanges(of object: NSManagedObject, for row: Row) {
        object.slots = row.values
        object.row = row
        object.state.remove(.updated)
        updated.remove(object)
        event.refreshed.append(object)
    }

    /// A duplicate goes: one that was never saved without a trace, another by being deleted.
    func discard(_ object: NSManagedObject) {
        guard object.isInserted else { return delete(object) }
        event.dropped.append(object)
        leave(object)
    }
}
