import Foundation
import Testing

@testable import CoreData

final class Lighthouse: NSManagedObject {
    /// As generated classes declare it.
    class func fetchRequest() -> NSFetchRequest<Lighthouse> { NSFetchRequest<Lighthouse>(entityName: "Lighthouse") }
}

final class Buoy: NSManagedObject {}

@Suite("Classes and their entities")
struct ClassTests {
    static func model() -> NSManagedObjectModel {
        let entity = Build.entity("Lighthouse", [Build.attribute("name", .stringAttributeType)])
        entity.managedObjectClassName = NSStringFromClass(Lighthouse.self)
        let buoy = Build.entity("Buoy", [Build.attribute("name", .stringAttributeType)])
        buoy.managedObjectClassName = "Buoy"
        return Build.model(entity, buoy)
    }

    @Test("a class knows its entity once a coordinator has its model, with or without the module's name")
    func entities() throws {
        let fixture = try Fixture(Self.model())
        try withExtendedLifetime(fixture) { () throws in
            #expect(Lighthouse.entity().name == "Lighthouse")
            #expect(Buoy.entity().name == "Buoy")
            let made = Lighthouse(entity: Lighthouse.entity(), insertInto: nil)
            #expect(made.entity.name == "Lighthouse")
            #expect(try Self.found(fixture, Buoy.fetchRequest()) == 0)
        }
    }

    static func found(_ fixture: Fixture, _ request: NSFetchRequest<any NSFetchRequestResult>) throws -> Int {
        try fixture.context.fetch(request).count
    }

    @Test("init(context:) makes an object of the class's entity and inserts it")
    func initWithContext() throws {
        let fixture = try Fixture(Self.model())
        let object = Lighthouse(context: fixture.context)
        #expect(object.isInserted && object.entity === fixture.model.entitiesByName["Lighthouse"])
        let type: Lighthouse.Type = Lighthouse.self
        let other = type.init(context: fixture.context)
        #expect(fixture.context.insertedObjects == [object, other])
    }

    @Test("a class's own fetchRequest() is preferred to the inherited one, which can be had by its type")
    func fetchRequests() throws {
        let fixture = try Fixture(Self.model())
        Lighthouse(context: fixture.context).setValue("Bell Rock", forKey: "name")
        let request = Lighthouse.fetchRequest()
        #expect(try fixture.context.fetch(request).map(\.name) == ["Bell Rock"])
        let inherited: NSFetchRequest<any NSFetchRequestResult> = Lighthouse.fetchRequest()
        #expect(try fixture.context.fetch(inherited).count == 1)
        #expect(try fixture.context.count(for: inherited) == 1)
    }

    @Test("a fetch makes objects of the class that the model names")
    func fetchedClass() throws {
        let fixture = try Fixture(Self.model())
        fixture.insert("Lighthouse", ["name": "x"])
        try fixture.context.save()
        #expect(try fixture.secondContext().find("Lighthouse").first is Lighthouse)
    }

    @Test("a class may not ignore properties that the model has")
    func unmodelled() {
        #expect(NSManagedObject.contextShouldIgnoreUnmodeledPropertyChanges)
    }
}
