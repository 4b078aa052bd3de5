import Foundation
import Testing

@testable import CoreData

/// Predicates over a tree of entities, which share a table.
@Suite("Predicates and inheritance")
struct SubentityPredicateTests {
    private let fixture: Fixture
    private var context: NSManagedObjectContext { fixture.context }

    init() throws {
        let truck = Build.entity(
            "Truck", [Build.attribute("load", .integer64AttributeType), Build.attribute("mark", .stringAttributeType)])
        let car = Build.entity("Car", [Build.attribute("mark", .stringAttributeType)])
        let bike = Build.entity("Bike", [Build.attribute("load", .stringAttributeType)])
        let vehicle = Build.entity(
            "Vehicle", [Build.attribute("name", .stringAttributeType)], subentities: [truck, car, bike])
        let owner = Build.entity("Owner", [Build.attribute("name", .stringAttributeType)])
        Build.relate(Build.one(vehicle, "owner"), Build.many(owner, "vehicles"))
        fixture = try Fixture(Build.model(vehicle, truck, car, bike, owner))
        let anna = fixture.insert("Owner", ["name": "Anna"])
        fixture.insert("Truck", ["name": "t", "load": 5, "mark": "x", "owner": anna])
        fixture.insert("Car", ["name": "c", "mark": "x", "owner": anna])
        fixture.insert("Bike", ["name": "b"])
        try fixture.context.save()
    }

    @Test("find by entity, exactly, also at the end of a path")
    func entity() throws {
        let entities = fixture.model.entitiesByName
        #expect(try context.names("Vehicle", "entity == %@", entities["Truck"]) == ["t"])
        #expect(try context.names("Vehicle", "entity == %@", entities["Vehicle"]) == [])
        #expect(try context.names("Vehicle", "entity != %@", entities["Truck"]) == ["b", "c"])
        #expect(try context.names("Vehicle", "entity IN %@", [entities["Truck"], entities["Car"]]) == ["c", "t"])
        #expect(try context.names("Vehicle", "entity.name BEGINSWITH 'T'") == ["t"])
        #expect(try context.names("Owner", "ANY vehicles.entity == %@", entities["Car"]) == ["Anna"])
        #expect(
            try context.names("Owner", "SUBQUERY(vehicles, $v, $v.entity == %@).@count == 1", entities["Bike"]) == [])
        #expect(try context.names("Truck", "owner.entity == %@", entities["Owner"]) == ["t"])
    }

    @Test("an attribute that several sub-entities have is that of each")
    func sharedName() throws {
        #expect(try context.names("Vehicle", "mark == 'x'") == ["c", "t"])
        #expect(try context.names("Owner", "ANY vehicles.mark == 'x'") == ["Anna"])
        #expect(try context.names("Truck", "load > 4") == ["t"])
        #expect(throws: CocoaError.self) { try context.find("Vehicle", "load > 4") }
    }

    @Test("a request that leaves sub-entities out has them in its paths all the same")
    func withoutSubentities() throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Vehicle")
        request.includesSubentities = false
        request.predicate = NSPredicate(format: "name != nil")
        #expect(try context.fetch(request).isEmpty)
        #expect(try context.names("Owner", "vehicles.@count == 2") == ["Anna"])
    }

    @Test("objects and IDs of other entities of the tree, and of other trees, are told apart")
    func objects() throws {
        let truck = try context.one("Vehicle", "t")
        let anna = try context.one("Owner", "Anna")
        #expect(try context.names("Vehicle", "SELF == %@", truck.objectID) == ["t"])
        #expect(try context.names("Vehicle", "SELF IN %@", [truck, anna] as [Any]) == ["t"])
        #expect(try context.names("Vehicle", "SELF == %@", anna) == [])
        #expect(try context.names("Vehicle", "objectID IN %@", [anna.objectID]) == [])
        #expect(try context.names("Vehicle", "NOT SELF IN %@", [anna]) == ["b", "c", "t"])
        #expect(try context.names("Car", "SELF == %@", truck) == [])
    }

    @Test("a FETCH is a SELECT within the SELECT")
    func fetch() throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Owner")
        request.predicate = NSPredicate(format: "name == 'Anna'")
        let ids = NSExpression(format: "FETCH(%@, %@, NO)", request, context)
        let count = NSExpression(format: "FETCH(%@, %@, YES)", request, context)
        #expect(try context.names("Vehicle", "owner IN %@", ids) == ["c", "t"])
        #expect(try context.names("Vehicle", "NOT owner IN %@ AND owner != nil", ids) == [])
        #expect(try context.names("Vehicle", "SELF IN %@", ids) == [])
        #expect(try context.names("Vehicle", "%@ == 1", count) == ["b", "c", "t"])
        let vehicles = NSFetchRequest<NSManagedObject>(entityName: "Vehicle")
        (vehicles.fetchLimit, vehicles.sortDescriptors) = (1, [NSSortDescriptor(key: "name", ascending: false)])
        let last = NSExpression(format: "FETCH(%@, %@, NO)", vehicles, context)
        #expect(try context.names("Vehicle", "SELF IN %@", last) == ["t"])
        #expect(try context.names("Owner", "ANY vehicles IN %@", last) == ["Anna"])
        #expect(throws: CocoaError.self) {
            try context.find("Vehicle", "owner IN FETCH(%@, %@, NO)", "no request", context)
        }
    }
}
