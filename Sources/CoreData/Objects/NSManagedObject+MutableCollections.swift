import FoundationSupplement
import ManagedObjectModel

extension NSManagedObject {
    /// A to-many relationship as a set whose changes are changes of the relationship, at both ends.
    ///
    /// ```swift
    /// let cities = country.mutableSetValue(forKey: "cities")
    /// cities.add(reykjavík)   // reykjavík's country is now Iceland
    /// ```
    /// Adding and removing an object costs the same whatever the number of objects. The set shows what the relationship
    /// has at any time. On Linux `as? Set<…>` gives an empty set for it: read it by iteration or `allObjects`, or use
    /// `value(forKey:)`.
    public func mutableSetValue(forKey key: String) -> NSMutableSet {
        guard let slot = layout.slot(key), case .toMany(let relationship) = layout.kinds[slot], !relationship.isOrdered
        else { return MutableSetProxy(of: self, key: key) }
        return MutableSetProxy(
            MutableSetProxy.Access(
                elements: { self.toMany(slot).objects },
                member: { element in
                    (element as? NSManagedObject).flatMap { self.toMany(slot).contains($0) ? $0 : nil }
                },
                change: { added, removed in self.change(relationship, adding: added, removing: removed) }))
    }

    private func change(_ relationship: NSRelationshipDescription, adding added: [Any], removing removed: [Any]) {
        let objects = added.compactMap { acceptable($0, relationship) }
        guard objects.count == added.count else { return }
        for case let object as NSManagedObject in removed { unlink(relationship, object) }
        for object in objects { link(relationship, object) }
    }

    /// An object that the relationship can take; nil, after Apple's message, for another.
    private func acceptable(_ value: Any, _ relationship: NSRelationshipDescription) -> NSManagedObject? {
        let destination = relationship.destinationEntity
        guard let object = value as? NSManagedObject, destination.map(object.entity.isKindOf(entity:)) ?? true else {
            misuse(
                "Unacceptable type of value for to-many relationship: property = \"\(relationship.name)\"; desired type ="
                    + " \(destination?.managedObjectClassName ?? ""); given type = \(type(of: value)); value = \(value)."
            )
            return nil
        }
        guard object.managedObjectContext === managedObjectContext else {
            misuse(
                "Illegal attempt to establish a relationship '\(relationship.name)' between objects in different contexts"
                    + " (source = \(self) , destination = \(object))")
            return nil
        }
        return object
    }
}
