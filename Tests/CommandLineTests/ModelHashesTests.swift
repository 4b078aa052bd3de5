import CSQLite
import CoreData
import TestSupport
import Testing

@Suite("coredata model hashes")
struct ModelHashesTests {
    @Test("A model and its store have the same hashes")
    func same() throws {
        let world = try World.withStore()
        let ofModel = try world.run("model", "hashes", "World.xcdatamodel", "--json")
        #expect(ofModel.status == 0, "\(ofModel.error)")
        #expect(try world.run("model", "hashes", "World.sqlite", "--json").output == ofModel.output)
        let object = try parseObject(ofModel.output)
        #expect(object["checksum"] as? String == world.model.versionChecksum)
        #expect(object["digest"] as? String == world.model.versionHashesDigest)
        let entities = try #require(object["entities"] as? [[String: String]])
        #expect(entities.compactMap { $0["name"] } == ["City", "Country", "Person", "Place"])
        #expect(entities.allSatisfy { $0["versionHash"]?.count == 64 })
        let both = try world.run("model", "hashes", "World.xcdatamodel", "World.sqlite")
        #expect(both.status == 0)
        #expect(both.lines.last == "World.sqlite has the same hashes.")
        #expect(world.folder.names == ["World.sqlite", "World.xcdatamodel"])
    }

    @Test("For people")
    func text() throws {
        let world = try World()
        let run = try world.run("model", "hashes", "World.xcdatamodel")
        #expect(run.lines.contains("Checksum  \(world.model.versionChecksum)"))
        #expect(run.lines.contains { $0.hasPrefix("Country  ") })
    }

