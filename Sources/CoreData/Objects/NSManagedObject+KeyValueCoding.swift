import FoundationSupplement
import ManagedObjectModel

extension NSManagedObject {
    /// The value of a property for key-value coding, without the accessor's bookkeeping.
    package final func foundationValue(_ slot: Int) -> Any? {
        if let type = layout.attributeTypes[slot] { return slotValue(slot).foundationValue(type) }
        switch layout.kinds[slot] {
        case .attribute(let attribute): return transformableValue(slot, attribute)
        case .toOne: return toOne(slot)
        case .toMany: return toMany(slot).foundationValue
        case .fetched(let property): return managedObjectContext?.fetchedValue(of: property, source: self)
        }
    }

    package final func setFoundationValue(_ value: Any?, _ slot: Int) {
        if let value, let type = layout.attributeTypes[slot], let exact = SlotValue.exact(value, type) {
            return setSlot(slot, exact)
        }
        switch layout.kinds[slot] {
        case .attribute(let attribute): setAttribute(attribute, slot, value)
        case .toOne(let relationship): setToOne(relationship, slot, value)
        case .toMany(let relationship): setToMany(relationship, slot, value)
        case .fetched(let property): misuse("the fetched property '\(property.name)' can't be set")
        }
    }

    /// Sets a value without telling the context or the other end.
    final func setPrimitive(_ value: Any?, _ slot: Int) {
        if state.contains(.fault) { fire(layout.properties[slot]) }
        guard slot < slots.count else { return }
        switch layout.kinds[slot] {
        case .attribute(let attribute):
            if let checked = acceptable(value, for: attribute) { slots[slot] = checked }
        case .toOne: slots[slot] = (value as? NSManagedObject).map { .object($0) } ?? .null
        case .toMany(let relationship):
            guard let wanted = members(of: value, relationship) else { return }
            toMany(slot).replace(wanted, isJournaled: isJournaled)
        case .fetched(let property): misuse("the fetched property '\(property.name)' can't be set")
        }
    }

    private func setAttribute(_ attribute: NSAttributeDescription, _ slot: Int, _ value: Any?) {
        if let checked = acceptable(value, for: attribute) { setSlot(slot, checked) }
    }

    /// The value for a slot; nil, after Apple's message, for one of the wrong type.
    func acceptable(_ value: Any?, for attribute: NSAttributeDescription) -> SlotValue? {
        do throws(SlotValue.Unacceptable) {
            if value is NSNull { throw .type(desired: attribute.attributeValueClassName ?? "NSObject") }
            return try SlotValue(value, for: attribute)
        } catch .type(let desired) {
            misuse(
                "Unacceptable type of value for attribute: property = \"\(attribute.name)\"; desired type = \(desired);"
                    + " given type = \(value.map { String(describing: Swift.type(of: $0)) } ?? "nil");"
                    + " value = \(value.map { "\($0)" } ?? "nil").")
        } catch {
            misuse(
                "The value \(value.map { "\($0)" } ?? "nil") of \"\(attribute.name)\" is out of the range of"
                    + " \(attribute.attributeType.displayName).")
        }
        return nil
    }

    // MARK: Relationships

    /// The object at the end of a to-one relationship.
    package final func toOne(_ slot: Int) -> NSManagedObject? {
        let value = slotValue(slot)
        if case .object(let object) = value { return object }
        guard case .toOne(let relationship) = layout.kinds[slot], let object = object(at: value, of: relationship)
        else {
            return nil
        }
        slots[slot] = .object(object)
        return object
    }

    /// The object that a value of a to-one relationship means.
    final func object(at value: SlotValue, of relationship: NSRelationshipDescription) -> NSManagedObject? {
        if case .object(let object) = value { return object }
        guard case .reference(let key, let number) = value else { return nil }
        return managedObjectContext?.object(primaryKey: key, entityNumber: number, of: relationship, source: self)
    }

