import CoreData
import Foundation
import TestSupport
import Testing

@testable import StartingData

/// What lies where the store is to be.
@Suite("Importing to a place")
struct TargetTests {
    private static func towns() throws -> ImportCase {
        try ImportCase(entity("Town", attribute("name"), unique: [["name"]]))
    }

    @Test(
        "from several threads at once makes one store, of those imports that say so",
        arguments: [false, true])
    func race(_ isEmptyFileThere: Bool) async throws {
        for _ in 0..<10 {
            let world = try Self.towns()
            if isEmptyFileThere { try Data().write(to: world.store) }
            let store = world.store
            let files = try (0..<4).map { try world.folder.write("name\nT\($0)\n", to: "\($0)/Town.csv") }
            let model = world.model
            let successes = await withTaskGroup(of: Bool.self) { group in
                for file in files {
                    group.addTask { (try? Importer(model: model, storeURL: store).run([file])) != nil }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            // One that comes later finds the store and adds to it.
            #expect(try world.query("SELECT COUNT(*) FROM ZTOWN") == ["\(successes)"])
            #expect(successes >= 1)
            try world.expectOneSoundFile()
        }
    }

    @Test("where a pipe, a device or a link to nowhere is leaves it there")
    func notAFile() throws {
        let world = try Self.towns()
        let file = try world.folder.write("name\nT\n", to: "Town.csv")
        let pipe = world.folder.file("pipe.sqlite")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        let link = world.folder.file("link.sqlite")
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "nowhere.sqlite")
        let names = world.folder.names
        for target in [pipe, link] {
            #expect(throws: CocoaError.self) { try Importer(model: world.model, storeURL: target).run([file]) }
        }
        var status = stat()
        #expect(lstat(pipe.path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
        #expect(lstat(link.path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
        #expect(world.folder.names == names)
    }

    @Test(
        "where a store's keys are used up or not counted is refused",
        arguments: [
            "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775806",
            "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807",
            "UPDATE ZTOWN SET Z_PK = 9223372036854775807",
            "DELETE FROM Z_PRIMARYKEY", "UPDATE Z_PRIMARYKEY SET Z_ENT = Z_ENT + 100",
        ])
    func keys(_ damage: String) throws {
        let world = try Self.towns()
        try world.run(["Town.csv": "name\nA\n"])
        try SQLiteConnection(world.store, .readWrite).execute(damage)
        let complaint = try world.complaint(["Town.csv": "name\nB\nC\n"])
        #expect(complaint.contains("Z_PRIMARYKEY has no usable key for Town"), "\(complaint)")
    }
}
