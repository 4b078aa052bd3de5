import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("Stores: read-only, several, strange")
struct StoreKindsTests {
    static func model() -> NSManagedObjectModel {
        let city = Build.entity(
            "City",
            [
                Build.attribute("name", .stringAttributeType), Build.attribute("people", .integer64AttributeType),
                Build.attribute("data", .binaryDataAttributeType),
                Build.attribute("external", .binaryDataAttributeType), Build.attribute("code", .UUIDAttributeType),
                Build.attribute("link", .URIAttributeType),
                Build.attribute("date", .dateAttributeType), Build.attribute("price", .decimalAttributeType),
                Build.attribute("object", .transformableAttributeType),
                Build.attribute("flag", .booleanAttributeType),
            ])
        let country = Build.entity("Country", [Build.attribute("name", .stringAttributeType)])
        let note = Build.entity("Note", [Build.attribute("name", .stringAttributeType)])
        Build.relate(Build.one(city, "country"), Build.many(country, "cities", isOrdered: true))
        Build.relate(Build.many(city, "sisters"), Build.many(city, "sistersBack"))
        let model = Build.model(city, country, note)
        model.setEntities([city, country], forConfigurationName: "Map")
        model.setEntities([note], forConfigurationName: "Notes")
        return model
    }

    @Test("a read-only store is read, and refuses to be written")
    func readOnly() throws {
        let fixture = try Fixture(Self.model())
        fixture.insert("City", ["name": "A"])
        try fixture.context.save()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: fixture.model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: fixture.url,
            options: [NSReadOnlyPersistentStoreOption: true])
        let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let city = try context.one("City", "A")
        city.setValue("B", forKey: "name")
        #expect(errorCode { try context.save() } == .fileWriteNoPermission)
        #expect(city.isUpdated)
        context.rollback()
        _ = NSEntityDescription.insertNewObject(forEntityName: "City", into: context)
        #expect(errorCode { try context.save() } == .fileWriteNoPermission)
        context.rollback()
        context.delete(city)
        #expect(errorCode { try context.save() } == .fileWriteNoPermission)
        context.rollback()
        try context.save()
        #expect(try fixture.column("SELECT ZNAME FROM ZCITY") == ["A"])
        #expect(throws: CocoaError.self) {
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: fixture.folder.file("none.sqlite"),
                options: [NSReadOnlyPersistentStoreOption: true])
        }
    }

    /// Two stores of one coordinator, each for a configuration of its own.
    static func pair(_ folder: TemporaryFolder) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
        for name in ["Map", "Notes"] {
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: name, at: folder.file("\(name).sqlite"))
        }
        let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    @Test("two stores share a context's objects by configuration")
    func configurations() throws {
        let folder = try TemporaryFolder()
        let context = try Self.pair(folder)
        for (entity, name) in [("City", "c"), ("Note", "n"), ("Note", "m")] {
            NSEntityDescription.insertNewObject(forEntityName: entity, into: context).setValue(name, forKey: "name")
        }
        try context.save()
        func count(_ file: String, _ table: String) throws -> Int64? {
            let connection = try SQLiteConnection(folder.file(file), .readOnly)
            guard try connection.tables().contains(table) else { return 0 }
            return try connection.int("SELECT COUNT(*) FROM \(table)")
        }
        #expect(try count("Map.sqlite", "ZCITY") == 1 && count("Notes.sqlite", "ZNOTE") == 2)
        #expect(try count("Map.sqlite", "ZNOTE") == 0 && count("Notes.sqlite", "ZCITY") == 0)
        #expect(try context.names("Note") == ["m", "n"])
        let again = try Self.pair(folder)
        #expect(try again.names("Note") == ["m", "n"])
    }

    @Test("what one store has committed is saved when the other one fails")
    func partialFailure() throws {
        let folder = try TemporaryFolder()
        let context = try Self.pair(folder)
        let city = NSEntityDescription.insertNewObject(forEntityName: "City", into: context)
        let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
        let connection = try SQLiteConnection(folder.file("Notes.sqlite"), .readWrite)
        try connection.execute("ALTER TABLE ZNOTE RENAME TO HIDDEN")
        #expect(throws: CocoaError.self) { try context.save() }
        #expect(!city.hasChanges && !city.objectID.isTemporaryID)
        #expect(context.insertedObjects == [note] && note.objectID.isTemporaryID)
        try connection.execute("ALTER TABLE HIDDEN RENAME TO ZNOTE")
        try context.save()
        #expect(try context.find("City").count == 1 && context.find("Note").count == 1)
    }

    @Test("counts, windows and IDs over two stores of the same entities are those of both")
    func sameEntities() throws {
        let folder = try TemporaryFolder()
        let model = Self.model()
        for (file, names) in [("a", ["1", "3", "5"]), ("b", ["2", "4"])] {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: folder.file(file))
            let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            for name in names {
                NSEntityDescription.insertNewObject(forEntityName: "City", into: context).setValue(name, forKey: "name")
            }
            try context.save()
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        for file in ["a", "b"] {
            try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: folder.file(file))
        }
        let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let request = NSFetchRequest<NSManagedObject>(entityName: "City")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        #expect(try context.fetch(request).map(\.name) == ["1", "2", "3", "4", "5"])
        (request.fetchOffset, request.fetchLimit) = (1, 3)
        #expect(try context.fetch(request).map(\.name) == ["2", "3", "4"])
        #expect(try context.count(for: request) == 3)
        request.fetchOffset = 4
        #expect(try context.count(for: request) == 1)
        request.fetchOffset = 9
        #expect(try context.count(for: request) == 0)
        // An object of one store can't be related to one of the other.
        let cities = try context.find("City", sort: "name")
        cities[0].setValue(Set([cities[1]]), forKey: "sisters")
        #expect(throws: CocoaError.self) { try context.save() }
    }

    @Test(
        "values of strange types are read without a stop",
        arguments: [
            "NULL", "'text'", "x'00ff'", "x''", "-1", "9223372036854775807", "1e308", "9e999", "'2001-01-01'",
            "x'62706c6973743030'", "''", "'http://[ /'",
        ])
    func strangeValues(_ literal: String) throws {
        let fixture = try Fixture(Self.model())
        let country = fixture.insert("Country", ["name": "X"])
        for name in ["a", "b"] { fixture.insert("City", ["name": name, "country": country]) }
        try fixture.context.save()
        let connection = try SQLiteConnection(fixture.url, .readWrite)
        try connection.execute("CREATE TABLE SAVED AS SELECT * FROM ZCITY")
        for row in try fixture.rows("PRAGMA table_info(ZCITY)") where row[1] != "Z_PK" {
            try connection.execute("DELETE FROM ZCITY; INSERT INTO ZCITY SELECT * FROM SAVED")
            try connection.execute("UPDATE ZCITY SET \(row[1] ?? "") = \(literal)")
            let context = try fixture.freshContext()
            for city in try context.find("City") {
                for property in city.entity.properties { _ = city.value(forKey: property.name) }
                _ = city.description
                _ = city.committedValues(forKeys: nil)
            }
            for other in try context.find("Country") { _ = other.orderedNames("cities") }
            for city in try context.find("City") {
                city.setValue("new", forKey: "name")
                city.setValue(nil, forKey: "country")
            }
            _ = errorCode { try context.save() }
            context.rollback()
            for name in ["x", "y"] {
                let city = NSEntityDescription.insertNewObject(forEntityName: "City", into: context)
                city.setValue(name, forKey: "name")
                city.setValue(try context.find("Country").first, forKey: "country")
            }
            _ = errorCode { try context.save() }
            context.rollback()
            for city in try context.find("City") { context.delete(city) }
            _ = errorCode { try context.save() }
        }
        try connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(literal)")
        let context = try fixture.freshContext()
        NSEntityDescription.insertNewObject(forEntityName: "Country", into: context).setValue("new", forKey: "name")
        _ = errorCode { try context.save() }
    }

    @Test("an archive of another program's class, or of itself, reads as nil")
    func strangeArchives() throws {
        let fixture = try Fixture(Self.model())
        fixture.insert("City", ["name": "a"])
        try fixture.context.save()
        let connection = try SQLiteConnection(fixture.url, .readWrite)
        for bytes in [Data([1, 2, 3]), Data("bplist00".utf8), Data(repeating: 0xff, count: 100)] {
            let statement = try connection.statement("UPDATE ZCITY SET ZOBJECT = ?")
            statement.bind(1, bytes)
            try statement.run()
            #expect(try fixture.freshContext().one("City", "a").value(forKey: "object") == nil)
        }
    }
}
