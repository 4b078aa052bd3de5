/// A set that reads and changes a property of an object: what `mutableSetValue(forKey:)` gives.
///
/// It keeps no elements of its own, so that it always shows what the property has. One thing can't be had on Linux:
/// `as? Set<…>` gives an empty set for every subclass of `NSSet`, this one included. `allObjects`, iteration and the
/// property's own value do what is wanted.
package final class MutableSetProxy: NSMutableSet {
    /// How a proxy reaches its property.
    package struct Access {
        let elements: () -> [Any]
        let member: (Any) -> Any?
        let change: (_ added: [Any], _ removed: [Any]) -> Void

        /// - Parameters:
        ///   - elements: All elements.
        ///   - member: The element that equals an object.
        ///   - change: Adds and removes elements, in one step. Gets only what isn't there and what is.
        package init(
            elements: @escaping () -> [Any], member: @escaping (Any) -> Any?,
            change: @escaping (_ added: [Any], _ removed: [Any]) -> Void
        ) {
            self.elements = elements
            self.member = member
            self.change = change
        }
    }

    private let access: Access

    package init(_ access: Access) {
        self.access = access
        super.init(objects: nil, count: 0)
    }

    /// A set of its own, as the superclass wants it.
    package required init(capacity numItems: Int) {
        let own = NSMutableSet(capacity: numItems)
        access = Access(
            elements: { own.allObjects }, member: { own.member($0) },
            change: { added, removed in
                for element in removed { own.remove(element) }
                own.addObjects(from: added)
            })
        super.init(objects: nil, count: 0)
    }

    package required convenience init?(coder: NSCoder) {
        guard let elements = NSSet(coder: coder)?.allObjects else { return nil }
        self.init(capacity: elements.count)
        addObjects(from: elements)
    }

    // MARK: Reading

    package override var count: Int { access.elements().count }
    package override func member(_ object: Any) -> Any? { access.member(object) }
    package override func objectEnumerator() -> NSEnumerator { NSArray(array: access.elements()).objectEnumerator() }
    package override var allObjects: [Any] { access.elements() }

    // Foundation's own looks at the elements that the superclass has, of which there are none.
    package override var description: String { snapshot.description }
    package override func description(withLocale locale: Locale?) -> String { snapshot.description(withLocale: locale) }

    package override func isEqual(_ value: Any?) -> Bool {
        if let set = value as AnyObject as? NSSet {
            return set === self || count == set.count && allObjects.allSatisfy { set.contains($0) }
        }
        return snapshot.isEqual(value)
    }

    package override func copy(with zone: NSZone? = nil) -> Any { snapshot }
    package override func mutableCopy(with zone: NSZone? = nil) -> Any { NSMutableSet(array: allObjects) }

    private var snapshot: NSSet { NSSet(array: allObjects) }

    // MARK: Changing

    package override func add(_ object: Any) { change(adding: [object], removing: []) }
    package override func addObjects(from array: [Any]) { change(adding: array, removing: []) }
    package override func union(_ otherSet: Set<AnyHashable>) { change(adding: otherSet.map(\.base), removing: []) }

    package override func remove(_ object: Any) { change(adding: [], removing: [object]) }
    package override func minus(_ otherSet: Set<AnyHashable>) { change(adding: [], removing: otherSet.map(\.base)) }
    package override func removeAllObjects() { change(adding: [], removing: allObjects) }
    package override func intersect(_ otherSet: Set<AnyHashable>) {
        change(adding: [], removing: elements(notIn: otherSet))
    }
    package override func setSet(_ otherSet: Set<AnyHashable>) {
        change(adding: otherSet.map(\.base), removing: elements(notIn: otherSet))
    }

    private func elements(notIn otherSet: Set<AnyHashable>) -> [Any] {
        let other = NSSet(set: otherSet)
        return allObjects.filter { !other.contains($0) }
    }

    private func change(adding: [Any], removing: [Any]) {
        let added = adding.filter { access.member($0) == nil }
        let removed = removing.compactMap { access.member($0) }
        if !added.isEmpty || !removed.isEmpty { access.change(added, removed) }
    }
}
