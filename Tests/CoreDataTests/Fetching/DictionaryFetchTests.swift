import Foundation
import FoundationSupplement
import Testing

@testable import CoreData

@Suite("Fetching dictionaries")
struct DictionaryFetchTests {
    typealias Expression = FoundationSupplement.NSExpression

    /// Two countries with cities, one city without a country, and one capital.
    private static func world(_ type: String) throws -> StoreCase {
        let world = try StoreCase(type)
        let norway = world.insert("Country", ["name": "Norway"])
        let chile = world.insert("Country", ["name": "Chile"])
        let cities: [(String, Int, NSManagedObject?)] = [
            ("Oslo", 700, norway), ("Bergen", 290, norway), ("Santiago", 6_200, chile), ("Atlantis", 0, nil),
        ]
        for (name, people, country) in cities {
            world.insert("City", ["name": name, "people": people, "country": country, "area": Double(people) / 2])
        }
        world.insert("Capital", ["name": "Lima", "people": 10_000, "since": 1535])
        for name in ["north", "old"] { world.insert("Tag", ["name": name]) }
        try world.context.save()
        let oslo = try world.context.one("City", "Oslo")
        oslo.setValue(Set(try world.context.find("Tag")), forKey: "tags")
        oslo.setValue(Date(timeIntervalSinceReferenceDate: 5), forKey: "founded")
        oslo.setValue(NSDecimalNumber(string: "12.50"), forKey: "price")
        try world.context.save()
        return world
    }

    private static func request(_ properties: [Any], sort: String? = "name") -> NSFetchRequest<NSDictionary> {
        let request = NSFetchRequest<NSDictionary>(entityName: "City")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = properties
        request.sortDescriptors = sort.map { [NSSortDescriptor(key: $0, ascending: true)] }
        return request
    }

    private static func column(
        _ name: String, _ expression: Expression, _ type: NSAttributeType = .undefinedAttributeType
    ) -> NSExpressionDescription {
        let description = NSExpressionDescription()
        description.name = name
        description.expression = expression
        description.expressionResultType = type
        return description
    }

    private static func function(_ name: String, _ keyPath: String) -> Expression {
        Expression(forFunction: name, arguments: [Expression(forKeyPath: keyPath)])
    }

    private static func dictionaries(_ context: NSManagedObjectContext, _ request: NSFetchRequest<NSDictionary>) throws
        -> [NSDictionary]
    {
        try context.fetch(request)
    }

    @Test("hold the properties asked for by their names, and nothing for nil", arguments: StoreCase.types)
    func properties(type: String) throws {
        let world = try Self.world(type)
        let found = try world.context.fetch(Self.request(["name", "people", "founded", "price"]))
        #expect(found.map { $0["name"] as? String } == ["Atlantis", "Bergen", "Lima", "Oslo", "Santiago"])
        let oslo = try #require(found.first { $0["name"] as? String == "Oslo" } as? [String: Any])
        #expect(oslo.count == 4 && oslo["people"] as? Int == 700 && oslo["price"] as? NSDecimalNumber == 12.5)
        #expect(oslo["founded"] as? Date == Date(timeIntervalSinceReferenceDate: 5))
        let bergen = try #require(found.first { $0["name"] as? String == "Bergen" })
        #expect(Set(bergen.allKeys.compactMap { $0 as? String }) == ["name", "people"])
        #expect(bergen["price"] == nil && bergen.count == 2)
    }

    @Test("hold object IDs for to-one relationships and for the object itself", arguments: StoreCase.types)
    func objects(type: String) throws {
        let world = try Self.world(type)
        let own = Self.column("id", .expressionForEvaluatedObject(), .objectIDAttributeType)
        let found = try world.context.fetch(Self.request(["name", "country", own]))
        let oslo = try world.context.one("City", "Oslo")
        let lima = try world.context.one("City", "Lima")
        #expect(found[3]["country"] as? NSManagedObjectID == oslo.object("country")?.objectID)
        #expect(found[3]["id"] as? NSManagedObjectID == oslo.objectID)
        #expect((found[2]["id"] as? NSManagedObjectID)?.entity.name == "Capital")
        #expect(found[2]["id"] as? NSManagedObjectID == lima.objectID && found[2]["country"] == nil)
    }

