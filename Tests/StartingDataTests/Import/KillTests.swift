import CoreData
import TestSupport
import Testing

@testable import StartingData

/// What a child process does for `KillTests`: an import of the files and store that its environment names.
private let childFolder = ProcessInfo.processInfo.environment["IMPORT_CHILD_FOLDER"]

private let text = entity(
    "Item", attribute("number", "Integer 32"), attribute("text"), toOne("next", "Item", inverse: "previous"),
    toOne("previous", "Item", inverse: "next"), unique: [["number"]])

@Suite(
    "An import that is killed", .serialized,
    .enabled(if: ProcessInfo.processInfo.environment["SLOW_TESTS"] == "1", "set SLOW_TESTS=1"))
struct KillTests {
    @Test("is run by a child process", .enabled(if: childFolder != nil, "only in a child"))
    func child() throws {
        let folder = URL(fileURLWithPath: childFolder ?? "")
        let model = try NSManagedObjectModel(validatingContentsOf: folder.appendingPathComponent("Model.xcdatamodel"))
        _ = try Importer(model: model, storeURL: folder.appendingPathComponent("Store.sqlite"))
            .run([folder.appendingPathComponent("new/Item.csv")])
    }

    @Test(
        "leaves no store or the new one where there was none, and the old or the new one where there was one",
        .enabled(if: childFolder == nil))
    func killed() throws {
        var random = SeededGenerator("kill")
        var outcomes: [String: Int] = [:]
        for round in 0..<40 {
            let world = try ImportCase(text)
            try writeModel(of: world)
            let mode = round % 3
            if mode > 0 { try world.run(["Item.csv": "number,text\n" + (-5000..<0).map { "\($0),old\n" }.joined()]) }
            if mode == 2 { try putInLogMode(world.store) }
            try world.folder.write(
                "number,text,next.number\n"
                    + (0..<30_000).map { "\($0),new \($0),\($0 == 29_999 ? "" : "\($0 + 1)")\n" }.joined(),
                to: "new/Item.csv")
            try run(world, killedAfter: Double.random(in: 0.05...1.2, using: &random))
            let outcome = try check(world, hadStore: mode > 0)
            outcomes["\(["none", "rollback", "log"][mode]) → \(outcome)", default: 0] += 1
        }
        print("kill: \(outcomes.sorted { $0.key < $1.key })")
    }

    private func writeModel(of world: ImportCase) throws {
        try world.folder.write(
            "<?xml version=\"1.0\"?><model type=\"com.apple.IDECoreDataModeler.DataModel\" documentVersion=\"1.0\">\(text)</model>",
            to: "Model.xcdatamodel/contents")
    }

    private func putInLogMode(_ store: URL) throws {
        _ = try SQLiteConnection(store, .readWrite).text("PRAGMA journal_mode = WAL")
    }

    /// Starts this test program again, for the child's test alone, and kills it.
    private func run(_ world: ImportCase, killedAfter seconds: Double) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        var arguments = Array(CommandLine.arguments.dropFirst())
        if let filter = arguments.firstIndex(of: "--filter") {
            arguments.removeSubrange(filter...min(filter + 1, arguments.count - 1))
        }
        process.arguments = arguments + ["--filter", "KillTests"]
        process.environment = ProcessInfo.processInfo.environment.merging(["IMPORT_CHILD_FOLDER": world.folder.url.path]
        ) { $1 }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        let end = Date().addingTimeInterval(seconds)
        while process.isRunning, Date() < end { usleep(2000) }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    /// The store is the old or the new one, whole.
    private func check(_ world: ImportCase, hadStore: Bool) throws -> String {
        guard FileManager.default.fileExists(atPath: world.store.path) else {
            #expect(!hadStore, "the store is gone")
            return "none"
        }
        // Opened for writing: what was interrupted is undone by whoever opens the store next.
        let connection = try SQLiteConnection(world.store, .readWrite)
        #expect(try connection.text("PRAGMA integrity_check") == "ok")
        let count = try connection.int("SELECT COUNT(*) FROM ZITEM") ?? -1
        let old: Int64 = hadStore ? 5000 : 0
        #expect(count == old + 30_000 || (hadStore && count == old), "\(count) rows")
        #expect(try connection.int("SELECT Z_MAX FROM Z_PRIMARYKEY") == count)
        let linked = try connection.int(
            "SELECT COUNT(*) FROM ZITEM a JOIN ZITEM b ON b.ZPREVIOUS = a.Z_PK AND a.ZNEXT = b.Z_PK")
        #expect(linked == (count == old ? 0 : 29_999))
        return count == old ? "old" : "new"
    }
}