    /// The value of a to-many relationship, filled from the store.
    package final func toMany(_ slot: Int) -> ToMany {
        let relation = unfilledToMany(slot)
        if !relation.isLoaded {
            let stored = managedObjectContext?.objects(of: relation.relationship, source: self) ?? []
            relation.load(stored)
        }
        return relation
    }

    /// The value of a to-many relationship, without reading the store.
    final func unfilledToMany(_ slot: Int) -> ToMany {
        if case .toMany(let relation) = slotValue(slot) { return relation }
        guard case .toMany(let relationship) = layout.kinds[slot] else {
            preconditionFailure(
                "slot \(slot) of \(entity.name ?? "") is no to-many relationship: likely a bug in CoreData")
        }
        let relation = ToMany(relationship, isLoaded: row == nil && isInserted || managedObjectContext == nil)
        // A fault whose row can't be read has no slots to keep it in.
        if slot < slots.count { slots[slot] = .toMany(relation) }
        return relation
    }

    private func setToOne(_ relationship: NSRelationshipDescription, _ slot: Int, _ value: Any?) {
        let object: NSManagedObject?
        switch value {
        case nil: object = nil
        case let given as NSManagedObject:
            guard isAcceptable(given, for: relationship, "to-one") else { return }
            object = given
        case let given?:
            misuse(
                "Unacceptable type of value for to-one relationship: property = \"\(relationship.name)\"; desired type ="
                    + " \(relationship.destinationEntity?.managedObjectClassName ?? ""); given type ="
                    + " \(Swift.type(of: given)); value = \(given).")
            return
        }
        let old = toOne(slot)
        // The same object again is a change as far as the context is concerned, like an equal value of an attribute.
        guard old !== object else { return prepareChange() }
        if let old { unlink(relationship, old) }
        if let object { link(relationship, object) }
    }

    /// Whether the context wants to be able to undo.
    private var isJournaled: Bool { managedObjectContext?.undoManager != nil }

    private func setToMany(_ relationship: NSRelationshipDescription, _ slot: Int, _ value: Any?) {
        guard let wanted = members(of: value, relationship) else { return }
        for object in wanted where !isAcceptable(object, for: relationship, "to-many") { return }
        let relation = toMany(slot)
        let kept = Set(wanted.map(ObjectIdentifier.init))
        for object in relation.objects where !kept.contains(ObjectIdentifier(object)) { unlink(relationship, object) }
        for object in wanted where !relation.contains(object) { link(relationship, object) }
        if relationship.isOrdered, !relation.objects.elementsEqual(wanted, by: ===) {
            prepareChange()
            relation.reorder(wanted, isJournaled: isJournaled)
        }
    }

    /// The members of a collection given for a to-many relationship: of exactly the right kind, as Apple's setters
    /// demand.
    private func members(of value: Any?, _ relationship: NSRelationshipDescription) -> [NSManagedObject]? {
        let list: [Any]?
        switch value {
        case nil: list = []
        case let ordered as NSOrderedSet where relationship.isOrdered: list = ordered.array
        // First: as a Swift set, one of Foundation's of another class than its own is empty.
        case let set as MutableSetProxy where !relationship.isOrdered: list = set.allObjects
        case let set as Set<NSManagedObject> where !relationship.isOrdered: return Array(set)
        case let set as NSSet where !relationship.isOrdered: list = set.allObjects
        case let set as Set<AnyHashable> where !relationship.isOrdered: list = set.map(\.base)
        default: list = nil
        }
        if let list, let objects = list as? [NSManagedObject] { return objects }
        let kind = relationship.isOrdered ? "ordered to-many" : "to-many"
        misuse(
            "Unacceptable type of value for \(kind) relationship: property = \"\(relationship.name)\"; desired type ="
                + " \(relationship.isOrdered ? "NSOrderedSet" : "NSSet"); given type ="
                + " \(value.map { String(describing: Swift.type(of: $0)) } ?? "nil"); value = \(value ?? "nil").")
        return nil
    }

