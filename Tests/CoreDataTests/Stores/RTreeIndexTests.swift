import Foundation
import Testing

@testable import CoreData

@Suite("R-tree indexes")
struct RTreeIndexTests {
    private static func placeModel() throws -> NSManagedObjectModel {
        try Build.model(
            xml:
                """
                <entity name="Place">
                    <attribute name="name" optional="YES" attributeType="String"/>
                    <attribute name="latitude" optional="YES" attributeType="Double"/>
                    <attribute name="longitude" optional="YES" attributeType="Double"/>
                    <fetchIndex name="byPoint">
                        <fetchIndexElement property="latitude" type="RTree"/>
                        <fetchIndexElement property="longitude" type="RTree"/>
                    </fetchIndex>
                </entity>
                <entity name="City" parentEntity="Place">
                    <attribute name="height" optional="YES" attributeType="Integer 32"/>
                    <fetchIndex name="byHeight"><fetchIndexElement property="height" type="RTree"/></fetchIndex>
                </entity>
                """)
    }

    private static func points(_ fixture: Fixture) throws -> [[String?]] {
        try fixture.rows(
            """
            SELECT p.ZNAME, r.ZLATITUDE_MIN, r.ZLATITUDE_MAX, r.ZLONGITUDE_MIN, r.ZLONGITUDE_MAX
            FROM Z_RT_Place_byPoint r JOIN ZPLACE p USING (Z_PK) ORDER BY p.ZNAME
            """)
    }

    @Test("are virtual tables with triggers, as real stores have them")
    func statements() throws {
        let fixture = try Fixture(Self.placeModel())
        #expect(
            try fixture.column("SELECT sql FROM sqlite_master WHERE name LIKE 'Z!_RT!_Place!_byPoint' ESCAPE '!'") == [
                "CREATE VIRTUAL TABLE Z_RT_Place_byPoint USING RTREE (Z_PK INTEGER PRIMARY KEY, ZLATITUDE_MIN FLOAT,"
                    + " ZLATITUDE_MAX FLOAT, ZLONGITUDE_MIN FLOAT, ZLONGITUDE_MAX FLOAT)"
            ])
        #expect(
            try fixture.value("SELECT sql FROM sqlite_master WHERE name = 'Z_RT_Place_byPoint_INSERT'")
                == "CREATE TRIGGER Z_RT_Place_byPoint_INSERT AFTER INSERT ON ZPLACE FOR EACH ROW BEGIN INSERT OR REPLACE"
                + " INTO Z_RT_Place_byPoint (Z_PK, ZLATITUDE_MIN, ZLATITUDE_MAX, ZLONGITUDE_MIN, ZLONGITUDE_MAX) VALUES"
                + " (NEW.Z_PK, NEW.ZLATITUDE ,NEW.ZLATITUDE, NEW.ZLONGITUDE ,NEW.ZLONGITUDE) ; END")
    }

    @Test("follow inserts, updates and deletions")
    func kept() throws {
        let fixture = try Fixture(Self.placeModel())
        let a = fixture.insert("Place", ["name": "a", "latitude": 1.5, "longitude": 2.5])
        let b = fixture.insert("City", ["name": "b", "latitude": -4.0, "longitude": 8.0, "height": 12])
        try fixture.context.save()
        #expect(
            try Self.points(fixture) == [["a", "1.5", "1.5", "2.5", "2.5"], ["b", "-4.0", "-4.0", "8.0", "8.0"]])
        a.setValue(3.0, forKey: "latitude")
        b.setValue("bb", forKey: "name")
        try fixture.context.save()
        #expect(try Self.points(fixture).first == ["a", "3.0", "3.0", "2.5", "2.5"])
        // That of a sub-entity has rows of its own only.
        #expect(try fixture.column("SELECT ZHEIGHT_MIN FROM Z_RT_City_byHeight") == ["12.0"])
        fixture.context.delete(a)
        try fixture.context.save()
        #expect(try Self.points(fixture).map { $0[0] } == ["bb"])
        #expect(try fixture.value("SELECT COUNT(*) FROM Z_RT_Place_byPoint") == "1")
        #expect(try fixture.value("PRAGMA integrity_check") == "ok")
    }

    @Test("are filled in an imported store")
    func imported() throws {
        let fixture = try Fixture(Self.placeModel())
        let url = fixture.folder.file("imported.sqlite")
        let writer = try SQLiteBulkWriter(fixture.model, url: url)
        let entity = try #require(writer.schema.entities.first { $0.name == "City" })
        var values = Array(repeating: SlotValue.null, count: entity.layout.count)
        for (name, value) in [("latitude", SlotValue.real(1)), ("longitude", .real(2)), ("height", .integer(5))] {
            values[try #require(entity.layout.slot(name))] = value
        }
        try writer.insert(entity, primaryKey: writer.takeKey(entity), values)
        try writer.finish()
        let connection = try SQLiteConnection(url, .readOnly)
        #expect(try connection.text("SELECT ZLATITUDE_MIN FROM Z_RT_Place_byPoint") == "1.0")
        #expect(try connection.text("SELECT ZHEIGHT_MAX FROM Z_RT_City_byHeight") == "5.0")
        let new = try SQLiteConnection(fixture.url, .readOnly)
        #expect(try StoreComparison(connection, new).isSame)
    }
}
