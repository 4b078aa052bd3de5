import CoreData
import TestSupport
import Testing

@Suite("coredata diff")
struct DiffTests {
    /// Two stores of the same content, `World.sqlite` and `Other.sqlite`, the second changed by SQL.
    private static func pair(_ sql: String = "") throws -> World {
        let world = try World.withStore()
        let copy = world.folder.file("Other.sqlite")
        try FileManager.default.copyItem(at: world.storeURL, to: copy)
        if !sql.isEmpty { try SQLiteConnection(copy, .readWrite).execute(sql) }
        return world
    }

    @Test("ends with 0 for stores that are the same, and leaves nothing beside them")
    func same() throws {
        let world = try Self.pair()
        let before = try world.folder.contents()
        for options in [[], ["--rows"], ["--by-content"]] {
            let run = try runTool(["diff", "World.sqlite", "Other.sqlite"] + options, in: world.folder.url)
            #expect(run.status == 0, "\(run.error)")
            #expect(run.lines.last == "The stores are the same.")
        }
        #expect(try world.folder.contents() == before)
    }

    @Test("ends with 1 and names what is different, rows only if asked")
    func different() throws {
        let world = try Self.pair(
            "CREATE INDEX I ON ZCOUNTRY (Z_OPT); UPDATE ZCOUNTRY SET ZNAME = 'Elsewhere' WHERE Z_PK = 1")
        let layout = try world.run("diff", "World.sqlite", "Other.sqlite")
        #expect(layout.status == 1)
        #expect(
            layout.lines == [
                "index I: only in the second: CREATE INDEX I ON ZCOUNTRY (Z_OPT)", "", "1 difference",
            ])
        let rows = try world.run("diff", "World.sqlite", "Other.sqlite", "--rows", "--json")
        #expect(rows.status == 1)
        let object = try parseObject(rows.output)
        #expect(object["same"] as? Bool == false)
        #expect(object["fromRows"] as? Int == object["toRows"] as? Int)
        let differences = try #require(object["differences"] as? [[String: Any]])
        #expect(differences.map { $0["aspect"] as? String } == ["index", "row"])
        #expect(differences.last?["name"] as? String == "ZCOUNTRY 1 ZNAME")
        #expect(differences.last?["to"] as? String == "'Elsewhere'")
        #expect(differences.first?["from"] is NSNull)
    }

    @Test("by content, sees through other keys")
    func byContent() throws {
        let world = try Self.pair(
            "UPDATE ZPERSON SET Z_PK = 77, Z_OPT = 5; UPDATE ZPLACE SET ZMAYOR = 77 WHERE ZMAYOR NOT NULL")
        #expect(try world.run("diff", "World.sqlite", "Other.sqlite", "--rows").status == 1)
        let run = try world.run("diff", "World.sqlite", "Other.sqlite", "--by-content")
        #expect(run.status == 0, "\(run.output)\(run.error)")
    }

    @Test("refuses what is no store, and contradictory options")
    func errors() throws {
        let world = try Self.pair()
        #expect(try world.run("diff", "World.sqlite", "none.sqlite").status == 66)
        try world.folder.write("not a store", to: "text.sqlite")
        #expect(try world.run("diff", "text.sqlite", "World.sqlite").status == 65)
        #expect(try world.run("diff", "World.sqlite").status == 64)
        #expect(try world.run("diff", "World.sqlite", "Other.sqlite", "--rows", "--by-content").status == 64)
        _ = try SQLiteConnection(world.folder.file("Other.sqlite"), .readWrite).execute("DELETE FROM Z_MODELCACHE")
        let run = try world.run("diff", "Other.sqlite", "World.sqlite", "--by-content")
        #expect(run.status == 0, "the other one's model is taken: \(run.error)")
    }
}
