import Foundation
import TestSupport
import Testing

@Suite("The examples")
struct ExampleTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("a stack of three parts, each made when first asked for, keeps its notes from run to run")
    func lazyStack() throws {
        let first = try runProgram("LazyStackExample", [folder.url.path, "one", "two"])
        #expect(first.status == 0, "\(first.error)")
        #expect(first.lines == ["one", "two"])
        #expect(try runProgram("LazyStackExample", [folder.url.path, "three"]).lines == ["one", "two", "three"])
        let nowhere = try runProgram("LazyStackExample", [folder.url.appendingPathComponent("missing").path])
        #expect(nowhere.status == 1)
        #expect(nowhere.error.hasPrefix("the store can't be opened: "))
    }

    @Test("a basic data model starts from the store that it ships with, and leaves that alone")
    func basicDataModel() throws {
        let source = Self.examples.appendingPathComponent("BasicDataModel")
        let resources = folder.url.appendingPathComponent("Resources")
        let own = folder.url.appendingPathComponent("Documents")
        for made in [resources, own] {
            try FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
        }
        let shipped = resources.appendingPathComponent("Places.sqlite")
        let made = try runProgram(
            "coredata",
            [
                "import", "--quiet", "--model", source.appendingPathComponent("Places.xcdatamodeld").path, "--into",
                shipped.path, source.appendingPathComponent("Place.tsv").path,
            ])
        #expect(made.status == 0, "\(made.error)")
        let bytes = try Data(contentsOf: shipped)
        let first = try runProgram("BasicDataModelExample", [own.path, resources.path, "Oslo"])
        #expect(first.status == 0, "\(first.error)")
        #expect(first.lines == ["Lima\t0", "Nara\t0", "Oslo\t1"])
        #expect(
            try runProgram("BasicDataModelExample", [own.path, resources.path, "Bonn"]).lines == [
                "Bonn\t1", "Lima\t0", "Nara\t0", "Oslo\t1",
            ])
        #expect(try Data(contentsOf: shipped) == bytes)
        #expect(try FileManager.default.contentsOfDirectory(atPath: own.path).filter { $0.hasPrefix(".") } == [])
    }

    @Test("lines are filtered by a predicate, with FoundationSupplement alone; a wrong one is told")
    func lineFilter() throws {
        let input = folder.url.appendingPathComponent("input.txt")
        try Data("error 1\nfine\nError 22\n".utf8).write(to: input)
        let filter = { (arguments: [String]) in
            try runProgram("LineFilterExample", arguments, standardInput: FileHandle(forReadingFrom: input))
        }
        #expect(try filter(["SELF BEGINSWITH[c] 'ERROR' AND SELF MATCHES %@", ".* [0-9]{2}"]).lines == ["Error 22"])
        let wrong = try filter(["SELF =="])
        #expect(wrong.status == 65 && wrong.error.hasPrefix("Unable to parse the format string \"SELF ==\""))
        let other = try filter(["SELF > 1"])
        #expect(other.status == 65 && other.error == "Can't compare the string \"error 1\" with the number 1\n")
    }

    @Test("a repository asks by city and date, sorts, counts and removes")
    func repository() throws {
        let run = try runProgram("RepositoryExample", [folder.url.path])
        #expect(run.status == 0, "\(run.error)")
        #expect(
            run.lines == [
                "to come in Bergen: Market, Concert", "the next one: Market", "in BERGEN: 3", "without the past: 2",
            ])
    }

    @Test("newer data is merged by the names of categories, and the same data twice changes nothing")
    func categoryMerge() throws {
        func write(_ categories: [[String: Any]], _ name: String) throws -> String {
            let url = folder.url.appendingPathComponent(name)
            try PropertyListSerialization.data(fromPropertyList: categories, format: .xml, options: 0).write(to: url)
            return url.path
        }
        func item(_ name: String, _ price: String) -> [String: Any] { ["name": name, "price": price] }
        let first = try write([["name": "Tea", "items": [item("Assam", "4.50"), item("Sencha", "6.20")]]], "1.plist")
        let second = try write(
            [
                ["name": "Coffee", "items": [item("Sidamo", "9.90")]],
                ["name": "Tea", "items": [item("Sencha", "6.80"), item("Assam", "4.50")]],
            ], "2.plist")
        let run = try runProgram("CategoryMergeExample", [folder.url.path, first])
        #expect(run.lines == ["added 3, updated 0, unchanged 0", "Tea/Assam 4.5", "Tea/Sencha 6.2"], "\(run.error)")
        let merged = ["Coffee/Sidamo 9.9", "Tea/Assam 4.5", "Tea/Sencha 6.8"]
        #expect(
            try runProgram("CategoryMergeExample", [folder.url.path, second]).lines
                == ["added 2, updated 1, unchanged 1"] + merged)
        #expect(
            try runProgram("CategoryMergeExample", [folder.url.path, second]).lines
                == ["added 0, updated 0, unchanged 3"] + merged)
        let bad = try write([["title": "no name"]], "bad.plist")
        #expect(try runProgram("CategoryMergeExample", [folder.url.path, bad]).status == 1)
    }

    @Test(
        "have models in which a check finds nothing",
        arguments: [
            "BasicDataModel/Places", "CategoryMerge/Catalogue", "LazyStack/Notes", "Repository/Events", "World/World",
        ])
    func models(_ name: String) throws {
        let model = Self.examples.appendingPathComponent("\(name).xcdatamodeld").path
        let run = try runProgram("coredata", ["model", "check", model])
        #expect(run.status == 0, "\(run.output)\(run.error)")
    }

    private static let examples = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Examples")
}
