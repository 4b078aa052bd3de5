import CoreData
import Foundation
import TestSupport

@testable import CoreData

/// Builds small models in code.
enum Build {
    static func attribute(
        _ name: String, _ type: NSAttributeType, isOptional: Bool = true, isTransient: Bool = false,
        default value: Any? = nil
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = isOptional
        attribute.isTransient = isTransient
        attribute.defaultValue = value
        return attribute
    }

    static func entity(
        _ name: String, _ properties: [NSPropertyDescription] = [], isAbstract: Bool = false,
        subentities: [NSEntityDescription] = []
    ) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.isAbstract = isAbstract
        entity.subentities = subentities
        entity.properties = properties
        return entity
    }

    /// One end of a relationship.
    struct End {
        let entity: NSEntityDescription
        let name: String
        var isToMany = true
        var isOrdered = false
        var rule = NSDeleteRule.nullifyDeleteRule
        var isOptional = true

        func made(to destination: NSEntityDescription) -> NSRelationshipDescription {
            let relationship = NSRelationshipDescription()
            relationship.name = name
            relationship.destinationEntity = destination
            relationship.maxCount = isToMany ? 0 : 1
            relationship.isOrdered = isOrdered
            relationship.deleteRule = rule
            relationship.isOptional = isOptional
            entity.properties = entity.declaredProperties + [relationship]
            return relationship
        }
    }

    static func many(
        _ entity: NSEntityDescription, _ name: String, isOrdered: Bool = false, rule: NSDeleteRule = .nullifyDeleteRule,
        isOptional: Bool = true
    ) -> End {
        End(entity: entity, name: name, isOrdered: isOrdered, rule: rule, isOptional: isOptional)
    }

    static func one(
        _ entity: NSEntityDescription, _ name: String, rule: NSDeleteRule = .nullifyDeleteRule, isOptional: Bool = true
    ) -> End {
        End(entity: entity, name: name, isToMany: false, rule: rule, isOptional: isOptional)
    }

    static func relate(_ a: End, _ b: End) {
        let first = a.made(to: b.entity)
        let second = b.made(to: a.entity)
        first.inverseRelationship = second
        second.inverseRelationship = first
    }

    /// A relationship that is its own inverse.
    static func relateToSelf(_ end: End) {
        let relationship = end.made(to: end.entity)
        relationship.inverseRelationship = relationship
    }

    /// A model from the body of Xcode's XML.
    static func model(xml body: String) throws -> NSManagedObjectModel {
        let folder = try TemporaryFolder()
        try folder.write("<?xml version=\"1.0\"?><model>\(body)</model>", to: "M.xcdatamodel/contents")
        return try NSManagedObjectModel(validatingContentsOf: folder.file("M.xcdatamodel"))
    }

    static func model(_ entities: NSEntityDescription...) -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        model.entities = entities
        return model
    }
}

/// A store in a folder of its own, with a coordinator and a context.
final class Fixture {
    let folder: TemporaryFolder
    let url: URL
    let model: NSManagedObjectModel
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext
    // Objects don't keep their context alive; the fixture does, for tests that name only the object.
    private var contexts: [NSManagedObjectContext] = []

    init(
        _ model: NSManagedObjectModel, rootType: NSManagedObjectContextConcurrencyType = .confinementConcurrencyType,
        options: [AnyHashable: Any]? = nil
    ) throws {
        folder = try TemporaryFolder()
        url = folder.file("test.sqlite")
        self.model = model
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        context = NSManagedObjectContext(concurrencyType: rootType)
        context.persistentStoreCoordinator = coordinator
    }

    /// Another context on the same coordinator.
    func secondContext(_ type: NSManagedObjectContextConcurrencyType = .confinementConcurrencyType)
        -> NSManagedObjectContext
    {
        let context = NSManagedObjectContext(concurrencyType: type)
        context.persistentStoreCoordinator = coordinator
        contexts.append(context)
        return context
    }

    /// A context on a coordinator of its own: what it sees is what the file says.
    func freshContext() throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
        let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        contexts.append(context)
        return context
    }

    @discardableResult
    func insert(_ entity: String, _ values: [String: Any?] = [:]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
    }

    // MARK: The file

    /// The rows of a query, each value as text; `nil` for NULL.
    func rows(_ sql: String) throws -> [[String?]] {
        let connection = try SQLiteConnection(url, .readOnly)
        let statement = try connection.statement(sql)
        var result: [[String?]] = []
        while try statement.step() {
            result.append((0..<statement.columnCount).map { statement.isNull($0) ? nil : statement.string($0) })
        }
        return result
    }

    /// The first column of a query.
    func column(_ sql: String) throws -> [String?] { try rows(sql).compactMap(\.first) }

    func value(_ sql: String) throws -> String? { try column(sql).first ?? nil }
}

extension NSManagedObjectContext {
    /// Fetches by a predicate in format.
    func find(_ entity: String, _ format: String? = nil, _ arguments: Any?..., sort: String? = nil) throws
        -> [NSManagedObject]
    {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        if let format {
            request.predicate = NSPredicate(format: format, argumentArray: arguments.map { $0 ?? NSNull() })
        }
        if let sort { request.sortDescriptors = [NSSortDescriptor(key: sort, ascending: true)] }
        return try fetch(request)
    }

    /// The names of what a fetch finds, sorted.
    func names(_ entity: String, _ format: String? = nil, _ arguments: Any?...) throws -> [String] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        if let format {
            request.predicate = NSPredicate(format: format, argumentArray: arguments.map { $0 ?? NSNull() })
        }
        return try fetch(request).map(\.name).sorted()
    }

    func one(_ entity: String, _ name: String) throws -> NSManagedObject {
        guard let found = try find(entity, "name == %@", name).first else { throw NotFound(name: name) }
        return found
    }

    struct NotFound: Error { let name: String }
}

extension NSManagedObject {
    var name: String { value(forKey: "name") as? String ?? "" }

    func set(_ key: String) -> Set<NSManagedObject> { value(forKey: key) as? Set<NSManagedObject> ?? [] }
    func list(_ key: String) -> [NSManagedObject] {
        (value(forKey: key) as? NSOrderedSet)?.array as? [NSManagedObject] ?? []
    }
    func object(_ key: String) -> NSManagedObject? { value(forKey: key) as? NSManagedObject }
    func names(_ key: String) -> [String] { set(key).map(\.name).sorted() }
    func orderedNames(_ key: String) -> [String] { list(key).map(\.name) }
}

/// The code of the error that `body` throws; nil where it throws none or one of another domain.
func errorCode(_ body: () throws -> Void) -> CocoaError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? CocoaError)?.code
    }
}
