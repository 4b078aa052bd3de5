import FoundationSupplement
import ManagedObjectModel

/// A node of the framework's own stores: it has an object's values as rows have them.
package final class SlotCacheNode: NSAtomicStoreCacheNode {
    /// By slot of the entity's layout. Transformable values are archives.
    package var values: [SlotValue]
    /// The keys at the other ends of to-many relationships by slot, in their order where they have one.
    package var related: [Int: [Int64]] = [:]

    package init(objectID: NSManagedObjectID, values: [SlotValue]) {
        self.values = values
        super.init(objectID: objectID)
    }

    package override func value(forKey key: String) -> Any? {
        let layout = objectID.layout
        guard let slot = layout.slot(key) else { return nil }
        switch layout.kinds[slot] {
        case .attribute(let attribute): return values[slot].foundationValue(of: attribute)
        case .toOne(let relationship), .toMany(let relationship):
            guard let store = objectID.persistentStore as? SlotStore else { return nil }
            let nodes = related(relationship, in: store)
            if !relationship.isToMany { return nodes.first }
            return relationship.isOrdered ? NSOrderedSet(array: nodes) : Set(nodes)
        case .fetched: return nil
        }
    }

    package override func setValue(_ value: Any?, forKey key: String) {
        misuse("'\(key)' of a cache node can't be set: only the framework writes to this store")
    }

    package override func row(in store: NSAtomicStore) throws -> Row {
        let layout = objectID.layout
        guard layout.hasDerivedAttributes else { return Row(version: version, values: values) }
        var values = values
        for (slot, property) in layout.properties.enumerated() {
            if let derived = property as? NSDerivedAttributeDescription { values[slot] = try slotValue(derived) }
        }
        return Row(version: version, values: values)
    }

    package override func setTimeOfSave(_ date: Date, _ attribute: NSAttributeDescription) {
        guard let slot = objectID.layout.slot(attribute.name) else { return }
        values[slot] = .date(date.timeIntervalSinceReferenceDate)
    }

    package override func related(
        _ relationship: NSRelationshipDescription, in store: NSAtomicStore
    ) -> [NSAtomicStoreCacheNode] {
        guard let slot = objectID.layout.slot(relationship.name) else { return [] }
        switch values[slot] {
        case .reference(let key, let number):
            return store.entity(number: number).flatMap { store.tree(of: $0)[key] }.map { [$0] } ?? []
        default:
            guard let keys = related[slot], let destination = relationship.destinationEntity else { return [] }
            let tree = store.tree(of: destination)
            return keys.compactMap { tree[$0] }
        }
    }

    package override func restoration() -> () -> Void {
        let (values, related, version) = (values, related, version)
        return { [self] in
            self.values = values
            self.related = related
            self.version = version
        }
    }
}
