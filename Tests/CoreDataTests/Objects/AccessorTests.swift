import Foundation
import Testing

@testable import CoreData

/// With the accessors that Apple's guide shows.
final class Passenger: NSManagedObject {
    var fullName: String? {
        get {
            willAccessValue(forKey: "name")
            defer { didAccessValue(forKey: "name") }
            return primitiveValue(forKey: "name") as? String
        }
        set {
            willChangeValue(forKey: "name")
            setPrimitiveValue(newValue, forKey: "name")
            didChangeValue(forKey: "name")
        }
    }

    var train: NSManagedObject? {
        get { value(forKey: "train") as? NSManagedObject }
        set {
            willChangeValue(forKey: "train")
            setPrimitiveValue(newValue, forKey: "train")
            didChangeValue(forKey: "train")
        }
    }
}

@Suite("Accessors written by hand")
struct AccessorTests {
    let fixture: Fixture
    let train: NSManagedObject
    let passenger: Passenger
    var context: NSManagedObjectContext { fixture.context }

    init() throws {
        let passenger = Build.entity(
            "Passenger",
            [Build.attribute("name", .stringAttributeType), Build.attribute("age", .integer16AttributeType)])
        passenger.managedObjectClassName = NSStringFromClass(Passenger.self)
        let train = Build.entity("Train", [Build.attribute("name", .stringAttributeType)])
        Build.relate(Build.many(train, "passengers"), Build.one(passenger, "train"))
        Build.relate(Build.many(train, "crew"), Build.many(passenger, "shifts"))
        fixture = try Fixture(Build.model(passenger, train))
        self.train = fixture.insert("Train", ["name": "T"])
        self.passenger = try #require(fixture.insert("Passenger", ["name": "P", "train": self.train]) as? Passenger)
        try fixture.context.save()
    }

    func members(_ train: NSManagedObject) -> [String] { train.names("passengers") }

    @Test("read a primitive value, of a fault after willAccessValue only")
    func reading() throws {
        context.refresh(passenger, mergeChanges: false)
        #expect(passenger.primitiveValue(forKey: "name") == nil && passenger.isFault)
        #expect(passenger.fullName == "P" && !passenger.isFault)
        context.refresh(passenger, mergeChanges: false)
        passenger.willAccessValue(forKey: nil)
        #expect(!passenger.isFault)
        #expect(passenger.primitiveValue(forKey: "name") as? String == "P")
    }

    @Test("set a primitive value as a change like any other")
    func writing() throws {
        passenger.fullName = "Q"
        #expect(passenger.isUpdated && passenger.changedValues().keys.sorted() == ["name"])
        #expect(passenger.changedValuesForCurrentEvent().keys.sorted() == ["name"])
        try context.save()
        #expect(try fixture.value("SELECT ZNAME FROM ZPASSENGER") == "Q")
    }

    @Test("set a fault's value")
    func writingFault() throws {
        context.refresh(passenger, mergeChanges: false)
        passenger.fullName = "Q"
        #expect(passenger.fullName == "Q" && passenger.object("train") === train)
    }

    @Test("set a to-one relationship, and the other end follows")
    func toOne() throws {
        let other = fixture.insert("Train", ["name": "U"])
        passenger.train = other
        #expect(members(other) == ["P"] && members(train) == [])
        passenger.train = nil
        #expect(members(other) == [] && members(train) == [])
        #expect(train.isUpdated)
        try context.save()
        #expect(try fixture.rows("SELECT ZTRAIN FROM ZPASSENGER") == [[nil]])
    }

    @Test("set a to-many relationship as a whole, and the other ends follow")
    func toMany() throws {
        let (q, r) = (fixture.insert("Passenger", ["name": "Q"]), fixture.insert("Passenger", ["name": "R"]))
        let other = fixture.insert("Train", ["name": "U", "passengers": [r] as Set<NSManagedObject>])
        train.willChangeValue(forKey: "passengers")
        train.setPrimitiveValue([q, r] as Set<NSManagedObject>, forKey: "passengers")
        train.didChangeValue(forKey: "passengers")
        #expect(members(train) == ["Q", "R"] && members(other) == [])
        #expect(passenger.object("train") == nil && q.object("train") === train && r.object("train") === train)
        try context.save()
        #expect(try context.names("Passenger", "train == %@", train) == ["Q", "R"])
        #expect(try fixture.value("SELECT COUNT(*) FROM ZPASSENGER WHERE ZTRAIN IS NULL") == "1")
    }

    @Test("add to and take from a to-many relationship, and the other ends follow")
    func mutation() throws {
        let q = fixture.insert("Passenger", ["name": "Q"])
        func mutate(_ kind: NSKeyValueSetMutationKind, _ object: NSManagedObject, _ members: Set<NSManagedObject>) {
            train.willChangeValue(forKey: "passengers", withSetMutation: kind, using: [object])
            train.setPrimitiveValue(members, forKey: "passengers")
            train.didChangeValue(forKey: "passengers", withSetMutation: kind, using: [object])
        }
        mutate(.union, q, [passenger, q])
        #expect(q.object("train") === train)
        mutate(.minus, passenger, [q])
        #expect(passenger.object("train") == nil && members(train) == ["Q"])
        try context.save()
        #expect(try fixture.column("SELECT ZNAME FROM ZPASSENGER WHERE ZTRAIN IS NOT NULL") == ["Q"])
    }

