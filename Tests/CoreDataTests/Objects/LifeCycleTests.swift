import Foundation
import Testing

@testable import CoreData

@Suite("The life cycle of an object")
struct LifeCycleTests {
    let fixture: Fixture
    var context: NSManagedObjectContext { fixture.context }
    var hooks: Hooks { fixture.hooks }

    init() throws { fixture = try Railway.fixture() }

    @Test("an insertion calls awakeFromInsert once, at once, with the defaults in place")
    func insertion() throws {
        var platforms: Any?
        hooks.actions["awakeFromInsert"] = { platforms = $0.value(forKey: "platforms") }
        let station = fixture.insert("Station")
        #expect(hooks.take() == ["- awakeFromInsert"])
        #expect(platforms as? Int == 1)
        #expect(station.managedObjectContext === context)
        context.processPendingChanges()
        #expect(hooks.take() == [])
    }

    @Test("an object without a context has values, belongs nowhere, and awakes when it is inserted")
    func withoutContext() throws {
        let entity = try #require(NSEntityDescription.entity(forEntityName: "Station", in: context))
        let station = Station(entity: entity, insertInto: nil)
        station.setValue("loose", forKey: "name")
        #expect(station.name == "loose" && station.value(forKey: "platforms") as? Int == 1)
        #expect(station.managedObjectContext == nil && !station.isInserted && !station.hasChanges)
        #expect(context.registeredObject(for: station.objectID) == nil && !context.hasChanges)
        #expect(hooks.take() == [])
        context.insert(station)
        #expect(hooks.take() == ["loose awakeFromInsert"])
        #expect(station.isInserted)
        context.insert(station)
        #expect(hooks.take() == [])
    }

    @Test("undoing and redoing an insertion calls awake(fromSnapshotEvents:), not awakeFromInsert")
    func undoneInsertion() throws {
        context.undoManager = UndoManager()
        let station = fixture.insert("Station", ["name": "N"])
        context.processPendingChanges()
        _ = hooks.take()
        context.undo()
        #expect(hooks.take() == ["N awake 2"])
        #expect(context.insertedObjects.isEmpty)
        context.redo()
        #expect(hooks.take() == ["N awake 4"])
        #expect(context.insertedObjects == [station])
    }

    @Test("what awakeFromInsert sets is where the object starts from: saved, and no step of undo")
    func startingValues() throws {
        context.undoManager = UndoManager()
        hooks.actions["awakeFromInsert"] = {
            $0.setPrimitiveValue("made", forKey: "name")
            $0.setValue(7, forKey: "platforms")
        }
        let station = fixture.insert("Station")
        #expect(station.changedValuesForCurrentEvent().isEmpty)
        try context.save()
        #expect(try fixture.rows("SELECT ZNAME, ZPLATFORMS FROM ZSTATION WHERE ZNAME = 'made'") == [["made", "7"]])
    }

    @Test("a fetch and the first read call awakeFromFetch once; being filled again calls it again")
    func fetching() throws {
        let station = try fixture.station("A")
        #expect(hooks.take() == [])
        _ = station.value(forKey: "name")
        _ = station.value(forKey: "platforms")
        _ = try fixture.station("A")
        #expect(hooks.take() == ["A awakeFromFetch"])
        context.refresh(station, mergeChanges: false)
        _ = hooks.take()
        _ = station.name
        #expect(hooks.take() == ["A awakeFromFetch"])
    }

    @Test("what awakeFromFetch sets is no change, and the other end of a relationship isn't told")
    func awakeFromFetchSets() throws {
        let line = try fixture.line()
        hooks.actions["awakeFromFetch"] = {
            $0.setValue("note", forKey: "note")
            $0.setValue(nil, forKey: "line")
        }
        let station = try fixture.station("A")
        #expect(station.value(forKey: "note") as? String == "note")
        #expect(station.object("line") == nil)
        #expect(!station.hasChanges && !context.hasChanges)
        #expect(line.set("stations").contains(station))
    }

    @Test("prepareForDeletion comes before delete rules, and again when the object is deleted again")
    func deletion() throws {
        let line = try fixture.line()
        let station = try fixture.station("A")
        var seen: [Bool] = []
        hooks.actions["prepareForDeletion"] = {
            seen.append($0.isDeleted)
            seen.append($0.object("line") === line)
        }
        _ = station.name
        _ = hooks.take()
        context.delete(station)
        #expect(seen == [false, true])
        #expect(hooks.take() == ["A prepareForDeletion"])
        context.delete(station)
        #expect(hooks.take() == ["A prepareForDeletion"])
        context.processPendingChanges()
        #expect(hooks.take() == [])
    }

    @Test("objects that a delete rule deletes get prepareForDeletion when changes are processed")
    func cascade() throws {
        let line = try fixture.line()
        context.delete(line)
        #expect(context.deletedObjects == [line])
        context.processPendingChanges()
        let prepared = hooks.take().filter { $0.hasSuffix("prepareForDeletion") }
        #expect(prepared.count == 3)
        #expect(context.deletedObjects.count == 4)
    }

    @Test("with propagatesDeletesAtEndOfEvent off delete rules are applied by the save")
    func lateDeleteRules() throws {
        context.propagatesDeletesAtEndOfEvent = false
        let line = try fixture.line()
        let new = fixture.insert("Station", ["name": "N", "line": line])
        context.delete(line)
        context.delete(new)
        context.processPendingChanges()
        #expect(context.deletedObjects == [line])
        try context.save()
        #expect(try fixture.value("SELECT COUNT(*) FROM ZSTATION") == "0")
        #expect(new.managedObjectContext == nil)
    }

