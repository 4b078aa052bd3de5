import CSQLite
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Stores that are in order, but not as this package would have made them.
@Suite("Stores that others made")
struct ForeignStoreTests {
    static func model() -> NSManagedObjectModel {
        let types: [(String, NSAttributeType)] = AttributeRoundTripTests.types
        let thing = Build.entity(
            "Thing", types.map { Build.attribute($0.0, $0.1) } + [Build.attribute("name", .stringAttributeType)])
        let part = Build.entity("Part", [Build.attribute("name", .stringAttributeType)])
        let special = Build.entity("Special", [Build.attribute("extra", .stringAttributeType)])
        part.subentities = [special]
        Build.relate(Build.many(thing, "later"), Build.many(thing, "earlier"))
        Build.relate(Build.one(thing, "part"), Build.many(part, "things"))
        return Build.model(thing, part, special)
    }

    let fixture: Fixture
    let thing: NSManagedObject

    init() throws {
        fixture = try Fixture(Self.model())
        thing = fixture.insert("Thing", ["name": "a"])
        let part = fixture.insert("Special", ["name": "p"])
        thing.setValue(part, forKey: "part")
        thing.setValue(Set([fixture.insert("Thing", ["name": "b"])]), forKey: "later")
        try fixture.context.save()
    }

    func execute(_ sql: String...) throws {
        let connection = try SQLiteConnection(fixture.url, .readWrite)
        for sql in sql { try connection.execute(sql) }
    }

