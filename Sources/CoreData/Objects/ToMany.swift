import FoundationSupplement
import ManagedObjectModel

/// The value of a to-many relationship: what the store has, read when first needed, and what changed since.
///
/// Objects can be added and removed without reading the store; that is what keeps both ends of a relationship true
/// at no cost when only one end is touched.
package final class ToMany {
    package let relationship: NSRelationshipDescription
    package private(set) var isLoaded: Bool
    private var members = ObjectList()
    /// The members as they were read, as long as nobody has asked more than what they are.
    private var asRead: [NSManagedObject]?
    /// Objects that the store doesn't have here. Before loading, an object of an ordered relationship that was removed
    /// and added again, and so is the last, is in both lists.
    package private(set) var added = ObjectList()
    /// Objects that the store has here still.
    package private(set) var removed = ObjectList()
    /// The store's order, once an order was given that may differ from it by more than new objects at the end.
    private var storedOrder: [NSManagedObject]?
    private var handedOut: Any?
    /// Whether anything was changed in the current event, or, while the context tells of changes, in the one it tells of.
    private(set) var isChangedInEvent = false
    /// What was done since then, in order, if the context wants to be able to undo it.
    private(set) var journal: [Edit] = []

    enum Edit {
        case added(NSManagedObject)
        case removed(NSManagedObject, at: Int?)
        /// The members as they were before.
        case reordered([NSManagedObject])
    }

    init(_ relationship: NSRelationshipDescription, isLoaded: Bool) {
        self.relationship = relationship
        self.isLoaded = isLoaded
    }

    /// The members of a relationship of a new object.
    init(_ relationship: NSRelationshipDescription, members: [NSManagedObject]) {
        self.relationship = relationship
        isLoaded = true
        self.members = ObjectList(members)
        added = ObjectList(members)
    }

    package var hasChanges: Bool { !added.isEmpty || !removed.isEmpty || isReordered }

    /// Whether the order differs from the store's by more than new objects at the end.
    package var isReordered: Bool {
        guard let storedOrder else { return false }
        let order = storedOrder.filter { !removed.contains($0) } + added.objects
        return !members.objects.elementsEqual(order, by: ===)
    }

    /// Takes what the store has, and puts the changes made so far on top.
    func load(_ stored: [NSManagedObject]) {
        guard !isLoaded else { return }
        isLoaded = true
        if added.isEmpty, removed.isEmpty, storedOrder == nil {
            asRead = stored
            handedOut = nil
            return
        }
        let kept = storedOrder == nil ? nil : members.objects
        members = ObjectList()
        storedOrder = nil
        for object in stored {
            members.append(object)
            if !removed.contains(object) { added.remove(object) }
        }
        for object in removed.objects { members.remove(object) }
        for object in added.objects { members.append(object) }
        for object in added.objects where removed.remove(object) {
            added.remove(object)
            storedOrder = stored
        }
        if let kept {
            // The order given here stays, and what others have added comes at the end.
            let wanted = ObjectList(kept)
            storedOrder = stored
            members = ObjectList(
                kept.filter(members.contains) + members.objects.filter { !wanted.contains($0) })
        }
        handedOut = nil
    }

    /// Makes the list of members that can be changed, and searched.
    private func makeMembers() {
        guard let asRead else { return }
        members = ObjectList(asRead)
        self.asRead = nil
    }

    /// Lets go what the store had, which others have changed. It is read anew when needed; own changes stay.
    func unload() {
        guard isLoaded else { return }
        makeMembers()
        isLoaded = false
        if !isReordered {
            members = ObjectList()
            storedOrder = nil
        }
        handedOut = nil
    }

    /// The objects, in their order if the relationship has one. Only after loading.
    package var objects: [NSManagedObject] { asRead ?? members.objects }

    package func contains(_ object: NSManagedObject) -> Bool {
        makeMembers()
        return isLoaded ? members.contains(object) : added.contains(object)
    }

    func add(_ object: NSManagedObject, at index: Int? = nil, isJournaled: Bool) {
        guard !contains(object) else { return }
        isChangedInEvent = true
        if isJournaled { journal.append(.added(object)) }
        handedOut = nil
        guard isLoaded else {
            let isBack = !relationship.isOrdered && removed.remove(object)
            if !isBack { added.append(object) }
            return
        }
        if relationship.isOrdered { noteOrder() }
        if !removed.remove(object) { added.append(object) }
        if let index { members.insert(object, at: index) } else { members.append(object) }
    }

    func remove(_ object: NSManagedObject, isJournaled: Bool) {
        guard contains(object) || !isLoaded else { return }
        isChangedInEvent = true
        if isJournaled {
            let index = relationship.isOrdered && isLoaded ? members.objects.firstIndex { $0 === object } : nil
            journal.append(.removed(object, at: index))
        }
        if relationship.isOrdered, isLoaded { noteOrder() }
        if !added.remove(object) { removed.append(object) }
        if isLoaded { members.remove(object) }
        handedOut = nil
    }

    /// Gives an ordered relationship the order of `objects`, which are its members.
    func reorder(_ objects: [NSManagedObject], isJournaled: Bool) {
        makeMembers()
        isChangedInEvent = true
        if isJournaled { journal.append(.reordered(members.objects)) }
        noteOrder()
        members = ObjectList(objects)
        handedOut = nil
    }

    /// Keeps the store's order before the first change of it.
    private func noteOrder() {
        if storedOrder == nil { storedOrder = members.objects.filter { !added.contains($0) } }
    }

    /// Sets the members, loaded, as a primitive value: what differs from the store's is a change all the same.
    func replace(_ objects: [NSManagedObject], isJournaled: Bool) {
        makeMembers()
        let wanted = ObjectList(objects)
        for object in members.objects where !wanted.contains(object) { remove(object, isJournaled: isJournaled) }
        for object in objects where !contains(object) { add(object, isJournaled: isJournaled) }
        if relationship.isOrdered, !members.objects.elementsEqual(objects, by: ===) {
            reorder(objects, isJournaled: isJournaled)
        }
    }

    /// Takes back what a journal says was done, in a loaded relationship; what is no longer `alive` doesn't come back.
    func undo(_ edits: [Edit], where isAlive: (NSManagedObject) -> Bool) {
        makeMembers()
        for edit in edits.reversed() {
            switch edit {
            case .added(let object): remove(object, isJournaled: true)
            case .removed(let object, let index):
                if isAlive(object) { add(object, at: index, isJournaled: true) }
            case .reordered(let before):
                let known = ObjectList(before)
                reorder(
                    before.filter(members.contains) + members.objects.filter { !known.contains($0) }, isJournaled: true)
            }
        }
    }

    func endEvent() { journal = [] }

    func forgetEvent() { isChangedInEvent = false }

    func noteSaved() {
        added = ObjectList()
        removed = ObjectList()
        storedOrder = nil
    }

    /// The value as key-value coding hands it out: `Set<NSManagedObject>` or `NSOrderedSet`.
    var foundationValue: Any {
        if let handedOut { return handedOut }
        let value: Any = relationship.isOrdered ? NSOrderedSet(array: objects) : Set(objects)
        handedOut = value
        return value
    }
}

