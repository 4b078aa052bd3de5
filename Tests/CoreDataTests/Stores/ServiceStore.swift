import Foundation

@testable import CoreData

/// An incremental store of a program's own: objects live with a "service", which outlives the store.
final class ServiceStore: NSIncrementalStore {
    static let typeName = "Service"

    /// What lies behind the stores of one address.
    final class Service: @unchecked Sendable {
        /// By entity and name; relationships are pairs of both.
        var rows: [Key: [String: Any]] = [:]
        let identifier = UUID().uuidString
        var lastName = 0

        struct Key: Hashable {
            let entity: String
            let name: String
        }

        private static let lock = NSLock()
        nonisolated(unsafe) private static var services: [URL: Service] = [:]

        static func at(_ url: URL?) -> Service {
            lock.withLock {
                guard let url else { return Service() }
                let service = services[url] ?? Service()
                services[url] = service
                return service
            }
        }
    }

    /// What the framework called, for tests.
    var calls: [String] = []
    var lastSave: NSSaveChangesRequest?
    var lastFetch: NSFetchRequest<any NSFetchRequestResult>?
    var saveError: (any Error)?
    var identifierError: (any Error)?
    var valuesError: (any Error)?
    /// To-one relationships are left out of nodes, to be asked for.
    var leavesOutToOne = false
    /// To-many relationships are put into nodes.
    var includesToMany = false
    private lazy var service = Service.at(url)

    override var type: String { Self.typeName }

    override func loadMetadata() throws {
        calls.append("loadMetadata")
        metadata = [NSStoreTypeKey: type, NSStoreUUIDKey: service.identifier]
    }

    override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        switch request {
        case let request as NSFetchRequest<any NSFetchRequestResult>:
            calls.append("fetch")
            lastFetch = request
            return try fetch(request, try Self.required(context))
        case let request as NSSaveChangesRequest:
            calls.append("save")
            lastSave = request
            if let saveError { throw saveError }
            return try save(request)
        default: throw CocoaError(.persistentStoreUnsupportedRequestType)
        }
    }

    private static func required<T>(_ value: T?) throws -> T {
        guard let value else { throw CocoaError(.coreData) }
        return value
    }

    private func fetch(
        _ request: NSFetchRequest<any NSFetchRequestResult>, _ context: NSManagedObjectContext
    ) throws -> [Any] {
        let entity = try Self.required(request.entity)
        let model = try Self.required(persistentStoreCoordinator?.managedObjectModel)
        let members = service.rows.keys.filter { key in
            guard let own = model.entitiesByName[key.entity] else { return false }
            return request.includesSubentities ? own.isKindOf(entity: entity) : own === entity
        }
        var objects = try members.sorted { $0.name < $1.name }.map { context.object(with: try id($0)) }
        // A program would write `evaluate(with:)`, which stops debug builds at a key that doesn't exist.
        if let predicate = request.predicate {
            objects = try objects.filter { try predicate.evaluateThrowing(with: $0) }
        }
        if let descriptors = request.sortDescriptors { objects = try sorted(objects, descriptors) }
        objects = Array(
            objects.dropFirst(request.fetchOffset).prefix(request.fetchLimit > 0 ? request.fetchLimit : .max))
        switch request.resultType {
        case .countResultType: return [NSNumber(value: objects.count)]
        case .managedObjectIDResultType: return objects.map(\.objectID)
        default: return objects
        }
    }

    private func sorted(_ objects: [NSManagedObject], _ descriptors: [NSSortDescriptor]) throws -> [NSManagedObject] {
        guard let first = descriptors.first,
            (first as? KeyedSortDescriptor)?.sortKey.map({ ["self", "objectID"].contains($0) }) == true
        else { return try objects.sortedThrowing(using: descriptors) }
        let up = objects.sorted { $0.objectID.uriRepresentation().path < $1.objectID.uriRepresentation().path }
        return first.ascending ? up : up.reversed()
    }

    private func save(_ request: NSSaveChangesRequest) throws -> [Any] {
        var rows = service.rows
        for object in request.insertedObjects ?? [] { rows[try key(object.objectID)] = try row(object) }
        for object in request.updatedObjects ?? [] { rows[try key(object.objectID)] = try row(object) }
        for object in request.deletedObjects ?? [] { rows[try key(object.objectID)] = nil }
        service.rows = rows
        return []
    }

    private func row(_ object: NSManagedObject) throws -> [String: Any] {
        var row: [String: Any] = [:]
        for (name, property) in object.entity.propertiesByName where !property.isTransient {
            switch object.value(forKey: name) {
            case let other as NSManagedObject: row[name] = try key(other.objectID)
            case let set as Set<NSManagedObject>: row[name] = try set.map { try key($0.objectID) }
            case let set as NSOrderedSet where property is NSRelationshipDescription:
                row[name] = try set.compactMap { try ($0 as? NSManagedObject).map { try key($0.objectID) } }
            case let object as NSObject where Swift.type(of: object) == NSObject.self: throw CocoaError(.coreData)
            case let value?: row[name] = value
            case nil: break
            }
        }
        return row
    }

    override func newValuesForObject(
        with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        calls.append("newValues")
        if let valuesError { throw valuesError }
        guard let row = service.rows[try key(objectID)] else { throw CocoaError(.managedObjectReferentialIntegrity) }
        var values: [String: Any] = ["unmodelled": 1]
        for (name, property) in objectID.entity.propertiesByName {
            guard let relationship = property as? NSRelationshipDescription else {
                values[name] = row[name]
                continue
            }
            if relationship.isToMany ? includesToMany : !leavesOutToOne {
                values[name] = try value(relationship, row)
            }
        }
        return NSIncrementalStoreNode(objectID: objectID, withValues: values, version: 1)
    }

    override func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        calls.append("newValue \(relationship.name)")
        return try value(relationship, service.rows[try key(objectID)] ?? [:])
    }

    private func value(_ relationship: NSRelationshipDescription, _ row: [String: Any]) throws -> Any {
        switch row[relationship.name] {
        case let key as Service.Key: try id(key)
        case let keys as [Service.Key]: try keys.filter { service.rows[$0] != nil }.map(id)
        default: relationship.isToMany ? [NSManagedObjectID]() as Any : NSNull()
        }
    }

    override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        calls.append("obtainPermanentIDs")
        if let identifierError { throw identifierError }
        return array.map { object in
            service.lastName += 1
            return newObjectID(for: object.entity, referenceObject: String(format: "r%05d", service.lastName))
        }
    }

    private func key(_ id: NSManagedObjectID) throws -> Service.Key {
        Service.Key(entity: id.entity.name ?? "", name: try Self.required(referenceObject(for: id) as? String))
    }

    private func id(_ key: Service.Key) throws -> NSManagedObjectID {
        let entity = persistentStoreCoordinator?.managedObjectModel.entitiesByName[key.entity]
        return newObjectID(for: try Self.required(entity), referenceObject: key.name)
    }
}
