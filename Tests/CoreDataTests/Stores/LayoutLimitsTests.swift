import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("A new store")
struct LayoutLimitsTests {
    @Test(
        "is refused, and no file left, where its layout isn't known",
        arguments: [
            (
                "place.x",
                """
                <entity name="City"><attribute name="place" optional="YES" attributeType="Composite" composite="P"/></entity>
                <composite name="P"><attribute name="x" optional="YES" attributeType="Transformable"/></composite>
                """
            ),
            (
                "R-tree",
                """
                <entity name="City"><attribute name="x" optional="YES" attributeType="String"/>
                <fetchIndex name="byX"><fetchIndexElement property="x" type="RTree"/></fetchIndex></entity>
                """
            ),
            (
                "R-tree",
                """
                <entity name="City"><attribute name="x" optional="YES" attributeType="Double"/>
                <attribute name="y" optional="YES" attributeType="Double"/>
                <fetchIndex name="byX"><fetchIndexElement property="x" type="RTree"/>
                <fetchIndexElement property="y" type="Binary"/></fetchIndex></entity>
                """
            ),
            (
                "derivation",
                """
                <entity name="City"><attribute name="name" optional="YES" attributeType="String"/>
                <attribute name="size" optional="YES" attributeType="Integer 16" derived="YES" derivationExpression="length:(name)"/>
                </entity>
                """
            ),
            (
                "derivation",
                """
                <entity name="City"><attribute name="name" optional="YES" attributeType="String"/>
                <attribute name="other" optional="YES" attributeType="String" derived="YES" derivationExpression="nothing.name"/>
                </entity>
                """
            ),
        ])
    func refused(_ what: String, _ body: String) throws {
        let folder = try TemporaryFolder()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try Build.model(xml: body))
        let error = try #require(throws: CocoaError.self) {
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: folder.file("s.sqlite"))
        }
        #expect("\(error.userInfo)".contains(what), "\(error.userInfo)")
        #expect(folder.names == [])
    }

    @Test(
        "with a partial index has its condition, with values written out",
        arguments: [
            ("name == \"O'Hara?\" OR people > 3", "(ZNAME = 'O''Hara?' OR ZPEOPLE > 3)"),
            ("name != nil", "ZNAME IS NOT NULL"),
        ])
    func partialIndex(_ format: String, _ condition: String) throws {
        let city = Build.entity(
            "City", [Build.attribute("name", .stringAttributeType), Build.attribute("people", .integer16AttributeType)])
        let index = NSFetchIndexDescription(
            name: "byName",
            elements: [
                NSFetchIndexElementDescription(
                    property: try #require(city.propertiesByName["name"]), collationType: .binary)
            ])
        index.partialIndexPredicate = NSPredicate(format: format)
        city.indexes = [index]
        let fixture = try Fixture(Build.model(city))
        #expect(
            try fixture.value("SELECT sql FROM sqlite_master WHERE name = 'Z_City_byName'")
                == "CREATE INDEX Z_City_byName ON ZCITY (ZNAME COLLATE BINARY ASC) WHERE \(condition)")
    }

    @Test("with a partial index whose condition calls a function is refused")
    func partialIndexWithFunction() throws {
        let city = Build.entity("City", [Build.attribute("name", .stringAttributeType)])
        let index = NSFetchIndexDescription(
            name: "byName",
            elements: [
                NSFetchIndexElementDescription(
                    property: try #require(city.propertiesByName["name"]), collationType: .binary)
            ])
        index.partialIndexPredicate = NSPredicate(format: "name BEGINSWITH[c] 'a'")
        city.indexes = [index]
        #expect(throws: CocoaError.self) { try Fixture(Build.model(city)) }
    }

    @Test("has the same bytes of metadata as another with the same content")
    func metadataBytes() throws {
        let (a, b) = (try Fixture(StoreCase.model()), try Fixture(StoreCase.model()))
        for fixture in [a, b] {
            let metadata: [String: Any] = [
                "b": 1, "a": ["y": true, "x": [1.5, "z"]], "c": Date(timeIntervalSinceReferenceDate: 0),
                "d": Data([1, 2]),
            ]
            try NSPersistentStoreCoordinator.setMetadata(
                metadata, forPersistentStoreOfType: NSSQLiteStoreType, at: fixture.url)
        }
        let found = try a.value("SELECT HEX(Z_PLIST) FROM Z_METADATA")
        #expect(try found == b.value("SELECT HEX(Z_PLIST) FROM Z_METADATA"))
        let read = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: a.url)
        #expect(read["c"] as? Date == Date(timeIntervalSinceReferenceDate: 0) && read["d"] as? Data == Data([1, 2]))
        #expect((read["a"] as? [String: Any])?["y"] as? Bool == true)
        #expect(read["NSPersistenceFrameworkVersion"] as? Int == 1344)
    }

    @Test("numbers the columns of join tables that have one name for the same entity")
    func joinColumns() throws {
        let (asset, memory, trip) = (Build.entity("Asset"), Build.entity("Memory"), Build.entity("Trip"))
        Build.relate(Build.many(asset, "memories"), Build.many(memory, "assets"))
        Build.relate(Build.many(asset, "trips"), Build.many(trip, "assets"))
        let fixture = try Fixture(Build.model(asset, memory, trip))
        #expect(
            try fixture.column("SELECT sql FROM sqlite_master WHERE name IN ('Z_1MEMORIES', 'Z_1TRIPS') ORDER BY name")
                == [
                    "CREATE TABLE Z_1MEMORIES ( Z_1ASSETS INTEGER, Z_2MEMORIES INTEGER, PRIMARY KEY (Z_1ASSETS, Z_2MEMORIES) )",
                    "CREATE TABLE Z_1TRIPS ( Z_1ASSETS1 INTEGER, Z_3TRIPS INTEGER, PRIMARY KEY (Z_1ASSETS1, Z_3TRIPS) )",
                ])
        let picture = fixture.insert("Asset")
        let (first, second) = (fixture.insert("Memory"), fixture.insert("Trip"))
        picture.setValue(Set([first]), forKey: "memories")
        second.setValue(Set([picture]), forKey: "assets")
        try fixture.context.save()
        let found = try #require(try fixture.freshContext().find("Asset").first)
        #expect(found.set("memories").count == 1 && found.set("trips").count == 1)
    }

    @Test("keeps the count of a to-many relationship in a derived attribute, through every change")
    func derivedCount() throws {
        let model = try Build.model(
            xml:
                """
                <entity name="Book">
                    <attribute name="pagesCount" optional="YES" attributeType="Integer 64" derived="YES" derivationExpression="pages.@count"/>
                    <relationship name="pages" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Page" inverseName="book"/>
                </entity>
                <entity name="Page">
                    <relationship name="book" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Book" inverseName="pages"/>
                </entity>
                """)
        let folder = try TemporaryFolder()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: folder.file("s.sqlite"))
        let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        func count(_ book: NSManagedObject) -> Int? {
            context.refresh(book, mergeChanges: false)
            return (book.value(forKey: "pagesCount") as? NSNumber)?.intValue
        }
        let books = (0..<2).map { _ in NSEntityDescription.insertNewObject(forEntityName: "Book", into: context) }
        let pages = (0..<3).map { _ in NSEntityDescription.insertNewObject(forEntityName: "Page", into: context) }
        for page in pages { page.setValue(books[0], forKey: "book") }
        try context.save()
        #expect(count(books[0]) == 3 && count(books[1]) == 0)
        pages[0].setValue(books[1], forKey: "book")
        try context.save()
        #expect(count(books[0]) == 2 && count(books[1]) == 1)
        pages[1].setValue(nil, forKey: "book")
        context.delete(pages[2])
        try context.save()
        #expect(count(books[0]) == 0 && count(books[1]) == 1)
    }
}
