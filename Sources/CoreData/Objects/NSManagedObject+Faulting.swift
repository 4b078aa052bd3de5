import FoundationSupplement
import ManagedObjectModel

extension NSManagedObject {
    /// The value in a slot; fills a fault first.
    package final func slotValue(_ slot: Int) -> SlotValue {
        if state.contains(.fault) { fire(layout.properties[slot]) }
        return slot < slots.count ? slots[slot] : .null
    }

    package final func setSlot(_ slot: Int, _ value: SlotValue) {
        if state.contains(.fault) { fire(layout.properties[slot]) }
        guard slot < slots.count else { return }
        prepareChange()
        slots[slot] = value
    }

    /// Tells the context, before the first change in an event, that there is one.
    final func prepareChange() {
        if state.contains(.noted) { return }
        guard let context = managedObjectContext else { return noteLostChange() }
        context.noteChange(of: self)
    }

    /// An object without a context may be changed, but a saved one has lost its context, and with it the change.
    private func noteLostChange() {
        guard space !== ObjectIDSpace.temporary else { return }
        SQLLog.error("Mutating a managed object \(objectID) (\(address)) after it has been removed from its context.")
    }

    /// Fills a fault with the newest row known, else from the store or the parent context.
    final func fire(_ property: NSPropertyDescription? = nil) {
        guard let context = managedObjectContext else { return fillOrphan() }
        context.checkQueue()
        // An insert that was refreshed has no row: what it gets back are the model's defaults.
        if isInserted, row == nil { return fill(layout.defaultSlots) }
        if row == nil, let batch { batch.load(in: context) }
        switch context.currentRow(of: self) {
        case .success(let found?): fill(with: found)
        case .success(nil):
            fill(layout.emptySlots)
            row = nil
            context.noteInaccessible(self, property)
        case .failure(let error):
            // Whether the row exists is unknown: the object stays a fault, and reads as nil meanwhile.
            SQLLog.warn("\(objectID) can't be read: \(error.localizedDescription)")
        }
    }

    /// Fills a fault.
    ///
    /// - Parameter isFetched: whether a fetch has just brought its row, which then is the newest.
    final func fill(isFetched: Bool) {
        guard isFault else { return }
        if isFetched, batch == nil, let row { fill(with: row) } else { fire() }
    }

    private func fill(with found: Row) {
        let ends = slots
        row = found
        fill(found.values)
        if !ends.isEmpty { take(putBy: ends) }
        state.insert(.awaking)
        awakeFromFetch()
        state.remove(.awaking)
    }

    private func fill(_ values: [SlotValue]) {
        state.remove(.fault)
        slots = values
    }

    /// A fault that no context can fill. What it had with it, it shows; else it reads as empty.
    private func fillOrphan() {
        fill(row?.values ?? layout.emptySlots)
    }

    /// Lets the values go; what the store had is kept for when the context reads the object again.
    final func turnIntoFault() {
        willTurnIntoFault()
        state.remove(.updated)
        state.insert(.fault)
        slots = []
        // What a child context remembers are objects, which may hold this one in turn.
        if managedObjectContext?.parent != nil { row = nil }
        didTurnIntoFault()
    }

    /// What becomes of the object when its context is gone or forgets it: a fault that nothing can fill.
    final func orphan() {
        registry = nil
        slots = []
        row = nil
        eventSlots = nil
        state = .fault
    }

    // MARK: For programs

    /// Whether a relationship's objects are not read yet. Fires no fault.
    ///
    /// - Parameter key: the relationship's name.
    public final func hasFault(forRelationshipNamed key: String) -> Bool {
        guard let slot = layout.slot(key), batch == nil, slot < slots.count else { return true }
        return switch (layout.kinds[slot], slots[slot]) {
        case (.toMany, .toMany(let relation)): !relation.isLoaded
        case (.toMany, _): !isInserted
        case (.toOne, .reference): true
        case (.toOne, .object(let object)): object.isFault
        case (.toOne, .null): isFault
        case (.fetched, _): true
        default: false
        }
    }

    /// The IDs at the other end of a relationship. Fires the fault of this object, not those of the others.
    public final func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
        guard let slot = layout.slot(key) else { return [] }
        switch layout.kinds[slot] {
        case .toOne: return toOne(slot).map { [$0.objectID] } ?? []
        case .toMany: return toMany(slot).objects.map(\.objectID)
        case .attribute, .fetched: return []
        }
    }
}
