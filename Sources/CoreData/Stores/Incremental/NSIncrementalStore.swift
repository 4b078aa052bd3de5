import FoundationSupplement
import ManagedObjectModel

/// A store that is asked for objects as they are needed. Programs subclass it to bring Core Data to a database or a
/// service of their own.
///
/// A subclass overrides `type`, `loadMetadata()`, `execute(_:with:)`, `newValuesForObject(with:with:)`,
/// `newValue(forRelationship:forObjectWith:with:)` and `obtainPermanentIDs(for:)`:
///
/// ```swift
/// final class ServiceStore: NSIncrementalStore {
///     override var type: String { "Service" }
///     override func loadMetadata() throws {
///         metadata = [NSStoreTypeKey: type, NSStoreUUIDKey: "9B2B…"]
///     }
///     override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
///         switch request {
///         case let request as NSFetchRequest<any NSFetchRequestResult>:
///             let ids = try service.find(request).map { newObjectID(for: city, referenceObject: $0) }
///             return ids.compactMap { context?.object(with: $0) }
///         case let request as NSSaveChangesRequest: …; return []
///         default: throw …
///         }
///     }
///     …
/// }
/// ```
/// All calls come while the coordinator carries out one request, so one at a time.
open class NSIncrementalStore: NSPersistentStore {
    /// Nodes that came with to-many relationships, which nobody needs to ask for again.
    private var nodes: [ObjectKey: NSIncrementalStoreNode] = [:]