    @Test("A store that doesn't fit says which property makes the difference, by the model that it keeps")
    func store() throws {
        let world = try Self.worldWithChangedModel()
        let run = try world.run("model", "hashes", "World.xcdatamodel", "World.sqlite")
        #expect(run.status == 1)
        #expect(
            run.lines.suffix(3) == [
                "World.sqlite has other hashes of 1 entity:", "  City:",
                "    attribute 'rank': type is Integer 32 here, Integer 16 in World.sqlite",
            ])
        let object = try parseObject(
            try world.run("model", "hashes", "World.xcdatamodel", "World.sqlite", "--json").output)
        #expect(object["same"] as? Bool == false && object["other"] as? String == "World.sqlite")
        #expect(object["otherChecksum"] as? String == world.model.versionChecksum)
        let difference = try #require((object["differences"] as? [[String: Any]])?.first)
        #expect(difference["name"] as? String == "City")
        #expect(difference["versionHash"] as? String != difference["otherVersionHash"] as? String)
        let reason = try #require((difference["reasons"] as? [[String: Any]])?.first)
        #expect(reason["property"] as? String == "rank" && reason["aspect"] as? String == "type")
    }

    @Test("Of two models, names, super-entities and properties that one lacks are told")
    func models() throws {
        let versions = try ModelVersions(
            """
            <entity name="A"><attribute name="x" optional="YES" attributeType="String"/></entity>
            <entity name="B" parentEntity="A"/>
            <entity name="C"/><entity name="D"/>
            """,
            """
            <entity name="A" isAbstract="YES"><attribute name="y" optional="YES" attributeType="String"/></entity>
            <entity name="B" parentEntity="A"/>
            <entity name="E" elementID="C"/><entity name="F"/>
            """)
        let run = try versions.run("hashes", "App.xcdatamodeld", ModelVersions.first)
        #expect(run.status == 1)
        #expect(
            Array(run.lines.drop { !$0.hasPrefix("V1") }) == [
                "V1.xcdatamodel has other hashes of 5 entities:", "  A:",
                "    is abstract here, not abstract in V1.xcdatamodel",
                "    attribute 'x' is in V1.xcdatamodel only", "    attribute 'y' is here only", "  B:",
                "    the hash of its super-entity 'A' differs", "  D: is in V1.xcdatamodel only", "  E:",
                "    the entity is 'C' in V1.xcdatamodel", "  F: is here only",
            ])
    }

    @Test("A store without a model of its own tells the entity only")
    func storeWithoutModel() throws {
        let world = try Self.worldWithChangedModel()
        try Self.execute("DELETE FROM Z_MODELCACHE", world.storeURL)
        let run = try world.run("model", "hashes", "World.xcdatamodel", "World.sqlite", "--json")
        #expect(run.status == 1)
        let object = try parseObject(run.output)
        let differences = try #require(object["differences"] as? [[String: Any]])
        #expect(differences.first?["name"] as? String == "City")
        #expect(differences.first?["reasons"] is NSNull)
        let text = try world.run("model", "hashes", "World.xcdatamodel", "World.sqlite")
        #expect(
            text.lines.contains(
                "  City: which property makes the difference can't be told without the other's model"))
        // Its own hashes are those of the metadata.
        #expect(try world.run("model", "hashes", "World.sqlite").status == 0)
        #expect(try world.run("model", "diff", "World.xcdatamodel", "World.sqlite").status == 65)
    }

    @Test(
        "Every hash that compiled models and stores in the corpus record is the one that is computed",
        .enabled(if: Corpus.shared != nil, "\(Corpus.absence)"))
    func corpus() throws {
        var (inBundles, inStores, checksums, digests) = (0, 0, 0, 0)
        for bundle in Corpus.entries("versioninfo").compactMap({ $0.url?.deletingLastPathComponent() }) {
            let info = try #require(
                try PropertyListSerialization.propertyList(
                    from: Data(contentsOf: bundle.appendingPathComponent("VersionInfo.plist")), format: nil)
                    as? [String: Any])
            let recorded = info["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]] ?? [:]
            for (version, hashes) in recorded {
                let file = bundle.appendingPathComponent("\(version).mom")
                guard FileManager.default.fileExists(atPath: file.path) else { continue }
                let source = try NSManagedObjectModel(validatingContentsOf: file)
                #expect(source.entityVersionHashesByName == hashes, "\(version)")
                inBundles += hashes.count
                let sums = info["NSManagedObjectModel_VersionChecksums"] as? [String: String]
                guard let sum = sums?[version] else { continue }
                #expect(source.versionChecksum == sum)
                checksums += 1
            }
        }
        for entry in Corpus.entries("store-sqlite") where entry.notes.contains("modelcache") {
            let folder = try TemporaryFolder()
            let copy = folder.file("Store.sqlite")
            try FileManager.default.copyItem(at: #require(entry.url), to: copy)
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: copy)
            let hashes = try #require(metadata[NSStoreModelVersionHashesKey] as? [String: Data])
            let model = try NSManagedObjectModel(contentsOfStoreAt: copy)
            #expect(model.entityVersionHashesByName == hashes, "\(entry)")
            inStores += hashes.count
            if let sum = metadata[NSPersistentStoreModelVersionChecksumKey] as? String {
                #expect(model.versionChecksum == sum)
                checksums += 1
            }
            if let digest = metadata["NSStoreModelVersionHashesDigest"] as? String {
                #expect(model.versionHashesDigest == digest)
                digests += 1
            }
        }
        #expect(inBundles == 157)
        #expect(inStores == 127)
        #expect(checksums == 9)
        #expect(digests == 12)
    }

    static func worldWithChangedModel() throws -> World {
        let world = try World.withStore()
        let contents = world.modelURL.appendingPathComponent("contents")
        let text = try String(contentsOf: contents, encoding: .utf8)
            .replacingOccurrences(
                of: "name=\"rank\" optional=\"YES\" attributeType=\"Integer 16\"",
                with: "name=\"rank\" optional=\"YES\" attributeType=\"Integer 32\"")
        try Data(text.utf8).write(to: contents)
        return world
    }

    static func execute(_ statement: String, _ url: URL) throws {
        var database: OpaquePointer?
        defer { sqlite3_close(database) }
        guard sqlite3_open(url.path, &database) == SQLITE_OK,
            sqlite3_exec(database, statement, nil, nil, nil) == SQLITE_OK
        else { throw ProgramMissing(description: "SQLite refused: \(statement)") }
    }
}
