import Foundation
import Testing

@testable import CoreData

/// An object that writes down what it is told.
final class Diarist: NSManagedObject {
    nonisolated(unsafe) private(set) var entries: [String] = []
    override func awakeFromInsert() { entries.append("insert") }
    override func prepareForDeletion() { entries.append("delete") }
    override func awake(fromSnapshotEvents flags: NSSnapshotEventType) { entries.append("event \(flags.rawValue)") }
}

@Suite("Undo in a context")
struct UndoTests {
    static func model() -> NSManagedObjectModel {
        let name = { Build.attribute("name", .stringAttributeType) }
        let parent = Build.entity(
            "Parent", [name(), Build.attribute("mood", .integer32AttributeType, isTransient: true)])
        let child = Build.entity("Child", [name()])
        let tag = Build.entity("Tag", [name()])
        let pass = Build.entity("Pass", [name()])
        let diarist = Build.entity("Diarist", [name()])
        diarist.managedObjectClassName = NSStringFromClass(Diarist.self)
        Build.relate(Build.many(parent, "children", rule: .cascadeDeleteRule), Build.one(child, "parent"))
        Build.relate(Build.many(parent, "line", isOrdered: true), Build.one(child, "lineParent"))
        Build.relate(Build.many(child, "tags"), Build.many(tag, "children"))
        Build.relate(Build.one(parent, "pass"), Build.one(pass, "parent"))
        return Build.model(parent, child, tag, pass, diarist)
    }

    let fixture: Fixture
    let manager = UndoManager()
    var context: NSManagedObjectContext { fixture.context }

    init() throws {
        fixture = try Fixture(Self.model())
        // Groups are the tests' own; nothing hangs on a run loop.
        manager.groupsByEvent = false
        fixture.context.undoManager = manager
    }

    /// Does something as one step.
    private func step(_ body: () throws -> Void) rethrows {
        manager.beginUndoGrouping()
        try body()
        context.processPendingChanges()
        manager.endUndoGrouping()
    }

    /// A saved parent with children, tags and a pass, and nothing to undo.
    private func family(_ names: [String] = ["1", "2", "3"]) throws -> NSManagedObject {
        let parent = NSManagedObject.with("Parent", "P", context)
        let tag = NSManagedObject.with("Tag", "T", context)
        for name in names {
            let child = NSManagedObject.with("Child", name, context)
            child.setValue(parent, forKey: "parent")
            child.setValue(Set([tag]), forKey: "tags")
        }
        parent.setValue(NSOrderedSet(array: try names.map { try context.one("Child", $0) }), forKey: "line")
        parent.setValue(NSManagedObject.with("Pass", "A", context), forKey: "pass")
        try withoutUndo { try context.save() }
        return parent
    }

    private func withoutUndo(_ body: () throws -> Void) throws {
        manager.disableUndoRegistration()
        context.processPendingChanges()
        try body()
        context.processPendingChanges()
        manager.enableUndoRegistration()
    }

    private func stored(_ sql: String) throws -> [[String?]] { try fixture.rows(sql) }

