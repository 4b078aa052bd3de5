import Foundation
import Testing

@testable import CoreData

@Suite("Child contexts")
struct ChildContextTests {
    static func model() -> NSManagedObjectModel {
        let parent = Build.entity(
            "Parent",
            [
                Build.attribute("name", .stringAttributeType, isOptional: false),
                Build.attribute("number", .integer32AttributeType),
                Build.attribute("mood", .integer32AttributeType, isTransient: true),
            ])
        let child = Build.entity("Child", [Build.attribute("name", .stringAttributeType)])
        let tag = Build.entity("Tag", [Build.attribute("name", .stringAttributeType)])
        let diarist = Build.entity("Diarist", [Build.attribute("name", .stringAttributeType)])
        diarist.managedObjectClassName = NSStringFromClass(Diarist.self)
        Build.relate(Build.many(parent, "children", rule: .cascadeDeleteRule), Build.one(child, "parent"))
        Build.relate(Build.many(parent, "line", isOrdered: true), Build.one(child, "lineParent"))
        Build.relate(Build.many(child, "tags"), Build.many(tag, "children"))
        Build.relate(Build.many(parent, "route", isOrdered: true), Build.many(child, "routes"))
        return Build.model(parent, child, tag, diarist)
    }

    let fixture: Fixture
    let child: NSManagedObjectContext
    var root: NSManagedObjectContext { fixture.context }

    init() throws {
        fixture = try Fixture(Self.model(), rootType: .privateQueueConcurrencyType)
        child = Self.child(of: fixture.context)
    }

    static func child(
        of parent: NSManagedObjectContext, _ type: NSManagedObjectContextConcurrencyType = .privateQueueConcurrencyType
    ) -> NSManagedObjectContext {
        let child = NSManagedObjectContext(concurrencyType: type)
        child.parent = parent
        return child
    }

    /// A saved parent with two children; the objects of the root.
    @discardableResult
    private func family() throws -> NSManagedObject {
        let parent = NSManagedObject.with("Parent", "P", root)
        for name in ["1", "2"] {
            let child = NSManagedObject.with("Child", name, root)
            child.setValue(parent, forKey: "parent")
            child.setValue(parent, forKey: "lineParent")
        }
        try root.save()
        return parent
    }

    private func stored(_ sql: String) throws -> [[String?]] { try fixture.rows(sql) }

    @Test("save one level up only: the parent has the changes, the file doesn't")
    func push() throws {
        let own = try family()
        let parent = try child.one("Parent", "P")
        #expect(parent !== own && parent.objectID == own.objectID)
        parent.setValue("Q", forKey: "name")
        let new = NSManagedObject.with("Child", "3", child)
        new.setValue(parent, forKey: "parent")
        child.delete(try child.one("Child", "1"))
        #expect(own.name == "P" && !root.hasChanges, "nothing is seen above before the save")
        try child.save()
        #expect(!child.hasChanges && root.hasChanges)
        #expect(own.name == "Q" && own.names("children") == ["2", "3"])
        #expect(root.insertedObjects.map(\.name) == ["3"] && root.deletedObjects.map(\.name) == ["1"])
        #expect(root.updatedObjects == [own])
        #expect(try stored("SELECT ZNAME FROM ZPARENT") == [["P"]])
        try root.save()
        #expect(try stored("SELECT ZNAME FROM ZPARENT") == [["Q"]])
        #expect(try stored("SELECT ZNAME, ZPARENT FROM ZCHILD ORDER BY 1") == [["2", "1"], ["3", "1"]])
    }

