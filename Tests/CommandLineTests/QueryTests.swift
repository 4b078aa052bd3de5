import CoreData
import TestSupport
import Testing

@Suite("coredata query")
struct QueryTests {
    @Test("CSV: quotes where needed, nil and empty text apart, values exact")
    func csv() throws {
        let run = try World.withStore().run(
            "query", "World.sqlite", "City", "--sort", "-area,population", "--format", "csv")
        #expect(run.status == 0, "\(run.error)")
        #expect(
            run.lines == [
                "area,code,elevation,founded,isCapital,name,population,rank,seal,share,site,country.isoCode,mayor",
                "454.12,01020304-0506-0708-090A-0B0C0D0E0F10,23.1,2001-01-01T00:00:00.25Z,true,Oslo,709037,3,AP8Q,0.1,"
                    + "file:///oslo,NO,Person/p1",
                ",,,,,\"\",,,,,,,",
                ",,,,,\"東京, \"\"都\"\"\",13960000,,,,,JP,",
            ])
    }

    @Test("TSV: the same with tabs, which are quoted in their turn")
    func tsv() throws {
        let world = try World.withStore { context in
            _ = World.insert("Country", ["isoCode": "a\tb", "name": "a,b"], context)
            _ = World.insert("Country", ["isoCode": "c\nd", "name": "\r"], context)
        }
        let run = try world.run("query", "World.sqlite", "Country", "--sort", "isoCode", "--format=tsv")
        #expect(run.output == "isoCode\tname\n\"a\tb\"\ta,b\n\"c\nd\"\t\"\r\"\n")
    }

    @Test("JSON: numbers as numbers, keys in the order of the columns")
    func json() throws {
        let world = try World.withStore()
        let keys = "name,population,elevation,isCapital,country.name,founded,share"
        let run = try world.run(
            "query", "World.sqlite", "City", "--columns", keys, "--sort", "population", "--format", "json")
        #expect(
            run.lines == [
                "[",
                "  {\"name\": \"\", \"population\": null, \"elevation\": null, \"isCapital\": null, "
                    + "\"country.name\": null, \"founded\": null, \"share\": null},",
                "  {\"name\": \"Oslo\", \"population\": 709037, \"elevation\": 23.1, \"isCapital\": true, "
                    + "\"country.name\": \"Norge\", \"founded\": \"2001-01-01T00:00:00.25Z\", \"share\": 0.1},",
                "  {\"name\": \"東京, \\\"都\\\"\", \"population\": 13960000, \"elevation\": null, \"isCapital\": null, "
                    + "\"country.name\": \"日本\", \"founded\": null, \"share\": null}",
                "]",
            ])
        let same = try world.run("query", "World.sqlite", "City", "--columns", keys, "--sort", "population", "--json")
        #expect(same.output == run.output)
        #expect(try world.run("query", "World.sqlite", "City", "--where", "FALSEPREDICATE", "--json").output == "[]\n")
    }

    @Test("JSON escapes what it must")
    func jsonEscapes() throws {
        let text = "\"\\\n\t\u{1}\u{2028}é€"
        let world = try World.withStore { _ = World.insert("Person", ["name": text], $0) }
        let run = try world.run("query", "World.sqlite", "Person", "--json", "--columns", "name")
        let rows = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [[String: String]])
        #expect(rows == [["name": text]])
    }

    @Test("A table: numbers right, wide and combining characters counted")
    func table() throws {
        let world = try World.withStore { context in
            _ = World.insert("City", ["name": "東京", "population": 13_960_000, "rank": 1], context)
            _ = World.insert("City", ["name": "Reykjavi\u{301}k", "population": 5, "rank": 2], context)
            _ = World.insert("City", ["name": "a\u{1b}[31mb\n", "rank": 3], context)
        }
        let run = try world.run(
            "query", "World.sqlite", "City", "--columns", "name,population,isCapital", "--sort", "rank")
        #expect(
            run.lines == [
                "name            population  isCapital",
                "──────────────  ──────────  ─────────",
                "東京              13960000",
                "Reykjavi\u{301}k                5",
                "a\\u{1B}[31mb\\n",
            ])
    }

    @Test("Predicates, windows and counts")
    func selection() throws {
        let world = try World.withStore { context in
            for number in 1...20 { _ = World.insert("Person", ["name": "P\(100 + number)"], context) }
        }
        func names(_ arguments: String...) throws -> [String] {
            let all = ["query", "World.sqlite", "Person", "--columns", "name", "--format", "csv"] + arguments
            return Array(try runTool(all, in: world.folder.url).lines.dropFirst())
        }
        #expect(try names("--sort", "name", "--limit", "2", "--offset", "3") == ["P104", "P105"])
        #expect(try names("--sort", "name:desc", "--limit", "2") == ["P120", "P119"])
        #expect(try names("--sort", "-name", "--limit=1") == ["P120"])
        #expect(try names("--sort", "name", "--offset", "18") == ["P119", "P120"])
        #expect(try names("--where", "name ENDSWITH '7'") == ["P107", "P117"])
        #expect(try names("--limit", "0") == [])
        func count(_ arguments: String...) throws -> String {
            try runTool(["query", "World.sqlite", "Person", "--count"] + arguments, in: world.folder.url).output
        }
        #expect(try count() == "20\n")
        #expect(try count("--where", "name > 'P115'") == "5\n")
        #expect(try count("--limit", "7") == "7\n")
        #expect(try count("--limit", "0") == "0\n")
    }

    /// A condition on cities, and the populations of those that it finds.
    static let conditions: [(String, [String])] = [
        ("name CONTAINS[cd] 'ÖSL'", ["709037"]), ("name MATCHES '[A-Z].*'", ["709037"]),
        ("name LIKE 'O?lo'", ["709037"]),
        ("country.name == 'Norge' OR country == nil", ["", "709037"]),
        ("ANY country.cities.population > 800000", ["13960000"]),
        ("SUBQUERY(country.cities, $c, $c.population > 800000).@count > 0", ["13960000"]),
        ("country.cities.@max.population > 800000", ["13960000"]), ("population BETWEEN {700000, 800000}", ["709037"]),
        ("population / 1000 == 709", ["709037"]), ("founded < CAST(1, 'NSDate')", ["709037"]),
        ("TERNARY(isCapital == YES, 1, 0) == 1", ["709037"]), ("population IN {709037, 1, 2}", ["709037"]),
        ("length(name) == 0", [""]), ("NOT population > 800000", ["709037"]),
    ]

    @Test("Conditions in the whole language", arguments: conditions)
    func language(_ condition: String, _ wanted: [String]) throws {
        let run = try World.withStore().run(
            "query", "World.sqlite", "City", "--columns", "population", "--format", "tsv", "--sort", "population",
            "--where", condition)
        #expect(Array(run.lines.dropFirst()) == wanted, "\(condition): \(run.output)")
    }

    @Test("Sub-entities are found through their super-entity")
    func inheritance() throws {
        let run = try World.withStore().run("query", "World.sqlite", "Place", "--sort", "name", "--format", "tsv")
        #expect(run.lines == ["name", "\"\"", "Oslo", "\"東京, \"\"都\"\"\""])
    }

    @Test("Dates: fractions only as long as they must be, years beyond four digits")
    func dates() throws {
        let times: [Double] = [-0.5, 0, 86_399, 94_953_600, 1e11 + 0.001, -63_114_076_800, 638_900_000.123456, 0.1]
        let world = try World.withStore { context in
            for (index, time) in times.enumerated() {
                let date = Date(timeIntervalSinceReferenceDate: time)
                _ = World.insert("City", ["name": "x", "rank": index, "founded": date], context)
            }
        }
        let run = try world.run(
            "query", "World.sqlite", "City", "--columns", "founded", "--sort", "rank", "--format", "csv")
        #expect(
            Array(run.lines.dropFirst()) == [
                "2000-12-31T23:59:59.5Z", "2001-01-01T00:00:00Z", "2001-01-01T23:59:59Z", "2004-01-05T00:00:00Z",
                "5169-11-16T09:46:40.001Z", "0001-01-01T00:00:00Z", "2021-03-31T16:13:20.123456Z",
                "2001-01-01T00:00:00.1Z",
            ])
    }

    @Test("Large results come whole, and a reader that leaves ends the tool quietly")
    func large() throws {
        let world = try World.withStore { context in
            for number in 0..<12_000 { _ = World.insert("Person", ["name": "Person \(number)"], context) }
        }
        for format in ["csv", "table", "json"] {
            let run = try world.run("query", "World.sqlite", "Person", "--format", format, "--columns", "name")
            #expect(run.lines.count == 12_000 + (format == "csv" ? 1 : 2))
        }
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/bash")
        let command = "\"$0\" query \"$1\" Person --format csv | head -n 1; exit ${PIPESTATUS[0]}"
        shell.arguments = ["-c", command, try toolURL().path, world.storeURL.path]
        let (output, error) = (Pipe(), Pipe())
        (shell.standardOutput, shell.standardError) = (output, error)
        try shell.run()
        #expect(output.fileHandleForReading.readDataToEndOfFile() == Data("name,city\n".utf8))
        #expect(error.fileHandleForReading.readDataToEndOfFile().isEmpty)
        shell.waitUntilExit()
        #expect(shell.terminationStatus == 0)
    }

    @Test("Composite attributes are imported and shown element by element")
    func composites() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            """
            <model><entity name="City"><attribute name="name" optional="YES" attributeType="String"/>
            <attribute name="place" optional="YES" attributeType="Composite" composite="Place"/></entity>
            <composite name="Place"><attribute name="label" optional="YES" attributeType="String"/>
            <attribute name="point" optional="YES" attributeType="Composite" composite="Point"/></composite>
            <composite name="Point"><attribute name="x" optional="YES" attributeType="Double"/></composite></model>
            """, to: "M.xcdatamodel/contents")
        try folder.write("name\tplace.label\tplace.point.x\nOslo\there\t1.5\nRom\t\t\n", to: "City.tsv")
        let imported = try runTool(
            ["import", "--model", "M.xcdatamodel", "--into", "S.sqlite", "City.tsv"], in: folder.url)
        #expect(imported.status == 0, "\(imported.error)")
        let all = try runTool(["query", "S.sqlite", "City", "--sort", "name", "--json"], in: folder.url)
        let rows = try #require(try JSONSerialization.jsonObject(with: Data(all.output.utf8)) as? [[String: Any]])
        #expect(rows.first?["place.label"] as? String == "here" && rows.first?["place.point.x"] as? Double == 1.5)
        #expect(rows.last?["place.label"] is NSNull || rows.last?["place.label"] as? String == "")
        let some = try runTool(
            ["query", "S.sqlite", "City", "--where", "place.point.x > 1", "--columns", "place.point.x"], in: folder.url)
        #expect(some.output.contains("1.5"), "\(some.error)")
        let whole = try runTool(["query", "S.sqlite", "City", "--columns", "place"], in: folder.url)
        #expect(whole.status == 64 && whole.error.contains("place.label, place.point.x"), "\(whole.error)")
        try folder.write("name\tplace.z\nOslo\t1\n", to: "bad/City.tsv")
        let bad = try runTool(
            ["import", "--model", "M.xcdatamodel", "--into", "T.sqlite", "bad/City.tsv"], in: folder.url)
        #expect(bad.status != 0 && bad.error.contains("which has place.label, place.point.x"), "\(bad.error)")
    }
}
