import CoreData
import TestSupport
import Testing

@Suite("coredata model check")
struct ModelCheckTests {
    static func versions() throws -> ModelVersions {
        try ModelVersions(
            "<entity name=\"A\"><attribute name=\"x\" optional=\"YES\" attributeType=\"String\"/></entity>",
            """
            <entity name="A">
                <attribute name="x" optional="YES" attributeType="Date"/>
                <relationship name="r" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="A"/>
            </entity>
            """)
    }

    @Test("prints findings as compilers do, and ends with status 1")
    func text() throws {
        let run = try Self.versions().run("check", "App.xcdatamodeld")
        #expect(run.status == 1)
        #expect(run.error.isEmpty)
        #expect(
            run.lines == [
                "App.xcdatamodeld/V2.xcdatamodel/contents:5: warning: 'A.r' has no inverse, so that it still refers to a "
                    + "'A' that was deleted [no-inverse]",
                "0 errors, 1 warning",
            ])
    }

    @Test("ends with status 0 where nothing was found, or all of it is ignored")
    func nothing() throws {
        let versions = try Self.versions()
        let clean = try versions.run("check", ModelVersions.first)
        #expect(clean.status == 0)
        #expect(clean.lines == ["Nothing was found"])
        let ignored = try versions.run("check", ModelVersions.second, "--ignore", "no-inverse", "--ignore=no-action")
        #expect(ignored.status == 0)
        #expect(ignored.lines == ["Nothing was found (1 ignored)"])
    }

    @Test("since an older version says whether a lightweight migration can be inferred")
    func since() throws {
        let versions = try Self.versions()
        let run = try versions.run(
            "check", "App.xcdatamodeld", "--since", ModelVersions.first, "--ignore", "no-inverse")
        #expect(run.status == 1)
        #expect(
            run.lines == [
                "App.xcdatamodeld/V2.xcdatamodel/contents:4: error: 'A.x' changed its type from String to "
                    + "Date, which can't be converted [not-inferable]",
                "A lightweight migration from \(ModelVersions.first) can't be inferred.",
                "1 error, 0 warnings (1 ignored)",
            ])
        let (status, object) = try versions.json("check", ModelVersions.first, "--since", ModelVersions.first)
        #expect(status == 0)
        #expect(object["lightweightMigration"] as? Bool == true)
    }

    @Test("gives the same as JSON")
    func json() throws {
        let (status, object) = try Self.versions().json("check", "App.xcdatamodeld")
        #expect(status == 1)
        #expect(object["errors"] as? Int == 0 && object["warnings"] as? Int == 1)
        #expect(object["lightweightMigration"] is NSNull)
        let finding = try #require((object["findings"] as? [[String: Any]])?.first)
        #expect(finding["rule"] as? String == "no-inverse")
        #expect(finding["severity"] as? String == "warning")
        #expect(finding["entity"] as? String == "A" && finding["property"] as? String == "r")
        #expect(finding["line"] as? Int == 5)
    }

    @Test("takes a store for a model, and for an older one")
    func stores() throws {
        let world = try World.withStore()
        #expect(try world.run("model", "check", "World.sqlite").status == 0)
        let since = try world.run("model", "check", "World.xcdatamodel", "--since", "World.sqlite")
        #expect(since.status == 0, "\(since.output)")
        #expect(since.lines.first == "A lightweight migration from World.sqlite can be inferred.")
    }

    @Test("checks for CloudKit where it is asked to")
    func cloud() throws {
        let world = try World()
        let run = try world.run("model", "check", "World.xcdatamodel", "--cloudkit", "--json")
        #expect(run.status == 1)
        let findings = try #require(try parseObject(run.output)["findings"] as? [[String: Any]])
        #expect(
            findings.map { $0["rule"] as? String } == [
                "cloudkit-mandatory", "cloudkit-constraint", "cloudkit-mandatory",
            ])
    }

    @Test("refuses rules and configurations that there aren't")
    func usage() throws {
        let versions = try Self.versions()
        let rule = try versions.run("check", "App.xcdatamodeld", "--ignore", "no-invers")
        #expect(rule.status == 64)
        #expect(rule.firstErrorLine.hasSuffix("There is no such rule. Did you mean 'no-inverse'?"))
        let configuration = try versions.run("check", "App.xcdatamodeld", "--configuration", "Local")
        #expect(configuration.status == 64)
        #expect(configuration.firstErrorLine == "Error: The model has no configuration 'Local'")
    }

    @Test("of what is no model ends with status 65, and of nothing with 66")
    func noModel() throws {
        let folder = try TemporaryFolder()
        try folder.write("<model", to: "M.xcdatamodel/contents")
        #expect(try runTool(["model", "check", "M.xcdatamodel"], in: folder.url).status == 65)
        #expect(try runTool(["model", "check", "N.xcdatamodel"], in: folder.url).status == 66)
    }

    @Test("names all rules in its help, those of the documentation")
    func help() throws {
        let help = try runTool(["model", "check", "--help"]).output
        let documentation = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("docs/JSON.md")
        let text = try String(contentsOf: documentation, encoding: .utf8)
        for rule in ModelRule.allCases {
            #expect(help.contains("  \(rule.rawValue) "), "\(rule)")
            #expect(text.contains("`\(rule.rawValue)`"), "\(rule)")
        }
    }
}
