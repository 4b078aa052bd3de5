import Foundation
import Testing

@testable import CoreData

/// How SQLite carries out what predicates ask: with the indexes that a model declares, and those of relationships.
@Suite("Plans of queries")
struct PredicatePlanTests {
    private static func fixture() throws -> Fixture {
        let name = Build.attribute("name", .stringAttributeType)
        let number = Build.attribute("number", .integer64AttributeType)
        let code = Build.attribute("code", .UUIDAttributeType)
        let item = Build.entity("Item", [name, number, code, Build.attribute("plain", .stringAttributeType)])
        item.indexes = [name, number, code].map { attribute in
            NSFetchIndexDescription(
                name: "by\(attribute.name.capitalized)",
                elements: [NSFetchIndexElementDescription(property: attribute, collationType: .binary)])
        }
        let ownerName = Build.attribute("name", .stringAttributeType)
        let owner = Build.entity("Owner", [ownerName])
        owner.indexes = [
            NSFetchIndexDescription(
                name: "byName", elements: [NSFetchIndexElementDescription(property: ownerName, collationType: .binary)])
        ]
        Build.relate(Build.one(item, "owner"), Build.many(owner, "items"))
        let mark = Build.entity("Mark")
        Build.relate(Build.many(item, "marks"), Build.many(mark, "items"))
        return try Fixture(Build.model(item, owner, mark))
    }

    /// The steps of SQLite's plan for a fetch.
    private static func plan(
        _ fixture: Fixture, _ entity: String, _ format: String, _ arguments: Any?..., sort: String? = nil,
        limit: Int = 0
    ) throws -> [String] {
        var fetch = StoreFetch(entity: try #require(fixture.model.entitiesByName[entity]))
        fetch.predicate = NSPredicate(format: format, argumentArray: arguments.map { $0 ?? NSNull() })
        fetch.sortDescriptors = sort.map { [NSSortDescriptor(key: $0, ascending: true)] } ?? []
        fetch.limit = limit
        let store = try #require(fixture.coordinator.persistentStores.first as? SQLiteStore)
        let (query, _) = try SQLGenerator.select(fetch, try #require(store.schema.entity(fetch.entity)), store.schema)
        let connection = try SQLStoreFile.open(fixture.url, .readOnly)
        let statement = try connection.statement("EXPLAIN QUERY PLAN " + query.text)
        for (index, value) in query.bindings.enumerated() { try statement.bindSlot(Int32(index) + 1, value) }
        var steps: [String] = []
        while try statement.step() { steps.append(statement.string(3)) }
        return steps
    }

    private static func indexed() -> [(format: String, argument: Any, index: String)] {
        [
            ("name == %@", "a", "BYNAME (ZNAME=?)"), ("%@ == name", "a", "BYNAME (ZNAME=?)"),
            ("name BEGINSWITH %@", "ab", "BYNAME (ZNAME>? AND ZNAME<?)"),
            ("name BEGINSWITH[n] %@", "ab", "BYNAME (ZNAME>? AND ZNAME<?)"),
            ("name > %@", "a", "BYNAME (ZNAME>?)"), ("number == %@", 1, "BYNUMBER (ZNUMBER=?)"),
            ("number BETWEEN %@", [1, 2], "BYNUMBER (ZNUMBER>? AND ZNUMBER<?)"),
            ("name IN %@", ["a", "b"], "BYNAME (ZNAME=?)"),
            ("name IN %@", (0..<1000).map { "\($0)" }, "BYNAME (ZNAME=?)"),
            ("number IN %@", Array(0..<1000), "BYNUMBER (ZNUMBER=?)"),
            ("code == %@", UUID(), "BYCODE (ZCODE=?)"),
            ("code IN %@", (0..<100).map { _ in UUID() }, "BYCODE (ZCODE=?)"),
            ("owner.name == %@", "a", "ZOWNER_INDEX (ZOWNER=?)"),
        ]
    }

    @Test("use an index for equality, order, prefixes, lists and to-one keys")
    func indexes() throws {
        let fixture = try Self.fixture()
        for (format, argument, index) in Self.indexed() {
            let steps = try Self.plan(fixture, "Item", format, argument)
            #expect(
                steps.contains { $0.hasPrefix("SEARCH") && $0.uppercased().contains(index) }, "\(format): \(steps)")
            #expect(!steps.contains { $0.hasPrefix("SCAN t") }, "\(format): \(steps)")
        }
        let owner = fixture.insert("Owner")
        try fixture.context.save()
        for (format, argument) in [("owner == %@", owner as Any), ("owner IN %@", [owner])] {
            let steps = try Self.plan(fixture, "Item", format, argument)
            #expect(steps.contains { $0.contains("ZOWNER_INDEX (ZOWNER=?)") }, "\(format): \(steps)")
        }
    }

    @Test("find objects by their IDs as SQLite finds rows")
    func keys() throws {
        let fixture = try Self.fixture()
        let items = (0..<20).map { _ in fixture.insert("Item") }
        try fixture.context.save()
        for (format, argument) in [("SELF == %@", items[0] as Any), ("SELF IN %@", items)] {
            let steps = try Self.plan(fixture, "Item", format, argument)
            #expect(steps.first?.contains("USING INTEGER PRIMARY KEY") == true, "\(format): \(steps)")
        }
    }

    @Test("sort by an index where there is one, and don't without")
    func order() throws {
        let fixture = try Self.fixture()
        let steps = try Self.plan(fixture, "Item", "TRUEPREDICATE", sort: "name", limit: 10)
        #expect(steps.count == 1 && steps[0].uppercased().contains("BYNAME"), "\(steps)")
        #expect(
            try Self.plan(fixture, "Item", "TRUEPREDICATE", sort: "plain", limit: 10).contains {
                $0.contains("TEMP B-TREE")
            })
    }

