import CoreData
import TestSupport
import Testing

@Suite("coredata model schema")
struct ModelSchemaTests {
    /// What `sqlite_master` says of a file: kind, name, table and SQL of all that is in it, in its order.
    private static func contents(_ url: URL) throws -> [[String]] {
        let connection = try SQLiteConnection(url, .readOnly)
        let statement = try connection.statement(
            "SELECT type, name, tbl_name, IFNULL(sql, '') FROM sqlite_master ORDER BY rowid")
        var rows: [[String]] = []
        while try statement.step() { rows.append((0..<4).map { statement.string(Int32($0)) }) }
        statement.reset()
        return rows
    }

    private static func execute(_ sql: String, in folder: TemporaryFolder) throws -> URL {
        let url = folder.file("executed-\(UUID().uuidString).sqlite")
        try SQLiteConnection(url, .create).execute(sql)
        return url
    }

    private static func newStore(
        _ model: NSManagedObjectModel, in folder: TemporaryFolder, configuration: String? = nil
    ) throws -> URL {
        let url = folder.file("new-\(UUID().uuidString).sqlite")
        try NSPersistentStoreCoordinator(managedObjectModel: model)
            .addPersistentStore(ofType: NSSQLiteStoreType, configurationName: configuration, at: url, options: nil)
        return url
    }

    @Test("Executing what is printed makes what a new store has")
    func sameAsNewStore() throws {
        let library = try Library()
        let run = try library.run("model", "schema", "Library.xcdatamodel")
        #expect(run.status == 0, "\(run.error)")
        let made = try Self.contents(Self.execute(run.output, in: library.folder))
        let store = try Self.contents(Self.newStore(library.model, in: library.folder))
        #expect(made == store)
        for kind in ["table", "index", "trigger"] { #expect(made.contains { $0[0] == kind }, "\(kind)") }
    }

    @Test("A statement a block, each with a semicolon at its end")
    func blocks() throws {
        let library = try Library()
        let text = try library.run("model", "schema", "Library.xcdatamodel").output
        let blocks = text.trimmingCharacters(in: .newlines).components(separatedBy: "\n\n")
        #expect(blocks.allSatisfy { $0.hasPrefix("CREATE ") && $0.hasSuffix(";") && !$0.contains("\n") })
        let json = try library.run("model", "schema", "Library.xcdatamodel", "--json").output
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        #expect(object["statements"] as? [String] == blocks.map { String($0.dropLast()) })
        #expect(object["configuration"] is NSNull)
    }

    @Test("Of a store, the same as of its model")
    func ofStore() throws {
        let world = try World.withStore()
        let ofStore = try world.run("model", "schema", "World.sqlite")
        #expect(ofStore.status == 0)
        #expect(try ofStore.output == world.run("model", "schema", "World.xcdatamodel").output)
        let made = try Self.contents(Self.execute(ofStore.output, in: world.folder))
        #expect(try made == Self.contents(world.storeURL))
    }

    @Test("A configuration's tables, with all that belongs to them and nothing else")
    func configuration() throws {
        let library = try Library()
        let names = { (configuration: String) in
            let run = try library.run("model", "schema", "Library.xcdatamodel", "--configuration", configuration)
            return try Self.contents(Self.execute(run.output, in: library.folder))
        }
        let (privately, publicly) = (try names("Private"), try names("Public"))
        let bookkeeping = ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"]
        #expect(privately.map { $0[1] } == ["ZNOTE"] + bookkeeping)
        let store = try Self.newStore(library.model, in: library.folder, configuration: "Public")
        #expect(try publicly == Self.contents(store))
        #expect(!publicly.contains { $0[1] == "ZNOTE" })
        #expect(publicly.contains { $0[1] == "ZWORK" } && publicly.contains { $0[0] == "trigger" })
    }

    @Test("A configuration that isn't there")
    func unknownConfiguration() throws {
        let library = try Library()
        let run = try library.run("model", "schema", "Library.xcdatamodel", "--configuration", "Pubic")
        #expect(run.status == 64)
        #expect(run.firstErrorLine == "Error: There is no configuration 'Pubic'; did you mean 'Public'?")
        #expect(run.error.contains("The model's: Private, Public"))
    }

    @Test("What a store can't keep is named")
    func unsupported() throws {
        let folder = try TemporaryFolder()
        let entity = """
            <entity name="Book"><attribute name="pages" attributeType="Integer 32"/>
            <attribute name="half" attributeType="Double" derived="YES" derivationExpression="sqrt:(pages)"/></entity>
            """
        try folder.write("<model>\(entity)</model>", to: "A.xcdatamodel/contents")
        let run = try runTool(["model", "schema", "A.xcdatamodel"], in: folder.url)
        #expect(run.status != 0)
        #expect(run.output.isEmpty)
        #expect(run.firstErrorLine.contains("'Book.half'"), "\(run.error)")
    }

    @Test(
        "Names that would be read as SQL are refused",
        arguments: [
            "<entity name=\"A(x); DROP TABLE B; --\"/>",
            "<entity name=\"A\"><attribute name=\"b INTEGER); --\" attributeType=\"String\"/></entity>",
            "<entity name=\"A\"><attribute name=\"b\" attributeType=\"String\"/>"
                + "<fetchIndex name=\"x on y\"><fetchIndexElement property=\"b\"/></fetchIndex></entity>",
        ])
    func injection(entity: String) throws {
        let folder = try TemporaryFolder()
        try folder.write("<model>\(entity)</model>", to: "A.xcdatamodel/contents")
        let run = try runTool(["model", "schema", "A.xcdatamodel"], in: folder.url)
        #expect(run.status == 65)
        #expect(run.output.isEmpty)
        #expect(run.firstErrorLine.contains("names are made of letters, digits and underscores"))
    }

    @Test(
        "Executing the schema of a real store's model makes that store's tables",
        .enabled(if: Corpus.shared != nil, "the corpus of real models and stores is not beside the package"),
        arguments: Corpus.entries("store-sqlite").prefix(8))
    func corpus(entry: Corpus.Entry) throws {
        let folder = try TemporaryFolder()
        let copy = folder.file("store.sqlite")
        try FileManager.default.copyItem(at: try #require(entry.url), to: copy)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy.path)
        let run = try runTool(["model", "schema", copy.path])
        // What older stores lack, and what new ones can't have yet, is said and not drawn.
        guard run.status == 0 else {
            #expect(run.error.contains("keeps no model") || run.error.contains("not supported"), "\(run.error)")
            return
        }
        let model = try NSManagedObjectModel(contentsOfStoreAt: copy)
        let made = try Self.contents(Self.execute(run.output, in: folder))
        #expect(try made == Self.contents(Self.newStore(model, in: folder)))
    }
}
