import CoreData
import TestSupport
import Testing

@Suite("coredata inspect")
struct InspectTests {
    @Test("JSON says all there is to know", arguments: ["DELETE", "WAL"])
    func json(journal: String) throws {
        let world = try World.withStore(journal: journal)
        let run = try world.run("inspect", "World.sqlite", "--json")
        #expect(run.status == 0, "\(run.error)")
        let object = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
        #expect(object["journalMode"] as? String == journal.lowercased())
        #expect(object["pageSize"] as? Int == 4096)
        #expect(object["size"] as? Int == (try Data(contentsOf: world.storeURL)).count)
        #expect(object["frameworkVersion"] as? Int == 1344)
        #expect(object["versionIdentifiers"] as? [String] == ["v1"])
        #expect(object["checksum"] as? String == world.model.versionChecksum)
        #expect(object["digest"] as? String == world.model.versionHashesDigest)
        #expect((object["uuid"] as? String).flatMap(UUID.init) != nil)
        #expect(object["rows"] as? Int == 6)
        let entities = try #require(object["entities"] as? [[String: Any]])
        #expect(entities.map { $0["name"] as? String } == ["Country", "Person", "Place", "City"])
        #expect(entities.map { $0["rows"] as? Int } == [2, 1, 0, 3])
        #expect(entities.map { $0["isAbstract"] as? Bool } == [false, false, true, false])
        #expect(entities[3]["superentity"] as? String == "Place")
        #expect(entities[0]["superentity"] is NSNull)
        let hash = try #require(world.model.entityVersionHashesByName["City"])
        #expect(entities[3]["versionHash"] as? String == hash.map { String(format: "%02x", $0) }.joined())
    }

    @Test("A store without a model shows its entities, rows and columns all the same")
    func withoutModel() throws {
        let world = try World.withStore()
        let connection = try SQLiteConnection(world.storeURL, .readWrite)
        try connection.execute("DROP TABLE Z_MODELCACHE")
        connection.close()
        let before = try world.folder.contents()
        let run = try world.run("inspect", "World.sqlite", "--json")
        #expect(run.status == 0, "\(run.error)")
        let object = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
        let entities = try #require(object["entities"] as? [[String: Any]])
        #expect(entities.map { $0["name"] as? String } == ["Country", "Person", "Place", "City"])
        #expect(entities.map { $0["rows"] as? Int } == [2, 1, 0, 3])
        #expect(entities[3]["superentity"] as? String == "Place" && entities[3]["isAbstract"] is NSNull)
        #expect((entities[3]["columns"] as? [String])?.contains("ZPOPULATION") == true)
        let text = try world.run("inspect", "World.sqlite").output
        #expect(text.contains("The store keeps no model") && text.contains("Country: Z_PK, Z_ENT, Z_OPT, "))
        // With the model all is as ever.
        let whole = try world.run("inspect", "World.sqlite", "--model", "World.xcdatamodel", "--json")
        #expect(whole.status == 0 && !whole.output.contains("columns"))
        #expect(try world.folder.contents() == before)
    }

    @Test("The store and its folder stay as they are", arguments: ["DELETE", "WAL"])
    func leavesNothing(journal: String) throws {
        let world = try World.withStore(journal: journal)
        let before = try world.folder.contents()
        #expect(try world.run("inspect", "World.sqlite").status == 0)
        #expect(try world.run("query", "World.sqlite", "City").status == 0)
        #expect(try world.run("query", "World.sqlite", "Nothing").status == 64)
        #expect(try world.run("model", "hashes", "World.sqlite").status == 0)
        #expect(try world.folder.contents() == before)
    }

    @Test("A log that was there stays, and its rows count")
    func keepsLog() throws {
        let world = try World.withStore(journal: "WAL")
        // A copy of a store in use, as it comes from a phone: with its log, without the index.
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: world.model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: world.storeURL, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait { () throws in
            _ = World.insert("Person", ["name": "Ada"], context)
            try context.save()
        }
        let copy = try World()
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: world.storeURL.path + suffix, toPath: copy.storeURL.path + suffix)
        }
        let before = try copy.folder.contents()
        #expect(before["World.sqlite-wal"]?.isEmpty == false)
        #expect(try copy.run("query", "World.sqlite", "Person", "--count").output == "2\n")
        #expect(try copy.folder.contents() == before)
        #expect(try world.run("query", "World.sqlite", "Person", "--count").output == "2\n")
        #expect(FileManager.default.fileExists(atPath: world.storeURL.path + "-shm"), "is in use by this process")
    }

    @Test("For people: facts and a table")
    func text() throws {
        let world = try World.withStore()
        let run = try world.run("inspect", "World.sqlite")
        #expect(run.lines.first == "File               World.sqlite")
        #expect(run.output.contains("\nJournal mode       delete\n"))
        #expect(run.output.contains("\nEntity   Super-entity  Abstract  Rows  Version hash\n"))
        #expect(run.lines.last == "Total                               6")
    }

    @Test("A model that doesn't fit is refused, and one that fits is taken")
    func otherModel() throws {
        let world = try World.withStore()
        #expect(try world.run("inspect", "World.sqlite", "--model", "World.xcdatamodel").status == 0)
        let other = world.folder.file("Other.xcdatamodel")
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
        let text = "<model><entity name=\"Thing\"><attribute name=\"a\" attributeType=\"String\"/></entity></model>"
        try Data(text.utf8).write(to: other.appendingPathComponent("contents"))
        let run = try world.run("inspect", "World.sqlite", "--model", "Other.xcdatamodel")
        #expect(run.status == 65)
        #expect(run.output.isEmpty)
        #expect(run.error.contains("only in the model: Thing"))
    }
}