    @Test("a save calls willSave, posts WillSave, validates, calls didSave, posts DidSave")
    func saving() throws {
        let posted = ContextNotifications(context)
        let hooks = hooks
        posted.handler = { hooks.calls.append($0.name) }
        let a = try fixture.station("A")
        let b = try fixture.station("B")
        _ = (a.name, b.name)
        context.delete(b)
        a.setValue("A", forKey: "name")
        fixture.insert("Station").setPrimitiveValue("N", forKey: "name")
        _ = hooks.take()
        try context.save()
        #expect(
            hooks.take() == [
                "didChange", "N willSave", "A willSave", "B willSave", "willSave",
                "B validateForDelete", "N validateForInsert", "A validateForUpdate",
                "N didSave", "A didSave", "B didSave", "didSave", "didSaveIDs",
            ])
    }

    @Test("what a public setter changes in willSave is saved along, after another willSave")
    func willSaveSets() throws {
        hooks.actions["willSave"] = { station in
            if station.value(forKey: "platforms") as? Int != 9 { station.setValue(9, forKey: "platforms") }
        }
        fixture.insert("Station", ["name": "N"])
        _ = hooks.take()
        try context.save()
        #expect(hooks.take().filter { $0 == "N willSave" }.count == 2)
        #expect(!context.hasChanges)
        #expect(try fixture.value("SELECT ZPLATFORMS FROM ZSTATION WHERE ZNAME = 'N'") == "9")
    }

    @Test("what a primitive setter changes in willSave is saved along, without another willSave")
    func willSaveSetsPrimitive() throws {
        hooks.actions["willSave"] = { $0.setPrimitiveValue(9, forKey: "platforms") }
        let station = try fixture.station("A")
        station.setValue("A2", forKey: "name")
        _ = hooks.take()
        try context.save()
        #expect(hooks.take().filter { $0 == "A2 willSave" }.count == 1)
        #expect(try fixture.value("SELECT ZPLATFORMS FROM ZSTATION WHERE ZNAME = 'A2'") == "9")
    }

    @Test("an object that was set to what it was, or whose transient value changed, gets willSave and didSave too")
    func unwritten() throws {
        let posted = ContextNotifications(context)
        let station = try fixture.station("A")
        station.setValue(station.name, forKey: "name")
        _ = hooks.take()
        try context.save()
        #expect(hooks.take() == ["A willSave", "A validateForUpdate", "A didSave"])
        #expect(posted.all("didSave").last?.names(NSUpdatedObjectsKey) == ["A"])
        #expect(!station.hasChanges)
        #expect(try fixture.value("SELECT Z_OPT FROM ZSTATION WHERE ZNAME = 'A'") == "1")
    }

    @Test("what didSave changes leaves the context with unsaved changes")
    func didSaveSets() throws {
        hooks.actions["didSave"] = { if !$0.isDeleted { $0.setValue(5, forKey: "platforms") } }
        let station = try fixture.station("A")
        station.setValue("A2", forKey: "name")
        try context.save()
        #expect(station.isUpdated && context.hasChanges)
        #expect(station.changedValues().keys.sorted() == ["platforms"])
    }

    @Test("in didSave a deleted object still says that it is deleted, and not afterwards")
    func didSaveOfDeleted() throws {
        var isDeleted: Bool?
        hooks.actions["didSave"] = { isDeleted = $0.isDeleted }
        let station = try fixture.station("A")
        context.delete(station)
        try context.save()
        #expect(isDeleted == true)
        #expect(!station.isDeleted && !station.hasChanges)
    }

    @Test("refreshing without merging turns an object into a fault: one call of each hook")
    func refreshing() throws {
        let station = try fixture.station("A")
        station.setValue(3, forKey: "platforms")
        _ = hooks.take()
        context.refresh(station, mergeChanges: false)
        #expect(hooks.take() == ["A willTurnIntoFault", "- didTurnIntoFault", "- awake 32"])
        _ = station.name
        _ = hooks.take()
        station.setValue(4, forKey: "platforms")
        context.refresh(station, mergeChanges: true)
        #expect(hooks.take() == ["A awake 32"])
        #expect(!station.isFault)
    }

    @Test("a rollback awakes changed and deleted objects, and no others")
    func rollback() throws {
        let (a, b, c) = (try fixture.station("A"), try fixture.station("B"), try fixture.station("C"))
        _ = (a.name, b.name, c.name)
        a.setValue(2, forKey: "platforms")
        context.delete(b)
        fixture.insert("Station", ["name": "N"])
        context.processPendingChanges()
        _ = hooks.take()
        context.rollback()
        #expect(hooks.take().sorted() == ["A awake 16", "B awake 16"])
    }

    @Test("an inserted object that is saved awakes once more when a fetch fills it, not when it is saved")
    func afterSave() throws {
        let station = fixture.insert("Station", ["name": "N"])
        try context.save()
        _ = hooks.take()
        #expect(!station.isFault)
        _ = station.name
        #expect(hooks.take() == [])
        let other = fixture.secondContext()
        other.userInfo["hooks"] = hooks
        _ = try other.one("Station", "N").name
        #expect(hooks.take() == ["N awakeFromFetch"])
    }
}
