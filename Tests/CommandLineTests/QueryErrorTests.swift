import CoreData
import TestSupport
import Testing

@Suite("coredata query: what can't be asked")
struct QueryErrorTests {
    static let lines = [
        WrongCommandLine("Ctiy", says: "Error: There is no entity 'Ctiy'; did you mean 'City'?"),
        WrongCommandLine(
            "City", "--columns", "nme", says: "Error: The entity 'City' has no key 'nme'; did you mean 'name'?"),
        WrongCommandLine(
            "City", "--columns", "country.flag", says: "Error: The entity 'Country' has no key 'flag'"),
        WrongCommandLine(
            "City", "--columns", "name.x",
            says: "Error: 'name' of 'City' is no relationship, but 'name.x' goes through it"),
        WrongCommandLine(
            "Country", "--columns", "cities.name",
            says: "Error: 'cities' of 'Country' leads to many objects; 'cities.name' may only lead to one"),
        WrongCommandLine("City", "--columns", "name,name", says: "Error: The column 'name' is named twice"),
        WrongCommandLine("City", "--columns", "name,", says: "Error: The entity 'City' has no key ''"),
        WrongCommandLine("City", "--sort", "extent", says: "Error: The entity 'City' has no key 'extent'"),
        WrongCommandLine(
            "City", "--sort", "country",
            says: "Error: 'country' of 'City' is a relationship; sort by one of its keys"),
        WrongCommandLine(
            "City", "--where", "extent > 3", says: "Error: keypath extent not found in entity <NSSQLEntity City id=4>"),
        WrongCommandLine(
            "City", "--where", "extent > 3", "--limit", "0",
            says: "Error: keypath extent not found in entity <NSSQLEntity City id=4>"),
        WrongCommandLine(
            "City", "--count", "--where", "extent > 3",
            says: "Error: keypath extent not found in entity <NSSQLEntity City id=4>"),
    ]

    @Test("The message and status 64", arguments: lines)
    func message(_ line: WrongCommandLine) throws {
        let world = try World.withStore()
        let before = try world.folder.contents()
        let run = try runTool(["query", "World.sqlite"] + line.arguments, in: world.folder.url)
        #expect(run.status == 64)
        #expect(run.output.isEmpty)
        #expect(run.firstErrorLine == line.message)
        #expect(try world.folder.contents() == before)
    }

    @Test("An unknown entity: the known ones are listed")
    func entities() throws {
        let run = try World.withStore().run("query", "World.sqlite", "Town")
        #expect(run.error.hasSuffix("\nThe model's entities: City, Country, Person, Place\n"))
    }

    @Test("A predicate that can't be parsed: the text, and a caret under the place")
    func caret() throws {
        let run = try World.withStore().run("query", "World.sqlite", "City", "--where", "name == '日本' AND ]")
        #expect(run.status == 64)
        #expect(run.output.isEmpty)
        let lines = run.error.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.first?.hasPrefix("Error: The predicate can't be understood: ") == true)
        #expect(lines.dropFirst().first == "  name == '日本' AND ]")
        // The two ideographs are two columns wide each.
        #expect(lines.last.map(String.init) == String(repeating: " ", count: 2 + 19) + "^")
    }
}