/// Objects in the order in which they came, each once. Membership and removal take constant time.
package struct ObjectList {
    private var storage: [NSManagedObject?] = []
    private var positions: [ObjectIdentifier: Int] = [:]

    package init() {}

    package init(_ objects: [NSManagedObject]) {
        for object in objects { append(object) }
    }

    package var isEmpty: Bool { positions.isEmpty }
    package var count: Int { positions.count }
    package var objects: [NSManagedObject] { storage.compactMap(\.self) }

    func contains(where condition: (NSManagedObject) -> Bool) -> Bool {
        storage.contains { object in object.map(condition) ?? false }
    }

    package func contains(_ object: NSManagedObject) -> Bool { positions[ObjectIdentifier(object)] != nil }

    @discardableResult
    package mutating func append(_ object: NSManagedObject) -> Bool {
        guard positions[ObjectIdentifier(object)] == nil else { return false }
        positions[ObjectIdentifier(object)] = storage.count
        storage.append(object)
        return true
    }

    mutating func insert(_ object: NSManagedObject, at index: Int) {
        var all = objects
        all.insert(object, at: min(max(index, 0), all.count))
        self = ObjectList(all)
    }

    @discardableResult
    package mutating func remove(_ object: NSManagedObject) -> Bool {
        guard let at = positions.removeValue(forKey: ObjectIdentifier(object)) else { return false }
        storage[at] = nil
        // Holes are squeezed out once they are the larger part.
        if storage.count > 16, positions.count * 2 < storage.count { self = ObjectList(objects) }
        return true
    }

    /// Leaves only some; faster than taking many out one by one.
    mutating func keep(where condition: (NSManagedObject) -> Bool) {
        if !isEmpty { self = ObjectList(objects.filter(condition)) }
    }

    package mutating func removeAll() { self = ObjectList() }
}
