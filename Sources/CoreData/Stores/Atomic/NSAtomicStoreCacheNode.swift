import FoundationSupplement
import ManagedObjectModel

/// One object's values in an ``NSAtomicStore``.
///
/// ```swift
/// let node = NSAtomicStoreCacheNode(objectID: store.objectID(for: city, withReferenceObject: "Q2887"))
/// node.setValue("Oslo", forKey: "name")
/// store.addCacheNodes([node])
/// ```
open class NSAtomicStoreCacheNode: NSObject, KeyValueCoding {
    /// The ID of the object.
    public let objectID: NSManagedObjectID
    /// The values by property, where the node keeps them in a dictionary; nil until one is set.
    ///
    /// The value of a to-one relationship is a node, that of a to-many relationship a collection of nodes. Object IDs
    /// may stand for nodes: our addition.
    open var propertyCache: NSMutableDictionary?
    /// How often the object was saved since the store was loaded.
    package final var version: Int64 = 1
    /// The derived attributes that are being computed.
    final var derivations: Set<String> = []

    /// Creates a node without values.
    public init(objectID moid: NSManagedObjectID) {
        objectID = moid
    }

    /// The value of a property. A subclass may keep its values elsewhere.
    open func value(forKey key: String) -> Any? { propertyCache?[key] }

    /// Sets the value of a property.
    open func setValue(_ value: Any?, forKey key: String) {
        if let value {
            let cache = propertyCache ?? NSMutableDictionary()
            cache[key] = value
            propertyCache = cache
        } else {
            propertyCache?.removeObject(forKey: key)
        }
    }

    // MARK: For the store

    /// The values as a row.
    ///
    /// - Throws: 134060 for a value that is not of its attribute's type.
    package func row(in store: NSAtomicStore) throws -> Row {
        let layout = objectID.layout
        let values = try layout.kinds.map { kind -> SlotValue in
            switch kind {
            case .attribute(let attribute): return attribute.isTransient ? .null : try slotValue(attribute)
            case .toOne(let relationship):
                guard let other = related(relationship, in: store).first else { return .null }
                return .reference(key: other.objectID.primaryKey, entity: store.number(of: other.objectID.entity))
            case .toMany, .fetched: return .null
            }
        }
        return Row(version: version, values: values)
    }

    /// Sets an attribute that is derived from the time of the object's last save.
    package func setTimeOfSave(_ date: Date, _ attribute: NSAttributeDescription) {
        setValue(date, forKey: attribute.name)
    }

    /// The nodes at the other end of a relationship, in their order if it has one.
    package func related(
        _ relationship: NSRelationshipDescription, in store: NSAtomicStore
    ) -> [NSAtomicStoreCacheNode] {
        guard let value = value(forKey: relationship.name) else { return [] }
        let members =
            value is NSAtomicStoreCacheNode || value is NSManagedObjectID ? [value] : collectionElements(of: value)
        let nodes = (members ?? []).compactMap { member -> NSAtomicStoreCacheNode? in
            switch member {
            case let node as NSAtomicStoreCacheNode: store.cacheNode(for: node.objectID)
            case let id as NSManagedObjectID: store.cacheNode(for: id)
            default: nil
            }
        }
        return relationship.isOrdered ? nodes : nodes.sorted { $0.objectID.primaryKey < $1.objectID.primaryKey }
    }

    /// What gives the node its present values back.
    package func restoration() -> () -> Void {
        let (cache, version) = (propertyCache?.mutableCopy() as? NSMutableDictionary, version)
        return { [self] in
            propertyCache = cache
            self.version = version
        }
    }
}

/// Predicates and sort descriptors read nodes as they read objects.
extension NSAtomicStoreCacheNode: ThrowingKeyValueCoding, PredicateIdentity {
    package var predicateIdentity: AnyObject { objectID }

    package func keyValue(forKey key: String) throws -> Any? {
        let layout = objectID.layout
        guard let slot = layout.slot(key) else {
            switch key {
            case "objectID": return objectID
            case "entity": return objectID.entity
            default:
                throw CocoaError.request("keypath \(key) not found in entity \(objectID.entity.name ?? "")")
            }
        }
        switch layout.kinds[slot] {
        case .attribute(let attribute): return try attributeValue(attribute)
        case .toOne(let relationship): return nodes(relationship).first
        case .toMany(let relationship):
            let nodes = nodes(relationship)
            return relationship.isOrdered ? nodes : Set(nodes)
        case .fetched: throw CocoaError.unsupported("the fetched property '\(key)' in a predicate")
        }
    }

    private func nodes(_ relationship: NSRelationshipDescription) -> [NSAtomicStoreCacheNode] {
        (objectID.persistentStore as? NSAtomicStore).map { related(relationship, in: $0) } ?? []
    }
}
