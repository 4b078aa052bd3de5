import FoundationSupplement
import ManagedObjectModel

/// A store that is read and written whole, and lives in memory as nodes in between. Programs subclass it to keep
/// objects in a file format of their own.
///
/// A subclass overrides `type`, `load()`, `save()`, `newReferenceObject(for:)`, `newCacheNode(for:)`,
/// `updateCacheNode(_:from:)`, `loadMetadata()` and the class methods for metadata:
///
/// ```swift
/// final class CSVStore: NSAtomicStore {
///     override var type: String { "CSV" }
///     override func load() throws {
///         var nodes: Set<NSAtomicStoreCacheNode> = []
///         for line in try lines() {
///             let node = NSAtomicStoreCacheNode(objectID: objectID(for: city, withReferenceObject: line.id))
///             node.setValue(line.name, forKey: "name")
///             nodes.insert(node)
///         }
///         addCacheNodes(nodes)
///     }
///     override func save() throws { … cacheNodes() … }
/// }
/// ```
/// The framework answers fetches and faults from the nodes. A fetch costs time in proportion to the objects of the
/// entity's tree.
open class NSAtomicStore: NSPersistentStore {
    /// The nodes by their keys, apart for each space of keys.
    final var trees: [ObjectIdentifier: [Int64: NSAtomicStoreCacheNode]] = [:]

    /// Creates a store, with the metadata of a new one for the coordinator's model.
    public override init(
        persistentStoreCoordinator coordinator: NSPersistentStoreCoordinator?, configurationName: String?, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) {
        super.init(
            persistentStoreCoordinator: coordinator, configurationName: configurationName, at: url, options: options)
        metadata = StoreMetadata.new(
            type: type, identifier: UUID().uuidString, model: coordinator?.managedObjectModel,
            configuration: configurationName)
    }

    deinit {
        // Nodes that refer to each other would keep each other in memory for ever.
        for node in trees.values.flatMap(\.values) { node.propertyCache = nil }
    }

    // MARK: For subclasses

    /// Reads all objects, and registers a node for each with `addCacheNodes(_:)`. Subclasses override it.
    open func load() throws {
        throw CocoaError.unsupported("loading a store of class \(Self.self), which doesn't say how")
    }

    /// Writes all nodes and the metadata. Subclasses override it. When it throws, the nodes become what they were.
    open func save() throws {
        throw CocoaError.unsupported("saving a store of class \(Self.self), which doesn't say how")
    }

    /// What the store calls a new object: a value of any type that is unlike all others of the entity. Subclasses
    /// override it.
    open func newReferenceObject(for managedObject: NSManagedObject) -> Any { UUID().uuidString }

