import CoreData
import TestSupport
import Testing

@testable import StartingData

private let package = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

@Suite("The example World")
struct WorldTests {
    static let names = ["Airport.tsv", "City.csv", "Continent.json", "Country.plist", "MetropolitanArea.json"]

    private func model() throws -> NSManagedObjectModel {
        try NSManagedObjectModel(
            validatingContentsOf: package.appendingPathComponent("Examples/World/World.xcdatamodeld"))
    }

    private func imported(_ names: [String], _ folder: TemporaryFolder, _ store: String) throws -> (URL, ImportReport) {
        let url = folder.file(store)
        let files = names.map { package.appendingPathComponent("Examples/World/Data/\($0)") }
        return (url, try Importer(model: try model(), storeURL: url).run(files))
    }

    /// All of a store by keys that don't depend on the order of reading.
    private static let content: [String] = [
        """
        SELECT a.ZICAOCODE, a.ZIATACODE, a.ZFAACODE, a.ZNAME, a.ZCITYNAME, a.ZSUBDIVISIONNAME, a.ZTIMEZONE, a.ZELEVATIONFEET,
        a.ZLATITUDE, a.ZLONGITUDE, a.Z_OPT, k.ZISOCODE, m.ZCODE FROM ZAIRPORT a LEFT JOIN ZCOUNTRY k ON k.Z_PK = a.ZCOUNTRY
        LEFT JOIN ZMETROPOLITANAREA m ON m.Z_PK = a.ZMETROPOLITANAREA ORDER BY 1
        """,
        """
        SELECT c.ZGEONAMEID, c.ZNAME, c.ZADMIN1CODE, c.ZISCAPITAL, c.ZPOPULATION, c.ZLATITUDE, c.ZLONGITUDE, c.ZTIMEZONE, c.Z_OPT,
        k.ZISOCODE, o.ZISOCODE FROM ZCITY c LEFT JOIN ZCOUNTRY k ON k.Z_PK = c.ZCOUNTRY LEFT JOIN ZCOUNTRY o ON o.Z_PK = c.ZCAPITALOF
        ORDER BY 1
        """,
        """
        SELECT k.ZISOCODE, k.ZISOCODE3, k.ZNAME, k.ZPOPULATION, k.ZAREASQUAREKILOMETERS, k.ZGEONAMESURI, k.ZNEIGHBORCODES,
        k.ZPOSTALCODEPATTERN, k.Z_OPT, c.ZGEONAMEID, t.ZCODE FROM ZCOUNTRY k LEFT JOIN ZCITY c ON c.Z_PK = k.ZCAPITAL
        LEFT JOIN ZCONTINENT t ON t.Z_PK = k.ZCONTINENT ORDER BY 1
        """,
        "SELECT ZCODE, ZNAME, ZWIKIPEDIAURL, ZPOPULATION, ZLATITUDE FROM ZCONTINENT ORDER BY 1",
        "SELECT m.ZCODE, m.ZNAME, k.ZISOCODE FROM ZMETROPOLITANAREA m JOIN ZCOUNTRY k ON k.Z_PK = m.ZCOUNTRY ORDER BY 1",
        "SELECT name, type, sql FROM sqlite_master ORDER BY 1",
        "SELECT Z_NAME, Z_ENT, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY 2",
    ]

    private func rows(_ connection: SQLiteConnection, _ sql: String) throws -> [String] {
        let statement = try connection.statement(sql)
        var rows: [String] = []
        while try statement.step() {
            rows.append(
                (0..<statement.columnCount).map { statement.isNull($0) ? "-" : statement.string($0) }.joined(
                    separator: "|"))
        }
        return rows
    }

    @Test("comes out the same whatever the order of its files")
    func orders() throws {
        let folder = try TemporaryFolder()
        let (first, report) = try imported(Self.names, folder, "First.sqlite")
        let (second, _) = try imported(
            ["Country.plist", "MetropolitanArea.json", "City.csv", "Continent.json", "Airport.tsv"], folder,
            "Second.sqlite")
        #expect(
            report.entities.map { "\($0.name) \($0.inserted)" }
                == ["Airport 28298", "City 34006", "Continent 7", "Country 252", "MetropolitanArea 41"])
        #expect(report.warnings.isEmpty)
        let (a, b) = (try SQLiteConnection(first, .readOnly), try SQLiteConnection(second, .readOnly))
        for sql in Self.content {
            let (ours, theirs) = (try rows(a, sql), try rows(b, sql))
            #expect(!ours.isEmpty)
            #expect(ours == theirs, "\(sql.prefix(80))")
        }
        #expect(try a.text("PRAGMA integrity_check") == "ok")
        #expect(folder.names == ["First.sqlite", "Second.sqlite"])
    }

    @Test("has relationships whose two ends agree, and every row can be read")
    func ends() throws {
        let folder = try TemporaryFolder()
        let (url, report) = try imported(Self.names.reversed(), folder, "World.sqlite")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try model())
        try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            for entity in report.entities {
                let objects = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity.name))
                #expect(objects.count == entity.inserted, "\(entity.name)")
                for object in objects where !Self.endsAgree(object) {
                    Issue.record("\(object) and what it refers to disagree")
                }
            }
        }
    }

    /// Whether all that an object refers to refers back, and all its mandatory attributes have values.
    private static func endsAgree(_ object: NSManagedObject) -> Bool {
        for (name, attribute) in object.entity.attributesByName where !attribute.isOptional {
            if object.value(forKey: name) == nil { return false }
        }
        for (name, relationship) in object.entity.relationshipsByName {
            guard let inverse = relationship.inverseRelationship else { continue }
            let others =
                relationship.isToMany
                ? object.value(forKey: name) as? Set<NSManagedObject> ?? []
                : Set([object.value(forKey: name) as? NSManagedObject].compactMap(\.self))
            for other in others {
                let back = other.value(forKey: inverse.name)
                let isBack =
                    inverse.isToMany
                    ? (back as? Set<NSManagedObject>)?.contains(object) == true : back as? NSManagedObject === object
                if !isBack { return false }
            }
        }
        return true
    }
}
