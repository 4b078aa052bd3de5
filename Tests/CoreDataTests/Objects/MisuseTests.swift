import Foundation
import Testing

@testable import CoreData

/// What only a mistake of the program can do: it raises on Apple's systems, stops debug builds with the same words, and
/// leaves things as they were in release builds. Each is done in a process of its own.
struct Misuse: Sendable {
    let what: String
    let words: String
    let act: @Sendable (Stage) throws -> Void
    /// What holds afterwards in a program that goes on.
    let isHarmless: @Sendable (Stage) throws -> Bool

    /// What a mistake is made with.
    struct Stage {
        let fixture: Fixture
        let station: NSManagedObject
        let line: NSManagedObject
        var context: NSManagedObjectContext { fixture.context }

        init() throws {
            fixture = try Railway.fixture()
            station = try fixture.station("A")
            line = try fixture.line()
            _ = (station.name, line.name)
        }

        /// Whether nothing has changed, and saving works.
        var isUntouched: Bool {
            get throws {
                guard !context.hasChanges else { return false }
                try context.save()
                return try fixture.column("SELECT ZNAME FROM ZSTATION ORDER BY ZNAME") == ["A", "B", "C"]
                    && station.name == "A" && station.object("line") === line && line.set("stations").count == 3
            }
        }
    }

    init(
        _ what: String, _ words: String, harmless: @escaping @Sendable (Stage) throws -> Bool = { try $0.isUntouched },
        _ act: @escaping @Sendable (Stage) throws -> Void
    ) {
        (self.what, self.words, self.act, isHarmless) = (what, words, act, harmless)
    }

    static let all: [Misuse] = [
        Misuse(
            "reading an unknown key", "the entity Station is not key value coding-compliant for the key \"nothing\"."
        ) {
            guard $0.station.value(forKey: "nothing") == nil else { throw CocoaError(.coreData) }
        },
        Misuse(
            "setting an unknown key",
            "setValue:forUndefinedKey:]: this class is not key value coding-compliant for the key"
                + " nothing."
        ) { $0.station.setValue(1, forKey: "nothing") },
        Misuse("setting an unknown primitive value", "for the key \"nothing\".") {
            $0.station.setPrimitiveValue(1, forKey: "nothing")
        },
        Misuse(
            "nil for a property that has none", "setNilValueForKey]: could not set nil as the value for the key age."
        ) {
            $0.station.setNilValueForKey("age")
        },
        Misuse(
            "a value of the wrong type",
            "Unacceptable type of value for attribute: property = \"platforms\"; desired type = NSNumber; given type ="
        ) { $0.station.setValue("many", forKey: "platforms") },
        Misuse(
            "a primitive value of the wrong type",
            "Unacceptable type of value for attribute: property = \"name\"; desired type = NSString; given type ="
        ) { $0.station.setPrimitiveValue(5, forKey: "name") },
        Misuse(
            "NSNull for an attribute",
            "Unacceptable type of value for attribute: property = \"name\"; desired type = NSString; given type = NSNull;"
        ) { $0.station.setValue(NSNull(), forKey: "name") },
        Misuse("a number out of range", "out of the range") { $0.station.setValue(UInt64.max, forKey: "platforms") },
        Misuse(
            "an array for a set",
            "Unacceptable type of value for to-many relationship: property = \"stations\"; desired"
                + " type = NSSet;"
        ) { $0.line.setValue([$0.station], forKey: "stations") },
        Misuse(
            "a set for an ordered set",
            "Unacceptable type of value for ordered to-many relationship: property ="
                + " \"stops\"; desired type = NSOrderedSet;"
        ) { $0.line.setValue([$0.station] as Set<NSManagedObject>, forKey: "stops") },
        Misuse(
            "an object of another entity",
            "Unacceptable type of value for to-one relationship: property = \"line\"; desired type = NSManagedObject; given"
                + " type = "
        ) { $0.station.setValue($0.station, forKey: "line") },
        Misuse(
            "something else for an object", "Unacceptable type of value for to-one relationship: property = \"line\";"
        ) {
            $0.station.setValue("R", forKey: "line")
        },
        Misuse(
            "an object of another context",
            "Illegal attempt to establish a relationship 'line' between objects in different contexts (source = <Station"
        ) { $0.station.setValue(try $0.fixture.secondContext().one("Line", "R"), forKey: "line") },
        Misuse("the deletion of another context's object", "cannot delete objects in other contexts") {
            $0.fixture.secondContext().delete($0.station)
        },
        Misuse("the insertion of another context's object", "belongs to another context") {
            $0.fixture.secondContext().insert($0.station)
        },
        Misuse("a parent for a context with a coordinator", "Context already has a coordinator; cannot replace") {
            $0.context.parent = NSManagedObjectContext(.privateQueue)
            guard $0.context.parent == nil else { throw CocoaError(.coreData) }
        },
        Misuse("the store of an object that was saved", "Can't reassign an object to a different store") { stage in
            if let store = stage.fixture.coordinator.persistentStores.first {
                stage.context.assign(stage.station, to: store)
            }
        },
        Misuse(
            "an entity of a context without coordinator",
            "+entityForName: nil is not a legal NSPersistentStoreCoordinator"
                + " for searching for entity name 'Station'"
        ) { _ in
            let entity = NSEntityDescription.entity(forEntityName: "Station", in: NSManagedObjectContext(.privateQueue))
            guard entity == nil else { throw CocoaError(.coreData) }
        },
        Misuse(
            "a fault whose row is gone, if that is an error", "CoreData could not fulfill a fault for '0x",
            harmless: { try $0.fixture.value("SELECT COUNT(*) FROM ZSTATION") == "2" }
        ) { stage in
            stage.context.shouldDeleteInaccessibleFaults = false
            let connection = try SQLiteConnection(stage.fixture.url, .readWrite)
            try connection.execute("DELETE FROM ZSTATION WHERE ZNAME = 'C'")
            let id = try stage.fixture.secondContext().one("Station", "B").objectID
            let gone = NSManagedObjectID(id.entity, primaryKey: 99, space: id.space)
            _ = stage.context.object(with: gone).value(forKey: "name")
        },
    ]

