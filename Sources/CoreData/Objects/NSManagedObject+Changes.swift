import FoundationSupplement
import ManagedObjectModel

extension NSManagedObject {
    /// Whether any persistent property differs from what the store has. False for an object that was changed back.
    public final var hasPersistentChangedValues: Bool {
        isInserted || isDeleted || changedSlots.contains { !layout.properties[$0].isTransient }
    }

    /// Whether a save that is under way leaves no row of the object: it is to be deleted, or has left the context.
    package final var isGone: Bool { isDeleted || managedObjectContext == nil }

    /// The slots whose values differ from the store's.
    package final var changedSlots: [Int] {
        guard !isFault else { return [] }
        return slots.indices.filter { slot in
            if case .toMany(let relation) = slots[slot] { return relation.hasChanges }
            guard let row else { return !slots[slot].isSame(as: layout.defaultSlots[slot]) }
            return !slots[slot].isSame(as: row.values[slot])
        }
    }

    final func unsavedValues() -> [String: Any] {
        guard hasChanges else { return [:] }
        return values(of: changedSlots)
    }

    /// The new values of the persistent properties that were changed since the context last told of changes
    /// (`NSManagedObjectContextObjectsDidChange`); to those who are being told, those that they are told of.
    public final func changedValuesForCurrentEvent() -> [String: Any] {
        guard let eventSlots, !isFault else { return [:] }
        return values(
            of: slots.indices.filter { slot in
                if case .toMany(let relation) = slots[slot] { return relation.isChangedInEvent }
                return slot >= eventSlots.count || !slots[slot].isSame(as: eventSlots[slot])
            })
    }

    private func values(of changed: [Int]) -> [String: Any] {
        Dictionary(
            uniqueKeysWithValues: changed.filter { !layout.properties[$0].isTransient }.map {
                (layout.properties[$0].name, foundationValue($0) ?? NSNull())
            })
    }

    final func savedValues(forKeys keys: [String]?) -> [String: Any] {
        willAccessValue(forKey: nil)
        guard let row else { return [:] }
        var result: [String: Any] = [:]
        for key in keys ?? layout.properties.map(\.name) {
            guard let slot = layout.slot(key), !layout.properties[slot].isTransient else { continue }
            switch layout.kinds[slot] {
            case .attribute(let attribute):
                result[key] = row.values[slot].foundationValue(of: attribute) ?? NSNull()
            case .toOne(let relationship):
                result[key] = object(at: row.values[slot], of: relationship) ?? NSNull()
            case .toMany(let relationship):
                let stored = managedObjectContext?.objects(of: relationship, source: self) ?? []
                result[key] = relationship.isOrdered ? NSOrderedSet(array: stored) : Set(stored)
            case .fetched: continue
            }
        }
        return result
    }

    /// A row as conflicts show it: attributes, and to-one relationships as object IDs; nil as `NSNull`.
    final func snapshot(of row: Row) -> [String: Any] {
        var result: [String: Any] = [:]
        for (slot, property) in layout.properties.enumerated() where !property.isTransient && slot < row.values.count {
            switch layout.kinds[slot] {
            case .attribute(let attribute):
                result[property.name] = row.values[slot].foundationValue(of: attribute) ?? NSNull()
            case .toOne(let relationship):
                result[property.name] = object(at: row.values[slot], of: relationship)?.objectID ?? NSNull()
            case .toMany, .fetched: continue
            }
        }
        return result
    }

    // MARK: Accessors written by hand

    final func beginChange(forKey key: String) {
        guard let slot = layout.slot(key) else { return }
        _ = slotValue(slot)
        prepareChange()
        // Objects themselves, since what the slot has then may be only a key.
        switch layout.kinds[slot] {
        case .toOne, .toMany:
            managedObjectContext?.openChanges.append(OpenChange(object: self, slot: slot, old: related(slot)))
        case .attribute, .fetched: return
        }
    }

    final func endChange(forKey key: String) {
        guard let slot = layout.slot(key), let context = managedObjectContext else { return }
        guard let relationship = layout.properties[slot] as? NSRelationshipDescription,
            let at = context.openChanges.lastIndex(where: { $0.object === self && $0.slot == slot })
        else { return }
        let old = context.openChanges.remove(at: at).old
        if relationship.isToMany {
            return settle(relationship, slot, Set(old).symmetricDifference(toMany(slot).objects))
        }
        let new = toOne(slot)
        guard old.first !== new else { return }
        // As if it had just been set: from the old value, through the usual way.
        slots[slot] = old.first.map { .object($0) } ?? .null
        if let old = old.first { unlink(relationship, old) }
        if let new { link(relationship, new) }
    }

    final func endChange(forKey inKey: String, of inObjects: Set<AnyHashable>) {
        guard let slot = layout.slot(inKey), case .toMany(let relationship) = layout.kinds[slot] else { return }
        settle(relationship, slot, inObjects.compactMap { $0.base as? NSManagedObject })
    }

    /// Makes the other ends of a to-many relationship agree with its primitive value.
    private func settle(
        _ relationship: NSRelationshipDescription, _ slot: Int, _ objects: some Sequence<NSManagedObject>
    ) {
        guard let inverse = relationship.inverseRelationship else { return }
        let members = toMany(slot)
        for object in objects {
            let isMember = members.contains(object)
            // A member that comes from another object leaves that one.
            if isMember, !inverse.isToMany, let end = object.layout.slot(inverse.name), let other = object.toOne(end),
                other !== self
            {
                other.setEnd(relationship, object, isLinked: false)
            }
            object.setEnd(inverse, self, isLinked: isMember)
        }
    }
}

/// A relationship between `willChangeValue(forKey:)` and `didChangeValue(forKey:)`, with the objects it had before.
struct OpenChange {
    let object: NSManagedObject
    let slot: Int
    let old: [NSManagedObject]
}
