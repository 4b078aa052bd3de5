import CoreData
import TestSupport
import Testing

/// `Examples/World`, as `scripts/demo` and the README show it.
@Suite("The World example")
struct WorldExampleTests {
    static let example = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Examples/World")

    @Test("is imported by one command, and its store answers what the README says")
    func demo() throws {
        let folder = try TemporaryFolder()
        let data = Self.example.appendingPathComponent("Data")
        let files = try FileManager.default.contentsOfDirectory(atPath: data.path).sorted()
            .map { data.appendingPathComponent($0).path }
        let model = Self.example.appendingPathComponent("World.xcdatamodeld").path
        let run = try runTool(["import", "--model", model, "--into", "World.sqlite"] + files, in: folder.url)
        try #require(run.status == 0, "\(run.error)")
        #expect(run.output.contains("62,604"))
        #expect(folder.names == ["World.sqlite"])

        func query(_ arguments: String...) throws -> [String] {
            try runTool(["query", "World.sqlite"] + arguments + ["--format", "tsv"], in: folder.url).lines
        }
        #expect(
            try query(
                "Airport", "--where", "country.isoCode == \"IS\"", "--sort", "name", "--limit", "5", "--columns",
                "icaoCode,name")
                == [
                    "icaoCode\tname", "BIAR\tAkureyri Airport", "BIAL\tAlftaver Airport", "BIAE\tArngerdareyri Airport",
                    "BIBI\tBaeir Airport", "BIBK\tBakkafjordur Airport",
                ])
        #expect(
            try query(
                "Airport", "--where", "metropolitanArea.code == \"LON\"", "--sort", "name", "--columns", "iataCode")
                == ["iataCode", "LCY", "LGW", "LHR", "LTN", "STN"])
        #expect(
            try query(
                "City", "--where", "capitalOf.continent.code == \"SA\"", "--sort", "name", "--columns", "name")
                == [
                    "name", "Asunción", "Bogotá", "Brasília", "Buenos Aires", "Caracas", "Cayenne", "Georgetown",
                    "Lima",
                    "Montevideo", "Paramaribo", "Quito", "Santiago", "Stanley", "Sucre",
                ])
        #expect(
            try query(
                "Airport", "--where", "elevationFeet > 14000 AND iataCode != nil", "--sort", "elevationFeet",
                "--columns",
                "iataCode,elevationFeet,country.isoCode")
                == [
                    "iataCode\televationFeet\tcountry.isoCode", "NGQ\t14022\tCN", "KGT\t14042\tCN", "DDR\t14108\tCN",
                    "BPX\t14219\tCN", "DCY\t14472\tCN",
                ])

        // The README's program.
        let url = folder.file("World.sqlite")
        let container = NSPersistentContainer(
            name: "World", managedObjectModel: try NSManagedObjectModel(contentsOfStoreAt: url))
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        #expect(failure == nil)
        let request = NSFetchRequest<NSManagedObject>(entityName: "City")
        request.predicate = NSPredicate(format: "country.isoCode == %@ AND population > %d", "IS", 10_000)
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let cities = try container.viewContext.fetch(request)
        #expect(
            cities.map { $0.value(forKey: "name") as? String } == [
                "Akureyri", "Hafnarfjörður", "Keflavík", "Kópavogur", "Reykjanesbær", "Reykjavík",
            ])
        #expect(cities.allSatisfy { ($0.value(forKey: "population") as? NSNumber)?.intValue ?? 0 > 10_000 })
    }
}