    @Test("is nothing without a manager, which contexts have none of at first")
    func withoutManager() throws {
        let other = fixture.secondContext()
        #expect(other.undoManager == nil)
        let object = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: other)
        other.undo()
        other.redo()
        #expect(other.insertedObjects == [object])
        other.rollback()
        #expect(!other.hasChanges)
    }

    @Test("takes back all inserts since changes were processed, and does them again with the same objects and IDs")
    func inserts() throws {
        var new: [NSManagedObject] = []
        manager.beginUndoGrouping()
        new = (1...3).map { NSManagedObject.with("Child", "\($0)", context) }
        new[0].setValue(Set([NSManagedObject.with("Tag", "T", context)]), forKey: "tags")
        context.processPendingChanges()
        manager.endUndoGrouping()
        let ids = new.map(\.objectID)
        context.undo()
        #expect(context.insertedObjects.isEmpty && !context.hasChanges && context.registeredObjects.isEmpty)
        #expect(new.allSatisfy { $0.managedObjectContext == nil && !$0.isInserted })
        #expect(try context.find("Child").isEmpty)
        context.redo()
        #expect(context.insertedObjects.count == 4)
        #expect(new.allSatisfy { $0.isInserted && $0.managedObjectContext === context })
        #expect(new.map(\.objectID) == ids)
        #expect(context.registeredObject(for: ids[0]) === new[0])
        #expect(new[0].names("tags") == ["T"])
        try context.save()
        #expect(try stored("SELECT ZNAME FROM ZCHILD ORDER BY ZNAME") == [["1"], ["2"], ["3"]])
        #expect(try stored("SELECT COUNT(*) FROM Z_1TAGS") == [["1"]])
    }

    @Test("flushes pending changes first: what nobody has processed yet is undone too")
    func flushes() throws {
        manager.groupsByEvent = true
        let parent = NSManagedObject.with("Parent", "P", context)
        context.undo()
        #expect(!parent.isInserted && !context.hasChanges)
        #expect(parent.managedObjectContext == nil)
        context.redo()
        #expect(context.insertedObjects == [parent] && parent.name == "P")
    }

    @Test("goes back and forth over steps of attributes, and the object is unchanged when all are undone")
    func updates() throws {
        let parent = try family()
        step { parent.setValue("Q", forKey: "name") }
        step { parent.setValue("R", forKey: "name") }
        context.undo()
        #expect(parent.name == "Q" && parent.isUpdated)
        #expect(parent.changedValues()["name"] as? String == "Q")
        context.undo()
        #expect(parent.name == "P")
        #expect(!parent.hasChanges && !context.hasChanges && parent.changedValues().isEmpty)
        context.undo()
        context.redo()
        context.redo()
        #expect(parent.name == "R" && context.updatedObjects == [parent])
        try context.save()
        #expect(try stored("SELECT ZNAME, Z_OPT FROM ZPARENT") == [["R", "2"]])
    }

    @Test("an event that set equal values is no step")
    func equal() throws {
        let parent = try family()
        context.processPendingChanges()
        manager.groupsByEvent = true
        parent.setValue("P", forKey: "name")
        context.processPendingChanges()
        #expect(!manager.canUndo)
    }

    @Test("counts transient values as changes")
    func transient() throws {
        let parent = try family()
        step { parent.setValue(7, forKey: "mood") }
        #expect(parent.hasChanges && !parent.hasPersistentChangedValues)
        context.undo()
        #expect(parent.value(forKey: "mood") == nil)
        context.redo()
        #expect(parent.value(forKey: "mood") as? Int == 7)
    }

    @Test("gives both ends of a to-one relationship back, to many and to one")
    func toOne() throws {
        let parent = try family()
        let (child, pass) = (try context.one("Child", "1"), try context.one("Pass", "A"))
        let other = NSManagedObject.with("Parent", "O", context)
        try withoutUndo { try context.save() }
        step { child.setValue(other, forKey: "parent") }
        step { other.setValue(pass, forKey: "pass") }
        #expect(parent.object("pass") == nil && pass.object("parent") === other)
        context.undo()
        #expect(parent.object("pass") === pass && pass.object("parent") === parent && other.object("pass") == nil)
        #expect(parent.names("children") == ["2", "3"] && other.names("children") == ["1"])
        context.undo()
        #expect(parent.names("children") == ["1", "2", "3"] && other.set("children").isEmpty)
        #expect(child.object("parent") === parent)
        #expect(!context.hasChanges)
        context.redo()
        context.redo()
        try context.save()
        #expect(
            try stored("SELECT c.ZNAME, p.ZNAME FROM ZCHILD c JOIN ZPARENT p ON p.Z_PK = c.ZPARENT ORDER BY 1") == [
                ["1", "O"], ["2", "P"], ["3", "P"],
            ])
        #expect(try stored("SELECT p.ZNAME FROM ZPASS s JOIN ZPARENT p ON p.Z_PK = s.ZPARENT") == [["O"]])
    }

    @Test("gives many-to-many relationships back, read or unread")
    func manyToMany() throws {
        _ = try family()
        context.reset()
        context.undoManager = manager
        let child = try context.one("Child", "1")
        let tag = try context.one("Tag", "T")
        let new = NSManagedObject.with("Tag", "N", context)
        try withoutUndo { try context.save() }
        step { child.mutableSetValue(forKey: "tags").add(new) }
        step { tag.mutableSetValue(forKey: "children").remove(child) }
        #expect(child.names("tags") == ["N"])
        context.undo()
        #expect(child.names("tags") == ["N", "T"] && tag.names("children") == ["1", "2", "3"])
        context.undo()
        #expect(child.names("tags") == ["T"] && new.set("children").isEmpty)
        #expect(!context.hasChanges)
        context.redo()
        #expect(new.names("children") == ["1"])
    }

    @Test("gives an ordered relationship its order back, whatever was done to it")
    func ordered() throws {
        let parent = try family(["1", "2", "3", "4"])
        let other = NSManagedObject.with("Parent", "O", context)
        try withoutUndo { try context.save() }
        let list = parent.list("line")
        step { parent.setValue(NSOrderedSet(array: [list[3], list[1], list[0], list[2]]), forKey: "line") }
        step { list[1].setValue(other, forKey: "lineParent") }
        step { parent.setValue(NSOrderedSet(array: [list[2]]), forKey: "line") }
        #expect(parent.orderedNames("line") == ["3"])
        context.undo()
        #expect(parent.orderedNames("line") == ["4", "1", "3"])
        context.undo()
        #expect(parent.orderedNames("line") == ["4", "2", "1", "3"] && other.list("line").isEmpty)
        context.undo()
        #expect(parent.orderedNames("line") == ["1", "2", "3", "4"])
        #expect(!context.hasChanges, "as in the store")
        context.redo()
        context.redo()
        #expect(parent.orderedNames("line") == ["4", "1", "3"] && other.orderedNames("line") == ["2"])
        try context.save()
        #expect(try fixture.freshContext().one("Parent", "P").orderedNames("line") == ["4", "1", "3"])
    }

    @Test("gives an unread ordered relationship its order back")
    func unreadOrdered() throws {
        _ = try family()
        context.reset()
        let child = try context.one("Child", "1")
        step { child.setValue(nil, forKey: "lineParent") }
        context.undo()
        #expect(try context.one("Parent", "P").orderedNames("line") == ["1", "2", "3"])
        #expect(!context.hasChanges)
    }

    @Test("takes back a deletion with all that its delete rules did, and does it again")
    func deletion() throws {
        let parent = try family()
        let (tag, pass) = (try context.one("Tag", "T"), try context.one("Pass", "A"))
        step { context.delete(parent) }
        #expect(context.deletedObjects.count == 4)
        #expect(tag.set("children").isEmpty && pass.object("parent") == nil)
        context.undo()
        #expect(context.deletedObjects.isEmpty && !context.hasChanges && !parent.isDeleted)
        #expect(parent.names("children") == ["1", "2", "3"] && parent.orderedNames("line") == ["1", "2", "3"])
        #expect(tag.names("children") == ["1", "2", "3"] && pass.object("parent") === parent)
        context.redo()
        #expect(context.deletedObjects.count == 4 && parent.isDeleted)
        try context.save()
        #expect(try stored("SELECT (SELECT COUNT(*) FROM ZCHILD), (SELECT COUNT(*) FROM ZPARENT)") == [["0", "0"]])
        #expect(try stored("SELECT ZPARENT FROM ZPASS") == [[nil]])
    }

    @Test("takes back values that were set in the event that deleted the object")
    func changedAndDeleted() throws {
        let parent = try family()
        step {
            parent.setValue("X", forKey: "name")
            context.delete(parent)
        }
        context.undo()
        #expect(parent.name == "P" && !context.hasChanges)
    }

    @Test("of a saved deletion inserts the objects anew, related as before")
    func deletionAfterSave() throws {
        let parent = try family()
        let (child, id) = (try context.one("Child", "1"), parent.objectID)
        step { context.delete(parent) }
        try context.save()
        #expect(parent.managedObjectContext == nil)
        context.undo()
        #expect(context.insertedObjects.count == 4)
        #expect(parent.isInserted && parent.objectID.isTemporaryID && parent.objectID != id)
        #expect(parent.name == "P" && parent.names("children") == ["1", "2", "3"])
        #expect(child.object("parent") === parent && child.names("tags") == ["T"])
        try context.save()
        let fresh = try fixture.freshContext()
        let again = try fresh.one("Parent", "P")
        #expect(again.names("children") == ["1", "2", "3"] && again.orderedNames("line") == ["1", "2", "3"])
        #expect(again.object("pass")?.name == "A")
        #expect(try fresh.one("Tag", "T").names("children") == ["1", "2", "3"])
        // And once more: what was inserted anew goes again.
        context.redo()
        try context.save()
        #expect(try stored("SELECT (SELECT COUNT(*) FROM ZCHILD), (SELECT COUNT(*) FROM ZPARENT)") == [["0", "0"]])
    }

    @Test("of a saved deletion gives back the values of a fault that was never read")
    func deletedFault() throws {
        _ = try family()
        context.reset()
        let tag = try context.one("Tag", "T")
        let pass = try context.one("Pass", "A")
        // One that no delete rule reads, either.
        let diarist = NSManagedObject.with("Diarist", "D", context)
        try withoutUndo { try context.save() }
        context.refreshAllObjects()
        #expect(pass.isFault && tag.isFault && diarist.isFault)
        step {
            context.delete(pass)
            context.delete(diarist)
        }
        try context.save()
        context.undo()
        #expect(diarist.isInserted && diarist.name == "D")
        #expect(pass.isInserted && pass.name == "A" && pass.object("parent")?.name == "P")
        #expect(pass.object("parent")?.object("pass") === pass)
    }

    @Test("of a saved insert deletes the row")
    func insertAfterSave() throws {
        manager.groupsByEvent = false
        var parent: NSManagedObject?
        step { parent = NSManagedObject.with("Parent", "P", context) }
        try context.save()
        context.undo()
        #expect(parent?.isDeleted == true)
        try context.save()
        #expect(try stored("SELECT COUNT(*) FROM ZPARENT") == [["0"]])
        context.redo()
        #expect(parent?.isInserted == true)
        try context.save()
        #expect(try stored("SELECT ZNAME FROM ZPARENT") == [["P"]])
    }

    @Test("of a saved change makes the object changed again; a save leaves the steps alone")
    func updateAfterSave() throws {
        let parent = try family()
        step { parent.setValue("Q", forKey: "name") }
        try context.save()
        #expect(!context.hasChanges && manager.canUndo)
        context.undo()
        #expect(parent.isUpdated && parent.name == "P")
        try context.save()
        #expect(try stored("SELECT ZNAME, Z_OPT FROM ZPARENT") == [["P", "3"]])
    }

    @Test("leaves alone what was done while registration was off")
    func disabled() throws {
        let parent = try family()
        step { parent.setValue("Q", forKey: "name") }
        var quiet: NSManagedObject?
        try withoutUndo { quiet = NSManagedObject.with("Tag", "quiet", context) }
        context.undo()
        #expect(context.insertedObjects == [quiet])
        #expect(parent.name == "P")
    }

    @Test("relates nothing to what is gone for good")
    func goneForGood() throws {
        let parent = try family()
        let child = try context.one("Child", "1")
        step { child.setValue(nil, forKey: "parent") }
        try withoutUndo {
            context.delete(parent)
            try context.save()
        }
        context.undo()
        #expect(child.object("parent") == nil)
        try context.save()
    }

    @Test("is emptied by rollback and by reset")
    func emptied() throws {
        let parent = try family()
        step { parent.setValue("Q", forKey: "name") }
        context.rollback()
        #expect(parent.name == "P")
        #expect(!manager.canUndo && !manager.canRedo)
        context.undo()
        context.redo()
        #expect(parent.name == "P" && !context.hasChanges)
        step { parent.setValue("Q", forKey: "name") }
        step { parent.setValue("R", forKey: "name") }
        context.undo()
        context.reset()
        #expect(!manager.canUndo && !manager.canRedo)
    }

    @Test("leaves the actions of others in a shared manager")
    func shared() throws {
        let parent = try family()
        let target = NSObject()
        manager.beginUndoGrouping()
        manager.registerUndo(withTarget: target) { _ in }
        manager.endUndoGrouping()
        step { parent.setValue("Q", forKey: "name") }
        context.reset()
        #expect(manager.canUndo)
        context.undoManager = nil
        #expect(manager.canUndo)
    }

    @Test("tells objects by awake(fromSnapshotEvents:), and never by awakeFromInsert")
    func events() throws {
        var object: Diarist?
        step { object = NSManagedObject.with("Diarist", "D", context) as? Diarist }
        let diarist = try #require(object)
        #expect(diarist.entries == ["insert"])
        context.undo()
        #expect(diarist.entries == ["insert", "event 2"])
        context.redo()
        #expect(diarist.entries == ["insert", "event 2", "event 4"])
        try context.save()
        step { diarist.setValue("E", forKey: "name") }
        context.undo()
        #expect(diarist.entries.suffix(1) == ["event 8"])
        step { context.delete(diarist) }
        context.undo()
        #expect(diarist.entries.suffix(2) == ["delete", "event 4"])
        diarist.setValue("F", forKey: "name")
        context.rollback()
        #expect(diarist.entries.suffix(1) == ["event 16"])
        context.refresh(diarist, mergeChanges: false)
        #expect(diarist.entries.suffix(1) == ["event 32"])
    }

    @Test("is told of in notifications: an undone insert is deleted, an undone deletion inserted")
    func notifications() throws {
        let parent = try family()
        nonisolated(unsafe) var seen: [[String]] = []
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
        ) { note in seen.append((note.userInfo ?? [:]).keys.compactMap { $0 as? String }.sorted()) }
        defer { NotificationCenter.default.removeObserver(token) }
        step { _ = NSManagedObject.with("Tag", "new", context) }
        context.undo()
        step { parent.setValue("Q", forKey: "name") }
        context.undo()
        let pass = try context.one("Pass", "A")
        parent.setValue(nil, forKey: "pass")
        try withoutUndo { try context.save() }
        seen.removeLast()
        step { context.delete(pass) }
        context.undo()
        #expect(seen == [["inserted"], ["deleted"], ["updated"], ["updated"], ["deleted"], ["inserted"]])
    }

    @Test("changes that accessors written by hand make are undone at both ends")
    func primitives() throws {
        let parent = try family()
        let child = try context.one("Child", "1")
        step {
            let key = "children"
            parent.willChangeValue(forKey: key, withSetMutation: .minus, using: [child])
            parent.setPrimitiveValue(parent.set(key).subtracting([child]), forKey: key)
            parent.didChangeValue(forKey: key, withSetMutation: .minus, using: [child])
        }
        #expect(child.object("parent") == nil)
        context.undo()
        #expect(child.object("parent") === parent && parent.names("children") == ["1", "2", "3"])
        #expect(!context.hasChanges)
    }

    @Test("actions hold their objects, as long as there is something to undo")
    func holding() throws {
        _ = try family()
        context.reset()
        weak var child: NSManagedObject?
        try step {
            let found = try context.one("Child", "1")
            found.setValue("X", forKey: "name")
            child = found
        }
        try context.save()
        #expect(child != nil)
        manager.removeAllActions()
        #expect(child == nil)
    }
}

extension NSManagedObject {
    /// A new object with a name.
    static func with(_ entity: String, _ name: String, _ context: NSManagedObjectContext) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        object.setValue(name, forKey: "name")
        return object
    }
}
