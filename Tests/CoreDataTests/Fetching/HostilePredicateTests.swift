import Foundation
import Testing

@testable import CoreData

@Suite("Predicates, orders and requests that can't be carried out")
struct HostilePredicateTests {
    static func fixture() throws -> Fixture {
        let model = PredicateDifferentialTests.model()
        let fixture = try Fixture(model)
        let country = fixture.insert("Country", ["name": "X"])
        fixture.insert("City", ["name": "a", "country": country])
        try fixture.context.save()
        return fixture
    }

    static let bad = [
        "missing == 1", "country.missing == 1", "name.x == 1", "tags == 1", "tags > 1", "tags.name == 'a'",
        "tags.cities.name == 'a'", "ANY tags.cities.name == 'a'",
        "tags.@sum.name > 1", "country == 'a'", "country > 1", "name == %@", "SELF == 5", "country IN {1, 2}",
        "name > nil", "name CONTAINS nil",
        "country CONTAINS 'a'", "name MATCHES '('", "name BETWEEN {1}", "name BETWEEN 5", "name BETWEEN {1, 2, 3}",
        "ANY 'abc' == 'a'", "$x == 1", "name == $x",
        "SUBQUERY(name, $x, $x == 1).@count > 0", "SUBQUERY(tags, $x, $x.nothing == 1).@count > 0",
        "SUBQUERY(tags, $x, $y.name == 'a').@count > 0",
        "FUNCTION(name, 'nothing') == 1", "name[0] == 'a'", "tags[FIRST] == nil", "median(tags.weight) > 1",
        "people + name > country", "country.@count == 1", "@count > 1",
        "name == %@ AND TRUEPREDICATE",
    ]

    @Test("throw, with and without unsaved changes", arguments: bad)
    func throwing(_ format: String) throws {
        let fixture = try Self.fixture()
        let predicate = NSPredicate(format: format, argumentArray: [fixture.context])
        let request = NSFetchRequest<NSManagedObject>(entityName: "City")
        request.predicate = predicate
        #expect(throws: CocoaError.self, "\(format)") { try fixture.context.fetch(request) }
        #expect(throws: CocoaError.self, "\(format)") { try fixture.context.count(for: request) }
        fixture.insert("City")
        #expect(throws: CocoaError.self, "\(format)") { try fixture.context.fetch(request) }
    }

