import Foundation
import Testing

@testable import CoreData

@Suite("Prefetching")
struct PrefetchingTests {
    /// Thirty cities in three countries, each with two of five tags; some with a seller and a twin.
    private static func world(_ type: String = NSSQLiteStoreType) throws -> StoreCase {
        let world = try StoreCase(type)
        let countries = (0..<3).map { world.insert("Country", ["name": "country \($0)"]) }
        let tags = (0..<5).map { world.insert("Tag", ["name": "tag \($0)"]) }
        var last: NSManagedObject?
        for index in 0..<30 {
            let city = world.insert("City", ["name": String(format: "city %02d", index)])
            city.setValue(countries[index % 3], forKey: "country")
            city.setValue(Set([tags[index % 5], tags[(index + 1) % 5]]), forKey: "tags")
            if index % 2 == 0 { city.setValue(countries[(index + 1) % 3], forKey: "seller") }
            if index % 4 == 3 { city.setValue(last, forKey: "twin") }
            last = city
        }
        try world.context.save()
        return world
    }

    private static func cities(_ paths: String...) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "City")
        request.relationshipKeyPathsForPrefetching = paths
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        return request
    }

    /// The statements that `body` runs.
    private func statements(_ body: () throws -> Void) rethrows -> [String] {
        let recorder = SQLLogRecorder(level: 1)
        try SQLLog.$recorder.withValue(recorder, operation: body)
        return recorder.statements
    }

    @Test("costs one query for each step of a key path, and reading asks nothing more")
    func queries() throws {
        let world = try Self.world()
        let context = try world.fresh()
        var cities: [NSManagedObject] = []
        let paths = ["country", "tags.cities", "country.shop"]
        let request = Self.cities(paths[0], paths[1], paths[2])
        let fetched = try statements { cities = try context.fetch(request) }
        #expect(fetched.count == 1 + 4)
        #expect(cities.count == 30 && cities.allSatisfy(\.isFault))
        #expect(!cities[0].hasFault(forRelationshipNamed: "tags") && cities[0].hasFault(forRelationshipNamed: "seller"))
        let expected = try Self.world().context.dump()
        var lines: [String] = []
        let read = statements {
            for city in cities {
                let country = city.object("country")
                lines.append("\(city.name) \(country?.name ?? "") \(country?.orderedNames("shop") ?? [])")
                for tag in city.set("tags") { _ = tag.names("cities") }
                #expect(city.names("tags").count == 2)
            }
        }
        #expect(read == [])
        #expect(lines.count == 30 && Set(lines).count == 30 && expected.count == 38)
    }

    @Test("without it each object asks for itself")
    func without() throws {
        let context = try Self.world().fresh()
        let cities = try context.fetch(Self.cities())
        let read = statements { for city in cities { _ = city.names("tags") } }
        #expect(read.count >= 30)
    }

    @Test("finds what reading one by one finds, in any kind of store", arguments: StoreCase.types)
    func sameValues(type: String) throws {
        let world = try Self.world(type)
        let expected = try world.fresh().dump()
        let context = try world.fresh()
        let request = Self.cities("country.cities", "seller.shop", "tags", "twin.twinBack", "twinBack")
        let held = try context.fetch(request)
        #expect(try context.dump() == expected && held.count == 30)
    }

    @Test("leaves unsaved changes of relationships on top")
    func changes() throws {
        let world = try Self.world()
        let context = try world.fresh()
        let country = try context.one("Country", "country 0")
        let moved = try context.one("City", "city 01")
        moved.setValue(country, forKey: "country")
        let request = NSFetchRequest<NSManagedObject>(entityName: "Country")
        request.relationshipKeyPathsForPrefetching = ["cities"]
        #expect(try context.fetch(request).count == 3)
        #expect(country.set("cities").count == 11 && country.set("cities").contains(moved))
        #expect(try context.one("Country", "country 1").set("cities").count == 9)
    }

    @Test("in a child context reads the parent's objects, unsaved ones too")
    func child() throws {
        let world = try Self.world()
        let parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        parent.persistentStoreCoordinator = world.coordinator
        parent.performAndWait {
            let city = NSEntityDescription.insertNewObject(forEntityName: "City", into: parent)
            city.setValue("city 99", forKey: "name")
            city.setValue(try? parent.one("Country", "country 2"), forKey: "country")
        }
        let child = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        child.parent = parent
        var cities: [NSManagedObject] = []
        let fetched = try statements { cities = try child.fetch(Self.cities("country", "tags")) }
        #expect(cities.count == 31 && fetched.count <= 4)
        let read = statements {
            #expect(cities.last?.object("country")?.name == "country 2")
            for city in cities.dropLast() { #expect(city.names("tags").count == 2) }
        }
        #expect(read == [])
    }

    @Test("is forgotten when somebody else has changed the relationship and it is refreshed or merged")
    func staleness() throws {
        let world = try Self.world()
        let context = world.second()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Country")
        request.relationshipKeyPathsForPrefetching = ["cities"]
        let countries = try context.fetch(request)
        let first = try #require(countries.first { $0.objectID.primaryKey == 1 })
        let other = world.second()
        let city = try other.find("City", "country == %@", first.objectID)[0]
        city.setValue(nil, forKey: "country")
        try other.save()
        context.refresh(first, mergeChanges: false)
        #expect(first.set("cities").count == 9)
    }

    @Test("of a key path that isn't one of relationships is refused")
    func refusals() throws {
        let context = try Self.world().context
        for path in ["name", "country.nothing", "", "tags.name"] {
            let error = #expect(throws: CocoaError.self) { try context.fetch(Self.cities(path)) }
            #expect(error?.localizedDescription == "keypath \(path) not found in entity City")
        }
    }
}
