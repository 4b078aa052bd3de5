import Foundation
import Testing

@testable import CoreData

@Suite("A SQLite store for a configuration")
struct ConfigurationStoreTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture(Self.model()) }

    /// Map: Area, Place with Town. Notes: Note. Places have notes, which belong to the other configuration.
    private static func model() -> NSManagedObjectModel {
        let town = Build.entity("Town", [Build.attribute("mayor", .stringAttributeType)])
        let place = Build.entity("Place", [Build.attribute("name", .stringAttributeType)], subentities: [town])
        let area = Build.entity("Area", [Build.attribute("name", .stringAttributeType)])
        let note = Build.entity("Note", [Build.attribute("name", .stringAttributeType)])
        Build.relate(Build.one(place, "area"), Build.many(area, "places", isOrdered: true))
        Build.relate(Build.one(note, "place"), Build.many(place, "notes"))
        Build.relate(Build.many(place, "authors"), Build.many(note, "described"))
        let model = Build.model(area, note, place, town)
        model.setEntities([area, place, town], forConfigurationName: "Map")
        model.setEntities([note], forConfigurationName: "Notes")
        return model
    }

    private func add(
        _ configuration: String?, at url: URL, to coordinator: NSPersistentStoreCoordinator? = nil
    ) throws -> NSManagedObjectContext {
        let coordinator = coordinator ?? NSPersistentStoreCoordinator(managedObjectModel: fixture.model)
        try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: configuration, at: url)
        let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    @Test("has the tables, numbers and hashes of its entities alone, and says so")
    func layout() throws {
        let url = fixture.folder.file("map.sqlite")
        _ = try add("Map", at: url)
        let connection = try SQLiteConnection(url, .readOnly)
        let facts = try StoreFacts(connection)
        #expect(facts.tables.keys.sorted() == ["ZAREA", "ZPLACE", "Z_METADATA", "Z_MODELCACHE", "Z_PRIMARYKEY"])
        #expect(
            facts.entities.mapValues(\.text) == ["Area": "number 1", "Place": "number 2", "Town": "number 3, below 2"])
        let metadata = try SQLStoreFile.metadata(on: connection)
        #expect(
            (metadata[NSStoreModelVersionHashesKey] as? [String: Data])?.keys.sorted() == ["Area", "Place", "Town"])
        #expect(fixture.model.isConfiguration(withName: "Map", compatibleWithStoreMetadata: metadata))
        // The model that it keeps is whole.
        #expect(try SQLStoreFile.model(on: connection).entities.count == 4)
    }

    @Test("beside another one's keeps what belongs to it, through saves and new openings")
    func pair() throws {
        let urls = ["Map", "Notes"].map { fixture.folder.file("\($0).sqlite") }
        func open() throws -> NSManagedObjectContext {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: fixture.model)
            _ = try add("Map", at: urls[0], to: coordinator)
            return try add("Notes", at: urls[1], to: coordinator)
        }
        let context = try open()
        func insert(_ entity: String, _ name: String) -> NSManagedObject {
            let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
            object.setValue(name, forKey: "name")
            return object
        }
        let (area, town, note) = (insert("Area", "a"), insert("Town", "t"), insert("Note", "n"))
        town.setValue(area, forKey: "area")
        try context.save()
        let fresh = try open()
        #expect(try fresh.one("Area", "a").list("places").map(\.name) == ["t"])
        #expect(try fresh.one("Place", "t").entity.name == "Town")
        #expect(try fresh.names("Note") == ["n"])
        fresh.delete(try fresh.one("Place", "t"))
        try fresh.save()
        #expect(try open().names("Place") == [])
        // Nothing of one store can be related to something of the other.
        let town2 = insert("Town", "u")
        town2.setValue(Set([note]), forKey: "notes")
        #expect(errorCode { try context.save() } == .managedObjectExternalRelationship)
        context.rollback()
        let town3 = insert("Town", "v")
        town3.setValue(Set([note]), forKey: "authors")
        #expect(errorCode { try context.save() } == .managedObjectExternalRelationship)
    }

    @Test("of another configuration, or of none, is refused with 134100; one with all entities opens for each")
    func opening() throws {
        let url = fixture.folder.file("map.sqlite")
        _ = try add("Map", at: url)
        #expect(errorCode { _ = try add("Notes", at: url) } == .persistentStoreIncompatibleVersionHash)
        #expect(errorCode { _ = try add(nil, at: url) } == .persistentStoreIncompatibleVersionHash)
        fixture.insert("Note", ["name": "n"])
        fixture.insert("Town", ["name": "t"])
        try fixture.context.save()
        #expect(try add("Map", at: fixture.url).names("Place") == ["t"])
        #expect(try add("Notes", at: fixture.url).names("Note") == ["n"])
    }
}
