import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("Comparing two stores")
struct StoreComparisonTests {
    /// Album 1–n Song ordered, Song n–m Tag.
    private static func model() -> NSManagedObjectModel {
        let album = Build.entity("Album", [Build.attribute("name", .stringAttributeType)])
        let song = Build.entity(
            "Song", [Build.attribute("name", .stringAttributeType), Build.attribute("length", .doubleAttributeType)])
        let tag = Build.entity("Tag", [Build.attribute("name", .stringAttributeType)])
        Build.relate(Build.many(album, "songs", isOrdered: true), Build.one(song, "album"))
        Build.relate(Build.many(song, "tags"), Build.many(tag, "songs"))
        return Build.model(album, song, tag)
    }

    /// A store with two albums of two songs each.
    private static func fixture(songs: [String] = ["a", "b", "c", "d"], reversed: Bool = false) throws -> Fixture {
        let fixture = try Fixture(model())
        let tag = fixture.insert("Tag", ["name": "loud"])
        let albums = ["one", "two"].map { fixture.insert("Album", ["name": $0]) }
        try fixture.context.save()
        let order = Array(songs.enumerated())
        let made = (reversed ? order.reversed() : order).map { index, name in
            let song = fixture.insert("Song", ["name": name, "length": Double(index) + 0.5])
            return (index, song)
        }.sorted { $0.0 < $1.0 }.map(\.1)
        // One save each, so that keys come in the order that was asked for.
        try fixture.context.save()
        for (index, song) in made.enumerated() {
            song.setValue(albums[index / 2], forKey: "album")
            if index % 2 == 0 { song.setValue(Set([tag]), forKey: "tags") }
        }
        try fixture.context.save()
        return fixture
    }

    private static func compare(
        _ a: Fixture, _ b: Fixture, _ rows: StoreComparison.Rows = .none
    ) throws -> [StoreDifference] {
        let (old, new) = (try SQLiteConnection(a.url, .readOnly), try SQLiteConnection(b.url, .readOnly))
        return try StoreComparison(old, new, rows: rows).differences
    }

    @Test("large values are compared by what they are, not by the random names of their files")
    func largeValues() throws {
        func fixture(_ byte: UInt8) throws -> Fixture {
            let photo = Build.attribute("photo", .binaryDataAttributeType)
            photo.allowsExternalBinaryDataStorage = true
            let fixture = try Fixture(Build.model(Build.entity("Note", [photo])))
            fixture.insert("Note", ["photo": Data(repeating: byte, count: 200_000)])
            try fixture.context.save()
            return fixture
        }
        let (one, same, other) = (try fixture(1), try fixture(1), try fixture(2))
        let model = one.coordinator.managedObjectModel
        #expect(try Self.compare(one, same, .byContent(model)).isEmpty)
        #expect(try !Self.compare(one, other, .byContent(model)).isEmpty)
    }

    private static func change(_ fixture: Fixture, _ sql: String) throws {
        try SQLiteConnection(fixture.url, .readWrite).execute(sql)
    }

    @Test("two stores that were made alike have no differences, whichever way rows are compared")
    func same() throws {
        let (a, b) = (try Self.fixture(), try Self.fixture())
        #expect(try Self.compare(a, b).isEmpty)
        #expect(try Self.compare(a, b, .byKey).isEmpty)
        #expect(try Self.compare(a, b, .byContent(a.model)).isEmpty)
    }

    @Test(
        "what differs in the layout is named",
        arguments: [
            ("ALTER TABLE ZSONG ADD COLUMN ZMORE INTEGER", "column ZSONG.ZMORE: only in the second: ZMORE INTEGER"),
            ("CREATE TABLE ZMORE (X)", "table ZMORE: only in the second: X "),
            ("CREATE INDEX I ON ZSONG (ZNAME)", "index I: only in the second: CREATE INDEX I ON ZSONG (ZNAME)"),
            ("DROP INDEX ZSONG_ZALBUM_INDEX", "index ZSONG_ZALBUM_INDEX: only in the first"),
            (
                "CREATE TRIGGER T AFTER DELETE ON ZSONG BEGIN SELECT 1; END",
                "trigger T: only in the second"
            ),
            ("UPDATE Z_PRIMARYKEY SET Z_ENT = 9 WHERE Z_NAME = 'Tag'", "entity Tag: number 3 → number 9"),
        ])
    func layout(_ sql: String, _ expected: String) throws {
        let (a, b) = (try Self.fixture(songs: []), try Self.fixture(songs: []))
        try Self.change(b, sql)
        let found = try Self.compare(a, b)
        #expect(found.count == 1)
        #expect(found.first?.description.hasPrefix(expected) == true, "\(found)")
    }

