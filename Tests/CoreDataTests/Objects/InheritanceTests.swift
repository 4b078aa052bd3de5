import Foundation
import Testing

@testable import CoreData

@Suite("Inheritance")
struct InheritanceTests {
    /// Item (abstract) ← Book ← Comic, Item ← Film; Box 1–n Item; Shop → Film without inverse to one.
    static func model() -> NSManagedObjectModel {
        let comic = Build.entity("Comic", [Build.attribute("colours", .integer16AttributeType)])
        let book = Build.entity(
            "Book", [Build.attribute("pages", .integer32AttributeType), Build.attribute("note", .stringAttributeType)],
            subentities: [comic])
        let film = Build.entity(
            "Film",
            [Build.attribute("minutes", .integer32AttributeType), Build.attribute("note", .stringAttributeType)])
        let item = Build.entity(
            "Item", [Build.attribute("name", .stringAttributeType)], isAbstract: true, subentities: [book, film])
        let box = Build.entity("Box", [Build.attribute("name", .stringAttributeType)])
        Build.relate(Build.many(box, "items"), Build.one(item, "box"))
        Build.relate(Build.many(box, "books", isOrdered: true), Build.one(book, "shelf"))
        _ = Build.one(box, "best").made(to: item)
        Build.relate(Build.many(film, "sequels"), Build.many(film, "prequels"))
        return Build.model(item, book, comic, film, box)
    }

    let fixture: Fixture

    init() throws {
        fixture = try Fixture(Self.model())
        let box = fixture.insert("Box", ["name": "box"])
        let comic = fixture.insert(
            "Comic", ["name": "c", "pages": 10, "colours": 4, "note": "comic", "box": box, "shelf": box])
        fixture.insert("Book", ["name": "b", "pages": 20, "note": "book", "box": box, "shelf": box])
        fixture.insert("Film", ["name": "f", "minutes": 90, "note": "film", "box": box])
        box.setValue(comic, forKey: "best")
        try fixture.context.save()
    }

    @Test("keeps a whole tree in one table, told apart by Z_ENT, with one sequence of keys")
    func oneTable() throws {
        #expect(try fixture.rows("SELECT Z_PK, Z_ENT FROM ZITEM ORDER BY Z_PK").map { $0[0] } == ["1", "2", "3"])
        let entities = try fixture.rows("SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT")
        #expect(
            entities == [
                ["1", "Box", "0", "1"], ["2", "Item", "0", "3"], ["3", "Book", "2", "0"], ["4", "Comic", "3", "0"],
                ["5", "Film", "2", "0"],
            ])
        #expect(try fixture.column("SELECT Z_ENT FROM ZITEM ORDER BY ZNAME") == ["3", "4", "5"])
        #expect(
            try fixture.value("SELECT COUNT(*) FROM pragma_table_info('ZITEM') WHERE name IN ('ZNOTE', 'ZNOTE1')")
                == "2")
    }

    @Test("finds sub-entities with their entity, or leaves them out")
    func fetching() throws {
        let context = try fixture.freshContext()
        #expect(try context.names("Item") == ["b", "c", "f"])
        #expect(try context.names("Book") == ["b", "c"])
        #expect(try context.names("Comic") == ["c"])
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.includesSubentities = false
        #expect(try context.fetch(request).map(\.name) == ["b"])
        #expect(try context.count(for: request) == 1)
        request.entity = nil
        let comic = try context.one("Item", "c")
        #expect(comic.entity.name == "Comic")
        #expect(comic.value(forKey: "colours") as? Int == 4)
        #expect(comic.objectID.uriRepresentation().pathComponents[1] == "Comic")
        #expect(try context.one("Film", "f").value(forKey: "note") as? String == "film")
        #expect(try context.one("Book", "b").value(forKey: "note") as? String == "book")
    }

    @Test("relates to objects of sub-entities, and keeps their entity's number beside the key")
    func relations() throws {
        let box = try fixture.freshContext().one("Box", "box")
        #expect(box.names("items") == ["b", "c", "f"])
        #expect(box.orderedNames("books") == ["c", "b"])
        #expect(box.object("best")?.entity.name == "Comic")
        #expect(try fixture.rows("SELECT ZBEST, Z2_BEST FROM ZBOX").first?[1] == "4")
        box.setValue(nil, forKey: "best")
        try box.managedObjectContext?.save()
        #expect(try fixture.rows("SELECT ZBEST, Z2_BEST FROM ZBOX") == [[nil, nil]])
    }

    @Test(
        "a number that means no entity of the right kind means the declared one",
        arguments: [0, 1, 99, -1, 1_000_000_000_000])
    func strangeNumber(_ number: Int) throws {
        let connection = try SQLiteConnection(fixture.url, .readWrite)
        try connection.execute("UPDATE ZBOX SET Z2_BEST = \(number)")
        let box = try fixture.freshContext().one("Box", "box")
        let best = try #require(box.object("best"))
        #expect(best.entity.isKindOf(entity: try #require(fixture.model.entitiesByName["Item"])))
        #expect(best.name == "c")
    }

    @Test("a row of a strange entity is passed over", arguments: [0, 1, 99, -1])
    func strangeRow(_ number: Int) throws {
        let connection = try SQLiteConnection(fixture.url, .readWrite)
        try connection.execute("UPDATE ZITEM SET Z_ENT = \(number) WHERE ZNAME = 'f'")
        let context = try fixture.freshContext()
        #expect(try context.names("Book") == ["b", "c"])
        #expect(try context.find("Item").allSatisfy { ["Book", "Comic"].contains($0.entity.name) })
        #expect(try context.one("Box", "box").names("items") == ["b", "c"])
    }

    @Test("an ID that names the wrong sub-entity leads to no object")
    func wrongEntity() throws {
        let context = try fixture.freshContext()
        let coordinator = try #require(context.persistentStoreCoordinator)
        let id = try context.one("Film", "f").objectID
        let wrong = try #require(
            URL(string: id.uriRepresentation().absoluteString.replacingOccurrences(of: "Film", with: "Comic")))
        context.reset()
        let wrongID = try #require(coordinator.managedObjectID(forURIRepresentation: wrong))
        #expect(errorCode { _ = try context.existingObject(with: wrongID) } == .managedObjectReferentialIntegrity)
        let fault = context.object(with: wrongID)
        for property in fault.entity.properties { _ = fault.value(forKey: property.name) }
        #expect(fault.isDeleted)
    }

    @Test("many-to-many relationships of a sub-entity lead to its objects")
    func joins() throws {
        let film = try fixture.context.one("Film", "f")
        let next = fixture.insert("Film", ["name": "g", "prequels": Set([film])])
        #expect(film.set("sequels") == [next])
        try fixture.context.save()
        #expect(try fixture.freshContext().one("Film", "g").names("prequels") == ["f"])
        #expect(try fixture.context.names("Film", "ANY sequels.minutes == nil OR sequels.@count == 1") == ["f"])
    }

    @Test(
        "predicates reach properties of sub-entities only through their own fetch, and objects of other tables are never equal"
    )
    func predicates() throws {
        let context = fixture.context
        #expect(try context.names("Item", "box.best == SELF") == ["c"])
        #expect(try context.names("Item", "box == SELF") == [])
        #expect(
            try context.names("Item", "SELF IN %@", [try context.one("Box", "box"), try context.one("Item", "b")]) == [
                "b"
            ])
        #expect(try context.names("Box", "ANY items.name == 'f' AND best.name == 'c'") == ["box"])
        #expect(try context.names("Book", "pages > 5 AND colours == 4") == ["c"])
    }
}
