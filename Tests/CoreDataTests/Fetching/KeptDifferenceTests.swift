import Foundation
import Testing

@testable import CoreData

/// Where a store and memory differ on Apple's systems too, and programs may count on it. DEVIATIONS.md lists them.
@Suite("Differences between stores and memory that are kept")
struct KeptDifferenceTests {
    private let fixture: Fixture
    private var context: NSManagedObjectContext { fixture.context }

    init() throws {
        fixture = try Fixture(PredicateDifferentialTests.model())
        let country = fixture.insert("Country", ["name": "X", "people": 1])
        fixture.insert("City", ["name": "a", "title": "a", "country": country, "note": "n"])
        fixture.insert("City", ["name": "b", "title": nil])
        fixture.insert("City", ["name": nil, "title": nil])
        try context.save()
    }

    private func memory(_ format: String) throws -> [String] {
        let predicate = NSPredicate(format: format)
        return try context.find("City").filter { try predicate.evaluateThrowing(with: $0, variables: [:]) }.map(\.name)
            .sorted()
    }

    @Test("x != \"a\" finds no nil in a store (row 1)")
    func notEqual() throws {
        #expect(try context.names("City", "title != 'x'") == ["a"])
        #expect(try memory("title != 'x'") == ["", "a", "b"])
        // What users write for it finds the same in both.
        #expect(try context.names("City", "title != 'x' OR title == nil") == memory("title != 'x' OR title == nil"))
    }

    @Test("what is unknown because of nil stays so under NOT (row 1)")
    func not() throws {
        #expect(try context.names("City", "NOT title == 'x'") == ["a"])
        #expect(try memory("NOT title == 'x'") == ["", "a", "b"])
        #expect(try context.names("City", "NOT title IN {'x', 'y'}") == ["a"])
        #expect(try memory("NOT title IN {'x', 'y'}") == ["", "a", "b"])
    }

    @Test("two nils aren't equal in a store (row 1)")
    func equalNils() throws {
        #expect(try context.names("City", "name == title") == ["a"])
        #expect(try memory("name == title") == ["", "a"])
    }

    @Test("ANY and ALL of a to-one path are the comparison itself in a store (row 4)")
    func anyToOne() throws {
        #expect(try context.names("City", "ANY country.name == 'X'") == ["a"])
        #expect(try context.names("City", "ALL country.people > 0") == ["a"])
        #expect(throws: (any Error).self) { try memory("ANY country.name == 'X'") }
    }

    @Test("subscripts, methods, blocks, transient properties and keys of strings are for memory alone (rows 5 to 9)")
    func memoryAlone() throws {
        #expect(try memory("note == 'n'") == ["a"])
        #expect(try memory("name.length == 1") == ["a", "b"])
        #expect(try memory("FUNCTION(name, 'uppercase') == 'A'") == ["a"])
        #expect(try memory("streets[SIZE] == 0") == ["", "a", "b"])
        for format in [
            "note == 'n'", "name.length == 1", "FUNCTION(name, 'uppercase') == 'A'", "streets[SIZE] == 0",
        ] {
            #expect(throws: CocoaError.self, "\(format)") { try context.find("City", format) }
        }
    }

    @Test("an operator with nil on its right is refused by a store, and never holds in memory")
    func nilRightSide() throws {
        #expect(try memory("name > nil") == [])
        #expect(throws: CocoaError.self) { try context.find("City", "name > nil") }
    }

    @Test("a property of a sub-entity is nil in the rows of others in a store; memory refuses it")
    func subentities() throws {
        fixture.insert("Capital", ["name": "c", "seat": "s"])
        try context.save()
        #expect(try context.names("City", "seat == 's'") == ["c"])
        #expect(try context.names("City", "seat == nil") == ["", "a", "b"])
        #expect(throws: (any Error).self) { try memory("seat == 's'") }
        #expect(try context.names("City", "entity.name == 'Capital'") == ["c"])
        #expect(try context.names("City", "entity.name != 'Capital'") == ["", "a", "b"])
    }

    @Test("a store counts with dates as seconds; memory refuses to")
    func dates() throws {
        for (name, seconds) in [("d", 100.0), ("e", 10)] {
            fixture.insert(
                "City",
                [
                    "name": name, "founded": Date(timeIntervalSinceReferenceDate: 0),
                    "changed": Date(timeIntervalSinceReferenceDate: seconds),
                ])
        }
        try context.save()
        #expect(try context.names("City", "changed - founded > 50") == ["d"])
        #expect(try context.names("City", "founded + 60 < changed") == ["d"])
        #expect(throws: (any Error).self) { try memory("changed - founded > 50") }
    }
}
