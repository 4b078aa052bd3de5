import CoreData
import TestSupport
import Testing

@Suite("coredata model diff")
struct ModelDiffTests {
    static func versions() throws -> ModelVersions {
        try ModelVersions(
            """
            <entity name="City">
                <attribute name="name" optional="YES" attributeType="String"/>
                <attribute name="population" optional="YES" attributeType="Integer 32"/>
                <attribute name="height" optional="YES" attributeType="Double"/>
            </entity>
            <entity name="Gone"><attribute name="x" attributeType="UUID"/></entity>
            """,
            """
            <entity name="City">
                <attribute name="name" attributeType="String"/>
                <attribute name="population" optional="YES" attributeType="Integer 64" defaultValueString="0"/>
                <attribute name="elevation" optional="YES" attributeType="Double" elementID="height"/>
                <attribute name="code" optional="YES" attributeType="String"/>
            </entity>
            <fetchRequest name="all" entity="City"/>
            """)
    }

    @Test("says in words what is different, marks what alters a version hash, and ends with status 1")
    func text() throws {
        let run = try Self.versions().run("diff", ModelVersions.first, "App.xcdatamodeld")
        #expect(run.status == 1)
        #expect(run.error.isEmpty)
        #expect(
            run.lines == [
                "Entity 'City'",
                "  * attribute 'code' was added: String, optional",
                "  * attribute 'elevation' was renamed from 'height'",
                "    attribute 'elevation': renaming identifier is now 'height'",
                "  * attribute 'name': was optional, is now mandatory",
                "  * attribute 'population': type changed from Integer 32 to Integer 64",
                "    attribute 'population': default value is now 0",
                "",
                "Entity 'Gone' was removed *",
                "    attribute 'x': UUID, mandatory",
                "",
                "Model",
                "    fetch request 'all' was added: City",
                "",
                "2 entities with differences",
                "* alters a version hash: stores have to be migrated",
            ])
    }

    @Test("gives the same as JSON")
    func json() throws {
        let (status, object) = try Self.versions().json("diff", ModelVersions.first, ModelVersions.second)
        #expect(status == 1)
        #expect(object["same"] as? Bool == false)
        #expect(object["altersVersionHashes"] as? Bool == true)
        #expect(object["from"] as? String == ModelVersions.first)
        let entities = try #require(object["entities"] as? [[String: Any]])
        #expect(entities.map { $0["name"] as? String } == ["City", "Gone"])
        #expect(entities.map { $0["change"] as? String } == ["changed", "removed"])
        let properties = try #require(entities[0]["properties"] as? [[String: Any]])
        #expect(properties.map { $0["name"] as? String } == ["code", "elevation", "name", "population"])
        #expect(properties.map { $0["change"] as? String } == ["added", "renamed", "changed", "changed"])
        #expect(properties[1]["formerName"] as? String == "height")
        let changes = try #require(properties[3]["changes"] as? [[String: Any]])
        #expect(changes.map { $0["aspect"] as? String } == ["type", "defaultValue"])
        #expect(changes[0]["from"] as? String == "Integer 32" && changes[0]["to"] as? String == "Integer 64")
        #expect(changes.map { $0["altersVersionHash"] as? Bool } == [true, false])
        let ofModel = try #require(object["changes"] as? [[String: Any]])
        #expect(ofModel.map { $0["key"] as? String } == ["all"])
    }

    @Test("ends with status 0 for a model and itself, and for a model and the one that its store keeps")
    func same() throws {
        let world = try World.withStore()
        let itself = try world.run("model", "diff", "World.xcdatamodel", "World.xcdatamodel")
        #expect(itself.status == 0)
        #expect(itself.lines == ["The models say the same."])
        let store = try world.run("model", "diff", "World.xcdatamodel", "World.sqlite", "--json")
        #expect(store.status == 0, "\(store.output)")
        #expect(try parseObject(store.output)["same"] as? Bool == true)
        #expect(world.folder.names == ["World.sqlite", "World.xcdatamodel"])
    }

    @Test("that no version hash depends on needs no migration")
    func withoutMigration() throws {
        let versions = try ModelVersions(
            "<entity name=\"A\"/>", "<entity name=\"A\" representedClassName=\"B\"/>")
        let run = try versions.run("diff", ModelVersions.first, ModelVersions.second)
        #expect(run.status == 1)
        #expect(run.lines.last == "No version hash is another: stores open without a migration")
    }

    @Test("names the versions of a bundle where there is none of that name")
    func missingVersion() throws {
        let run = try Self.versions().run("diff", "App.xcdatamodeld/V3.xcdatamodel", "App.xcdatamodeld")
        #expect(run.status == 66)
        #expect(
            run.firstErrorLine
                == "Error: App.xcdatamodeld/V3.xcdatamodel: there is no such version; the bundle has 'V1.xcdatamodel', "
                + "'V2.xcdatamodel'")
        #expect(try Self.versions().run("diff", "none", "App.xcdatamodeld").status == 66)
    }

    @Test(
        "between each store in the corpus and the model that it was made with finds nothing of entities",
        .enabled(if: Corpus.shared != nil, "\(Corpus.absence)"))
    func corpus() throws {
        var compared = 0
        for store in Corpus.entries("store-sqlite") {
            guard let contents = store.model, let url = store.url else { continue }
            let copy = try TemporaryFolder()
            try FileManager.default.copyItem(at: url, to: copy.file("Store.sqlite"))
            let run = try runTool(
                ["model", "diff", contents.deletingLastPathComponent().path, "Store.sqlite", "--json"], in: copy.url)
            // The manifest has the nearest version for a store whose own isn't there.
            guard !url.lastPathComponent.contains("Bookmarks_V1") else { continue }
            // Made before the model's indexed attributes became fetch indexes, which leave hashes alone.
            guard !url.lastPathComponent.contains("XCServerCoreData_2.0.0_empty") else { continue }
            compared += 1
            #expect(
                try (parseObject(run.output)["entities"] as? [Any])?.count == 0, "\(store): \(run.output)\(run.error)")
        }
        #expect(compared == 21)
    }
}