    @Test("follow key paths, as names and as expressions", arguments: StoreCase.types)
    func keyPaths(type: String) throws {
        let world = try Self.world(type)
        let land = Self.column("land", Expression(forKeyPath: "country.name"), .stringAttributeType)
        let found = try world.context.fetch(Self.request(["name", "country.name", land]))
        #expect(found[3] == ["name": "Oslo", "country.name": "Norway", "land": "Norway"])
        #expect(found[0] == ["name": "Atlantis"])
    }

    @Test("hold everything that is stored where nothing is asked for", arguments: StoreCase.types)
    func everything(type: String) throws {
        let world = try Self.world(type)
        let request = Self.request([])
        request.propertiesToFetch = nil
        let oslo = try #require(try world.context.fetch(request).first { $0["name"] as? String == "Oslo" })
        #expect(
            Set(oslo.allKeys.compactMap { $0 as? String })
                == ["name", "people", "area", "founded", "price", "country"])
    }

    @Test("hold aggregates over all rows", arguments: StoreCase.types)
    func aggregates(type: String) throws {
        let world = try Self.world(type)
        let request = Self.request(
            [
                Self.column("sum", Self.function("sum:", "people"), .integer64AttributeType),
                Self.column("least", Self.function("min:", "people")),
                Self.column("most", Self.function("max:", "area"), .doubleAttributeType),
                Self.column("mean", Self.function("average:", "people"), .doubleAttributeType),
                Self.column("priced", Self.function("count:", "price"), .integer32AttributeType),
                Self.column("tags", Self.function("count:", "tags"), .integer32AttributeType),
            ], sort: nil)
        let found = try world.context.fetch(request)
        #expect(found.count == 1)
        #expect(found[0] == ["sum": 17_190, "least": 0, "most": 3_100.0, "mean": 3_438.0, "priced": 1, "tags": 2])
        request.predicate = NSPredicate(format: "name == 'Nowhere'")
        #expect(try Self.dictionaries(world.context, request) == [["sum": 0, "priced": 0, "tags": 0]])
    }

    @Test("are grouped, and groups are chosen", arguments: StoreCase.types)
    func groups(type: String) throws {
        let world = try Self.world(type)
        let request = Self.request(
            ["country.name", Self.column("people", Self.function("sum:", "people"), .integer64AttributeType)],
            sort: "country.name")
        request.propertiesToGroupBy = ["country.name"]
        #expect(
            try Self.dictionaries(world.context, request)
                == [
                    ["people": 10_000], ["country.name": "Chile", "people": 6_200],
                    ["country.name": "Norway", "people": 990],
                ])
        request.havingPredicate = NSPredicate(format: "%@ < 9000", Self.function("sum:", "people"))
        #expect(try world.context.fetch(request).map { $0["people"] as? Int } == [6_200, 990])
        request.havingPredicate = NSPredicate(format: "%@ < 1000", Expression(forVariable: "people"))
        #expect(try Self.dictionaries(world.context, request) == [["country.name": "Norway", "people": 990]])
        #expect(try world.context.count(for: request) == 1)
        request.havingPredicate = nil
        (request.fetchOffset, request.fetchLimit) = (1, 1)
        #expect(try Self.dictionaries(world.context, request) == [["country.name": "Chile", "people": 6_200]])
    }

    @Test("come once each where only distinct ones are wanted", arguments: StoreCase.types)
    func distinct(type: String) throws {
        let world = try Self.world(type)
        let request = Self.request(["country.name"], sort: "country.name")
        request.predicate = NSPredicate(format: "country != nil")
        #expect(try world.context.fetch(request).count == 3)
        request.returnsDistinctResults = true
        #expect(
            try Self.dictionaries(world.context, request) == [["country.name": "Chile"], ["country.name": "Norway"]])
        #expect(try world.context.count(for: request) == 2)
    }

    @Test("show what the store has, in a child context too", arguments: StoreCase.types)
    func pendingChanges(type: String) throws {
        let world = try Self.world(type)
        world.insert("City", ["name": "New"])
        try world.context.one("City", "Oslo").setValue("Kristiania", forKey: "name")
        let queued = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        queued.persistentStoreCoordinator = world.coordinator
        let child = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        child.parent = queued
        for context in [world.context, child] {
            let names = try context.fetch(Self.request(["name"])).map { $0["name"] as? String }
            #expect(names == ["Atlantis", "Bergen", "Lima", "Oslo", "Santiago"])
        }
    }

    @Test("of several stores are made of the rows of all")
    func severalStores() throws {
        let world = try Self.world(NSSQLiteStoreType)
        let other = try StoreCase(NSSQLiteStoreType)
        other.insert("City", ["name": "Quito", "people": 10])
        try other.context.save()
        try world.coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: other.url)
        let context = world.second()
        let sum = Self.column("sum", Self.function("sum:", "people"), .integer64AttributeType)
        #expect(try Self.dictionaries(context, Self.request([sum], sort: nil)) == [["sum": 17_200]])
        let request = Self.request(["name"])
        #expect(try context.fetch(request).map { $0["name"] as? String }.contains("Quito"))
        request.affectedStores = [world.coordinator.persistentStores[1]]
        #expect(try Self.dictionaries(context, request) == [["name": "Quito"]])
    }

    @Test("are Foundation's own, whichever way they were made")
    func bridging() throws {
        #expect(DictionaryTemplate.storageOffset != nil)
        let template = DictionaryTemplate(["name", "number", "none"])
        for index in 0..<3 {
            let made = template.dictionary([NSString(string: "Oslo"), NSNumber(value: index), nil])
            #expect(type(of: made) == NSDictionary.self && made == ["name": "Oslo", "number": index])
            #expect((made as? [String: Any])?["number"] as? Int == index)
            #expect(made["name"] as? String == "Oslo" && made["none"] == nil && made.count == 2)
            #expect((made.mutableCopy() as? NSMutableDictionary)?.count == 2)
        }
        let wide = DictionaryTemplate((0..<100).map { "k\($0)" })
        #expect(wide.dictionary((0..<100).map { NSNumber(value: $0) })["k99"] as? Int == 99)
    }

    @Test("are refused, before any SQL runs, where they ask for what can't be had")
    func refusals() throws {
        let world = try Self.world(NSSQLiteStoreType)
        func reason(_ properties: [Any], _ change: (NSFetchRequest<NSDictionary>) -> Void = { _ in }) -> String {
            let request = Self.request(properties)
            change(request)
            let recorder = SQLLogRecorder(level: 1)
            do {
                _ = try SQLLog.$recorder.withValue(recorder) { try world.context.fetch(request) }
            } catch {
                #expect((error as? CocoaError)?.code == .coreData && recorder.statements.isEmpty)
                return error.localizedDescription
            }
            return ""
        }
        #expect(reason(["nothing"]) == "Invalid keypath nothing passed to setPropertiesToFetch:")
        #expect(reason(["note"]) == "Invalid keypath note passed to setPropertiesToFetch:")
        #expect(reason(["tags"]).hasPrefix("Invalid to-many relationship in setPropertiesToFetch:"))
        let foreign = try #require(world.model.entitiesByName["Tag"]?.propertiesByName["cities"])
        #expect(reason([foreign]).hasSuffix("passed to setPropertiesToFetch: (entity mismatch)"))
        #expect(reason([7]).hasPrefix("Invalid property (7)"))
        #expect(reason(["name"]) { $0.havingPredicate = NSPredicate(format: "name == 'a'") }.contains("GroupBy"))
        #expect(reason(["name", "people"]) { $0.propertiesToGroupBy = ["name"] }.contains("GROUP BY"))
        let name = { (request: NSFetchRequest<NSDictionary>) in
            request.propertiesToGroupBy = ["name"]
            request.havingPredicate = NSPredicate(format: "headcount > 1")
        }
        #expect(reason(["name"], name).contains("keypath headcount not found in entity"))
        #expect(reason([Self.column("x", Self.function("stddev:", "people"))]).contains("Unsupported function"))
        #expect(reason([Self.column("x", Self.function("average:", "tags"))]).contains("Unsupported function"))
        let objects = NSFetchRequest<NSManagedObject>(entityName: "City")
        objects.propertiesToFetch = ["nothing"]
        #expect(throws: CocoaError.self) { try world.context.fetch(objects) }
        objects.propertiesToFetch = ["name"]
        #expect(try world.context.fetch(objects).count == 5)
    }
}