    private func isAcceptable(
        _ object: NSManagedObject, for relationship: NSRelationshipDescription, _ kind: String
    ) -> Bool {
        if let destination = relationship.destinationEntity, !object.entity.isKindOf(entity: destination) {
            misuse(
                "Unacceptable type of value for \(kind) relationship: property = \"\(relationship.name)\"; desired type"
                    + " = \(destination.managedObjectClassName ?? ""); given type ="
                    + " \(object.entity.managedObjectClassName ?? ""); value = \(object).")
            return false
        }
        if object.managedObjectContext !== managedObjectContext {
            misuse(
                "Illegal attempt to establish a relationship '\(relationship.name)' between objects in different contexts"
                    + " (source = \(self) , destination = \(object))")
            return false
        }
        return true
    }

    // MARK: Both ends

    /// Relates `self` to `object`, and keeps the other end, and ends that are pushed out, true.
    package final func link(_ relationship: NSRelationshipDescription, _ object: NSManagedObject) {
        guard !state.contains(.awaking) else { return setEnd(relationship, object, isLinked: true) }
        if !relationship.isToMany, let slot = layout.slot(relationship.name), let old = toOne(slot) {
            unlink(relationship, old)
        }
        let inverse = relationship.inverseRelationship
        if let inverse, !inverse.isToMany, let slot = object.layout.slot(inverse.name), let old = object.toOne(slot) {
            object.unlink(inverse, old)
        }
        setEnd(relationship, object, isLinked: true)
        if let inverse { object.setEnd(inverse, self, isLinked: true) }
    }

    package final func unlink(_ relationship: NSRelationshipDescription, _ object: NSManagedObject) {
        setEnd(relationship, object, isLinked: false)
        guard !state.contains(.awaking), let inverse = relationship.inverseRelationship else { return }
        object.detach(inverse, self)
    }

    /// Takes an object out of one end, and leaves the object's own values alone. Another object at this end stays.
    final func detach(_ relationship: NSRelationshipDescription, _ object: NSManagedObject) {
        if !relationship.isToMany, let slot = layout.slot(relationship.name), toOne(slot) !== object { return }
        setEnd(relationship, object, isLinked: false)
    }

    final func setEnd(_ relationship: NSRelationshipDescription, _ object: NSManagedObject, isLinked: Bool) {
        guard let slot = layout.slot(relationship.name) else { return }
        if relationship.isToMany {
            // To be undone, a change of an order must be known with its place.
            let relation = relationship.isOrdered && isJournaled ? toMany(slot) : unfilledToMany(slot)
            prepareChange()
            if isLinked {
                relation.add(object, isJournaled: isJournaled)
            } else {
                relation.remove(object, isJournaled: isJournaled)
            }
        } else {
            setSlot(slot, isLinked ? .object(object) : .null)
        }
    }
}

extension NSManagedObject {
    /// Gives an ordered relationship the order of `objects`.
    final func reorder(_ relationship: NSRelationshipDescription, _ objects: [NSManagedObject]) {
        guard let slot = layout.slot(relationship.name) else { return }
        let relation = toMany(slot)
        // Members that the new order doesn't name stay, at the end.
        let named = Set(objects.map(ObjectIdentifier.init))
        let order =
            objects.filter(relation.contains) + relation.objects.filter { !named.contains(ObjectIdentifier($0)) }
        guard !relation.objects.elementsEqual(order, by: ===) else { return }
        prepareChange()
        relation.reorder(order, isJournaled: managedObjectContext?.undoManager != nil)
    }

    /// Reads the ordered relationships that were given another order.
    final func loadReorderedRelationships() {
        for (slot, value) in slots.enumerated() {
            if case .toMany(let relation) = value, relation.isReordered { _ = toMany(slot) }
        }
    }
}
