import Foundation
import Testing

@testable import CoreData

/// What SQL finds is what evaluation in memory finds, over random rows.
///
/// The differences that are kept as Apple has them (DEVIATIONS.md) are `StoreMeaning`'s.
@Suite("Predicates in SQL and in memory")
struct PredicateDifferentialTests {
    static let words = [
        "", "a", "A", "ab", "Äb", "äB", "abc", "b", "B%", "b_", "c*", "*", "?", "\\", "a\0b", "👩‍👩‍👧", "é", "e\u{301}",
        "Zz", "10", "9",
    ]

    static func model() -> NSManagedObjectModel {
        let capital = Build.entity("Capital", [Build.attribute("seat", .stringAttributeType)])
        let city = Build.entity(
            "City",
            [
                Build.attribute("name", .stringAttributeType), Build.attribute("title", .stringAttributeType),
                Build.attribute("people", .integer64AttributeType), Build.attribute("rank", .integer16AttributeType),
                Build.attribute("area", .doubleAttributeType), Build.attribute("ratio", .floatAttributeType),
                Build.attribute("price", .decimalAttributeType), Build.attribute("isOld", .booleanAttributeType),
                Build.attribute("founded", .dateAttributeType), Build.attribute("changed", .dateAttributeType),
                Build.attribute("code", .UUIDAttributeType), Build.attribute("link", .URIAttributeType),
                Build.attribute("blob", .binaryDataAttributeType),
                Build.attribute("note", .stringAttributeType, isTransient: true),
            ], subentities: [capital])
        let country = Build.entity(
            "Country",
            [
                Build.attribute("name", .stringAttributeType), Build.attribute("people", .integer32AttributeType),
            ])
        let tag = Build.entity(
            "Tag",
            [
                Build.attribute("name", .stringAttributeType), Build.attribute("weight", .integer16AttributeType),
            ])
        let street = Build.entity(
            "Street",
            [
                Build.attribute("name", .stringAttributeType), Build.attribute("number", .integer32AttributeType),
            ])
        Build.relate(Build.one(city, "country"), Build.many(country, "cities"))
        Build.relate(Build.one(country, "capital"), Build.one(capital, "capitalOf"))
        Build.relate(Build.many(city, "tags"), Build.many(tag, "cities"))
        Build.relate(Build.one(city, "twin"), Build.many(city, "twins"))
        Build.relate(Build.many(city, "streets", isOrdered: true), Build.one(street, "city"))
        return Build.model(city, capital, country, tag, street)
    }

    static let uuids = ["00000000-0000-0000-0000-000000000001", "80000000-0000-0000-0000-000000000000"]
        .compactMap { UUID(uuidString: $0) }
    static let links = ["https://a.example/b", "file:///x"].compactMap { URL(string: $0) }
    static let blobs = [Data(), Data([0, 1, 255]), Data([1])]

    static func random(_ count: Int, _ random: inout Randomness) throws -> Fixture {
        let fixture = try Fixture(model())
        var countries: [NSManagedObject?] = [nil]
        var tags: [NSManagedObject] = []
        var cities: [NSManagedObject] = []
        for _ in 0..<5 {
            countries.append(
                fixture.insert("Country", ["name": random.maybe(words), "people": random.maybe([-1, 0, 1, 2])]))
            tags.append(fixture.insert("Tag", ["name": random.maybe(words), "weight": random.maybe([0, 1, 2, 3])]))
        }
        for _ in 0..<count {
            let city = fixture.insert(random.chance(5) ? "Capital" : "City", values(&random))
            city.setValue(random.pick(countries), forKey: "country")
            city.setValue(random.pick(cities + [nil]) as Any?, forKey: "twin")
            city.setValue(Set(tags.filter { _ in random.chance(3) }), forKey: "tags")
            for _ in 0..<random.next(3) {
                fixture.insert(
                    "Street", ["name": random.maybe(words), "number": random.maybe([1, 2, 3]), "city": city])
            }
            if city.entity.name == "Capital" { random.pick(countries)?.setValue(city, forKey: "capital") }
            cities.append(city)
        }
        try fixture.context.save()
        return fixture
    }

