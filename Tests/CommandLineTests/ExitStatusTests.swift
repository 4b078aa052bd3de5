import CSQLite
import CoreData
import TestSupport
import Testing

/// Files that are not what a command needs.
enum WrongFile: String, CaseIterable, Sendable {
    case missing, folder, text, empty, otherDatabase, damaged, unreadable

    /// Makes the file, in a folder with a store.
    func make(in world: World) throws -> URL {
        let url = world.folder.file("wrong-\(rawValue)")
        switch self {
        case .missing: break
        case .folder: try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        case .text: try world.folder.write("This is no store.\n", to: url.lastPathComponent)
        case .empty: try world.folder.write("", to: url.lastPathComponent)
        case .otherDatabase:
            var database: OpaquePointer?
            defer { sqlite3_close(database) }
            #expect(sqlite3_open(url.path, &database) == SQLITE_OK)
            #expect(sqlite3_exec(database, "CREATE TABLE a (b)", nil, nil, nil) == SQLITE_OK)
        case .damaged:
            let store = try Data(contentsOf: world.storeURL)
            try (store.prefix(4096) + Data(repeating: 0xAB, count: store.count - 4096)).write(to: url)
        case .unreadable:
            try world.folder.write("secret", to: url.lastPathComponent)
            #expect(chmod(url.path, 0) == 0)
        }
        return url
    }

    /// How the tool ends.
    var status: Int32 {
        switch self {
        case .missing: 66
        case .folder, .text, .empty, .otherDatabase, .damaged: 65
        // The superuser may read everything; then it is a text like others.
        case .unreadable: geteuid() == 0 ? 65 : 77
        }
    }
}

@Suite("coredata: exit statuses")
struct ExitStatusTests {
    static let commands = [["inspect", "?"], ["query", "?", "City"], ["query", "?", "City", "--count"]]

    @Test("A file that is no store", arguments: WrongFile.allCases, commands)
    func noStore(_ wrong: WrongFile, command: [String]) throws {
        try check(wrong, command)
    }

    @Test("A file that is no model, nor a store", arguments: WrongFile.allCases)
    func noModel(_ wrong: WrongFile) throws {
        try check(wrong, ["model", "hashes", "?"])
        guard wrong != .damaged, wrong != .otherDatabase else { return }
        try check(wrong, ["inspect", "World.sqlite", "--model", "?"])
        try check(wrong, ["import", "--model", "?", "--into", "New.sqlite", "World.sqlite"])
    }

    /// Runs a command with the wrong file in place of the question mark.
    private func check(_ wrong: WrongFile, _ command: [String]) throws {
        let world = try World.withStore()
        let path = try wrong.make(in: world).lastPathComponent
        let names = Set(try FileManager.default.contentsOfDirectory(atPath: world.folder.url.path))
        let run = try runTool(command.map { $0 == "?" ? path : $0 }, in: world.folder.url)
        #expect(run.status == wrong.status, "\(run.error)")
        #expect(run.output.isEmpty)
        #expect(run.error.hasPrefix("Error: "))
        #expect(run.error.contains(path), "the message names the file: \(run.error)")
        #expect(run.error.split(separator: "\n").count == 1)
        #expect(Set(try FileManager.default.contentsOfDirectory(atPath: world.folder.url.path)) == names)
    }

    @Test("A full disk", .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func fullDisk() throws {
        let world = try World.withStore()
        let process = Process()
        process.executableURL = try toolURL()
        process.arguments = ["query", world.storeURL.path, "City"]
        process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
        let error = Pipe()
        process.standardError = error
        try process.run()
        let complaint = String(decoding: error.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 74)
        #expect(complaint == "Error: can't write the output: No space left on device\n")
    }
}
