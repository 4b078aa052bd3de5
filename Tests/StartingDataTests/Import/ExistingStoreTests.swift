import CoreData
import Testing

@testable import StartingData

private func world() throws -> ImportCase {
    try ImportCase(
        entity("Country", attribute("code"), toOne("capital", "City", inverse: "capitalOf"), unique: [["code"]]),
        entity("City", attribute("name"), toOne("capitalOf", "Country", inverse: "capital")))
}

@Suite("Importing into a store that is there")
struct ExistingStoreTests {
    @Test("adds rows, keeps the others and goes on counting")
    func adds() throws {
        let world = try world()
        try world.run(["City.csv": "name\nA\nB\n"])
        let identifier = try world.query("SELECT Z_UUID FROM Z_METADATA")
        try world.run(["City.csv": "name\nC\n", "Country.csv": "code\nX\n"])
        #expect(try world.query("SELECT Z_PK, Z_OPT, ZNAME FROM ZCITY") == ["1|1|A", "2|1|B", "3|1|C"])
        #expect(try world.query("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY ORDER BY 1") == ["City|3", "Country|1"])
        #expect(try world.query("SELECT Z_UUID FROM Z_METADATA") == identifier)
        try world.expectOneSoundFile()
    }

    @Test("finds its rows by references, and counts the change of a row that gets its other end")
    func references() throws {
        let world = try world()
        try world.run(["City.csv": "name\nA\nB\n"])
        try world.run(["Country.csv": "code,capital.name\nX,B\n"])
        #expect(try world.query("SELECT ZNAME, ZCAPITALOF, Z_OPT FROM ZCITY") == ["A|-|1", "B|1|2"])
        #expect(
            try world.complaint(["Country.csv": "code,capital.name\nY,B\n"])
                == "Country.csv:2:3: Country.capital: another Country has the same capital: 'B'")
        try world.expectOneSoundFile()
    }

    @Test("takes a store that a context has made and is done with")
    func fromContext() throws {
        let world = try world()
        let context = try world.context()
        try context.performAndWait {
            let city = NSEntityDescription.insertNewObject(forEntityName: "City", into: context)
            city.setValue("A", forKey: "name")
            try context.save()
        }
        for store in context.persistentStoreCoordinator?.persistentStores ?? [] {
            try context.persistentStoreCoordinator?.remove(store)
        }
        try world.run(["Country.csv": "code,capital.name\nX,A\n"])
        #expect(try world.query("SELECT ZNAME, ZCAPITALOF, Z_OPT FROM ZCITY") == ["A|1|2"])
        try world.expectOneSoundFile()
    }

    /// Puts the store into write-ahead mode with a row that is only in the log, as a program leaves it that was killed.
    private func leaveLog(_ world: ImportCase) throws {
        let live = world.folder.file("live.sqlite")
        try FileManager.default.copyItem(at: world.store, to: live)
        let connection = try SQLiteConnection(live, .readWrite)
        _ = try connection.text("PRAGMA journal_mode = WAL")
        try connection.execute("INSERT INTO ZCITY (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (3, 1, 1, 'in the log')")
        try connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_NAME = 'City'")
        try FileManager.default.removeItem(at: world.store)
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: live.path + suffix, toPath: world.store.path + suffix)
        }
        withExtendedLifetime(connection) {}
        SQLiteStore.removeFiles(live)
    }

    @Test("makes one file of a store and its write-ahead log")
    func writeAheadLog() throws {
        let world = try world()
        try world.run(["City.csv": "name\nA\nB\n"])
        try leaveLog(world)
        try world.run(["City.csv": "name\nC\n"])
        try world.expectOneSoundFile()
        #expect(try world.query("SELECT Z_PK, ZNAME FROM ZCITY") == ["1|A", "2|B", "3|in the log", "4|C"])
    }

    @Test("leaves store and write-ahead log alone when it fails, early or late")
    func failureWithLog() throws {
        let world = try world()
        try world.run(["City.csv": "name\nA\nB\n"])
        try leaveLog(world)
        let many = (0..<20_000).map { "name \($0) which is long enough to fill pages\n" }.joined()
        #expect(
            try world.complaint(["City.csv": "name\n\(many)", "Country.csv": "code\nX\nX\n"]).hasPrefix(
                "Country.csv:3:1: another Country"))
        #expect(try world.complaint(["Country.csv": "nope\n"]).hasPrefix("Country.csv:1:1: 'nope'"))
        #expect(
            try world.complaint(["Country.csv": "code,capital.name\nX,Nowhere\n"]).hasPrefix(
                "Country.csv:2:3: there is no City"))
        try world.run(["City.csv": "name\nC\n"])
        #expect(try world.query("SELECT COUNT(*) FROM ZCITY") == ["4"])
    }

    @Test("leaves a store alone when it fails late, after more than memory holds")
    func lateFailure() throws {
        let world = try world()
        try world.run(["City.csv": "name\n" + (0..<1000).map { "old \($0)\n" }.joined()])
        let many = (0..<60_000).map { "name \($0) which is long enough to fill pages; so many that some are written\n" }
            .joined()
        #expect(
            try world.complaint(["City.csv": "name\n\(many)", "Country.csv": "code\nX\nX\n"]).hasPrefix(
                "Country.csv:3:1: another Country"))
        try world.expectOneSoundFile()
    }

    @Test("refuses a store of another model")
    func otherModel() throws {
        let world = try world()
        try world.run(["City.csv": "name\nA\n"])
        let other = try ImportCase.model(
            entity("City", attribute("name"), attribute("rank", "Integer 16")), in: world.folder)
        let before = try Data(contentsOf: world.store)
        let error = try #require(throws: CocoaError.self) {
            try Importer(model: other, storeURL: world.store).run([world.folder.file("City.csv")])
        }
        #expect(error.code == .persistentStoreIncompatibleVersionHash)
        #expect(try Data(contentsOf: world.store) == before)
    }

    @Test(
        "says so when another connection is writing or reading, and writes nothing",
        arguments: ["BEGIN IMMEDIATE", "BEGIN; SELECT * FROM ZCITY"], ["DELETE", "WAL"])
    func inUse(_ lock: String, _ mode: String) throws {
        let world = try world()
        try world.run(["City.csv": "name\nA\n"])
        let other = try SQLiteConnection(world.store, .readWrite)
        _ = try other.text("PRAGMA journal_mode = \(mode)")
        try other.execute(lock)
        let statement = try other.statement("SELECT * FROM ZCITY")
        _ = try statement.step()
        let file = try world.folder.write("name\nB\n", to: "City.csv")
        let before = try Data(contentsOf: world.store)
        let error = try #require(throws: CocoaError.self) { try world.run([file]) }
        #expect(
            error.localizedDescription.hasPrefix("\(world.store.path): the store is in use by another program"),
            "\(error.localizedDescription)")
        #expect(try Data(contentsOf: world.store) == before)
        statement.reset()
        try other.execute("ROLLBACK")
        #expect(try other.int("SELECT COUNT(*) FROM ZCITY") == 1)
    }

    @Test("follows a link to the store, and leaves it a link")
    func link() throws {
        let world = try world()
        try world.run(["City.csv": "name\nA\n"])
        try leaveLog(world)
        try FileManager.default.createDirectory(at: world.folder.file("real"), withIntermediateDirectories: false)
        for suffix in ["", "-wal"] {
            try FileManager.default.moveItem(
                atPath: world.store.path + suffix, toPath: world.folder.file("real/S.sqlite").path + suffix)
        }
        try FileManager.default.createSymbolicLink(
            at: world.store, withDestinationURL: world.folder.file("real/S.sqlite"))
        _ = try world.complaint(["City.csv": "name,nope\n"])
        #expect(FileManager.default.fileExists(atPath: world.folder.file("real/S.sqlite-wal").path))
        try world.run(["City.csv": "name\nC\n"])
        #expect(try world.query("SELECT Z_PK, ZNAME FROM ZCITY") == ["1|A", "3|in the log", "4|C"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: world.folder.file("real").path) == ["S.sqlite"])
        #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: world.store.path)) != nil)
    }

    @Test("counts on from the rows themselves where somebody has not counted them")
    func uncounted() throws {
        let world = try world()
        try world.run(["City.csv": "name\nA\n"])
        try SQLiteConnection(world.store, .readWrite).execute(
            "INSERT INTO ZCITY (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (7, 1, 1, 'uncounted')")
        try world.run(["City.csv": "name\nC\n"])
        #expect(try world.query("SELECT Z_PK FROM ZCITY") == ["1", "7", "8"])
        #expect(try world.query("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 1") == ["8"])
    }

    @Test("takes an empty file for no store")
    func emptyFile() throws {
        let world = try world()
        try world.folder.write("", to: "Store.sqlite")
        #expect(try world.complaint(["City.csv": "nope\n"]).hasPrefix("City.csv:1:1"))
        try world.run(["City.csv": "name\nA\n"])
        try world.expectOneSoundFile()
    }

    @Test("does not take the log of a store that is gone for the new one's")
    func orphanedLog() throws {
        let world = try world()
        try world.run(["City.csv": "name\nA\nB\n"])
        try leaveLog(world)
        try FileManager.default.removeItem(at: world.store)
        try world.run(["City.csv": "name\nC\n"])
        try world.expectOneSoundFile()
        #expect(try world.query("SELECT ZNAME FROM ZCITY") == ["C"])
    }
}
