import Foundation
import FoundationSupplement
import Testing

@testable import CoreData

@Suite("Fetch requests")
struct FetchRequestTests {
    private static func world(_ type: String = NSSQLiteStoreType) throws -> StoreCase {
        let world = try StoreCase(type)
        for (index, name) in ["a", "b", "c", "d", "e"].enumerated() {
            world.insert("City", ["name": name, "people": index])
        }
        try world.context.save()
        return world
    }

    @Test("every type of results comes through fetch", arguments: StoreCase.types)
    func resultTypes(type: String) throws {
        let world = try Self.world(type)
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "City")
        #expect(try world.context.fetch(request).allSatisfy { $0 is NSManagedObject })
        request.resultType = .managedObjectIDResultType
        #expect(try world.context.fetch(request).allSatisfy { $0 is NSManagedObjectID })
        request.resultType = .dictionaryResultType
        #expect(try world.context.fetch(request).allSatisfy { $0 is NSDictionary })
        request.resultType = .countResultType
        #expect(try world.context.fetch(request).map { ($0 as? NSNumber)?.intValue } == [5])
        request.resultType = NSFetchRequestResultType(rawValue: 64)
        #expect(throws: CocoaError.self) { try world.context.fetch(request) }
    }

    @Test("an equal request asks for the same; a copy is equal until it is changed")
    func equality() {
        let make = {
            let request = NSFetchRequest<NSManagedObject>(entityName: "City")
            request.predicate = NSPredicate(format: "people > 3")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            request.propertiesToFetch = ["name"]
            request.relationshipKeyPathsForPrefetching = ["country"]
            return request
        }
        let request = make()
        #expect(request == make() && request.hash == make().hash)
        let changes: [(NSFetchRequest<NSManagedObject>) -> Void] = [
            { $0.predicate = nil }, { $0.sortDescriptors = nil }, { $0.fetchLimit = 1 }, { $0.fetchOffset = 1 },
            { $0.fetchBatchSize = 1 }, { $0.includesSubentities = false }, { $0.includesPendingChanges = false },
            { $0.resultType = .countResultType }, { $0.propertiesToFetch = ["people"] },
            { $0.propertiesToGroupBy = ["name"] }, { $0.havingPredicate = NSPredicate(value: true) },
            { $0.relationshipKeyPathsForPrefetching = nil }, { $0.affectedStores = [] },
            { $0.returnsDistinctResults = true }, { $0.shouldRefreshRefetchedObjects = true },
        ]
        for (index, change) in changes.enumerated() {
            guard let copy = request.copy() as? NSFetchRequest<NSManagedObject> else { return }
            #expect(copy == request)
            change(copy)
            #expect(index == 12 || copy != request, "change \(index)")
        }
    }

    @Test("execute() fetches in the context whose block it is called in")
    func execute() async throws {
        let world = try Self.world()
        let request = NSFetchRequest<NSManagedObject>(entityName: "City")
        let error = #expect(throws: CocoaError.self) { try request.execute() }
        #expect(error?.code == .coreData)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = world.coordinator
        let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        other.persistentStoreCoordinator = world.coordinator
        func owner() throws -> NSManagedObjectContext? { try request.execute().first?.managedObjectContext }
        let owners = try context.performAndWait {
            [try owner(), try other.performAndWait { try owner() }, try owner()]
        }
        #expect(owners.elementsEqual([context, other, context], by: ===))
        let count = try await context.perform {
            try NSFetchRequest<NSManagedObject>(entityName: "City").execute().count
        }
        #expect(count == 5)
        #expect(throws: CocoaError.self) { try request.execute() }
    }

    @Test("a template with variables finds what its values ask for")
    func template() throws {
        let model = StoreCase.model()
        let template = NSFetchRequest<any NSFetchRequestResult>(entityName: "City")
        template.predicate = NSPredicate(format: "people > $LEAST")
        model.setFetchRequestTemplate(template, forName: "large")
        let world = try StoreCase(NSSQLiteStoreType, model)
        for index in 0..<5 { world.insert("City", ["name": "\(index)", "people": index]) }
        try world.context.save()
        let request = try #require(
            model.fetchRequestFromTemplate(withName: "large", substitutionVariables: ["LEAST": 2]))
        #expect(try world.context.count(for: request) == 2)
        #expect(model.fetchRequestTemplate(forName: "large")?.entityName == "City")
    }

    @Test("objects that have their values keep them, or get the store's newest where that is asked for")
    func refreshing() throws {
        let world = try Self.world()
        let city = try world.context.one("City", "a")
        #expect(city.value(forKey: "people") as? Int == 0)
        let changed = try world.context.one("City", "b")
        changed.setValue(77, forKey: "people")
        let other = try world.fresh()
        for city in try other.find("City") { city.setValue(100, forKey: "people") }
        try other.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "City")
        _ = try world.context.fetch(request)
        #expect(city.value(forKey: "people") as? Int == 0)
        request.shouldRefreshRefetchedObjects = true
        _ = try world.context.fetch(request)
        #expect(city.value(forKey: "people") as? Int == 100 && !city.hasChanges)
        #expect(changed.value(forKey: "people") as? Int == 77)
    }

    @Test("affected stores limit where is searched")
    func affectedStores() throws {
        let world = try Self.world()
        let second = try StoreCase(NSInMemoryStoreType)
        let store = try world.coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: second.folder.file("memory"))
        let city = world.insert("City", ["name": "z"])
        world.context.assign(city, to: store)
        try world.context.save()
        let context = world.second()
        let request = NSFetchRequest<NSManagedObject>(entityName: "City")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: false)]
        request.fetchLimit = 2
        #expect(try context.fetch(request).map(\.name) == ["z", "e"])
        request.affectedStores = [store]
        #expect(try context.fetch(request).map(\.name) == ["z"] && context.count(for: request) == 1)
        request.affectedStores = [world.store]
        #expect(try context.fetch(request).map(\.name) == ["e", "d"] && context.count(for: request) == 2)
        request.affectedStores = []
        #expect(try context.fetch(request).isEmpty && context.count(for: request) == 0)
    }

    @Test("unsaved changes are merged in sort order, within the window", arguments: [1, 7, 42, 1_234])
    func pendingChanges(seed: Int) throws {
        var random = Randomness(UInt64(seed))
        let world = try StoreCase(NSSQLiteStoreType)
        for index in 0..<40 {
            world.insert("City", ["name": "n\(index)", "people": Int.random(in: 0..<50, using: &random)])
        }
        try world.context.save()
        for round in 0..<40 {
            let all = try world.context.find("City")
            switch Int.random(in: 0..<3, using: &random) {
            case 0: world.insert("City", ["name": "x\(round)", "people": Int.random(in: 0..<50, using: &random)])
            case 1: world.context.delete(all[Int.random(in: 0..<all.count, using: &random)])
            default:
                all[Int.random(in: 0..<all.count, using: &random)].setValue(
                    Int.random(in: 0..<50, using: &random), forKey: "people")
            }
            let request = NSFetchRequest<NSManagedObject>(entityName: "City")
            request.predicate = NSPredicate(format: "people >= 20")
            request.sortDescriptors = [
                NSSortDescriptor(key: "people", ascending: false), NSSortDescriptor(key: "name", ascending: true),
            ]
            request.fetchOffset = Int.random(in: 0..<10, using: &random)
            request.fetchLimit = Int.random(in: 0..<12, using: &random)
            let expected = try world.context.find("City").filter { ($0.value(forKey: "people") as? Int ?? 0) >= 20 }
                .sorted {
                    let (a, b) = ($0.value(forKey: "people") as? Int ?? 0, $1.value(forKey: "people") as? Int ?? 0)
                    return a == b ? $0.name < $1.name : a > b
                }
                .dropFirst(request.fetchOffset).prefix(request.fetchLimit == 0 ? .max : request.fetchLimit)
            #expect(try world.context.fetch(request) == Array(expected), "seed \(seed), round \(round)")
            #expect(try world.context.count(for: request) == expected.count, "seed \(seed), round \(round)")
        }
    }

    @Test("FETCH is a part of a predicate, in SQL and in memory", arguments: StoreCase.types)
    func fetchExpression(type: String) throws {
        let world = try Self.world(type)
        let country = world.insert("Country", ["name": "land"])
        for city in try world.context.find("City", "people < 2") { city.setValue(country, forKey: "country") }
        try world.context.save()
        let wanted = NSFetchRequest<NSManagedObject>(entityName: "City")
        wanted.predicate = NSPredicate(format: "people < 1")
        let fetch = NSFetchRequestExpression.expression(
            forFetch: FoundationSupplement.NSExpression(forConstantValue: wanted),
            context: FoundationSupplement.NSExpression(forConstantValue: world.context), countOnly: false)
        #expect(try world.context.names("Country", "ANY cities IN %@", fetch) == ["land"])
        #expect((fetch as? NSFetchRequestExpression)?.isCountOnlyRequest == false && fetch.expressionType == .function)
        wanted.predicate = NSPredicate(format: "people > 3")
        #expect(try world.context.names("Country", "ANY cities IN %@", fetch) == [])
        let parsed = NSPredicate(format: "FETCH(%@, %@, YES) == 1", wanted, world.context)
        #expect(parsed.evaluate(with: nil))
    }
}
