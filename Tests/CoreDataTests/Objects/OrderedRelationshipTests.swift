import Foundation
import Testing

@testable import CoreData

@Suite("Ordered relationships")
struct OrderedRelationshipTests {
    /// Album 1–n Song ordered; Playlist n–m Song, ordered on both sides.
    static func model() -> NSManagedObjectModel {
        let album = Build.entity("Album", [Build.attribute("name", .stringAttributeType)])
        let song = Build.entity("Song", [Build.attribute("name", .stringAttributeType)])
        let list = Build.entity("Playlist", [Build.attribute("name", .stringAttributeType)])
        Build.relate(Build.many(album, "songs", isOrdered: true), Build.one(song, "album"))
        Build.relate(Build.many(list, "songs", isOrdered: true), Build.many(song, "lists", isOrdered: true))
        return Build.model(album, song, list)
    }

    let fixture: Fixture
    let album: NSManagedObject
    let songs: [NSManagedObject]

    init() throws {
        let fixture = try Fixture(Self.model())
        self.fixture = fixture
        album = fixture.insert("Album", ["name": "A"])
        songs = ["c", "a", "b"].map { fixture.insert("Song", ["name": $0]) }
        album.setValue(NSOrderedSet(array: songs), forKey: "songs")
        try fixture.context.save()
    }

    func freshNames() throws -> [String] { try fixture.freshContext().one("Album", "A").orderedNames("songs") }

    @Test("keep their order; the keys are 2048, 3072, 4096 …")
    func keys() throws {
        #expect(try freshNames() == ["c", "a", "b"])
        #expect(try fixture.column("SELECT Z_FOK_ALBUM FROM ZSONG ORDER BY Z_FOK_ALBUM") == ["2048", "3072", "4096"])
    }

    @Test("get an object that is added through the to-one end as the last")
    func appendThroughToOne() throws {
        fixture.insert("Song", ["name": "0", "album": album])
        #expect(album.orderedNames("songs") == ["c", "a", "b", "0"])
        try fixture.context.save()
        #expect(try freshNames() == ["c", "a", "b", "0"])
        #expect(try fixture.value("SELECT Z_FOK_ALBUM FROM ZSONG WHERE ZNAME = '0'") == "5120")
    }

    @Test("get objects through the to-one end as the last also where they were never read")
    func appendUnread() throws {
        let context = try fixture.freshContext()
        let album = try context.one("Album", "A")
        for name in ["z", "y"] {
            let song = NSEntityDescription.insertNewObject(forEntityName: "Song", into: context)
            song.setValue(name, forKey: "name")
            song.setValue(album, forKey: "album")
        }
        try context.save()
        #expect(try freshNames() == ["c", "a", "b", "z", "y"])
        #expect(album.orderedNames("songs") == ["c", "a", "b", "z", "y"])
        #expect(Set(album.list("songs")).isSubset(of: context.registeredObjects))
        #expect(try context.find("Song").count == 5)
    }

    @Test("take a new order, with one member less and one more")
    func reorder() throws {
        let new = fixture.insert("Song", ["name": "n"])
        album.setValue(NSOrderedSet(array: [songs[2], new, songs[0]]), forKey: "songs")
        #expect(songs[1].object("album") == nil)
        try fixture.context.save()
        #expect(try freshNames() == ["b", "n", "c"])
        #expect(try fixture.rows("SELECT ZALBUM, Z_FOK_ALBUM FROM ZSONG WHERE ZNAME = 'a'") == [[nil, nil]])
    }

    @Test("take an object back at the end")
    func removeAndAppend() throws {
        songs[0].setValue(nil, forKey: "album")
        songs[0].setValue(album, forKey: "album")
        #expect(album.orderedNames("songs") == ["a", "b", "c"])
        try fixture.context.save()
        #expect(try freshNames() == ["a", "b", "c"])
    }

    @Test("put an object that comes from another one at the end")
    func move() throws {
        let other = fixture.insert("Album", ["name": "B"])
        let first = fixture.insert("Song", ["name": "first", "album": other])
        try fixture.context.save()
        songs[0].setValue(other, forKey: "album")
        try fixture.context.save()
        #expect(try fixture.freshContext().one("Album", "B").orderedNames("songs") == ["first", "c"])
        #expect(other.list("songs") == [first, songs[0]])
        #expect(try freshNames() == ["a", "b"])
    }

    @Test("between many and many keep both orders")
    func bothOrders() throws {
        let (p, q) = (fixture.insert("Playlist", ["name": "p"]), fixture.insert("Playlist", ["name": "q"]))
        p.setValue(NSOrderedSet(array: [songs[1], songs[0]]), forKey: "songs")
        q.setValue(NSOrderedSet(array: songs), forKey: "songs")
        songs[0].setValue(NSOrderedSet(array: [q, p]), forKey: "lists")
        try fixture.context.save()
        var fresh = try fixture.freshContext()
        #expect(try fresh.one("Playlist", "p").orderedNames("songs") == ["a", "c"])
        #expect(try fresh.one("Playlist", "q").orderedNames("songs") == ["c", "a", "b"])
        #expect(try fresh.one("Song", "c").orderedNames("lists") == ["q", "p"])
        #expect(try fresh.one("Song", "a").orderedNames("lists") == ["p", "q"])
        // Added from the other side, without reading this one.
        try fresh.one("Song", "b").setValue(NSOrderedSet(array: try fresh.find("Playlist", sort: "name")), forKey: "lists")
        try fresh.save()
        fresh = try fixture.freshContext()
        #expect(try fresh.one("Playlist", "p").orderedNames("songs") == ["a", "c", "b"])
        #expect(try fresh.one("Song", "b").orderedNames("lists") == ["p", "q"])
        let orders = try fixture.rows("SELECT * FROM sqlite_master WHERE name LIKE 'Z!_%SONGS' ESCAPE '!'")
        let table = try #require(orders.first?[1])
        #expect(try fixture.value("SELECT COUNT(*) FROM \(table)") == "6")
        let sql = try #require(orders.first?[4])
        for column in sql.split(separator: " ").map(String.init) where column.hasPrefix("Z_FOK_") {
            #expect(try fixture.value("SELECT COUNT(*) FROM \(table) WHERE \(column) IS NULL") == "0")
        }
    }
}