    @Test("the order of columns and the keys of the metadata count, not the metadata's values")
    func orderAndMetadata() throws {
        let (a, b) = (try Self.fixture(songs: []), try Self.fixture(songs: []))
        try Self.change(
            b,
            """
            DROP TABLE ZTAG;
            CREATE TABLE ZTAG ( Z_ENT INTEGER, Z_PK INTEGER PRIMARY KEY, Z_OPT INTEGER, ZNAME VARCHAR );
            """)
        try NSPersistentStoreCoordinator.setMetadata(
            ["note": "x", "NSPersistenceFrameworkVersion": 1], forPersistentStoreOfType: NSSQLiteStoreType, at: b.url)
        #expect(
            try Self.compare(a, b).map(\.description) == [
                "order of columns ZTAG: Z_PK, Z_ENT, Z_OPT, ZNAME → Z_ENT, Z_PK, Z_OPT, ZNAME",
                "metadata note: only in the second: a string",
            ])
    }

    @Test("by key, each value that differs is named, by value and storage class, and rows that only one has")
    func byKey() throws {
        let (a, b) = (try Self.fixture(), try Self.fixture())
        try Self.change(b, "UPDATE ZSONG SET ZLENGTH = 'x' WHERE ZNAME = 'a'; DELETE FROM ZTAG")
        let key = try #require(try a.value("SELECT Z_PK FROM ZSONG WHERE ZNAME = 'a'"))
        #expect(
            try Self.compare(a, b, .byKey).map(\.description) == [
                "row ZSONG \(key) ZLENGTH: 0.5 → 'x'",
                "row ZTAG 1: only in the first: Z_PK = 1, Z_ENT = 3, Z_OPT = 2, ZNAME = 'loud'",
            ])
    }

    @Test("by content, keys, versions and gaps between positions count for nothing")
    func byContent() throws {
        let (a, b) = (try Self.fixture(), try Self.fixture(reversed: true))
        try Self.change(b, "UPDATE ZSONG SET Z_OPT = 9, Z_FOK_ALBUM = Z_FOK_ALBUM * 3")
        #expect(!(try Self.compare(a, b, .byKey).isEmpty))
        #expect(try Self.compare(a, b, .byContent(a.model)).isEmpty)
    }

    @Test(
        "by content, other values, storage classes, relationships, orders and join rows are noticed",
        arguments: [
            "UPDATE ZSONG SET ZNAME = 'x' WHERE ZNAME = 'a'",
            "UPDATE ZSONG SET ZNAME = CAST(ZNAME AS BLOB) WHERE ZNAME = 'a'",
            "UPDATE ZSONG SET ZALBUM = NULL WHERE ZNAME = 'd'",
            "UPDATE ZSONG SET ZALBUM = 3 - ZALBUM WHERE ZNAME = 'd'",
            "UPDATE ZSONG SET Z_FOK_ALBUM = -Z_FOK_ALBUM",
            "DELETE FROM Z_2TAGS",
            "INSERT INTO ZTAG VALUES (7, 3, 1, NULL)",
        ])
    func byContentDifferences(_ sql: String) throws {
        let (a, b) = (try Self.fixture(), try Self.fixture())
        try Self.change(b, sql)
        #expect(!(try Self.compare(a, b, .byContent(a.model)).isEmpty))
    }

    @Test("by content, rows that are alike but shared out otherwise among alike owners are noticed")
    func distribution() throws {
        // One album with both songs and one without, or one song each: only the graph tells.
        func made(_ shares: [Int]) throws -> Fixture {
            let fixture = try Fixture(Self.model())
            let albums = [fixture.insert("Album"), fixture.insert("Album")]
            for share in shares { fixture.insert("Song", ["album": albums[share]]) }
            try fixture.context.save()
            return fixture
        }
        let (a, b) = (try made([0, 1]), try made([0, 0]))
        try Self.change(a, "UPDATE ZSONG SET Z_FOK_ALBUM = 0")
        try Self.change(b, "UPDATE ZSONG SET Z_FOK_ALBUM = 0")
        #expect(!(try Self.compare(a, b, .byContent(a.model)).isEmpty))
        #expect(try Self.compare(a, try made([1, 0]), .byContent(a.model)).isEmpty)
    }
}
