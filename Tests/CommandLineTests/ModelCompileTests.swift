import CoreData
import TestSupport
import Testing

@Suite("coredata model compile")
struct ModelCompileTests {
    /// A bundle of three versions, the second of which is current.
    private func bundle() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for (name, type) in [("App", "String"), ("App 2", "Integer 64"), ("App 3", "Double")] {
            try folder.write(
                """
                <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
                <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                    <entity name="Note" representedClassName="Note" syncable="YES">
                        <attribute name="value" optional="YES" attributeType="\(type)"/>
                    </entity>
                </model>
                """, to: "App.xcdatamodeld/\(name).xcdatamodel/contents")
        }
        try folder.write(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>_XCCurrentVersionName</key><string>App 2.xcdatamodel</string></dict></plist>
            """, to: "App.xcdatamodeld/.xccurrentversion")
        return folder
    }

    @Test("makes a .momd of all versions that opens as the current one, the same bytes each time")
    func compile() throws {
        let folder = try bundle()
        let run = try runTool(
            ["model", "compile", "App.xcdatamodeld", "--output", "App.momd", "--json"], in: folder.url)
        #expect(run.status == 0, "\(run.error)")
        let object = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
        #expect(object["output"] as? String == "App.momd")
        #expect(object["currentVersion"] as? String == "App 2")
        let versions = try #require(object["versions"] as? [[String: Any]])
        #expect(versions.compactMap { $0["name"] as? String } == ["App", "App 2", "App 3"])
        #expect(versions.map { $0["isCurrent"] as? Bool } == [false, true, false])
        #expect(versions.allSatisfy { ($0["bytes"] as? Int ?? 0) > 0 && $0["entities"] as? Int == 1 })
        let files = ["App 2.mom", "App 3.mom", "App.mom", "VersionInfo.plist"]
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("App.momd").path).sorted() == files)

        let model = try NSManagedObjectModel(validatingContentsOf: folder.file("App.momd"))
        #expect(model.entitiesByName["Note"]?.attributesByName["value"]?.type == .integer64)
        #expect(versions[1]["checksum"] as? String == model.versionChecksum)
        let first = try files.map { try Data(contentsOf: folder.file("App.momd/\($0)")) }
        let again = try runTool(["model", "compile", "App.xcdatamodeld", "--output", "Again.momd"], in: folder.url)
        #expect(again.lines.contains { $0.hasPrefix("App 2 (current)") })
        #expect(try files.map { try Data(contentsOf: folder.file("Again.momd/\($0)")) } == first)
    }

    @Test("makes a .mom of one version")
    func single() throws {
        let folder = try bundle()
        let model = "App.xcdatamodeld/App 3.xcdatamodel"
        #expect(try runTool(["model", "compile", model, "--output", "App.mom"], in: folder.url).status == 0)
        let compiled = try NSManagedObjectModel(validatingContentsOf: folder.file("App.mom"))
        #expect(compiled.entitiesByName["Note"]?.attributesByName["value"]?.type == .double)
    }

    @Test("leaves an older output as it is when a version has an error, and nothing beside it")
    func failure() throws {
        let folder = try bundle()
        let arguments = ["model", "compile", "App.xcdatamodeld", "--output", "App.momd"]
        #expect(try runTool(arguments, in: folder.url).status == 0)
        let before = try Data(contentsOf: folder.file("App.momd/VersionInfo.plist"))
        let broken = "App.xcdatamodeld/App 3.xcdatamodel/contents"
        try folder.write("<model>\n<entity name=\"A\" parentEntity=\"B\"/></model>", to: broken)
        let run = try runTool(arguments, in: folder.url)
        #expect(run.status == 65)
        #expect(run.firstErrorLine.contains("\(broken):2: there is no entity named 'B'"), "\(run.error)")
        #expect(try Data(contentsOf: folder.file("App.momd/VersionInfo.plist")) == before)
        #expect(folder.names == ["App.momd", "App.xcdatamodeld"])
    }

    @Test("replaces an older output, but no folder that holds anything else")
    func replacing() throws {
        let folder = try bundle()
        let arguments = ["model", "compile", "App.xcdatamodeld", "--output", "App.momd"]
        try folder.write("old", to: "App.momd/Gone.mom")
        try folder.write("old", to: "App.momd/Gone.omo")
        #expect(try runTool(arguments, in: folder.url).status == 0)
        #expect(!FileManager.default.fileExists(atPath: folder.file("App.momd/Gone.mom").path))
        try folder.write("mine", to: "App.momd/notes.txt")
        let run = try runTool(arguments, in: folder.url)
        #expect(run.status == 65)
        #expect(run.firstErrorLine.contains("holds 'notes.txt'"), "\(run.error)")
        #expect(try String(contentsOf: folder.file("App.momd/notes.txt"), encoding: .utf8) == "mine")
        #expect(folder.names == ["App.momd", "App.xcdatamodeld"])
    }

    @Test(
        "says what is wrong with the command line",
        arguments: [
            (["App.xcdatamodeld", "--output", "App.zip"], 64, "must end in .momd or .mom"),
            (["App.xcdatamodeld", "--output", "B.xcdatamodeld"], 64, "must end in .momd or .mom"),
            (["App.momd", "--output", "B.momd"], 64, "is compiled already"),
            (["App.xcdatamodeld"], 64, "Missing expected argument '--output"),
            (["None.xcdatamodeld", "--output", "None.momd"], 66, "there is no such model"),
            (["App.xcdatamodeld", "--output", "none/App.momd"], 66, "there is no such folder"),
        ])
    func usage(_ arguments: [String], _ status: Int32, _ message: String) throws {
        let folder = try bundle()
        let run = try runTool(["model", "compile"] + arguments, in: folder.url)
        #expect(run.status == status)
        #expect(run.firstErrorLine.contains(message), "\(run.error)")
    }

    @Test("refuses a bundle that doesn't say which of its versions is current")
    func noCurrentVersion() throws {
        let folder = try bundle()
        try FileManager.default.removeItem(at: folder.file("App.xcdatamodeld/.xccurrentversion"))
        let run = try runTool(["model", "compile", "App.xcdatamodeld", "--output", "App.momd"], in: folder.url)
        #expect(run.status == 65)
        #expect(run.firstErrorLine.contains("doesn't say which is current"))
    }
}
