import Foundation
import Testing

@testable import CoreData

/// Row by row: what an object says of itself after each step.
@Suite("The flags of an object")
struct FlagsTests {
    let fixture: Fixture
    var context: NSManagedObjectContext { fixture.context }

    init() throws { fixture = try Railway.fixture() }

    /// The flags that are set: Inserted, Updated, Deleted, hasChanges, Fault, Temporary ID, of a Context.
    func flags(_ object: NSManagedObject) -> String {
        let all: [(String, Bool)] = [
            ("I", object.isInserted), ("U", object.isUpdated), ("D", object.isDeleted), ("h", object.hasChanges),
            ("f", object.isFault), ("t", object.objectID.isTemporaryID), ("c", object.managedObjectContext != nil),
        ]
        return all.filter(\.1).map(\.0).joined()
    }

    @Test("after an insertion, with a permanent ID, and after the save")
    func insertion() throws {
        let station = fixture.insert("Station", ["name": "N"])
        #expect(flags(station) == "Ihtc")
        #expect(context.insertedObjects == [station] && context.updatedObjects.isEmpty)
        #expect(context.hasChanges)
        try context.obtainPermanentIDs(for: [station])
        #expect(flags(station) == "Ihc")
        #expect(context.insertedObjects == [station])
        try context.save()
        #expect(flags(station) == "c")
        #expect(!context.hasChanges && context.insertedObjects.isEmpty)
    }

    @Test("after a change")
    func change() throws {
        let station = try fixture.station("A")
        #expect(flags(station) == "fc")
        station.setValue(2, forKey: "platforms")
        #expect(flags(station) == "Uhc")
        #expect(station.hasPersistentChangedValues)
        #expect(context.updatedObjects == [station])
        try context.save()
        #expect(flags(station) == "c")
    }

    @Test("after a change of a transient property alone")
    func transientChange() throws {
        let station = try fixture.station("A")
        station.setValue("x", forKey: "note")
        #expect(flags(station) == "Uhc")
        #expect(!station.hasPersistentChangedValues && context.hasChanges)
        #expect(station.changedValues().isEmpty)
    }

    @Test(
        "after setting a property to what it is",
        arguments: ["name", "platforms", "line"])
    func sameValue(_ key: String) throws {
        let station = try fixture.station("A")
        station.setValue(station.value(forKey: key), forKey: key)
        #expect(flags(station) == "Uhc")
        #expect(!station.hasPersistentChangedValues && context.hasChanges)
    }

    @Test("after a deletion, and after its save")
    func deletion() throws {
        let station = try fixture.station("A")
        station.setValue(2, forKey: "platforms")
        context.delete(station)
        #expect(flags(station) == "Dhc")
        #expect(context.deletedObjects == [station] && context.updatedObjects.isEmpty)
        context.processPendingChanges()
        #expect(flags(station) == "Dhc")
        try context.save()
        #expect(flags(station) == "")
        #expect(!context.hasChanges && context.deletedObjects.isEmpty)
    }

    @Test("an object that was never saved is deleted at once, and gone when changes are processed")
    func deletionOfUnsaved() throws {
        let line = try fixture.line()
        let station = fixture.insert("Station", ["name": "N", "line": line])
        try context.save()
        let unsaved = fixture.insert("Station", ["name": "M", "line": line])
        context.processPendingChanges()
        context.delete(unsaved)
        #expect(unsaved.isDeleted && unsaved.objectID.isTemporaryID)
        #expect(context.insertedObjects.isEmpty && context.deletedObjects.isEmpty)
        context.processPendingChanges()
        #expect(flags(unsaved) == "t")
        #expect(context.registeredObject(for: unsaved.objectID) == nil)
        #expect(!line.set("stations").contains(unsaved) && line.set("stations").contains(station))
        try context.save()
        #expect(try fixture.value("SELECT COUNT(*) FROM ZSTATION") == "4")
    }

    @Test("a deletion of an object that was never saved can be undone")
    func undoneDeletionOfUnsaved() throws {
        context.undoManager = UndoManager()
        let station = fixture.insert("Station", ["name": "N", "line": try fixture.line()])
        context.processPendingChanges()
        context.undoManager?.removeAllActions()
        context.delete(station)
        context.undo()
        #expect(flags(station) == "Ihtc")
        #expect(context.insertedObjects == [station])
        #expect(try fixture.line().set("stations").contains(station))
    }

    @Test("a deletion that is rolled back leaves a usable object, which a fetch finds again")
    func rolledBackDeletion() throws {
        let station = try fixture.station("A")
        context.delete(station)
        #expect(try context.names("Station") == ["B", "C"])
        context.rollback()
        #expect(!station.isDeleted && !station.hasChanges && station.managedObjectContext === context)
        #expect(station.name == "A")
        #expect(try fixture.station("A") === station)
    }

    @Test("a deletion that comes in by a merge")
    func mergedDeletion() throws {
        let station = try fixture.station("A")
        _ = station.name
        let other = fixture.secondContext()
        let posted = ContextNotifications(other)
        other.delete(try other.one("Station", "A"))
        try other.save()
        let info = try #require(posted.all("didSave").first?.info)
        context.mergeChanges(fromContextDidSave: Notification(name: .NSManagedObjectContextDidSave, userInfo: info))
        #expect(flags(station) == "Dhc")
        #expect(context.registeredObjects.contains(station))
        #expect(station.name == "A" && station.value(forKey: "platforms") as? Int == 1)
        #expect(try context.names("Station") == ["B", "C"])
        #expect(context.deletedObjects == [station] && context.hasChanges)
        try context.save()
        #expect(!context.hasChanges)
    }

    @Test("after a reset")
    func reset() throws {
        let (changed, deleted) = (try fixture.station("A"), try fixture.station("B"))
        changed.setValue(2, forKey: "platforms")
        context.delete(deleted)
        let new = fixture.insert("Station")
        context.reset()
        #expect(flags(changed) == "f" && flags(deleted) == "f" && flags(new) == "ft")
        #expect(!context.hasChanges && context.registeredObjects.isEmpty)
    }

    @Test("isDeleted is true in the notification of a deletion")
    func whileNotified() throws {
        let posted = ContextNotifications(context)
        let station = try fixture.station("A")
        nonisolated(unsafe) var seen: Bool?
        posted.handler = { _ in seen = station.isDeleted }
        context.delete(station)
        context.processPendingChanges()
        #expect(seen == true)
    }

    @Test("a change after an insertion was told of is told of as a change, of an object that is still inserted")
    func changeOfInserted() throws {
        let posted = ContextNotifications(context)
        let station = fixture.insert("Station", ["name": "N"])
        context.processPendingChanges()
        station.setValue("M", forKey: "name")
        context.processPendingChanges()
        #expect(posted.entries.map { $0.names(NSInsertedObjectsKey) } == [["M"], nil])
        #expect(posted.entries.map { $0.names(NSUpdatedObjectsKey) } == [nil, ["M"]])
        #expect(context.insertedObjects == [station] && !station.isUpdated)
    }

    @Test("faultingState is 0 for a filled object only")
    func faultingState() throws {
        let station = try fixture.station("A")
        #expect(station.faultingState != 0)
        _ = station.name
        #expect(station.faultingState == 0)
    }
}
