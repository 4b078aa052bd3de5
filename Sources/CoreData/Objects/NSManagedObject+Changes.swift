import FoundationSupplement
import ManagedObjectModel

extension NSManagedObject {
    /// Whether any persistent property differs from what the store has. False for an object that was changed back.
    public final var hasPersistentChangedValues: Bool {
        isInserted || isDeleted || changedSlots.contains { !layout.properties[$0].isTransient }
    }

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

    /// The values of the persistent properties that were changed since the context last told of changes
    /// (`NSManagedObjectContextObjectsDidChange`).
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
                result[key] = row.values[slot].foundationValue(attribute.attributeType) ?? NSNull()
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
                result[property.name] = row.values[slot].foundationValue(attribute.attributeType) ?? NSNull()
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
        let old = slotValue(slot)
        prepareChange()
        if case .toOne = layout.kinds[slot] {
            // The object itself, since what the slot has then may be only its key.
            managedObjectContext?.openChanges.append(
                OpenChange(object: self, slot: slot, old: toOne(slot).map { .object($0) } ?? old))
        }
    }

    final func endChange(forKey key: String) {
        guard let slot = layout.slot(key), let context = managedObjectContext else { return }
        guard case .toOne(let relationship) = layout.kinds[slot],
            let at = context.openChanges.lastIndex(where: { $0.object === self && $0.slot == slot })
        else { return }
        let change = context.openChanges.remove(at: at)
        let new = toOne(slot)
        var old: NSManagedObject?
        if case .object(let object) = change.old { old = object }
        guard old !== new else { return }
        // As if it had just been set: from the old value, through the usual way.
        slots[slot] = old.map { .object($0) } ?? .null
        if let old { unlink(relationship, old) }
        if let new { link(relationship, new) }
    }

    final func endChange(forKey inKey: String, of inObjects: Set<AnyHashable>) {
        guard let slot = layout.slot(inKey), case .toMany(let relationship) = layout.kinds[slot],
            let inverse = relationship.inverseRelationship
        else { return }
        let members = toMany(slot)
        for case let object as NSManagedObject in inObjects.map(\.base) {
            object.setEnd(inverse, self, isLinked: members.contains(object))
        }
    }
}

/// A change of a to-one relationship between `willChangeValue(forKey:)` and `didChangeValue(forKey:)`.
struct OpenChange {
    let object: NSManagedObject
    let slot: Int
    let old: SlotValue
}