    private static func values(_ random: inout Randomness) -> [String: Any?] {
        func date(_ random: inout Randomness) -> Date? {
            random.maybe([-1e9, 0, 1.5, 1.1, 1e9]).map { Date(timeIntervalSinceReferenceDate: $0) }
        }
        return [
            "name": random.maybe(words), "title": random.maybe(words),
            "people": random.maybe([-2, -1, 0, 1, 2, 3, Int.max, Int.min]), "rank": random.maybe([-1, 0, 1, 2, 7]),
            "area": random.maybe([0, 0.5, -1.5, 2, 1e10]), "ratio": random.maybe([0, 0.5, 0.1, 3]),
            "price": random.maybe(["0.1", "10.11", "2", "-3"]).flatMap { Decimal(string: $0) },
            "isOld": random.maybe([true, false]), "founded": date(&random), "changed": date(&random),
            "code": random.maybe(uuids), "link": random.maybe(links), "blob": random.maybe(blobs),
        ]
    }

    /// What the variables of `PredicateGrammar` stand for.
    static func variables(_ fixture: Fixture) throws -> [String: Any] {
        let cities = try fixture.context.find("City", sort: "self")
        let countries = try fixture.context.find("Country", sort: "self")
        var variables: [String: Any] = [
            "U2": UUID(), "L2": URL(fileURLWithPath: "/y"), "S2": cities[2].objectID, "C2": countries[2].objectID,
            "E0": cities[0].entity, "E1": fixture.model.entitiesByName["Capital"] ?? NSNull(),
        ]
        for place in 0..<2 {
            variables["U\(place)"] = uuids[place]
            variables["L\(place)"] = links[place]
            variables["S\(place)"] = cities[place]
            variables["C\(place)"] = countries[place]
        }
        for place in 0..<3 { variables["D\(place)"] = blobs[place] }
        return variables
    }

