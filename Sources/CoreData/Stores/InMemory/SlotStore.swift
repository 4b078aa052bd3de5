import FoundationSupplement
import ManagedObjectModel

/// The framework's own stores that live in memory: what they have in common.
///
/// Keys are numbers from 102, as in Apple's XML files, and unlike all others of the store.
package class SlotStore: NSAtomicStore {
    /// The last key that was given.
    package final var lastKey: Int64 = 101

    package override final var hasReferences: Bool { false }

    package override final func newReferenceObject(for managedObject: NSManagedObject) -> Any {
        lastKey += 1
        return NSNumber(value: lastKey)
    }

    package override final func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
        SlotCacheNode(objectID: managedObject.objectID, values: managedObject.layout.emptySlots)
    }

    package override final func makeNode(for object: NSManagedObject) throws -> NSAtomicStoreCacheNode {
        let node = newCacheNode(for: object)
        try update(node, from: object)
        return node
    }

    package override final func update(_ node: NSAtomicStoreCacheNode, from object: NSManagedObject) throws {
        guard let node = node as? SlotCacheNode else { return }
        node.values = try zip(rowValues(of: object), object.layout.properties).map { value, property in
            property.isTransient ? .null : Self.stored(value)
        }
        for (slot, value) in object.slots.enumerated() {
            guard case .toMany(let relation) = value, relation.hasChanges else { continue }
            node.related[slot] = relation.objects.filter { !$0.isDeleted }.map(\.objectID.primaryKey)
        }
    }

    /// A value as a store keeps it: a number that is none is nil.
    private static func stored(_ value: SlotValue) -> SlotValue {
        switch value {
        case .real(let number) where number.isNaN: .null
        case .date(let number) where number.isNaN: .null
        default: value
        }
    }
}
