import Foundation
import Testing

@testable import CoreData

@Suite("Fetching in batches")
struct BatchedFetchTests {
    private static func world(_ type: String = NSSQLiteStoreType) throws -> StoreCase {
        let world = try StoreCase(type)
        let country = world.insert("Country", ["name": "country"])
        for index in 0..<100 {
            world.insert("City", ["name": String(format: "city %03d", index), "people": index, "country": country])
        }
        try world.context.save()
        return world
    }

    private static func request(_ size: Int) -> NSFetchRequest<NSManagedObject> {
        let cities = NSFetchRequest<NSManagedObject>(entityName: "City")
        cities.fetchBatchSize = size
        cities.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        return cities
    }

    private func statements(_ body: () throws -> Void) rethrows -> [String] {
        let recorder = SQLLogRecorder(level: 1)
        try SQLLog.$recorder.withValue(recorder, operation: body)
        return recorder.statements
    }

    @Test("reads the keys first, and one batch with one query when one of its objects is used")
    func queries() throws {
        let context = try Self.world().fresh()
        var cities: [NSManagedObject] = []
        let first = try statements { cities = try context.fetch(Self.request(10)) }
        #expect(first.count == 1 && !first[0].contains("ZNAME,") && cities.count == 100)
        #expect(cities.allSatisfy { $0.isFault && $0.row == nil })
        let batch = statements { _ = cities[25].name }
        #expect(batch.count == 1 && cities[25].name == "city 025")
        let siblings = statements { for index in 20..<30 { _ = cities[index].name } }
        #expect(siblings.isEmpty)
        // That batch was let go by then.
        let all = statements { for city in cities { _ = city.name } }
        #expect(all.count == 10)
        #expect(cities.map(\.name) == (0..<100).map { String(format: "city %03d", $0) })
    }

    @Test("lets the values of batches go that nobody else holds")
    func release() throws {
        let context = try Self.world().fresh()
        let cities = try context.fetch(Self.request(10))
        let held = cities[3]
        for city in cities { _ = city.name }
        #expect(cities[0].isFault && cities[0].row == nil && !held.isFault && !cities[95].isFault)
        #expect(cities.count { !$0.isFault } == 21)
        #expect(cities[0].name == "city 000" && cities[1].isFault && cities[1].row != nil)
    }

    @Test("keeps what was changed in a batch that goes")
    func changes() throws {
        let world = try Self.world()
        let context = try world.fresh()
        for city in try context.fetch(Self.request(10)) { city.setValue("new", forKey: "name") }
        #expect(context.updatedObjects.count == 100)
        try context.save()
        #expect(try world.fresh().names("City", "name == 'new'").count == 100)
    }

    @Test("finds the same objects as a fetch without batches, with unsaved changes too", arguments: StoreCase.types)
    func sameObjects(type: String) throws {
        let world = try Self.world(type)
        let context = try world.fresh()
        for size in [1, 7, 100, 1_000, .max] {
            let request = Self.request(size)
            request.predicate = NSPredicate(format: "people > 50")
            (request.fetchOffset, request.fetchLimit) = (3, 20)
            #expect(try context.fetch(request).map(\.name) == (54..<74).map { String(format: "city %03d", $0) })
        }
        let inserted = NSEntityDescription.insertNewObject(forEntityName: "City", into: context)
        inserted.setValue("city 000a", forKey: "name")
        let found = try context.fetch(Self.request(10))
        #expect(found.count == 101 && found[1] === inserted)
        let lazy = try context.batchedFetch(Self.request(10))
        #expect(lazy.count == 101 && lazy[1] === inserted)
    }

    @Test("an object that was deleted meanwhile counts as gone")
    func deleted() throws {
        let world = try Self.world()
        let context = world.second()
        let cities = try context.fetch(Self.request(10))
        let other = world.second()
        other.delete(try other.one("City", "city 005"))
        try other.save()
        #expect(cities[4].name == "city 004" && cities[5].name == "" && cities[5].isDeleted)
    }

    @Test("prefetches for one batch at a time")
    func prefetching() throws {
        let context = try Self.world().fresh()
        let request = Self.request(10)
        request.relationshipKeyPathsForPrefetching = ["country"]
        let cities = try context.fetch(request)
        let first = statements { _ = cities[0].name }
        let last = statements { _ = cities[9].object("country")?.name }
        #expect(first.count == 2 && last.isEmpty)
    }

    @Test("lazy results make objects as they are asked for, and keep two batches")
    func lazyResults() throws {
        let model = StoreCase.model()
        let world = try StoreCase(NSSQLiteStoreType, model)
        for index in 0..<95 { world.insert("Tag", ["name": String(format: "tag %03d", index)]) }
        try world.context.save()
        let context = try world.fresh()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
        request.fetchBatchSize = 10
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: false)]
        let tags = try context.batchedFetch(request)
        #expect(tags.count == 95 && context.registeredObjects.isEmpty)
        #expect(tags[94].name == "tag 000" && tags.last?.name == "tag 000" && tags.first?.name == "tag 094")
        #expect(context.registeredObjects.count == 15)
        var names: [String] = []
        let batches = statements { names = tags.map(\.name) }
        #expect(names == (0..<95).map { String(format: "tag %03d", 94 - $0) } && batches.count == 9)
        #expect(context.registeredObjects.count <= 20)
        request.resultType = .managedObjectIDResultType
        #expect(throws: CocoaError.self) { try context.batchedFetch(request) }
    }
}
