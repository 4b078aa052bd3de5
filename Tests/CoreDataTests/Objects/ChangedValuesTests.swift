import Foundation
import Testing

@testable import CoreData

@Suite("The dictionaries of changes")
struct ChangedValuesTests {
    let fixture: Fixture
    var context: NSManagedObjectContext { fixture.context }

    init() throws { fixture = try Railway.fixture() }

    @Test("changedValues has the new values of persistent properties, nil as NSNull, and is empty after the save")
    func changedValues() throws {
        let station = try fixture.station("A")
        #expect(station.changedValues().isEmpty)
        station.setValue("A2", forKey: "name")
        station.setValue(nil, forKey: "line")
        station.setValue("x", forKey: "note")
        let changed = station.changedValues()
        #expect(changed.keys.sorted() == ["line", "name"])
        #expect(changed["name"] as? String == "A2")
        #expect(changed["line"] is NSNull)
        try context.save()
        #expect(station.changedValues().isEmpty)
    }

    @Test("a new object has no entry for what nobody has set, defaults included")
    func defaults() throws {
        let station = fixture.insert("Station")
        #expect(station.changedValues().isEmpty)
        station.setValue("N", forKey: "name")
        #expect(station.changedValues().keys.sorted() == ["name"])
    }

    @Test("a changed to-many relationship is there with its objects, of which none is filled for that")
    func toMany() throws {
        let line = try fixture.line()
        let station = try fixture.station("A")
        station.setValue(nil, forKey: "line")
        let changed = try #require(line.changedValues()["stations"] as? Set<NSManagedObject>)
        #expect(changed.count == 2)
        #expect(changed.allSatisfy { $0.isFault })
    }

    @Test("hasPersistentChangedValues reads no relationship")
    func readsNothing() throws {
        let line = try fixture.line()
        line.setValue("R2", forKey: "name")
        #expect(line.hasPersistentChangedValues)
        #expect(line.changedValues().keys.sorted() == ["name"])
        #expect(line.hasFault(forRelationshipNamed: "stations"))
    }

    @Test("what setPrimitiveValue sets on an object without changes is not noticed")
    func primitive() throws {
        let station = try fixture.station("A")
        _ = station.name
        station.setPrimitiveValue("A2", forKey: "name")
        #expect(station.name == "A2")
        #expect(station.changedValues().isEmpty && !station.hasChanges && !context.hasChanges)
    }

    @Test("committedValues stays put over changes, and moves with the save")
    func committedValues() throws {
        let station = try fixture.station("A")
        let line = try fixture.line()
        station.setValue(2, forKey: "platforms")
        context.processPendingChanges()
        station.setValue(3, forKey: "platforms")
        station.setValue(nil, forKey: "name")
        #expect(station.committedValues(forKeys: ["platforms"])["platforms"] as? Int == 1)
        let all = station.committedValues(forKeys: nil)
        #expect(all.keys.sorted() == ["line", "name", "platforms", "stopOf", "tags"])
        #expect(all["name"] as? String == "A" && all["tags"] is NSNull)
        #expect(all["line"] as? NSManagedObject === line)
        try context.save()
        #expect(station.committedValues(forKeys: ["platforms"])["platforms"] as? Int == 3)
        #expect(station.committedValues(forKeys: ["name"])["name"] is NSNull)
    }

    @Test("an object that was never saved has no committed values")
    func committedValuesOfNew() throws {
        let station = fixture.insert("Station", ["name": "N"])
        #expect(station.committedValues(forKeys: ["name"])["name"] == nil)
        #expect(station.committedValues(forKeys: nil).isEmpty)
    }

    @Test("changedValuesForCurrentEvent has the new values since changes were last processed")
    func currentEvent() throws {
        let station = try fixture.station("A")
        #expect(station.changedValuesForCurrentEvent().isEmpty)
        station.setValue("A2", forKey: "name")
        station.setValue("x", forKey: "note")
        #expect(station.changedValuesForCurrentEvent().keys.sorted() == ["name"])
        #expect(station.changedValuesForCurrentEvent()["name"] as? String == "A2")
        context.processPendingChanges()
        #expect(station.changedValuesForCurrentEvent().isEmpty)
        station.setValue(2, forKey: "platforms")
        #expect(station.changedValuesForCurrentEvent().keys.sorted() == ["platforms"])
        #expect(station.changedValues().keys.sorted() == ["name", "platforms"])
    }

    @Test("whoever is told of changes can ask which, and may change the object again")
    func currentEventInNotification() throws {
        let posted = ContextNotifications(context)
        let (station, line) = (try fixture.station("A"), try fixture.line())
        nonisolated(unsafe) var seen: [[String]] = []
        posted.handler = { _ in
            seen.append(station.changedValuesForCurrentEvent().keys.sorted())
            seen.append(line.changedValuesForCurrentEvent().keys.sorted())
            if seen.count == 2 { station.setValue(5, forKey: "platforms") }
        }
        station.setValue(nil, forKey: "line")
        context.processPendingChanges()
        #expect(seen == [["line"], ["stations"]])
        #expect(station.changedValuesForCurrentEvent().keys.sorted() == ["platforms"])
        #expect(line.changedValuesForCurrentEvent().isEmpty)
        context.processPendingChanges()
        #expect(seen.suffix(2) == [["platforms"], []])
        #expect(station.changedValuesForCurrentEvent().isEmpty)
    }

    @Test("a transformable value that is changed in place is no change; setting it anew is one")
    func inPlace() throws {
        let tags = NSMutableArray(array: ["x"])
        let station = fixture.insert("Station", ["name": "N", "tags": tags])
        try context.save()
        tags.add("y")
        #expect(!station.hasChanges && station.changedValues().isEmpty)
        #expect(!context.hasChanges)
        station.setValue(NSArray(array: ["x", "y"]), forKey: "tags")
        #expect(station.hasPersistentChangedValues)
        try context.save()
        #expect(try fixture.freshContext().one("Station", "N").value(forKey: "tags") as? [String] == ["x", "y"])
    }
}