    /// A node with the values of a new object, which has its permanent ID by now. The framework registers the node.
    ///
    /// The default keeps all values by their properties' names, and relationships as object IDs.
    open func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
        let node = NSAtomicStoreCacheNode(objectID: managedObject.objectID)
        copyValues(to: node, from: managedObject)
        return node
    }

    /// Takes an object's values over into its node.
    ///
    /// The default keeps all values by their properties' names, and relationships as object IDs.
    open func updateCacheNode(_ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject) {
        copyValues(to: node, from: managedObject)
    }

    /// Called before nodes of deleted objects are removed.
    open func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {}

    // MARK: Nodes

    /// All nodes. Costs time in proportion to their number.
    open func cacheNodes() -> Set<NSAtomicStoreCacheNode> { Set(trees.values.flatMap(\.values)) }

    /// Registers nodes, as `load()` does. A node takes the place of one with the same ID.
    open func addCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
        for node in cacheNodes {
            guard node.objectID.persistentStore === self else {
                misuse("The object ID \(node.objectID) of a cache node isn't one of this store's")
                continue
            }
            trees[ObjectIdentifier(node.objectID.space), default: [:]][node.objectID.primaryKey] = node
        }
    }

    /// The node of an object; nil when there is none.
    open func cacheNode(for objectID: NSManagedObjectID) -> NSAtomicStoreCacheNode? {
        trees[ObjectIdentifier(objectID.space)]?[objectID.primaryKey]
    }

    /// The ID of the object that the store calls `data`. Equal references of one entity give equal IDs.
    open func objectID(for entity: NSEntityDescription, withReferenceObject data: Any) -> NSManagedObjectID {
        objectID(of: entity, reference: data)
    }

    /// What the store calls an object.
    open func referenceObject(for objectID: NSManagedObjectID) -> Any { reference(of: objectID) }

    final func remove(_ ids: [NSManagedObjectID]) {
        for id in ids { trees[ObjectIdentifier(id.space)]?[id.primaryKey] = nil }
    }

    private func copyValues(to node: NSAtomicStoreCacheNode, from object: NSManagedObject) {
        for (slot, kind) in object.layout.kinds.enumerated() {
            let name = object.layout.properties[slot].name
            switch kind {
            case .attribute(let attribute):
                if !attribute.isTransient { node.setValue(object.foundationValue(slot), forKey: name) }
            case .toOne:
                let other = object.toOne(slot).flatMap { $0.isDeleted ? nil : $0 }
                node.setValue(other?.objectID, forKey: name)
            case .toMany:
                node.setValue(object.toMany(slot).objects.filter { !$0.isDeleted }.map(\.objectID), forKey: name)
            case .fetched: break
            }
        }
    }

    // MARK: What the framework asks

    package override var hasReferences: Bool { true }

    package override func open() throws { try load() }

    package override func fetch(
        _ fetch: StoreFetch, in context: NSManagedObjectContext, visit: (EntityLayout, Int64, Row?) throws -> Void
    ) throws {
        for node in try find(fetch) {
            try visit(
                node.objectID.layout, node.objectID.primaryKey, fetch.includesValues ? node.row(in: self) : nil)
        }
    }

    package override func count(_ fetch: StoreFetch, in context: NSManagedObjectContext) throws -> Int {
        var fetch = fetch
        fetch.sortDescriptors = []
        return try find(fetch).count
    }

    package override func row(
        _ entity: NSEntityDescription, _ primaryKey: Int64, in context: NSManagedObjectContext
    ) throws -> (NSEntityDescription, Row)? {
        guard let node = tree(of: entity)[primaryKey] else { return nil }
        return (node.objectID.entity, try node.row(in: self))
    }

    package override func keys(
        of relationship: NSRelationshipDescription, _ entity: NSEntityDescription, _ primaryKey: Int64,
        in context: NSManagedObjectContext
    ) throws -> [(NSEntityDescription, Int64)] {
        guard let node = tree(of: entity)[primaryKey] else { return [] }
        return node.related(relationship, in: self).map { ($0.objectID.entity, $0.objectID.primaryKey) }
    }

    package override func dictionaries(
        _ wanted: DictionaryFetch, in context: NSManagedObjectContext
    ) throws -> [NSDictionary] {
        try DictionaryEvaluation(wanted).dictionaries(of: find(wanted.fetch.unlimited))
    }

    package override func permanentIDs(for objects: [NSManagedObject]) throws -> [NSManagedObjectID] {
        objects.map { objectID(for: $0.entity, withReferenceObject: newReferenceObject(for: $0)) }
    }

    package override func save(_ changes: SaveChanges, in context: NSManagedObjectContext) throws -> SaveOutcome {
        try saveChanges(changes)
    }

    /// Makes the node of a new object; stores of the framework's own may refuse its values.
    package func makeNode(for object: NSManagedObject) throws -> NSAtomicStoreCacheNode { newCacheNode(for: object) }

    package func update(_ node: NSAtomicStoreCacheNode, from object: NSManagedObject) throws {
        updateCacheNode(node, from: object)
    }

    final func tree(of entity: NSEntityDescription) -> [Int64: NSAtomicStoreCacheNode] {
        trees[ObjectIdentifier(space(of: entity))] ?? [:]
    }
}
