import Dispatch
import Foundation
import Testing

@testable import CoreData

/// Meant to be run with the thread sanitizer too.
@Suite("Contexts on queues of their own")
struct ConcurrencyTests {
    static func fixture() throws -> Fixture {
        let city = Build.entity(
            "City",
            [
                Build.attribute("name", .stringAttributeType),
                Build.attribute("people", .integer64AttributeType, default: 1),
                Build.attribute("founded", .dateAttributeType, default: Date()),
            ])
        let country = Build.entity("Country", [Build.attribute("name", .stringAttributeType)])
        Build.relate(Build.one(city, "country"), Build.many(country, "cities"))
        return try Fixture(Build.model(city, country))
    }

    /// Sends what a test is sure to use on one thread at a time.
    struct Box<Value>: @unchecked Sendable { let value: Value }

    @Test("insert, fetch and save on one coordinator at the same time, and nothing is lost")
    func inserts() async throws {
        let fixture = Box(value: try Self.fixture())
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    let context = fixture.value.makePrivate()
                    for round in 0..<20 {
                        context.performAndWait {
                            let country = NSEntityDescription.insertNewObject(forEntityName: "Country", into: context)
                            country.setValue("\(worker)-\(round)", forKey: "name")
                            for _ in 0..<5 {
                                let city = NSEntityDescription.insertNewObject(forEntityName: "City", into: context)
                                city.setValue("\(worker)", forKey: "name")
                                city.setValue(country, forKey: "country")
                            }
                            do {
                                try context.save()
                                let mine = try context.find(
                                    "City", "name == %@ AND country.name CONTAINS[c] '-'", "\(worker)")
                                #expect(mine.count == (round + 1) * 5)
                                #expect(mine.allSatisfy { ($0.object("country")?.set("cities").count ?? 0) == 5 })
                            } catch { Issue.record("\(error)") }
                            if round % 5 == 4 { context.reset() }
                        }
                    }
                }
            }
        }
        #expect(try fixture.value.value("SELECT COUNT(*) FROM ZCITY") == "800")
        #expect(try fixture.value.value("SELECT COUNT(DISTINCT Z_PK) FROM ZCOUNTRY") == "160")
        #expect(try fixture.value.value("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'City'") == "800")
    }

    @Test("objects that other threads release leave their context while it goes on finding them again")
    func releases() async throws {
        let fixture = try Self.fixture()
        for index in 0..<200 { fixture.insert("City", ["name": "\(index)"]) }
        try fixture.context.save()
        let context = fixture.makePrivate()
        let queue = DispatchQueue(label: "releases", attributes: .concurrent)
        for _ in 0..<60 {
            let found = context.performAndWait { Box(value: (try? context.find("City")) ?? []) }
            #expect(found.value.count == 200)
            for part in stride(from: 0, to: 200, by: 50) {
                let slice = Box(value: Array(found.value[part..<(part + 50)]))
                queue.async { withExtendedLifetime(slice) {} }
            }
            context.performAndWait {
                for object in (try? context.find("City")) ?? [] { #expect(!object.name.isEmpty) }
            }
        }
        queue.sync(flags: .barrier) {}
        context.performAndWait { #expect(context.registeredObjects.count <= 200) }
    }

    @Test("contexts, coordinators and stores may be made and dropped at the same time for one model")
    func coordinators() async throws {
        let fixture = Box(value: try Self.fixture())
        fixture.value.insert("City", ["name": "x"])
        try fixture.value.context.save()
        // A model that no coordinator has used yet.
        let model = Box(
            value: Build.model(Build.entity("City", [Build.attribute("name", .stringAttributeType, default: "d")])))
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<8 {
                group.addTask {
                    do {
                        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model.value)
                        let url = fixture.value.folder.file("\(index).sqlite")
                        try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
                        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
                        context.persistentStoreCoordinator = coordinator
                        try context.performAndWait {
                            _ = NSEntityDescription.insertNewObject(forEntityName: "City", into: context)
                            try context.save()
                            #expect(try context.find("City").first?.name == "d")
                        }
                    } catch { Issue.record("\(error)") }
                }
            }
        }
    }

    @Test("blocks may be nested over two contexts and back")
    func nesting() throws {
        let fixture = try Self.fixture()
        let (a, b) = (fixture.makePrivate(), fixture.makePrivate())
        let depth = a.performAndWait { b.performAndWait { a.performAndWait { b.performAndWait { 4 } } } }
        #expect(depth == 4)
        let group = DispatchGroup()
        group.enter()
        a.perform {
            a.performAndWait { b.performAndWait { a.performAndWait {} } }
            group.leave()
        }
        #expect(group.wait(timeout: .now() + 10) == .success)
    }

    @Test("an error of a block comes out of performAndWait with its type")
    func errors() throws {
        struct Odd: Error {}
        let context = try Self.fixture().makePrivate()
        #expect(throws: Odd.self) { try context.performAndWait { () throws(Odd) in throw Odd() } }
        #expect(context.performAndWait { 7 } == 7)
    }

    @Test("two contexts that change the same rows: each save is done or is a conflict, and the file is whole")
    func conflicts() async throws {
        let fixture = Box(value: try Self.fixture())
        let city = fixture.value.insert("City", ["name": "x", "people": 0])
        try fixture.value.context.save()
        let id = city.objectID
        let done = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let context = fixture.value.makePrivate()
                    var done = 0
                    for _ in 0..<50 {
                        context.performAndWait {
                            let city = context.object(with: id)
                            context.refresh(city, mergeChanges: false)
                            city.setValue(
                                ((city.value(forKey: "people") as? NSNumber)?.intValue ?? 0) + 1, forKey: "people")
                            switch errorCode({ try context.save() }) {
                            case nil: done += 1
                            case .managedObjectMerge: context.rollback()
                            case let code: Issue.record("\(String(describing: code))")
                            }
                        }
                    }
                    return done
                }
            }
            return await group.reduce(0, +)
        }
        #expect(done > 0)
        #expect(try fixture.value.value("SELECT ZPEOPLE FROM ZCITY") == "\(done)")
        #expect(try fixture.value.value("SELECT Z_OPT FROM ZCITY") == "\(done + 1)")
    }
}

extension Fixture {
    /// A context on a queue of its own; unlike `secondContext`, callable from any thread.
    func makePrivate() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }
}