    @Test("look for elements once, not once for each row, where they don't depend on it")
    func elements() throws {
        let fixture = try Self.fixture()
        for format in ["ANY items.name == 'a'", "SUBQUERY(items, $i, $i.name == 'a').@count > 0"] {
            let steps = try Self.plan(fixture, "Owner", format)
            #expect(steps.first?.hasPrefix("SEARCH t0 USING INTEGER PRIMARY KEY") == true, "\(format): \(steps)")
            #expect(steps.contains { $0.uppercased().contains("BYNAME (ZNAME=?)") }, "\(format): \(steps)")
        }
        let correlated = try Self.plan(fixture, "Owner", "ANY items.name == name")
        #expect(correlated.contains { $0.contains("CORRELATED") }, "\(correlated)")
        let marks = try Self.plan(fixture, "Item", "ANY marks == %@", fixture.insert("Mark").objectID)
        #expect(!marks.contains { $0.contains("ZMARK") }, "\(marks)")
    }

    @Test("have one text for lists of any length, so that it is prepared once")
    func oneText() throws {
        let fixture = try Self.fixture()
        let store = try #require(fixture.coordinator.persistentStores.first as? SQLiteStore)
        let entity = try #require(fixture.model.entitiesByName["Item"])
        func text(_ predicate: NSPredicate) throws -> String {
            var fetch = StoreFetch(entity: entity)
            fetch.predicate = predicate
            return try SQLGenerator.select(fetch, try #require(store.schema.entity(entity)), store.schema).0.text
        }
        let texts = try [10, 100, 20_000].map { count in
            try text(NSPredicate(format: "name IN %@", (0..<count).map { "\($0)" }))
        }
        #expect(Set(texts).count == 1)
        let alternatives = (0..<10_000).map { NSPredicate(format: "name == %@", "\($0)") }
        #expect(try text(NSCompoundPredicate(orPredicateWithSubpredicates: alternatives)).utf8.count < 1000)
    }

    @Test("end a prefix where the next string begins")
    func prefixes() {
        #expect(SQLGenerator.end(ofPrefix: "ab") == "ac")
        #expect(SQLGenerator.end(ofPrefix: "a\u{d7ff}") == "a\u{e000}")
        #expect(SQLGenerator.end(ofPrefix: "a\u{10ffff}") == "b")
        #expect(SQLGenerator.end(ofPrefix: "\u{7f}") == "\u{80}")
        #expect(SQLGenerator.end(ofPrefix: "\u{10ffff}\u{10ffff}") == nil)
        #expect(SQLGenerator.end(ofPrefix: "") == nil)
    }
}
