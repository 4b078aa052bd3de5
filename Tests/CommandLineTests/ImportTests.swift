import CSQLite
import CoreData
import TestSupport
import Testing

@Suite("coredata import")
struct ImportTests {
    /// Imports files of the world's folder into its store.
    private func load(_ world: World, _ files: String..., options: [String] = []) throws -> ToolRun {
        try runTool(
            ["import", "--model", "World.xcdatamodel", "--into", "World.sqlite"] + options + files, in: world.folder.url
        )
    }

    private func writeCountriesAndCities(_ world: World) throws {
        try world.folder.write("isoCode,name\nNO,Norge\nJP,日本\n", to: "Country.csv")
        let cities = """
            name\tcountry.isoCode\tpopulation\tarea\televation\tisCapital\tfounded\tcode\tsite\tseal
            Oslo\tNO\t709037\t454.12\t23.1\ttrue\t1048-01-01\t01020304-0506-0708-090A-0B0C0D0E0F10\thttps://oslo.kommune.no\tAP8Q
            ""\t\t\t\t\t\t\t\t\t

            """
        try world.folder.write(cities, to: "City.tsv")
    }

    @Test("Rows, references and types; one file with a rollback journal", arguments: [true, false])
    func imports(countriesFirst: Bool) throws {
        let world = try World()
        try writeCountriesAndCities(world)
        let files = countriesFirst ? ["Country.csv", "City.tsv"] : ["City.tsv", "Country.csv"]
        let run = try load(world, files[0], files[1])
        #expect(run.status == 0, "\(run.error)")
        #expect(run.error.isEmpty)
        #expect(run.output.contains("\nCountry         2\n"))
        #expect(run.output.contains("\nCity            2\n"))
        #expect(run.output.contains("\nTotal           4\n"))
        let query = try world.run("query", "World.sqlite", "City", "--sort", "-population", "--format", "csv")
        #expect(
            Array(query.lines.dropFirst()) == [
                "454.12,01020304-0506-0708-090A-0B0C0D0E0F10,23.1,1048-01-01T00:00:00Z,true,Oslo,709037,,AP8Q,,"
                    + "https://oslo.kommune.no,NO,",
                ",,,,,\"\",,,,,,,",
            ])
        let names = Set(try FileManager.default.contentsOfDirectory(atPath: world.folder.url.path))
        #expect(names == ["World.xcdatamodel", "World.sqlite", "Country.csv", "City.tsv"])
        #expect(try text("PRAGMA integrity_check", world.storeURL) == "ok")
        #expect(try text("PRAGMA journal_mode", world.storeURL) == "delete")
        let inverse = try world.run("query", "World.sqlite", "Country", "--where", "cities.@count == 1", "--count")
        #expect(inverse.output == "1\n")
    }

    @Test("JSON, NDJSON and property lists")
    func otherFormats() throws {
        let world = try World()
        try world.folder.write(
            "[{\"name\": \"Oslo\", \"population\": 709037, \"country.isoCode\": \"NO\", \"isCapital\": true}]",
            to: "City.json")
        try world.folder.write("{\"isoCode\": \"NO\"}\n{\"isoCode\": \"JP\", \"name\": null}\n", to: "Country.ndjson")
        let plist = try PropertyListSerialization.data(
            fromPropertyList: [["name": "Anne"]], format: .xml, options: 0)
        try plist.write(to: world.folder.file("Person.plist"))
        let run = try load(world, "City.json", "Country.ndjson", "Person.plist")
        #expect(run.status == 0, "\(run.error)")
        let query = try world.run(
            "query", "World.sqlite", "City", "--columns", "name,population,country.isoCode,isCapital", "--format", "csv"
        )
        #expect(query.lines.last == "Oslo,709037,NO,true")
        #expect(try world.run("query", "World.sqlite", "Person", "--format", "csv").lines == ["name,city", "Anne,"])
    }

    @Test("The report as JSON, and none")
    func report() throws {
        let world = try World()
        try writeCountriesAndCities(world)
        let run = try load(world, "Country.csv", "City.tsv", options: ["--json"])
        let object = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
        #expect(object["store"] as? String == "World.sqlite")
        #expect(object["inserted"] as? Int == 4)
        #expect(object["files"] as? Int == 2)
        let size = try ["Country.csv", "City.tsv"].reduce(0) { try $0 + Data(contentsOf: world.folder.file($1)).count }
        #expect(object["bytes"] as? Int == size)
        #expect(object["storeBytes"] as? Int == (try Data(contentsOf: world.storeURL)).count)
        #expect(object["seconds"] as? Double != nil)
        let entities = try #require(object["entities"] as? [[String: Any]])
        #expect(Set(entities.compactMap { $0["name"] as? String }) == ["Country", "City"])
        #expect(entities.allSatisfy { $0["inserted"] as? Int == 2 })
        let quiet = try World()
        try writeCountriesAndCities(quiet)
        let silent = try load(quiet, "Country.csv", "City.tsv", options: ["--quiet"])
        #expect(silent.status == 0 && silent.output.isEmpty && silent.error.isEmpty)
    }

    @Test("A second import adds to the store and finds what it has")
    func addsToStore() throws {
        let world = try World()
        try world.folder.write("isoCode\nNO\n", to: "Country.csv")
        #expect(try load(world, "Country.csv").status == 0)
        try world.folder.write("name,country.isoCode\nOslo,NO\n", to: "City.csv")
        #expect(try load(world, "City.csv").status == 0)
        let run = try world.run("query", "World.sqlite", "City", "--columns", "name,country.isoCode", "--format", "csv")
        #expect(run.lines.last == "Oslo,NO")
    }

    @Test("What query writes, import reads", arguments: ["csv", "tsv", "json"])
    func roundTrip(format: String) throws {
        let source = try World.withStore { context in
            let country = World.insert("Country", ["isoCode": "NO", "name": "a\"b,c\td\r\ne\n"], context)
            for number in 0..<200 {
                let fraction = Double(number * 7919 % 1_000_003) / 1_000_003
                let values: [String: Any] = [
                    "name": number == 0 ? "" : "é\(number)\"", "population": Int64.max - Int64(number), "rank": -number,
                    "founded": Date(timeIntervalSinceReferenceDate: Double(number - 100) * 86_400.7 * 365 + fraction),
                    "area": fraction * 1e9, "elevation": NSDecimalNumber(string: "-\(number).0\(number)"),
                    "isCapital": number % 2 == 0, "seal": Data([UInt8(number), 0]), "code": UUID(),
                    "share": Float(fraction), "country": country,
                ]
                _ = World.insert("City", values, context)
            }
        }
        let target = try World()
        var printed: [String] = []
        for entity in ["Country", "City"] {
            let columns =
                entity == "City"
                ? [
                    "--columns",
                    "area,code,country.isoCode,elevation,founded,isCapital,name,population,rank,seal,share",
                ] : []
            let run = try runTool(
                ["query", "World.sqlite", entity, "--format", format] + columns, in: source.folder.url)
            #expect(run.status == 0)
            try target.folder.write(run.output, to: "\(entity).\(format)")
            printed.append(run.output)
        }
        let run = try load(target, "Country.\(format)", "City.\(format)")
        #expect(run.status == 0, "\(run.error)")
        for entity in ["Country", "City"] {
            let columns =
                entity == "City"
                ? [
                    "--columns",
                    "area,code,country.isoCode,elevation,founded,isCapital,name,population,rank,seal,share",
                ] : []
            let again = try runTool(
                ["query", "World.sqlite", entity, "--format", format] + columns, in: target.folder.url)
            let before = printed.removeFirst().split(separator: "\n")
            let after = again.output.split(separator: "\n")
            #expect(before.count == after.count)
            let differing = zip(before, after).filter { $0 != $1 }.map { "\($0)\n\($1)" }
            let summary = "\(differing.count) lines differ, such as:\n\(differing.first ?? "")"
            #expect(differing.count == 0, "\(summary)")
        }
    }

    private func text(_ sql: String, _ url: URL) throws -> String? {
        var database: OpaquePointer?
        var statement: OpaquePointer?
        defer {
            sqlite3_finalize(statement)
            sqlite3_close(database)
        }
        #expect(sqlite3_open_v2(url.path, &database, SQLITE_OPEN_READONLY, nil) == SQLITE_OK)
        #expect(sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK)
        guard sqlite3_step(statement) == SQLITE_ROW else { return nil }
        return sqlite3_column_text(statement, 0).map { String(cString: $0) }
    }
}