    /// Conditions whose meaning doesn't depend on nil being unequal.
    static func atoms(_ random: inout Randomness) -> [String] {
        func quoted(_ text: String) -> String {
            "\"\(text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\0", with: ""))\""
        }
        let word = quoted(random.pick(words))
        let other = quoted(random.pick(words))
        let number = random.pick(["-1", "0", "1", "2", "2.5", "9223372036854775807"])
        let option = random.pick(["", "[c]", "[d]", "[cd]"])
        let order = random.pick(["<", "<=", ">", ">="])
        return [
            "name == \(word)", "name ==\(option) \(word)", "\(word) ==\(option) name",
            "name ==\(option) title AND name != nil", "name == nil", "name != nil",
            "name \(order) \(word)", "\(word) \(order)\(option) name", "name \(order)\(option) title",
            "name BEGINSWITH\(option) \(word)", "name ENDSWITH\(option) \(word)", "name CONTAINS\(option) \(word)",
            "\(word) CONTAINS\(option) name", "name LIKE\(option) \(word == quoted("\\") ? "'a*'" : word)",
            "name LIKE\(option) '*b*'", "name LIKE 'a?'",
            "name MATCHES 'a.*'", "name MATCHES[c] '[ab]+'", "name IN {\(word), \(other)}",
            "name IN\(option) {\(word), 'zz'}",
            "name IN \(word)", "people \(order) \(number)", "\(number) \(order) people", "people == \(number)",
            "people BETWEEN {-1, 2}",
            "people IN {0, 1.0, 9}", "people + 1 \(order) 2", "3 \(order) area + 1", "people * 2 == 2 AND 1 < 2",
            "area - 0.5 \(order) area * 2",
            "1 + 1 \(order) area + 0.5", "area \(order) \(number)", "people \(order) area", "price == 10.11",
            "price \(order) 2", "isOld == YES", "isOld == NO",
            "isOld == 1", "founded \(order) CAST(0, 'NSDate')", "founded == CAST(1.5, 'NSDate')", "country == nil",
            "country != nil",
            "country.name == \(word)", "country.name CONTAINS\(option) \(word)", "country.people \(order) 1",
            "country.people == nil",
            "twin.country.name \(order) \(word)", "twin.name == name AND name != nil",
            "twin.country == country AND country != nil", "twin == SELF",
            "ANY tags.name == \(word)", "NONE tags.name == \(word)", "ALL tags.name \(order) \(word)",
            "ANY tags.weight \(order) 1", "ALL tags.weight \(order) 1",
            "ANY tags.name CONTAINS\(option) \(word)", "ANY tags.name IN {\(word), \(other)}",
            "ANY twins.name \(order) \(word)",
            "tags.@count \(order) 2", "tags.@count == 0", "country.cities.@count > 3", "ANY country.cities.name > 'a'",
            "SUBQUERY(tags, $t, $t.weight \(order) 1).@count > 0",
            "SUBQUERY(tags, $t, $t.weight == 1 OR $t.name == \(word)).@count == 1",
            "SUBQUERY(twins, $x, $x.people > 0 AND $x.country.name != nil).@count >= 1",
            "SUBQUERY(country.cities, $x, $x.people == 1 AND $x.isOld == YES).@count < 2",
            "SUBQUERY(twins, $x, SUBQUERY($x.tags, $y, $y.weight > 1).@count > 0).@count > 0",
            "TRUEPREDICATE", "FALSEPREDICATE", "1 IN {1.0, 2}", "'a' ==[c] 'A'",
            "lowercase(name) == lowercase(\(word))",
            "uppercase(name) BEGINSWITH 'A'",
        ]
    }

    private static let isSlow = ProcessInfo.processInfo.environment["SLOW_TESTS"] == "1"

    // The last two have relatives whose names differ only in how "ä" and "é" are made up.
    @Test("find the same objects", arguments: Randomness.seeds(isSlow ? 8 : 2) + [381_619_411, 597_551_564])
    func same(_ seed: UInt64) throws {
        var random = Randomness(seed)
        let fixture = try Self.random(60, &random)
        let cities = try fixture.context.find("City")
        let variables = try Self.variables(fixture)
        var formats = Self.atoms(&random)
        var grammar = PredicateGrammar(random)
        for _ in 0..<(Self.isSlow ? 1000 : 200) { formats.append(grammar.predicate(depth: 3)) }
        let meaning = StoreMeaning(root: try #require(fixture.model.entitiesByName["City"]))
        var (agreed, matches) = (0, 0)
        for format in formats {
            let predicate = NSPredicate(format: format).withSubstitutionVariables(variables)
            let request = NSFetchRequest<NSManagedObject>(entityName: "City")
            request.predicate = predicate
            do {
                let inStore = Set(try fixture.context.fetch(request))
                let expected = meaning.predicate(predicate)
                let inMemory = Set(try cities.filter { try expected.evaluateThrowing(with: $0, variables: [:]) })
                let names = (inStore.subtracting(inMemory).map(\.name), inMemory.subtracting(inStore).map(\.name))
                #expect(
                    names.0 + names.1 == [],
                    "seed \(seed): \(format): only in the store \(names.0), only in memory \(names.1)")
                #expect(try fixture.context.count(for: request) == inStore.count, "seed \(seed): \(format)")
                if inStore == inMemory { agreed += 1 }
                if !inStore.isEmpty, inStore.count < cities.count { matches += 1 }
            } catch {
                Issue.record("seed \(seed): \(format): \(error)")
            }
        }
        print("Predicates, seed \(seed): \(agreed) of \(formats.count) agree, \(matches) of them on some of the rows")
    }

    @Test(
        "agree in letters of two forms, and in sets of numbers",
        arguments: [
            "name LIKE '\\\\'", "name >[c] 'A\u{308}b'", "name CONTAINS[c] 'e\u{301}'",
            "'e\u{301}x' BEGINSWITH[c] name",
            "ANY tags.weight > 1", "ALL tags.weight >= 1", "ANY country.cities.people > 0",
        ])
    func rare(_ format: String) throws {
        var random = Randomness(1)
        let fixture = try Self.random(40, &random)
        for name in ["é", "e", "e\u{301}", "ex"] { fixture.insert("City", ["name": name]) }
        try fixture.context.save()
        let predicate = NSPredicate(format: format)
        let inStore = Set(try fixture.context.find("City", format))
        let cities = try fixture.context.find("City")
        let inMemory = Set(try cities.filter { try predicate.evaluateThrowing(with: $0, variables: [:]) })
        #expect(inStore.map(\.name).sorted() == inMemory.map(\.name).sorted())
    }

    @Test("sort alike, with and without unsaved changes, whatever the window", arguments: Randomness.seeds(3))
    func sameOrder(_ seed: UInt64) throws {
        var random = Randomness(seed)
        let fixture = try Self.random(60, &random)
        let cities = try fixture.context.find("City", sort: "self")
        let selectors: [SortSelector] = [
            .compare, .caseInsensitiveCompare, .localizedCompare, .localizedStandardCompare,
        ]
        for _ in 0..<60 {
            var descriptors: [NSSortDescriptor] = []
            for _ in 0..<2 {
                let key = random.pick(["name", "title", "country.name"])
                descriptors.append(
                    NSSortDescriptor(key: key, ascending: random.chance(2), selector: random.pick(selectors)))
                let plain = random.pick([
                    "people", "area", "price", "isOld", "founded", "country.people", "twin.people",
                ])
                descriptors.append(NSSortDescriptor(key: plain, ascending: random.chance(2)))
            }
            descriptors.append(NSSortDescriptor(key: "self", ascending: true))
            let request = NSFetchRequest<NSManagedObject>(entityName: "City")
            request.sortDescriptors = descriptors
            let inStore = try fixture.context.fetch(request)
            #expect(
                inStore == (try cities.sortedThrowing(using: Array(descriptors.dropLast()))),
                "seed \(seed): \(descriptors)")
            (request.fetchOffset, request.fetchLimit) = (random.next(20), random.next(70))
            let window = try fixture.context.fetch(request)
            // An unsaved change to an object makes the context sort and cut itself.
            cities[0].setValue(cities[0].value(forKey: "isOld"), forKey: "isOld")
            #expect(try fixture.context.fetch(request) == window, "seed \(seed): \(descriptors)")
            fixture.context.refresh(cities[0], mergeChanges: false)
        }
    }

    @Test("find what unsaved changes have made of the rows", arguments: Randomness.seeds(3))
    func pendingChanges(_ seed: UInt64) throws {
        var random = Randomness(seed)
        let fixture = try Self.random(40, &random)
        for city in try fixture.context.find("City") {
            switch random.next(4) {
            case 0: city.setValue(random.maybe(Self.words), forKey: "name")
            case 1: city.setValue(random.maybe([0, 1, 2]), forKey: "people")
            case 2: fixture.context.delete(city)
            default: fixture.insert("City", ["name": random.maybe(Self.words), "people": random.maybe([0, 1, 2])])
            }
        }
        fixture.context.processPendingChanges()
        var found: [(String, [String])] = []
        for _ in 0..<40 {
            let format = random.pick([
                "name == %@", "name CONTAINS[c] %@", "name < %@ OR people > 0",
                "people == 1 AND name != nil AND %@ != nil",
            ])
            let word = random.pick(Self.words)
            let predicate = NSPredicate(format: format, word)
            let request = NSFetchRequest<NSManagedObject>(entityName: "City")
            request.predicate = predicate
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            found.append((predicate.formatText, try fixture.context.fetch(request).map(\.name)))
            #expect(try fixture.context.count(for: request) == found.last?.1.count)
        }
        try fixture.context.save()
        for (format, names) in found {
            let request = NSFetchRequest<NSManagedObject>(entityName: "City")
            request.predicate = NSPredicate(format: format.replacingOccurrences(of: "\\", with: "\\"))
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            let saved = try fixture.freshContext().fetch(request).map(\.name)
            #expect(saved == names, "seed \(seed): \(format)")
        }
    }
}