    @Test(
        "throw for a block, for a comparator, for an order by what has none",
        arguments: ["", "missing", "tags", "tags.name", "country.missing", "name.x", "@count", "."])
    func orders(_ key: String) throws {
        let fixture = try Self.fixture()
        let request = NSFetchRequest<NSManagedObject>(entityName: "City")
        request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
        #expect(throws: CocoaError.self) { try fixture.context.fetch(request) }
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true, comparator: { _, _ in .orderedSame })]
        #expect(throws: CocoaError.self) { try fixture.context.fetch(request) }
        request.sortDescriptors = nil
        request.predicate = NSPredicate(block: { _, _ in true })
        #expect(throws: CocoaError.self) { try fixture.context.fetch(request) }
    }

    @Test("throw for an entity that doesn't exist, or none")
    func entities() throws {
        let context = try Self.fixture().context
        #expect(throws: CocoaError.self) { try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Nothing")) }
        #expect(throws: CocoaError.self) { try context.fetch(NSFetchRequest<NSManagedObject>()) }
        let stranger = Build.entity("Stranger")
        _ = Build.model(stranger)
        let request = NSFetchRequest<NSManagedObject>()
        request.entity = stranger
        #expect(throws: CocoaError.self) { try context.fetch(request) }
    }

    @Test("an entity of an equal model is the coordinator's of that name")
    func equalModel() throws {
        let fixture = try Self.fixture()
        let request = NSFetchRequest<NSManagedObject>()
        request.entity = PredicateDifferentialTests.model().entitiesByName["City"]
        #expect(try fixture.context.fetch(request).count == 1)
    }

    @Test("very many and very deep conditions are carried out or refused, and never stop the program")
    func large() throws {
        let fixture = try Self.fixture()
        let context = fixture.context
        let city = try context.one("City", "a")
        let one = NSPredicate(format: "name == 'a'")
        func count(_ predicate: NSPredicate) throws -> Int {
            let request = NSFetchRequest<NSManagedObject>(entityName: "City")
            request.predicate = predicate
            return try context.count(for: request)
        }
        #expect(try count(NSCompoundPredicate(orPredicateWithSubpredicates: Array(repeating: one, count: 5000))) == 1)
        #expect(try count(NSCompoundPredicate(andPredicateWithSubpredicates: Array(repeating: one, count: 5000))) == 1)
        #expect(try count(NSPredicate(format: "SELF IN %@", Array(repeating: city.objectID, count: 40_000))) == 1)
        #expect(try count(NSPredicate(format: "name IN[c] %@", (0..<3000).map { "x\($0)" } + ["A"])) == 1)
        #expect(try count(NSPredicate(format: "name IN %@", (0..<20_000).map { "x\($0)" } + ["a"])) == 1)
        #expect(try count(NSPredicate(format: "name IN %@", (0..<400_000).map { "x\($0)" } + ["a"])) == 1)
        let alternatives = (0..<10_000).map { NSPredicate(format: "name == %@", "x\($0)") } + [one]
        #expect(try count(NSCompoundPredicate(orPredicateWithSubpredicates: alternatives)) == 1)
        let orders = (0..<10_000).map { NSPredicate(format: "name > %@", "x\($0)") } + [one]
        #expect(try count(NSCompoundPredicate(orPredicateWithSubpredicates: orders)) == 1)
        var deep = one
        for _ in 0..<10_000 { deep = NSCompoundPredicate(notPredicateWithSubpredicate: deep) }
        #expect(throws: CocoaError.self) { try count(deep) }
        var shallow = one
        for _ in 0..<40 { shallow = NSCompoundPredicate(notPredicateWithSubpredicate: shallow) }
        #expect(try count(shallow) == 1)
    }

    static let injections = ["' OR 1 = 1 --", "\"; DROP TABLE ZCITY; --", "?", "?1", "%", "\0", "ZNAME", ") OR (1=1"]

    @Test("values never become a part of the SQL", arguments: injections)
    func injection(_ text: String) throws {
        let fixture = try Self.fixture()
        let context = fixture.context
        for format in [
            "name == %@", "name CONTAINS %@", "name IN {%@, 'x'}", "name ENDSWITH[c] %@", "ANY tags.name == %@",
            "name BEGINSWITH %@", "%@ IN tags.name", "lowercase(name) == %@", "TERNARY(name == %@, 1, 0) == 1",
            "SUBQUERY(tags, $t, $t.name == %@).@count > 0", "name BETWEEN {%@, %@}",
        ] {
            let predicate = NSPredicate(format: format, argumentArray: [text, text])
            let request = NSFetchRequest<NSManagedObject>(entityName: "City")
            request.predicate = predicate
            #expect(try context.fetch(request).isEmpty || format.contains("BETWEEN"), "\(format)")
        }
        let many = (0..<20).map { "\(text)\($0)" } + [text]
        #expect(try context.find("City", "name IN %@", many).isEmpty)
        #expect(try context.find("City", "name IN[c] %@", many).isEmpty)
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "City")) == 1)
    }

    @Test("keys never become a part of the SQL: what is no property is refused", arguments: injections)
    func keyInjection(_ text: String) throws {
        let context = try Self.fixture().context
        for format in ["%K == 1", "%K.name == 1", "ANY tags.%K == 1", "country.%K == nil", "tags.@sum.%K > 1"] {
            let predicate = NSPredicate(format: format, argumentArray: [text])
            let request = NSFetchRequest<NSManagedObject>(entityName: "City")
            request.predicate = predicate
            #expect(throws: CocoaError.self, "\(format)") { try context.fetch(request) }
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: "City")
        request.sortDescriptors = [NSSortDescriptor(key: text, ascending: true)]
        #expect(throws: CocoaError.self) { try context.fetch(request) }
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "City")) == 1)
    }

    @Test("names of any letters that a model may have are found, long lists with any characters too")
    func oddNames() throws {
        let entity = Build.entity(
            "Straße", [Build.attribute("größe", .integer64AttributeType), Build.attribute("名", .stringAttributeType)])
        let fixture = try Fixture(Build.model(entity))
        let text = "\"\\\n\u{1}\0\u{2028}'é"
        fixture.insert("Straße", ["größe": 1, "名": text])
        try fixture.context.save()
        #expect(try fixture.context.find("Straße", "%K == 1 AND %K == %@", "größe", "名", text).count == 1)
        #expect(try fixture.context.find("Straße", "%K IN %@", "名", (0..<50).map { "\($0)" } + [text]).count == 1)
        let shorter = (0..<50).map { "\($0)" } + ["\"\\\n\u{1}"]
        #expect(try fixture.context.find("Straße", "%K IN %@", "名", shorter).isEmpty)
    }

    @Test("numbers beyond those that a store holds compare as such")
    func hugeNumbers() throws {
        let fixture = try Self.fixture()
        fixture.insert("City", ["name": "max", "people": Int.max])
        try fixture.context.save()
        #expect(try fixture.context.names("City", "people < %@", NSNumber(value: UInt64.max)) == ["max"])
        #expect(try fixture.context.names("City", "people < %@", UInt64.max) == ["max"])
        #expect(try fixture.context.names("City", "people == %@", Int.max) == ["max"])
        #expect(try fixture.context.names("City", "3 < people - 1") == ["max"])
    }

    @Test(
        "windows that are negative or huge are no windows", arguments: [(-1, -1), (0, Int.max), (Int.max, 1), (0, 0)])
    func windows(_ offset: Int, _ limit: Int) throws {
        let fixture = try Self.fixture()
        let context = fixture.context
        let request = NSFetchRequest<NSManagedObject>(entityName: "City")
        (request.fetchOffset, request.fetchLimit) = (offset, limit)
        #expect(try context.fetch(request).count == (offset > 0 ? 0 : 1))
        context.persistentStoreCoordinator.map { _ in
            _ = NSEntityDescription.insertNewObject(forEntityName: "City", into: context)
        }
        #expect(try context.fetch(request).count == (offset > 0 ? 0 : 2))
    }
}