    static let isDebug = {
        var isDebug = false
        assert(
            {
                isDebug = true; return true
            }())
        return isDebug
    }()
}

@Suite("A program's own mistakes")
struct MisuseTests {
    @Test(
        "stop debug builds with Apple's words; release builds log them and leave things as they were",
        arguments: Misuse.all.indices)
    func misuse(_ index: Int) async {
        let result = await #expect(
            processExitsWith: Misuse.isDebug ? .failure : .success, observing: [\.standardErrorContent]
        ) { [index = index as Int] in
            let (misuse, stage) = (Misuse.all[index], try Misuse.Stage())
            try misuse.act(stage)
            #expect(try misuse.isHarmless(stage), "\(misuse.what) has changed something")
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains(Misuse.all[index].words), "\(Misuse.all[index].what): \(text)")
    }

    @Test("stop release builds too where there is nothing to go on with")
    func hopeless() async {
        for (index, words) in [
            "+entityForName: could not locate an entity named 'Nothing' in this model.",
            "+entityForName: nil is not a legal NSPersistentStoreCoordinator for searching for entity name 'Station'",
            "An NSManagedObject of class 'NSManagedObject' must have a valid NSEntityDescription.",
        ].enumerated() {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                [index = index as Int] in
                let context = try Misuse.Stage().context
                switch index {
                case 0: _ = NSEntityDescription.insertNewObject(forEntityName: "Nothing", into: context)
                case 1:
                    let loose = NSManagedObjectContext(.privateQueue)
                    _ = NSEntityDescription.insertNewObject(forEntityName: "Station", into: loose)
                default: _ = NSManagedObject(context: NSManagedObjectContext(.privateQueue))
                }
            }
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(text.contains(words))
        }
    }

    @Test("a change of an object that has left its context is logged, in all builds, and stops nothing")
    func mutationAfterRemoval() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let stage = try Misuse.Stage()
            stage.context.delete(stage.station)
            try stage.context.save()
            stage.station.setValue("x", forKey: "name")
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("Mutating a managed object 0x"))
        #expect(text.contains("after it has been removed from its context."))
    }
}