    @Test("tell of a save with the child's objects below, and of changes with the parent's above")
    func notifications() throws {
        try family()
        nonisolated(unsafe) var seen: [String] = []
        let names: [Notification.Name] = [
            .NSManagedObjectContextWillSave, .NSManagedObjectContextObjectsDidChange, .NSManagedObjectContextDidSave,
        ]
        let (root, child) = (self.root, self.child)
        let tokens = names.map { name in
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { note in
                guard let context = note.object as? NSManagedObjectContext, context === root || context === child
                else { return }
                let sets = (note.userInfo ?? [:]).filter { !(($0.value as? Set<NSManagedObject>)?.isEmpty ?? true) }
                for objects in sets.values.compactMap({ $0 as? Set<NSManagedObject> }) {
                    #expect(
                        objects.allSatisfy { $0.managedObjectContext === context || $0.managedObjectContext == nil })
                }
                let keys = sets.keys.compactMap { $0 as? String }.sorted().joined(separator: "+")
                seen.append(
                    "\(context === root ? "root" : "child") \(name.rawValue.contains("Will") ? "will" : name == .NSManagedObjectContextDidSave ? "did" : "change") \(keys)"
                )
            }
        }
        defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
        let parent = try child.one("Parent", "P")
        parent.setValue("Q", forKey: "name")
        NSManagedObject.with("Tag", "T", child).setValue(Set([try child.one("Child", "2")]), forKey: "children")
        child.delete(try child.one("Child", "1"))
        try child.save()
        #expect(
            seen == [
                "child change deleted+inserted+updated", "child will ", "root change deleted+inserted+updated",
                "child did deleted+inserted+updated",
            ])
    }

    @Test("pull on a fault what the parent has, saved or not")
    func pull() throws {
        let own = try family()
        own.setValue("unsaved", forKey: "name")
        let new = NSManagedObject.with("Child", "new", root)
        new.setValue(own, forKey: "parent")
        let parent = child.object(with: own.objectID)
        #expect(parent.name == "unsaved")
        #expect(parent.names("children") == ["1", "2", "new"])
        let same = try #require(parent.set("children").first { $0.name == "new" })
        #expect(same.objectID == new.objectID && same.objectID.isTemporaryID)
        #expect(same.object("parent") === parent)
        #expect(!child.hasChanges)
        own.setValue("later", forKey: "name")
        #expect(parent.name == "unsaved", "what is filled stays")
        child.refresh(parent, mergeChanges: false)
        #expect(parent.name == "later")
        root.rollback()
        #expect(own.name == "P")
    }

    @Test("reading a relationship to an object that the parent hasn't saved is no change")
    func readTemporary() throws {
        let own = try family()
        let one = try root.one("Child", "1")
        let other = NSManagedObject.with("Parent", "O", root)
        one.setValue(other, forKey: "parent")
        let mine = child.object(with: one.objectID)
        mine.setValue("x", forKey: "name")
        #expect(mine.object("parent")?.name == "O")
        #expect(mine.changedValues().keys.sorted() == ["name"])
        try root.save()
        #expect(mine.changedValues().keys.sorted() == ["name"])
        // The IDs are learnt when the child is next used.
        child.performAndWait {}
        #expect(mine.object("parent")?.objectID == other.objectID)
        #expect(own.names("children") == ["2"])
    }

    @Test("find the parent's unsaved changes, and don't show their own to others")
    func fetch() throws {
        let own = try family()
        own.setValue(5, forKey: "number")
        _ = NSManagedObject.with("Parent", "new", root)
        root.delete(try root.one("Child", "2"))
        #expect(try child.names("Parent", "number == 5") == ["P"])
        #expect(try child.names("Parent") == ["P", "new"])
        #expect(try child.names("Child") == ["1"])
        let request = NSFetchRequest<NSManagedObject>(entityName: "Parent")
        #expect(try child.count(for: request) == 2)
        _ = NSManagedObject.with("Parent", "mine", child)
        #expect(try child.names("Parent") == ["P", "mine", "new"])
        #expect(try root.names("Parent") == ["P", "new"])
        #expect(try Self.child(of: root).names("Parent") == ["P", "new"])
    }

    @Test("keep temporary IDs until the root is saved, and then know the permanent ones")
    func identifiers() throws {
        nonisolated(unsafe) var saved: [NSManagedObjectContext: Set<NSManagedObjectID>] = [:]
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSaveObjectIDs, object: nil, queue: nil
        ) { note in
            guard let context = note.object as? NSManagedObjectContext else { return }
            saved[context] = note.userInfo?[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID>
        }
        defer { NotificationCenter.default.removeObserver(token) }
        let new = NSManagedObject.with("Parent", "new", child)
        let temporary = new.objectID
        try child.save()
        #expect(new.objectID == temporary && !new.isInserted)
        #expect(saved[child] == [temporary])
        let own = try #require(root.insertedObjects.first)
        #expect(own.objectID == temporary)
        try root.save()
        #expect(!own.objectID.isTemporaryID && saved[root] == [own.objectID])
        #expect(child.registeredObject(for: own.objectID) === new)
        #expect(new.objectID == own.objectID)
        #expect(try child.one("Parent", "new") === new)
        new.setValue("again", forKey: "name")
        try child.save()
        #expect(own.name == "again")
    }

    @Test("know one object for a row, also where the parent has saved meanwhile what the child had found unsaved")
    func uniquing() throws {
        let own = NSManagedObject.with("Parent", "new", root)
        let mine = try child.one("Parent", "new")
        #expect(mine.objectID.isTemporaryID)
        try root.save()
        #expect(try child.one("Parent", "new") === mine)
        #expect(child.object(with: own.objectID) === mine)
        #expect(mine.objectID == own.objectID)
        mine.setValue("x", forKey: "name")
        try child.save()
        #expect(own.name == "x" && !own.isInserted)
    }

    @Test("that obtain permanent IDs first give them to the parent's objects")
    func obtain() throws {
        let new = NSManagedObject.with("Parent", "new", child)
        try child.obtainPermanentIDs(for: [new])
        #expect(!new.objectID.isTemporaryID && new.isInserted)
        let id = new.objectID
        try child.save()
        #expect(root.registeredObject(for: id)?.isInserted == true)
        try root.save()
        #expect(try stored("SELECT Z_PK FROM ZPARENT") == [["\(id.primaryKey)"]])
        #expect(new.objectID == id && root.object(with: id).name == "new")
    }

    @Test("carry transient values up; a transient change alone is no change of the file")
    func transient() throws {
        let own = try family()
        let parent = try child.one("Parent", "P")
        parent.setValue(7, forKey: "mood")
        try child.save()
        #expect(own.value(forKey: "mood") as? Int == 7)
        #expect(root.hasChanges && !own.hasPersistentChangedValues)
        try root.save()
        #expect(try stored("SELECT Z_OPT FROM ZPARENT") == [["1"]])
        #expect(try fixture.secondContext().one("Parent", "P").value(forKey: "mood") == nil)
    }

    @Test("validate when they save, and a failed save leaves both contexts as they were")
    func validation() throws {
        let own = try family()
        let parent = try child.one("Parent", "P")
        parent.setValue(nil, forKey: "name")
        _ = NSManagedObject.with("Tag", "T", child)
        #expect(errorCode { try child.save() } == .validationMissingMandatoryProperty)
        #expect(child.hasChanges && parent.isUpdated && child.insertedObjects.count == 1)
        #expect(!root.hasChanges && own.name == "P")
        parent.setValue("ok", forKey: "name")
        try child.save()
        #expect(own.name == "ok")
    }

    @Test("delete with their delete rules, which the parent sees after the save")
    func deletion() throws {
        let own = try family()
        let parent = try child.one("Parent", "P")
        let one = try child.one("Child", "1")
        child.delete(parent)
        child.processPendingChanges()
        #expect(one.isDeleted && !own.isDeleted)
        try child.save()
        #expect(own.isDeleted && root.deletedObjects.count == 3)
        #expect(one.managedObjectContext == nil && parent.managedObjectContext == nil)
        #expect(try child.find("Child").isEmpty)
        root.rollback()
        #expect(try child.names("Child") == ["1", "2"])
    }

    @Test("see as deleted what the parent has deleted")
    func deletedAbove() throws {
        let own = try family()
        let parent = child.object(with: own.objectID)
        root.delete(own)
        #expect(errorCode { _ = try child.existingObject(with: own.objectID) } == .managedObjectReferentialIntegrity)
        #expect(parent.name == "" && parent.isDeleted)
        try child.save()
    }

    @Test("an object that was inserted and deleted in the child leaves no trace above")
    func cameAndWent() throws {
        let new = NSManagedObject.with("Parent", "new", child)
        child.processPendingChanges()
        child.delete(new)
        try child.save()
        #expect(!root.hasChanges && !child.hasChanges)
    }

    @Test("carry ordered relationships up in their order")
    func ordered() throws {
        let own = try family()
        let parent = try child.one("Parent", "P")
        let (three, four) = (NSManagedObject.with("Child", "3", child), NSManagedObject.with("Child", "4", child))
        parent.setValue(NSOrderedSet(array: parent.list("line") + [four, three]), forKey: "line")
        try child.save()
        #expect(own.orderedNames("line") == ["1", "2", "4", "3"])
        try root.save()
        parent.setValue(NSOrderedSet(array: [three] + parent.list("line").filter { $0 !== three }), forKey: "line")
        try child.save()
        #expect(own.orderedNames("line") == ["3", "1", "2", "4"])
        try root.save()
        #expect(try fixture.freshContext().one("Parent", "P").orderedNames("line") == ["3", "1", "2", "4"])
        // Of many-to-many relationships, too, although the new objects come before the one that has the order.
        let (six, seven) = (NSManagedObject.with("Child", "6", child), NSManagedObject.with("Child", "7", child))
        parent.setValue(NSOrderedSet(array: [seven, six]), forKey: "route")
        try child.save()
        #expect(own.orderedNames("route") == ["7", "6"])
        // Unread here: what comes new comes last.
        let other = Self.child(of: root)
        let five = NSManagedObject.with("Child", "5", other)
        five.setValue(try other.one("Parent", "P"), forKey: "lineParent")
        try other.save()
        #expect(own.orderedNames("line") == ["3", "1", "2", "4", "5"])
    }

    @Test("carry many-to-many relationships up, among new objects and old ones")
    func manyToMany() throws {
        try family()
        let tag = NSManagedObject.with("Tag", "T", child)
        tag.setValue(Set(try child.find("Child")), forKey: "children")
        try child.save()
        #expect(try root.one("Tag", "T").names("children") == ["1", "2"])
        try root.save()
        tag.mutableSetValue(forKey: "children").remove(try child.one("Child", "1"))
        try child.save()
        #expect(try root.one("Tag", "T").names("children") == ["2"])
        try root.save()
        #expect(try stored("SELECT COUNT(*) FROM Z_1TAGS") == [["1"]])
    }

    @Test("the last one to save wins: no versions are compared between levels")
    func lastWins() throws {
        let own = try family()
        let parent = try child.one("Parent", "P")
        parent.setValue("child", forKey: "name")
        own.setValue("root", forKey: "name")
        own.setValue(3, forKey: "number")
        try child.save()
        #expect(own.name == "child" && own.value(forKey: "number") as? Int == 3)
    }

    @Test("rollback, reset and refresh of a child leave its parent alone")
    func leaveAlone() throws {
        let own = try family()
        own.setValue("unsaved", forKey: "name")
        let parent = try child.one("Parent", "unsaved")
        parent.setValue("x", forKey: "name")
        child.rollback()
        #expect(parent.name == "unsaved" && own.isUpdated)
        child.reset()
        #expect(parent.managedObjectContext == nil && own.name == "unsaved" && root.hasChanges)
    }

    @Test("siblings see each other's saves, when they merge by themselves", arguments: [true, false])
    func siblings(_ merges: Bool) async throws {
        let own = try family()
        let sibling = Self.child(of: root)
        sibling.automaticallyMergesChangesFromParent = merges
        let theirs = try sibling.one("Parent", "P")
        #expect(theirs.names("children") == ["1", "2"])
        let mine = try child.one("Parent", "P")
        mine.setValue("Q", forKey: "name")
        NSManagedObject.with("Child", "3", child).setValue(mine, forKey: "parent")
        child.delete(try child.one("Child", "1"))
        try child.save()
        await sibling.perform {}
        #expect(theirs.name == (merges ? "Q" : "P"))
        #expect(theirs.names("children") == (merges ? ["2", "3"] : ["1", "2"]))
        #expect(own.name == "Q")
        // An unsaved change stays on top.
        theirs.setValue(9, forKey: "number")
        mine.setValue("R", forKey: "name")
        try child.save()
        await sibling.perform {}
        #expect(theirs.name == (merges ? "R" : "P") && theirs.value(forKey: "number") as? Int == 9)
    }

    @Test("see what their parent saves, when they merge by themselves", arguments: [true, false])
    func parentSaves(_ merges: Bool) async throws {
        let own = try family()
        child.automaticallyMergesChangesFromParent = merges
        let parent = try child.one("Parent", "P")
        #expect(parent.name == "P")
        own.setValue("Q", forKey: "name")
        try root.save()
        await child.perform {}
        #expect(parent.name == (merges ? "Q" : "P"))
    }

    @Test("a new object that a sibling has merged becomes the row's one object when the root is saved")
    func siblingInsert() async throws {
        let sibling = Self.child(of: root)
        sibling.automaticallyMergesChangesFromParent = true
        sibling.retainsRegisteredObjects = true
        let new = NSManagedObject.with("Parent", "new", child)
        try child.save()
        await sibling.perform {}
        let theirs = try sibling.one("Parent", "new")
        #expect(theirs.objectID == new.objectID)
        try root.save()
        await sibling.perform {}
        #expect(try sibling.find("Parent") == [theirs])
        #expect(try child.find("Parent") == [new])
        #expect(theirs.objectID == new.objectID && !new.objectID.isTemporaryID)
    }

    @Test("may have children of their own")
    func threeLevels() throws {
        try family()
        let grandchild = Self.child(of: child)
        let new = NSManagedObject.with("Parent", "new", grandchild)
        let one = try grandchild.one("Child", "1")
        one.setValue(new, forKey: "parent")
        try grandchild.save()
        #expect(child.insertedObjects.count == 1 && !root.hasChanges)
        try child.save()
        #expect(root.insertedObjects.count == 1)
        try root.save()
        #expect(!child.hasChanges && !grandchild.hasChanges)
        #expect(try grandchild.one("Parent", "new") === new)
        #expect(!new.objectID.isTemporaryID)
        let stored = try fixture.value("SELECT ZPARENT FROM ZCHILD WHERE ZNAME = '1'")
        #expect(stored == "\(new.objectID.primaryKey)")
        new.setValue("newer", forKey: "name")
        try grandchild.save()
        try child.save()
        try root.save()
        #expect(try fixture.value("SELECT COUNT(*) FROM ZPARENT WHERE ZNAME = 'newer'") == "1")
    }

    @Test("on the main queue under a private parent")
    @MainActor
    func mainUnderPrivate() throws {
        let main = Self.child(of: root, .mainQueueConcurrencyType)
        let new = NSManagedObject.with("Parent", "new", main)
        try main.save()
        let inserted = root.performAndWait { root.insertedObjects.map(\.name) }
        #expect(inserted == ["new"])
        try root.performAndWait { try root.save() }
        #expect(!new.objectID.isTemporaryID || main.registeredObject(for: new.objectID) === new)
        #expect(try main.one("Parent", "new") === new)
    }

    @Test("on a private queue under a parent on the main queue")
    func privateUnderMain() async throws {
        let main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        main.persistentStoreCoordinator = fixture.coordinator
        let background = Self.child(of: main)
        try await background.perform {
            _ = NSManagedObject.with("Parent", "new", background)
            try background.save()
        }
        try await main.perform {
            #expect(main.insertedObjects.map(\.name) == ["new"])
            try main.save()
        }
        #expect(try stored("SELECT ZNAME FROM ZPARENT") == [["new"]])
    }

    @Test("make a second object above, with an awakeFromInsert of its own")
    func awake() throws {
        let new = NSManagedObject.with("Diarist", "D", child) as? Diarist
        try child.save()
        let own = try #require(root.insertedObjects.first as? Diarist)
        #expect(own !== new && own.entries == ["insert"] && new?.entries == ["insert"])
        #expect(own.name == "D")
    }

    @Test("the parent's undo manager takes back what a child has saved")
    func undo() throws {
        let own = try family()
        let manager = UndoManager()
        root.undoManager = manager
        let parent = try child.one("Parent", "P")
        parent.setValue("Q", forKey: "name")
        NSManagedObject.with("Child", "3", child).setValue(parent, forKey: "parent")
        try child.save()
        root.undo()
        #expect(own.name == "P" && own.names("children") == ["1", "2"] && !root.hasChanges)
    }
}