    @Test("a member that is added while it belongs to another object leaves that one")
    func stealing() throws {
        let other = fixture.insert("Train", ["name": "U"])
        other.willChangeValue(forKey: "passengers", withSetMutation: .union, using: [passenger])
        other.setPrimitiveValue([passenger] as Set<NSManagedObject>, forKey: "passengers")
        other.didChangeValue(forKey: "passengers", withSetMutation: .union, using: [passenger])
        #expect(passenger.object("train") === other && members(train) == [])
    }

    @Test("both ends of a many-to-many relationship follow")
    func manyToMany() throws {
        train.willChangeValue(forKey: "crew", withSetMutation: .union, using: [passenger])
        train.setPrimitiveValue([passenger] as Set<NSManagedObject>, forKey: "crew")
        train.didChangeValue(forKey: "crew", withSetMutation: .union, using: [passenger])
        #expect(passenger.set("shifts") == [train])
        passenger.willChangeValue(forKey: "shifts")
        passenger.setPrimitiveValue([] as Set<NSManagedObject>, forKey: "shifts")
        passenger.didChangeValue(forKey: "shifts")
        #expect(train.set("crew").isEmpty)
    }

    @Test("a primitive setter alone tells neither the other end nor the context")
    func primitiveAlone() throws {
        passenger.setPrimitiveValue(nil, forKey: "train")
        #expect(passenger.object("train") == nil)
        #expect(members(train) == ["P"])
        #expect(!passenger.hasChanges && !context.hasChanges)
    }

    @Test("nil is accepted for a numeric attribute, by both setters")
    func nilNumber() throws {
        passenger.setValue(5, forKey: "age")
        passenger.setValue(nil, forKey: "age")
        #expect(passenger.value(forKey: "age") == nil)
        passenger.setPrimitiveValue(6, forKey: "age")
        passenger.setPrimitiveValue(nil, forKey: "age")
        #expect(passenger.primitiveValue(forKey: "age") == nil)
    }
}

/// Answers for keys that its entity doesn't have.
final class Generous: NSManagedObject {
    nonisolated(unsafe) var taken: [String] = []
    override func value(forUndefinedKey key: String) -> Any? { "no \(key)" }
    override func setValue(_ value: Any?, forUndefinedKey key: String) { taken.append(key) }
    override func value(forKey key: String) -> Any? {
        key == "shout" ? (super.value(forKey: "name") as? String)?.uppercased() : super.value(forKey: key)
    }
}

@Suite("Key-value coding of objects")
struct ObjectKeyValueTests {
    @Test("an overridden value(forKey:) is what key paths, operators and predicates see")
    func overriding() throws {
        let entity = Build.entity("G", [Build.attribute("name", .stringAttributeType)])
        entity.managedObjectClassName = NSStringFromClass(Generous.self)
        let fixture = try Fixture(Build.model(entity))
        let object = try #require(fixture.insert("G", ["name": "a"]) as? Generous)
        #expect(object.value(forKeyPath: "shout") as? String == "A")
        #expect(object.value(forKey: "other") as? String == "no other")
        object.setValue(1, forKey: "other")
        #expect(object.taken == ["other"])
        #expect(object["name"] as? String == "a")
        object["name"] = "b"
        #expect(object.value(forKey: "shout") as? String == "B")
    }

    @Test("paths, operators and dictionaries fill faults, and nil is NSNull in a dictionary")
    func paths() throws {
        let fixture = try Railway.fixture()
        let line = try fixture.line()
        #expect(line.value(forKeyPath: "stations.@count") as? Int == 3)
        #expect(line.value(forKeyPath: "stations.@sum.platforms") as? Int == 3)
        let station = try fixture.station("A")
        #expect(station.value(forKeyPath: "line.name") as? String == "R")
        let values = station.dictionaryWithValues(forKeys: ["name", "tags"])
        #expect(values["name"] as? String == "A" && values["tags"] is NSNull)
        station.setValuesForKeys(["name": NSNull(), "platforms": 4])
        #expect(station.value(forKey: "name") == nil && station.value(forKey: "platforms") as? Int == 4)
    }

    @Test("a description shows a filled object's values, and fires no fault")
    func description() throws {
        let fixture = try Railway.fixture()
        let station = try fixture.station("A")
        let uri = station.objectID.uriRepresentation().absoluteString
        #expect(station.description.hasPrefix("<Station: 0x"))
        #expect(station.description.contains("(entity: Station; id: 0x"))
        #expect(station.description.hasSuffix(" <\(uri)>; data: <fault>)"))
        #expect(station.isFault)
        _ = station.name
        let text = station.description
        #expect(text.contains("; data: {\n") && text.contains("    name = A;\n") && text.contains("    tags = nil;\n"))
        #expect(text.contains("    stopOf = \"<relationship fault: 0x") && text.hasSuffix("'>\";\n    tags = nil;\n})"))
    }
}
