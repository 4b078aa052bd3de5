import FoundationSupplement
import ManagedObjectModel

/// What is put by for a fault, until it is filled. A fault has no values, so that its `slots` are free for it: a batch
/// alone, or by slot the ends of relationships that were read before.
extension NSManagedObject {
    /// The batch that the fault is to be filled with.
    final var batch: FetchBatch? {
        get {
            guard isFault, slots.count == 1, case .transformed(let batch as FetchBatch) = slots[0] else { return nil }
            return batch
        }
        set { if isFault { slots = newValue?.mark ?? [] } }
    }

    /// Keeps the end of a to-one relationship, which says the same as the row.
    final func putBy(_ value: SlotValue, _ slot: Int) {
        if !isFault {
            if case .reference = slots[slot] { slots[slot] = value }
        } else {
            makePlace()
            slots[slot] = value
        }
    }

    /// Keeps the ends of a to-many relationship.
    final func putBy(_ ends: [NSManagedObject], _ relationship: NSRelationshipDescription, _ slot: Int) {
        let relation = isFault ? ToMany(relationship, isLoaded: false) : unfilledToMany(slot)
        relation.load(ends)
        guard isFault else { return }
        makePlace()
        slots[slot] = .toMany(relation)
    }

    private func makePlace() {
        if slots.count != layout.count || batch != nil { slots = Array(repeating: .null, count: layout.count) }
    }

    /// The value of a to-one relationship as far as it can be told without reading.
    final func knownValue(_ slot: Int) -> SlotValue? {
        if !isFault { return slots[slot] }
        if slots.count == layout.count, batch == nil, !slots[slot].isNull { return slots[slot] }
        return row?.values[slot]
    }

    /// The to-many relationship, if it was read.
    final func knownToMany(_ slot: Int) -> ToMany? {
        guard slot < slots.count, case .toMany(let relation) = slots[slot], relation.isLoaded else { return nil }
        return relation
    }

    /// Forgets what was put by: it may not be true any more.
    final func dropWhatIsPutBy() {
        if isFault { slots = [] }
    }

    /// Adds to the values of an object that was just filled what was put by before.
    final func take(putBy ends: [SlotValue]) {
        guard ends.count == slots.count else { return }
        for (slot, end) in ends.enumerated() {
            switch (end, slots[slot]) {
            case (.toMany, _): slots[slot] = end
            case (.object(let object), .reference(let key, _)) where object.primaryKey == key: slots[slot] = end
            default: break
            }
        }
    }
}
