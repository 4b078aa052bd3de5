import FoundationSupplement
import ManagedObjectModel

extension NSManagedObject {
    /// Takes the new row's values, but for those that were changed here and, if both sides have changed one, may stay.
    final func merge(_ old: Row, _ new: Row, storeWins: Bool) {
        prepareChange()
        for slot in slots.indices {
            let isChangedHere = !slots[slot].isSame(as: old.values[slot])
            let isChangedThere = !new.values[slot].isSame(as: old.values[slot])
            if isChangedThere, storeWins || !isChangedHere { takeStored(new.values[slot], slot) }
        }
    }

    /// Gives an attribute or a to-one relationship the store's value. Changes of to-many relationships are those of the
    /// other ends, or are written beside the rows, and stay.
    final func takeStored(_ value: SlotValue, _ slot: Int) {
        switch layout.kinds[slot] {
        case .attribute: slots[slot] = value
        case .toOne(let relationship):
            let mine = toOne(slot)
            let read = row.flatMap { object(at: $0.values[slot], of: relationship) }
            if mine !== read {
                mine?.forget(relationship.inverseRelationship, self)
                read?.recall(relationship.inverseRelationship, self)
            }
            slots[slot] = value
            for other in [read, object(at: value, of: relationship)] {
                other?.readAnew(relationship.inverseRelationship)
            }
        case .toMany, .fetched: break
        }
    }

    /// Takes back that the object was related to `other` by a change that is dropped.
    final func forget(_ relationship: NSRelationshipDescription?, _ other: NSManagedObject) {
        guard let relationship, managedObjectContext != nil, let slot = layout.slot(relationship.name) else { return }
        if relationship.isToMany || toOne(slot) === other { setEnd(relationship, other, isLinked: false) }
    }

    /// Takes back that the object is no longer related to `other` by a change that is dropped, unless something else has
    /// taken the place.
    final func recall(_ relationship: NSRelationshipDescription?, _ other: NSManagedObject) {
        guard let relationship, managedObjectContext != nil, !isDeleted, let slot = layout.slot(relationship.name)
        else { return }
        if relationship.isToMany || toOne(slot) == nil { setEnd(relationship, other, isLinked: true) }
    }

    /// Lets an end of a relationship that others have changed in the store be read again.
    final func readAnew(_ relationship: NSRelationshipDescription?) {
        guard let relationship, let context = managedObjectContext, !isFault, let slot = layout.slot(relationship.name)
        else { return }
        if !hasChanges {
            context.refresh(self, mergeChanges: true)
        } else if case .toMany(let relation) = slots[slot] {
            relation.unload()
        }
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
                    if other !== self, other !== duplicate { link(relationship, other) }
                }
            case .fetched: continue
            }
        }
    }

    /// Puts another object in the place of `old` in relationships that have no inverse.
    final func replace(_ old: NSManagedObject, by new: NSManagedObject) {
        guard !isFault else { return }
        for case let relationship as NSRelationshipDescription in layout.properties
        where relationship.inverseRelationship == nil {
            guard let slot = layout.slot(relationship.name) else { continue }
            switch slots[slot] {
            case .object(old): setSlot(slot, .object(new))
            case .toMany(let relation) where relation.contains(old):
                setEnd(relationship, old, isLinked: false)
                setEnd(relationship, new, isLinked: true)
            default: continue
            }
        }
    }
}

extension NSManagedObjectContext {
    /// An object whose row someone else has deleted leaves the context, and the objects related to it forget it.
    func dropAsDeleted(_ object: NSManagedObject) {
        for (slot, value) in object.slots.enumerated() {
            switch (object.layout.kinds[slot], value) {
            case (.toOne(let relationship), .object(let other)):
                let isOwnChange = object.row.map { !value.isSame(as: $0.values[slot]) } ?? true
                if isOwnChange { other.forget(relationship.inverseRelationship, object) }
                other.readAnew(relationship.inverseRelationship)
            case (.toMany(let relationship), .toMany(let relation)):
                for other in relation.added.objects { other.forget(relationship.inverseRelationship, object) }
                for other in relation.objects { other.readAnew(relationship.inverseRelationship) }
            default: continue
            }
        }
        updated.remove(object)
        event.dropped.append(object)
        pendingDeletes.removeAll { $0 === object }
        object.space.rows.forget(object.primaryKey)
        leave(object)
    }

    /// The object stays, and what its delete rules have taken from it comes back, but for objects that were deleted.
    func cancelDeletion(_ object: NSManagedObject) {
        deleted.remove(object)
        object.state.remove(.deleted)
        for case (let slot, let relationship as NSRelationshipDescription) in object.layout.properties.enumerated()
        where relationship.deleteRule == .nullifyDeleteRule {
            for other in object.related(slot) { other.recall(relationship.inverseRelationship, object) }
        }
        pendingDeletes.removeAll { $0 === object }
        if !object.isFault { object.turnIntoFault() }
        event.refreshed.append(object)
    }

    /// The object has the values of the new row.
    func dropChanges(of object: NSManagedObject, for row: Row) {
        for slot in object.slots.indices { object.takeStored(row.values[slot], slot) }
        object.row = row
        if object.changedSlots.isEmpty {
            object.state.remove(.updated)
            updated.remove(object)
        }
        event.refreshed.append(object)
    }

    /// A duplicate goes: one that was never saved without a trace, another by being deleted.
    func discard(_ object: NSManagedObject) {
        guard object.isInserted else { return delete(object) }
        event.dropped.append(object)
        leave(object)
    }
}