    @Test("may have a join table under the name of its other end")
    func joinTable() throws {
        let name = try #require(
            try fixture.value("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '%LATER'"))
        let other = name.replacingOccurrences(of: "LATER", with: "EARLIER")
        try execute("ALTER TABLE \(name) RENAME TO \(other)")
        let context = try fixture.freshContext()
        let (a, b) = (try context.one("Thing", "a"), try context.one("Thing", "b"))
        #expect(a.names("later") == ["b"] && a.names("earlier") == [] && b.names("earlier") == ["a"])
        b.setValue(Set([a]), forKey: "later")
        a.setValue(Set<NSManagedObject>(), forKey: "later")
        try context.save()
        #expect(try fixture.freshContext().names("Thing", "ANY later.name == 'a'") == ["b"])
        #expect(try fixture.value("SELECT COUNT(*) FROM \(other)") == "1")
        #expect(try fixture.value("SELECT COUNT(*) FROM sqlite_master WHERE name = '\(name)'") == "0")
    }

    @Test("may have columns in another order, more of them, and indexes with the numbers of an older model")
    func altered() throws {
        let columns = try fixture.column("SELECT name || ' ' || type FROM pragma_table_info('ZTHING')").compactMap(
            \.self)
        let shuffled =
            ([columns[0].replacingOccurrences(of: "INTEGER", with: "INTEGER PRIMARY KEY")]
                + columns.dropFirst().reversed() + ["ZGONE VARCHAR"])
        let names = columns.compactMap { $0.split(separator: " ").first }.joined(separator: ", ")
        try execute(
            "ALTER TABLE ZTHING RENAME TO old", "CREATE TABLE ZTHING ( \(shuffled.joined(separator: ", ")) )",
            "INSERT INTO ZTHING (\(names)) SELECT \(names) FROM old", "DROP TABLE old",
            "CREATE INDEX Z_7THINGS_Z_9EARLIER_INDEX ON ZTHING (ZNAME)",
            "CREATE INDEX ZTHING_ZNAME_INDEX ON ZTHING (ZNAME)",
            "UPDATE ZTHING SET ZGONE = 'kept'")
        let indexes = try fixture.column("SELECT sql FROM sqlite_master WHERE type = 'index'")
        let context = try fixture.freshContext()
        let a = try context.one("Thing", "a")
        #expect(a.names("later") == ["b"] && a.object("part")?.name == "p")
        a.setValue(7, forKey: "int64")
        let c = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
        c.setValue("c", forKey: "name")
        try context.save()
        #expect(
            try fixture.rows("SELECT ZNAME, ZINT64, ZGONE FROM ZTHING ORDER BY 1")
                == [["a", "7", "kept"], ["b", nil, "kept"], ["c", nil, nil]])
        #expect(try fixture.column("SELECT sql FROM sqlite_master WHERE type = 'index'") == indexes)
    }

    @Test("may have triggers that call the functions of Apple's framework")
    func triggers() throws {
        let report = ["NSCoreDataDATriggerUpdatedAffectedObjectValue", "NSCoreDataTriggerUpdateAffectedObjectValue"]
            .map { "SELECT \($0)('ZTHING', Z_ENT, Z_PK, 'name', ZNAME) FROM ZTHING WHERE Z_PK = NEW.Z_PK;" }.joined(
                separator: " ")
        try execute(
            "CREATE TRIGGER one AFTER INSERT ON ZTHING FOR EACH ROW BEGIN \(report) END",
            "CREATE TRIGGER two AFTER UPDATE ON ZTHING FOR EACH ROW BEGIN \(report) END")
        let context = try fixture.freshContext()
        try context.one("Thing", "a").setValue("x", forKey: "name")
        _ = Library.insert("Thing", "c", context)
        try context.save()
        #expect(try fixture.freshContext().names("Thing") == ["b", "c", "x"])
    }

    @Test("may have rows that nobody has counted")
    func uncounted() throws {
        try execute(
            "INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT 100, Z_ENT, 1, 'c' FROM ZTHING WHERE ZNAME = 'a'")
        let context = try fixture.freshContext()
        let new = Library.insert("Thing", "d", context)
        try context.save()
        #expect(new.objectID.primaryKey == 101)
        #expect(try fixture.value("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Thing'") == "101")
        #expect(try fixture.freshContext().names("Thing") == ["a", "b", "c", "d"])
    }

    @Test(
        "may have values of a type that the column shouldn't have: they are read as well as can be, and stay as they are",
        arguments: AttributeRoundTripTests.types.map(\.0),
        [
            "'text'", "x'00ff'", "x''", "''", "1e308", "-9e999", "9223372036854775807", "-1", "0.5", "'12abc'",
            "x'62706c6973743030'", "'00112233-4455-6677-8899-AABBCCDDEEFF'", "'%%'", "zeroblob(200000)",
        ])
    func strangeValues(_ key: String, _ literal: String) throws {
        try execute("UPDATE ZTHING SET Z\(key.uppercased()) = \(literal) WHERE ZNAME = 'a'")
        let stored = try fixture.rows(
            "SELECT typeof(Z\(key.uppercased())), hex(Z\(key.uppercased())) FROM ZTHING WHERE ZNAME = 'a'")
        let context = try fixture.freshContext()
        let a: NSManagedObject
        do {
            a = try context.one("Thing", "a")
            _ = a.value(forKey: key)
        } catch {
            #expect((error as? CocoaError)?.code == .fileReadCorruptFile)
            #expect(key == "external")
            return
        }
        a.setValue("x", forKey: "name")
        try context.save()
        #expect(
            try fixture.rows(
                "SELECT typeof(Z\(key.uppercased())), hex(Z\(key.uppercased())) FROM ZTHING WHERE ZNAME = 'x'")
                == stored)
    }

    @Test("a UUID in text is read as one, and a date without fraction is one")
    func lenient() throws {
        try execute(
            "UPDATE ZTHING SET ZUUID = '00112233-4455-6677-8899-AABBCCDDEEFF', ZDATE = 86400, ZDOUBLE = 3, ZFLAG = 2")
        #expect(try fixture.column("SELECT typeof(ZDATE) FROM ZTHING") == ["integer", "integer"])
        let context = try fixture.freshContext()
        let a = try context.one("Thing", "a")
        #expect(a.value(forKey: "uuid") as? UUID == UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
        #expect(a.value(forKey: "date") as? Date == Date(timeIntervalSinceReferenceDate: 86400))
        #expect(a.value(forKey: "double") as? Double == 3)
        #expect(a.value(forKey: "flag") as? Bool == true)
    }

    @Test(
        "may have keys that lead nowhere",
        arguments: ["99", "-1", "0", "9223372036854775807", "'x'", "1.5", "x'00'"], ["2", "99", "-1", "NULL", "9e18"])
    func danglingKeys(_ key: String, _ number: String) throws {
        let column = try #require(
            try fixture.value("SELECT name FROM pragma_table_info('ZTHING') WHERE name LIKE 'Z_!_PART' ESCAPE '!'"))
        try execute("UPDATE ZTHING SET ZPART = \(key), \(column) = \(number)")
        let context = try fixture.freshContext()
        for thing in try context.find("Thing") {
            if let part = thing.object("part") { _ = part.value(forKey: "name") }
            #expect(thing.object("part").map { $0.isFault || $0.isDeleted || !$0.name.isEmpty } ?? true)
            thing.setValue("x", forKey: "name")
        }
        _ = try context.find("Thing", "part.name == 'p'")
        _ = try context.find("Part", "things.@count > 0")
    }

    @Test("with a write-ahead log are read whole in a folder where nothing can be written")
    func log() async throws {
        // Copies of a store in use, whose log is there and its index isn't, and of one that was closed.
        let media = try TemporaryFolder()
        let (copy, closed) = (media.file("test.sqlite"), media.file("closed.sqlite"))
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: fixture.url.path + suffix, toPath: copy.path + suffix)
        }
        _ = try SQLiteConnection(fixture.url, .readWrite).text("PRAGMA wal_checkpoint(TRUNCATE)")
        try FileManager.default.copyItem(at: fixture.url, to: closed)
        #expect(try SQLiteConnection(copy, .immutable).int("SELECT COUNT(*) FROM ZTHING") == 0)
        try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: media.url.path)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: media.url.path) }
        let path: String = media.url.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            // Those who may do everything may write there.
            if geteuid() == 0 { #expect(setuid(65534) == 0) }
            for name in ["test.sqlite", "closed.sqlite"] {
                let coordinator = try Library.open(
                    URL(fileURLWithPath: "\(path)/\(name)"), options: [NSReadOnlyPersistentStoreOption: true],
                    model: ForeignStoreTests.model())
                let context = Library.context(coordinator)
                let names = try context.names("Thing")
                guard names == ["a", "b"] else { exit(1) }
            }
        }
        #expect(media.names == ["closed.sqlite", "test.sqlite", "test.sqlite-wal"])
    }

    @Test("and that another process has locked are 134090, after the time that a program is ready to wait")
    func otherProcess() async throws {
        let connection = try SQLiteConnection(fixture.url, .readWrite)
        try connection.execute("BEGIN IMMEDIATE")
        let path: String = fixture.url.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            let coordinator = try Library.open(
                URL(fileURLWithPath: path), options: [NSPersistentStoreTimeoutOption: 0.05],
                model: ForeignStoreTests.model())
            let context = Library.context(coordinator)
            guard try context.names("Thing") == ["a", "b"] else { exit(1) }
            _ = Library.insert("Thing", "c", context)
            guard errorCode({ try context.save() }) == .persistentStoreTimeout else { exit(2) }
        }
        try connection.execute("ROLLBACK")
        #expect(try fixture.freshContext().names("Thing") == ["a", "b"])
    }
}
