import CoreData
import Foundation
import TestSupport

/// A store of any type with a coordinator and a context: what all types of stores must do alike is tested on each.
final class StoreCase {
    /// The types of the framework, and one of each kind that programs write.
    static let types = lockingTypes + [ServiceStore.typeName]

    /// Those whose stores notice themselves that an object was changed meanwhile.
    static let lockingTypes = {
        registration
        return [NSSQLiteStoreType, NSInMemoryStoreType, NSBinaryStoreType, NSXMLStoreType, TableStore.typeName]
    }()

    private static let registration: Void = {
        NSPersistentStoreCoordinator.registerStoreClass(TableStore.self, forStoreType: TableStore.typeName)
        NSPersistentStoreCoordinator.registerStoreClass(ServiceStore.self, type: .init(rawValue: ServiceStore.typeName))
    }()

    let type: String
    let model: NSManagedObjectModel
    let folder: TemporaryFolder
    let url: URL
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext
    // Objects don't keep their context alive; the case does.
    private var contexts: [NSManagedObjectContext] = []

    init(_ type: String, _ model: NSManagedObjectModel = StoreCase.model()) throws {
        Self.registration
        self.type = type
        self.model = model
        folder = try TemporaryFolder()
        url = folder.file("test.store")
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url)
        context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        context.persistentStoreCoordinator = coordinator
    }

    /// A context that knows nothing yet: on a coordinator of its own where the store is a file, so that it sees what
    /// the file says.
    func fresh() throws -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        context.persistentStoreCoordinator = type == NSInMemoryStoreType ? coordinator : try reopened()
        contexts.append(context)
        return context
    }

    /// Another context on the same coordinator.
    func second() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        contexts.append(context)
        return context
    }

    func reopened(_ options: [AnyHashable: Any]? = nil) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url, options: options)
        return coordinator
    }

    @discardableResult
    func insert(_ entity: String, _ values: [String: Any?] = [:]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
    }

    var store: NSPersistentStore { coordinator.persistentStores[0] }

    /// Countries with cities, capitals that are cities, tags, and cities with twins.
    static func model() -> NSManagedObjectModel {
        let capital = Build.entity("Capital", [Build.attribute("since", .integer32AttributeType)])
        let city = Build.entity(
            "City",
            [
                Build.attribute("name", .stringAttributeType), Build.attribute("people", .integer64AttributeType),
                Build.attribute("area", .doubleAttributeType), Build.attribute("isOld", .booleanAttributeType),
                Build.attribute("founded", .dateAttributeType), Build.attribute("price", .decimalAttributeType),
                Build.attribute("object", .transformableAttributeType),
                Build.attribute("note", .stringAttributeType, isTransient: true),
            ], subentities: [capital])
        let country = Build.entity("Country", [Build.attribute("name", .stringAttributeType)])
        let tag = Build.entity("Tag", [Build.attribute("name", .stringAttributeType)])
        Build.relate(Build.one(city, "country"), Build.many(country, "cities"))
        Build.relate(Build.one(city, "seller"), Build.many(country, "shop", isOrdered: true, rule: .cascadeDeleteRule))
        Build.relate(Build.many(city, "tags"), Build.many(tag, "cities"))
        Build.relate(Build.one(city, "twin"), Build.one(city, "twinBack"))
        return Build.model(city, capital, country, tag)
    }
}

extension NSManagedObjectContext {
    /// All that the store has, as text: objects by their names, with values and the names of related objects.
    func dump() throws -> [String] {
        var lines: [String] = []
        for entity in ["City", "Country", "Tag"] {
            for object in try find(entity, sort: "name") {
                var line = "\(object.entity.name ?? "") \(object.name)"
                for property in object.entity.properties.sorted(by: { $0.name < $1.name }) where !property.isTransient {
                    let value: String =
                        switch object.value(forKey: property.name) {
                        case let other as NSManagedObject: other.name
                        case let set as Set<NSManagedObject>: "{\(set.map(\.name).sorted().joined(separator: ","))}"
                        case is NSOrderedSet: "[\(object.orderedNames(property.name).joined(separator: ","))]"
                        case let date as Date: "\(date.timeIntervalSinceReferenceDate)"
                        case let value?: "\(value)"
                        case nil: "-"
                        }
                    line += " \(property.name)=\(value)"
                }
                lines.append(line)
            }
        }
        return lines
    }
}
