import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("The log of SQL")
struct SQLLogTests {
    private func lines(_ level: Int, _ body: (NSManagedObjectContext) throws -> Void) throws -> [String] {
        let world = try StoreCase(NSSQLiteStoreType)
        for index in 17..<22 { world.insert("City", ["name": "c\(index)", "people": index]) }
        try world.context.save()
        let context = try world.fresh()
        let recorder = SQLLogRecorder(level: level)
        try SQLLog.$recorder.withValue(recorder) { try body(context) }
        // Times differ.
        return recorder.lines.map { $0.replacing(/[0-9]\.[0-9]{4}s/, with: "Ts") }
    }

    private let adults = { (context: NSManagedObjectContext) throws -> Void in
        _ = try context.find("City", "people > 18 AND name != %@", "x")
    }

    @Test("at level 1 shows statements and times, in Apple's words")
    func level1() throws {
        let found = try lines(1, adults)
        #expect(found.count == 3 && found[0].hasPrefix("CoreData: sql: SELECT t0.Z_ENT, t0.Z_PK, t0.Z_OPT, t0.Z"))
        #expect(found[1] == "CoreData: annotation: sql connection fetch time: Ts")
        #expect(found[2] == "CoreData: annotation: total fetch execution time: Ts for 3 rows.")
        #expect(try lines(2, adults) == found)
    }

    @Test("at level 3 shows the values too")
    func level3() throws {
        let found = try lines(3, adults)
        #expect(found.count == 5)
        #expect(found[1] == "CoreData: details: SQLite bind[0] = 18")
        #expect(found[2] == "CoreData: details: SQLite bind[1] = \"x\"")
    }

    @Test("shows counts")
    func counts() throws {
        let found = try lines(1) { _ = try $0.count(for: NSFetchRequest<NSManagedObject>(entityName: "City")) }
        #expect(found.last == "CoreData: annotation: total count request execution time: Ts for count of 5.")
    }

    @Test("is silent at level 0")
    func level0() throws { #expect(try lines(0, adults) == []) }

    @Test("is switched on by an argument or the environment")
    func switches() {
        #expect(SQLLog.level(["tool", "-com.apple.CoreData.SQLDebug", "3"], [:]) == 3)
        #expect(SQLLog.level(["tool", "-com.apple.CoreData.SQLDebug"], [:]) == 0)
        #expect(SQLLog.level(["tool"], ["COREDATA_SQLDEBUG": "2"]) == 2)
        #expect(SQLLog.level(["tool"], [:]) == 0)
    }

    @Test("goes to standard error of a program")
    func program() throws {
        let world = try StoreCase(NSSQLiteStoreType)
        world.insert("Tag", ["name": "x"])
        try world.context.save()
        let run = try runProgram("coredata", ["query", world.url.path, "Tag"], environment: ["COREDATA_SQLDEBUG": "1"])
        #expect(run.status == 0 && run.error.contains("CoreData: sql: SELECT") && run.output.contains("x"))
        #expect(!run.output.contains("CoreData"))
    }
}