    /// Creates a store. Subclasses that override it call `super`.
    public override init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) {
        super.init(persistentStoreCoordinator: root, configurationName: name, at: url, options: options)
        metadata = [NSStoreTypeKey: type, NSStoreUUIDKey: "\(Self.identifierForNewStore(at: url))"]
    }

    // MARK: For subclasses

    /// Carries out a request.
    ///
    /// - Parameters:
    ///   - request: a fetch or an ``NSSaveChangesRequest``, or another kind one day: throw an error for that.
    ///   - context: the context that asks.
    /// - Returns: for a fetch an array: of objects (`context.object(with:)` makes them) or object IDs, as its result type
    ///   asks, or with one number for a count; for a save an empty array.
    open func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        throw Self.missing("execute(_:with:)")
    }

    /// The values of an object.
    ///
    /// - Throws: an error with code 133000 (`managedObjectReferentialIntegrity`) says that there is no such object, any
    ///   other one that nobody knows.
    open func newValuesForObject(
        with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        throw Self.missing("newValuesForObject(with:with:)")
    }

    /// What an object is related to, where its node didn't say: an object ID or `NSNull`, or a collection of object IDs.
    open func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        throw Self.missing("newValue(forRelationship:forObjectWith:with:)")
    }

    /// Permanent IDs for new objects, in their order. Called before the objects are saved.
    open func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        throw Self.missing("obtainPermanentIDs(for:)")
    }

    /// What tells a new store at an address from all others. The default is a new UUID.
    open class func identifierForNewStore(at storeURL: URL) -> Any { UUID().uuidString }

    /// Called when a context comes to use objects.
    open func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {}

    /// Called when a context no longer uses objects.
    open func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {}

    private static func missing(_ method: String) -> CocoaError {
        CocoaError.unsupported("a store of class \(self), which doesn't override \(method)")
    }

    // MARK: Identity

    /// The ID of the object that the store calls `data`: a value of any type. Equal references of one entity give equal
    /// IDs.
    open func newObjectID(for entity: NSEntityDescription, referenceObject data: Any) -> NSManagedObjectID {
        objectID(of: entity, reference: data)
    }

    /// What the store calls an object.
    open func referenceObject(for objectID: NSManagedObjectID) -> Any { reference(of: objectID) }

    // MARK: What the framework asks

    package override var hasReferences: Bool { true }

    package override var wantsEmptySaves: Bool { !isReadOnly }

    package override func fetch(
        _ fetch: StoreFetch, in context: NSManagedObjectContext, visit: (EntityLayout, Int64, Row?) throws -> Void
    ) throws {
        let type: NSFetchRequestResultType =
            fetch.includesValues ? .managedObjectResultType : .managedObjectIDResultType
        for element in try elements(execute(request(fetch, type), with: context)) {
            let id = try objectID(element, kindOf: fetch.entity)
            try visit(id.layout, id.primaryKey, nil)
        }
    }

    package override func count(_ fetch: StoreFetch, in context: NSManagedObjectContext) throws -> Int {
        let result = try elements(execute(request(fetch, .countResultType), with: context))
        guard result.count == 1, let number = result[0] as? NSNumber, number.intValue >= 0 else {
            throw unusable("\(result)", "a count")
        }
        return number.intValue
    }

    private func request(
        _ fetch: StoreFetch, _ type: NSFetchRequestResultType
    ) -> NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = fetch.entity
        request.includesSubentities = fetch.includesSubentities
        request.predicate = fetch.predicate
        request.sortDescriptors = fetch.sortDescriptors.isEmpty ? nil : fetch.sortDescriptors
        request.fetchLimit = fetch.limit
        request.fetchOffset = fetch.offset
        request.includesPropertyValues = fetch.includesValues
        request.resultType = type
        return request
    }

    package override func row(
        _ entity: NSEntityDescription, _ primaryKey: Int64, in context: NSManagedObjectContext
    ) throws -> (NSEntityDescription, Row)? {
        let id = NSManagedObjectID(entity, primaryKey: primaryKey, space: space(of: entity))
        let node: NSIncrementalStoreNode
        do {
            node = try newValuesForObject(with: id, with: context)
        } catch let error as CocoaError where error.code == .managedObjectReferentialIntegrity {
            return nil
        }
        let layout = id.layout
        let values = try layout.kinds.map { try slotValue($0, node, id, context) }
        let hasToMany = layout.properties.contains {
            ($0 as? NSRelationshipDescription)?.isToMany == true && node.value(for: $0) != nil
        }
        nodes[id.key] = hasToMany ? node : nil
        return (entity, Row(version: Int64(clamping: node.version), values: values))
    }

    private func slotValue(
        _ kind: EntityLayout.Kind, _ node: NSIncrementalStoreNode, _ id: NSManagedObjectID,
        _ context: NSManagedObjectContext
    ) throws -> SlotValue {
        switch kind {
        case .attribute(let attribute):
            if attribute.isTransient { return .null }
            let value = node.value(for: attribute)
            do throws(SlotValue.Unacceptable) {
                return try SlotValue(value, for: attribute)
            } catch {
                throw unusable(
                    "\(value ?? "nil")",
                    "the value of '\(attribute.name)' of \(id), a \(attribute.attributeType.displayName)")
            }
        case .toOne(let relationship):
            // A to-one that the node lacks is resolved at once.
            let value =
                try node.value(for: relationship)
                ?? newValue(forRelationship: relationship, forObjectWith: id, with: context)
            guard let value = flattened(value), !(value is NSNull) else { return .null }
            let other = try objectID(value, kindOf: relationship.destinationEntity)
            return .reference(key: other.primaryKey, entity: number(of: other.entity))
        case .toMany, .fetched: return .null
        }
    }

    package override func keys(
        of relationship: NSRelationshipDescription, _ entity: NSEntityDescription, _ primaryKey: Int64,
        in context: NSManagedObjectContext
    ) throws -> [(NSEntityDescription, Int64)] {
        let id = NSManagedObjectID(entity, primaryKey: primaryKey, space: space(of: entity))
        let value =
            try nodes[id.key]?.value(for: relationship)
            ?? newValue(forRelationship: relationship, forObjectWith: id, with: context)
        return try elements(value).map {
            let other = try objectID($0, kindOf: relationship.destinationEntity)
            return (other.entity, other.primaryKey)
        }
    }

    // MARK: Saving

    package override func permanentIDs(for objects: [NSManagedObject]) throws -> [NSManagedObjectID] {
        let ids = try obtainPermanentIDs(for: objects)
        guard ids.count == objects.count else {
            throw unusable("\(ids.count) IDs", "the permanent IDs of \(objects.count) objects")
        }
        for (id, object) in zip(ids, objects) where id.entity !== object.entity || id.persistentStore !== self {
            throw unusable("\(id)", "the permanent ID of a new \(object.entity.name ?? "")")
        }
        return ids
    }

    package override func save(_ changes: SaveChanges, in context: NSManagedObjectContext) throws -> SaveOutcome {
        try checkIsWritable()
        guard !changes.isEmpty else {
            let request = NSSaveChangesRequest(inserted: nil, updated: nil, deleted: nil, locked: nil)
            _ = try execute(request, with: context)
            return SaveOutcome()
        }
        let identifiers = try identifiers(for: changes.inserted)
        for object in changes.inserted + changes.updated { try checkRelationships(of: object, identifiers) }
        return try assuming(identifiers, of: changes.inserted) {
            let request = NSSaveChangesRequest(
                inserted: Set(changes.inserted), updated: Set(changes.updated), deleted: Set(changes.deleted),
                locked: Set(changes.locked))
            _ = try execute(request, with: context)
            return try outcome(changes, identifiers)
        }
    }

    private func outcome(_ changes: SaveChanges, _ identifiers: NewIdentifiers) throws -> SaveOutcome {
        for object in changes.updated + changes.deleted { nodes[object.objectID.key] = nil }
        var outcome = SaveOutcome()
        outcome.identifiers = identifiers.ids
        for object in changes.inserted + changes.updated {
            let version = object.isInserted ? 1 : (object.row?.version ?? 0) &+ 1
            outcome.rows.append(Row(version: version, values: try rowValues(of: object)))
        }
        return outcome
    }

    // MARK: Checking what a program returns

    private func elements(_ value: Any) throws -> [Any] {
        guard let elements = collectionElements(of: flattened(value)) else {
            throw unusable("\(value)", "a collection")
        }
        return elements.compactMap(\.self)
    }

    private func objectID(_ element: Any, kindOf entity: NSEntityDescription?) throws -> NSManagedObjectID {
        let id = (element as? NSManagedObject)?.objectID ?? element as? NSManagedObjectID
        guard let id, id.persistentStore === self, let entity, id.entity.isKindOf(entity: entity) else {
            throw unusable("\(element)", "an object ID of this store and of the entity '\(entity?.name ?? "")'")
        }
        return id
    }

    private func unusable(_ value: String, _ wanted: String) -> CocoaError {
        CocoaError.request("the store class \(Self.self) returned \(value) as \(wanted)")
    }
}
