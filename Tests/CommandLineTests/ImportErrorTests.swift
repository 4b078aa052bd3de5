import CoreData
import TestSupport
import Testing

/// Files of which something is wrong, and what the message must name.
struct WrongFiles: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Names and contents.
    let files: [(name: String, content: String?)]
    let names: [String]
    var status: Int32 = 65

    init(_ what: String, _ files: [(name: String, content: String?)], names: [String], status: Int32 = 65) {
        testDescription = what
        self.files = files
        self.names = names
        self.status = status
    }
}

@Suite("coredata import: what is wrong changes nothing")
struct ImportErrorTests {
    private static let countries = (name: "Country.csv", content: Optional("isoCode,name\nNO,Norge\nJP,日本\n"))

    static let cases = [
        WrongFiles("a missing file", [countries, ("City.csv", nil)], names: ["City.csv"], status: 66),
        WrongFiles("an empty file", [countries, ("City.csv", "")], names: ["City.csv"]),
        WrongFiles("an unknown extension", [countries, ("City.xyz", "name\nOslo\n")], names: ["City.xyz", ".csv"]),
        WrongFiles("an unknown entity", [("Town.csv", "name\nOslo\n")], names: ["Town.csv", "'Town'", "City"]),
        WrongFiles("an abstract entity", [("Place.csv", "name\nOslo\n")], names: ["Place.csv", "abstract"]),
        WrongFiles(
            "an unknown attribute", [("City.csv", "name,size\nOslo,3\n")], names: ["City.csv:1:6", "'size'", "City"]),
        WrongFiles(
            "an unknown key by which to find an object", [countries, ("City.csv", "name,country.flag\nOslo,x\n")],
            names: ["City.csv:1:6", "country.flag"]),
        WrongFiles(
            "text for a number", [("City.csv", "name,population\nOslo,5\nBergen,many\n")],
            names: ["City.csv:3:8", "City.population", "'many'"]),
        WrongFiles(
            "a number out of range", [("City.csv", "name,rank\nOslo,32768\n")],
            names: ["City.csv:2:6", "City.rank", "'32768'"]),
        WrongFiles(
            "a day that isn't", [("City.csv", "name,founded\nOslo,2023-02-29\n")],
            names: ["City.csv:2:6", "City.founded", "'2023-02-29'"]),
        WrongFiles(
            "a mandatory attribute without value", [("City.csv", "name,rank\nOslo,1\n,2\n")],
            names: ["City.csv:3:1", "City.name"]),
        WrongFiles(
            "a broken reference", [countries, ("City.csv", "name,country.isoCode\nOslo,NO\nParis,FR\n")],
            names: ["City.csv:3:7", "Country", "isoCode", "'FR'"]),
        WrongFiles(
            "a duplicate of a unique key", [("Country.csv", "isoCode,name\nNO,a\nJP,b\nNO,c\n")],
            names: ["Country.csv:4", "isoCode", "'NO'", "Country.csv:2"]),
        WrongFiles(
            "a row that is too long", [("Country.csv", "isoCode\nNO\nJP,b\n")], names: ["Country.csv:3"]),
        WrongFiles(
            "a quotation mark that is never closed", [("Country.csv", "isoCode,name\nNO,\"Norge\n")],
            names: ["Country.csv:2"]),
        WrongFiles("bad JSON", [("Country.json", "[{\"isoCode\": \"NO\"},\n oops]")], names: ["Country.json:2:2"]),
    ]

    @Test("A new store is not left behind", arguments: cases)
    func newStore(_ wrong: WrongFiles) throws {
        try check(wrong, in: World())
    }

    @Test("A store that was there stays as it was", arguments: cases)
    func existingStore(_ wrong: WrongFiles) throws {
        try check(wrong, in: World.withStore { _ = World.insert("Person", ["name": "Anne"], $0) })
    }

    private func check(_ wrong: WrongFiles, in world: World) throws {
        for (name, content) in wrong.files { if let content { try world.folder.write(content, to: name) } }
        let before = try world.folder.contents()
        let arguments = ["import", "--model", "World.xcdatamodel", "--into", "World.sqlite"] + wrong.files.map(\.name)
        let run = try runTool(arguments, in: world.folder.url)
        #expect(run.status == wrong.status)
        #expect(run.output.isEmpty)
        #expect(run.error.hasPrefix("Error: "))
        #expect(run.error.split(separator: "\n").count == 1)
        for name in wrong.names { #expect(run.error.contains(name), "\(run.error)") }
        #expect(try world.folder.contents() == before)
    }

    @Test("A store of another model, a folder, and a folder that isn't there")
    func wrongStore() throws {
        let world = try World()
        try world.folder.write("isoCode\nNO\n", to: "Country.csv")
        try world.folder.write("no store", to: "text.sqlite")
        func status(into store: String) throws -> Int32 {
            let run = try world.run("import", "--model", "World.xcdatamodel", "--into", store, "Country.csv")
            #expect(run.output.isEmpty)
            #expect(run.error.split(separator: "\n").count == 1)
            return run.status
        }
        #expect(try status(into: "text.sqlite") == 65)
        #expect(try status(into: ".") == 65)
        #expect(try status(into: "nowhere/World.sqlite") == 66)
        #expect(try world.folder.contents().keys.sorted() == ["Country.csv", "text.sqlite"])
    }

    @Test("A log left by another store of the same name does no harm")
    func staleLog() throws {
        let other = try World.withStore(journal: "WAL")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: other.model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: other.storeURL, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait { () throws in
            for number in 0..<50 { _ = World.insert("Person", ["name": "P\(number)"], context) }
            try context.save()
        }
        let world = try World()
        try FileManager.default.copyItem(atPath: other.storeURL.path + "-wal", toPath: world.storeURL.path + "-wal")
        try world.folder.write("isoCode\nNO\n", to: "Country.csv")
        let run = try world.run("import", "--model", "World.xcdatamodel", "--into", "World.sqlite", "Country.csv")
        // It may be refused or cleared away, but what is reported as done must be there.
        guard run.status == 0 else { return }
        #expect(try world.run("query", "World.sqlite", "Country", "--count").output == "1\n")
        #expect(try world.run("query", "World.sqlite", "Person", "--count").output == "0\n")
    }

    @Test("Control-C: status 130, and nothing is left behind")
    func interruption() throws {
        let world = try World()
        let pipe = world.folder.file("Country.csv").path
        #expect(mkfifo(pipe, 0o600) == 0)
        let process = Process()
        process.executableURL = try toolURL()
        process.arguments = ["import", "--model", "World.xcdatamodel", "--into", "World.sqlite", "Country.csv"]
        process.currentDirectoryURL = world.folder.url
        process.standardError = Pipe()
        try process.run()
        // The pipe can be opened as soon as the import waits for what comes through it.
        var writer: Int32 = -1
        for _ in 0..<1000 where writer < 0 {
            writer = open(pipe, O_WRONLY | O_NONBLOCK)
            if writer < 0 { usleep(10_000) }
        }
        try #require(writer >= 0)
        process.interrupt()
        process.waitUntilExit()
        close(writer)
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 130)
        let names = Set(try FileManager.default.contentsOfDirectory(atPath: world.folder.url.path))
        #expect(names == ["World.xcdatamodel", "Country.csv"])
    }
}
