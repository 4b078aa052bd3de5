import Foundation
import Testing

@testable import CoreData

@Suite("Unsaved changes")
struct UnsavedChangesTests {
    static func model() -> NSManagedObjectModel {
        let city = Build.entity("City", [
            Build.attribute("name", .stringAttributeType, isOptional: false), Build.attribute("people", .integer64AttributeType),
        ])
        let country = Build.entity("Country", [Build.attribute("name", .stringAttributeType)])
        Build.relate(Build.one(city, "country"), Build.many(country, "cities"))
        return Build.model(city, country)
    }

    let fixture: Fixture
    let country: NSManagedObject
    var context: NSManagedObjectContext { fixture.context }

    init() throws {
        fixture = try Fixture(Self.model())
        country = fixture.insert("Country", ["name": "X"])
        for (index, name) in ["b", "d", "f", "h"].enumerated() {
            fixture.insert("City", ["name": name, "people": index, "country": country])
        }
        try fixture.context.save()
    }

    func fetch(_ format: String? = nil, offset: Int = 0, limit: Int = 0, pending: Bool = true) throws -> [String] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "City")
        request.predicate = format.map { NSPredicate(format: $0) }
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        (request.fetchOffset, request.fetchLimit) = (offset, limit)
        request.includesPendingChanges = pending
        let found = try context.fetch(request)
        #expect(try context.count(for: request) == found.count)
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: "City")
        (ids.predicate, ids.sortDescriptors, ids.fetchOffset, ids.fetchLimit) = (request.predicate, request.sortDescriptors, offset, limit)
        ids.includesPendingChanges = pending
        ids.resultType = .managedObjectIDResultType
        #expect(try context.fetch(ids) == found.map(\.objectID))
        return found.map(\.name)
    }

    @Test("are merged into a fetch in its order, before offset and limit count")
    func merged() throws {
        fixture.insert("City", ["name": "c", "people": 1])
        fixture.insert("City", ["name": "a", "people": 9])
        try context.one("City", "h").setValue("aa", forKey: "name")
        context.delete(try context.one("City", "d"))
        #expect(try fetch() == ["a", "aa", "b", "c", "f"])
        #expect(try fetch(offset: 1, limit: 2) == ["aa", "b"])
        #expect(try fetch(offset: 4, limit: 9) == ["f"])
        #expect(try fetch(offset: 9) == [])
        #expect(try fetch("people == 1") == ["c"])
        #expect(try fetch("people > 2", limit: 1) == ["a"])
        #expect(try fetch("country.name == 'X'") == ["aa", "b", "f"])
    }

    @Test("don't count where a fetch leaves them out")
    func leftOut() throws {
        fixture.insert("City", ["name": "a"])
        context.delete(try context.one("City", "b"))
        #expect(try fetch(pending: false).count == 4)
        #expect(try fetch("name == 'b'", pending: false) == ["b"])
    }

    @Test("of a related object that was never saved are found by it")
    func unsavedRelated() throws {
        let new = fixture.insert("Country", ["name": "new"])
        try context.one("City", "b").setValue(new, forKey: "country")
        #expect(try context.names("City", "country == %@", new) == ["b"])
        #expect(try context.names("City", "country == %@", country) == ["d", "f", "h"])
        #expect(try context.names("City", "country IN %@", [new, country]) == ["b", "d", "f", "h"])
        #expect(try context.names("City", "SELF == %@", try context.one("City", "d").objectID) == ["d"])
    }

    @Test("to one object are not undone by a fetch")
    func fetchKeeps() throws {
        let city = try context.one("City", "b")
        city.setValue(100, forKey: "people")
        let other = fixture.secondContext()
        try other.one("City", "b").setValue("bb", forKey: "name")
        try other.save()
        #expect(try context.find("City", "people == 100") == [city])
        #expect(city.value(forKey: "people") as? Int == 100)
        #expect(city.name == "b")
    }

    @Test("are gone after a rollback; inserted objects leave the context")
    func rollback() throws {
        let new = fixture.insert("City", ["name": "new", "country": country])
        let gone = fixture.insert("City", ["name": "gone"])
        context.delete(gone)
        context.processPendingChanges()
        let city = try context.one("City", "b")
        city.setValue("changed", forKey: "name")
        city.setValue(nil, forKey: "country")
        context.delete(try context.one("City", "d"))
        context.rollback()
        #expect(!context.hasChanges)
        #expect(new.managedObjectContext == nil)
        #expect(gone.managedObjectContext == nil)
        #expect(!new.isInserted && !gone.isInserted && !gone.isDeleted)
        #expect(city.name == "b")
        #expect(country.names("cities") == ["b", "d", "f", "h"])
        try context.save()
        #expect(try fixture.value("SELECT COUNT(*) FROM ZCITY") == "4")
    }

    @Test("are dropped or kept by refresh, as asked")
    func refresh() throws {
        let city = try context.one("City", "b")
        let other = fixture.secondContext()
        try other.one("City", "b").setValue(77, forKey: "people")
        try other.save()
        city.setValue("mine", forKey: "name")
        context.refresh(city, mergeChanges: true)
        #expect(!city.isFault)
        #expect(city.name == "mine")
        #expect(city.value(forKey: "people") as? Int == 77)
        #expect(city.changedValues().keys.sorted() == ["name"])
        context.refresh(city, mergeChanges: false)
        #expect(city.isFault && !city.hasChanges)
        #expect(city.name == "b")
        context.refresh(city, mergeChanges: true)
        #expect(city.isFault)
    }

    @Test("a deleted object that is refreshed is deleted all the same")
    func refreshDeleted() throws {
        let city = try context.one("City", "b")
        context.delete(city)
        context.refresh(city, mergeChanges: false)
        #expect(city.isDeleted)
        #expect(context.deletedObjects == [city])
        try context.save()
        #expect(try fixture.value("SELECT COUNT(*) FROM ZCITY") == "3")
    }

    @Test("are forgotten by reset, with all objects")
    func reset() throws {
        let city = try context.one("City", "b")
        city.setValue("changed", forKey: "name")
        let new = fixture.insert("City", ["name": "new"])
        context.reset()
        #expect(!context.hasChanges && context.registeredObjects.isEmpty)
        for object in [city, new] {
            #expect(object.managedObjectContext == nil)
            #expect(object.isFault && !object.hasChanges)
        }
        #expect(city.value(forKey: "name") == nil)
        #expect(try context.one("City", "b") !== city)
    }

    @Test("the dictionaries of changed and committed values tell them")
    func dictionaries() throws {
        let city = try context.one("City", "b")
        city.setValue(5, forKey: "people")
        city.setValue(6, forKey: "people")
        city.setValue(nil, forKey: "country")
        #expect(city.changedValues()["people"] as? Int == 6)
        #expect(city.changedValues()["country"] is NSNull)
        let committed = city.committedValues(forKeys: nil)
        #expect(committed["people"] as? Int == 0)
        #expect(committed["country"] as? NSManagedObject === country)
        #expect(committed["name"] as? String == "b")
        city.setValue(0, forKey: "people")
        #expect(city.changedValues().keys.sorted() == ["country"])
        #expect((country.committedValues(forKeys: ["cities"])["cities"] as? Set<NSManagedObject>)?.count == 4)
        let new = fixture.insert("City")
        #expect(new.committedValues(forKeys: nil).isEmpty)
        context.rollback()
        #expect(city.committedValues(forKeys: ["people"])["people"] as? Int == 0)
    }

    @Test("an object set to what it was is written no more")
    func changedBack() throws {
        let city = try context.one("City", "b")
        city.setValue("x", forKey: "name")
        city.setValue("b", forKey: "name")
        #expect(city.hasChanges && !city.hasPersistentChangedValues)
        try context.save()
        #expect(!city.hasChanges)
        #expect(try fixture.value("SELECT Z_OPT FROM ZCITY WHERE ZNAME = 'b'") == "1")
    }

    @Test("live only as long as the context holds them; the context's end frees objects that hold each other")
    func memory() throws {
        weak var city: NSManagedObject?
        weak var holder: NSManagedObject?
        try autoreleased {
            let other = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
            other.persistentStoreCoordinator = fixture.coordinator
            let found = try other.one("City", "b")
            (city, holder) = (found, found.object("country"))
            #expect(holder?.names("cities").count == 4)
        }
        #expect(city == nil)
        #expect(holder == nil)
    }

    private func autoreleased(_ body: () throws -> Void) rethrows { try body() }
}

