import Foundation
import Testing

@testable import CoreData

@Suite("Delete rules")
struct DeleteRuleTests {
    static func model(
        _ rule: NSDeleteRule, back: NSDeleteRule = .nullifyDeleteRule, isParentRequired: Bool = false
    ) -> NSManagedObjectModel {
        let parent = Build.entity("Parent", [Build.attribute("name", .stringAttributeType)])
        let child = Build.entity("Child", [Build.attribute("name", .stringAttributeType)])
        let tag = Build.entity("Tag", [Build.attribute("name", .stringAttributeType)])
        Build.relate(
            Build.many(parent, "children", rule: rule),
            Build.one(child, "parent", rule: back, isOptional: !isParentRequired))
        Build.relate(Build.many(child, "tags", rule: rule), Build.many(tag, "children"))
        return Build.model(parent, child, tag)
    }

    static func family(_ model: NSManagedObjectModel) throws -> Fixture {
        let fixture = try Fixture(model)
        let parent = fixture.insert("Parent", ["name": "P"])
        let tag = fixture.insert("Tag", ["name": "T"])
        for name in ["1", "2"] { fixture.insert("Child", ["name": name, "parent": parent, "tags": Set([tag])]) }
        try fixture.context.save()
        return fixture
    }

    @Test("nullify leaves the children without a parent, read or not")
    func nullify() throws {
        let fixture = try Self.family(Self.model(.nullifyDeleteRule))
        let context = try fixture.freshContext()
        context.delete(try context.one("Parent", "P"))
        try context.save()
        #expect(try fixture.column("SELECT ZPARENT FROM ZCHILD") == [nil, nil])
        #expect(try context.find("Child").allSatisfy { $0.object("parent") == nil })
    }

    @Test("cascade deletes the children, and their rows in join tables")
    func cascade() throws {
        let fixture = try Self.family(Self.model(.cascadeDeleteRule))
        let context = try fixture.freshContext()
        let child = try context.one("Child", "1")
        context.delete(try context.one("Parent", "P"))
        try context.save()
        #expect(try fixture.value("SELECT COUNT(*) FROM ZCHILD") == "0")
        #expect(try fixture.value("SELECT COUNT(*) FROM ZTAG") == "0")
        #expect(try fixture.value("SELECT COUNT(*) FROM Z_1TAGS") == "0")
        #expect(child.managedObjectContext == nil)
        #expect(!child.isDeleted)
    }

    @Test("cascade on both ends comes to an end")
    func cascadeCycle() throws {
        let fixture = try Self.family(Self.model(.cascadeDeleteRule, back: .cascadeDeleteRule))
        fixture.context.delete(try fixture.context.one("Child", "1"))
        try fixture.context.save()
        #expect(try fixture.value("SELECT (SELECT COUNT(*) FROM ZCHILD) + (SELECT COUNT(*) FROM ZPARENT)") == "0")
    }

    @Test("deny refuses the save with code 1600, until the children are deleted too")
    func deny() throws {
        let fixture = try Self.family(Self.model(.denyDeleteRule))
        let context = fixture.context
        let parent = try context.one("Parent", "P")
        context.delete(parent)
        do {
            try context.save()
            Issue.record("a denied deletion was saved")
        } catch let error as CocoaError {
            #expect(error.code == .validationRelationshipDeniedDelete)
            #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "children")
            #expect(error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === parent)
        }
        #expect(context.hasChanges)
        #expect(context.deletedObjects == [parent])
        #expect(try fixture.value("SELECT COUNT(*) FROM ZPARENT") == "1")
        for child in try context.find("Child") {
            child.setValue(Set<NSManagedObject>(), forKey: "tags")
            context.delete(child)
        }
        try context.save()
        #expect(try fixture.value("SELECT COUNT(*) FROM ZPARENT") == "0")
    }

    @Test("deny is found by validateForDelete too")
    func denyValidation() throws {
        let fixture = try Self.family(Self.model(.denyDeleteRule))
        let parent = try fixture.context.one("Parent", "P")
        #expect(errorCode { try parent.validateForDelete() } == .validationRelationshipDeniedDelete)
    }

    @Test("no action leaves a key that leads nowhere, but never a join row")
    func noAction() throws {
        let fixture = try Self.family(Self.model(.noActionDeleteRule))
        let context = fixture.context
        context.delete(try context.one("Parent", "P"))
        try context.save()
        #expect(try fixture.column("SELECT ZPARENT FROM ZCHILD") == ["1", "1"])
        context.delete(try context.one("Child", "1"))
        context.delete(try context.one("Tag", "T"))
        try context.save()
        #expect(try fixture.value("SELECT COUNT(*) FROM Z_1TAGS") == "0")
    }

    @Test(
        "a pair with an object that is deleted before the save leaves no join row, whatever the rule",
        arguments: [
            NSDeleteRule.noActionDeleteRule, .nullifyDeleteRule, .cascadeDeleteRule,
        ])
    func pairWithDeleted(_ rule: NSDeleteRule) throws {
        let fixture = try Fixture(Self.model(rule))
        let kept = fixture.insert("Tag", ["name": "kept"])
        let saved = fixture.insert("Child", ["name": "saved"])
        try fixture.context.save()
        let new = fixture.insert("Child", ["name": "new"])
        kept.setValue(Set([saved, new]), forKey: "children")
        fixture.context.delete(saved)
        fixture.context.delete(new)
        try fixture.context.save()
        #expect(try fixture.value("SELECT COUNT(*) FROM Z_1TAGS") == "0")
    }

    @Test("an object that was inserted and deleted before the save is never written")
    func insertedAndDeleted() throws {
        let fixture = try Self.family(Self.model(.noActionDeleteRule))
        let parent = fixture.insert("Parent", ["name": "gone"])
        let child = try fixture.context.one("Child", "1")
        child.setValue(parent, forKey: "parent")
        fixture.context.delete(parent)
        _ = errorCode { try fixture.context.save() }
        #expect(try fixture.value("SELECT COUNT(*) FROM ZPARENT") == "1")
        #expect(try fixture.value("SELECT COUNT(*) FROM ZCHILD WHERE ZPARENT < 0") == "0")
    }

    @Test("a required parent that goes is a missing value of the child")
    func requiredParent() throws {
        let fixture = try Self.family(Self.model(.nullifyDeleteRule, isParentRequired: true))
        fixture.context.delete(try fixture.context.one("Parent", "P"))
        do {
            try fixture.context.save()
            Issue.record("a child without its required parent was saved")
        } catch let error as CocoaError {
            #expect(error.code == .validationMultipleErrors)
            let details = error.userInfo[NSDetailedErrorsKey] as? [CocoaError] ?? []
            #expect(details.map(\.code) == [.validationMissingMandatoryProperty, .validationMissingMandatoryProperty])
        }
        fixture.context.rollback()
        #expect(!fixture.context.hasChanges)
        #expect(try fixture.context.one("Parent", "P").names("children") == ["1", "2"])
    }

    @Test("a deleted object keeps its values until the save, and is out of the context afterwards")
    func afterwards() throws {
        let fixture = try Self.family(Self.model(.nullifyDeleteRule))
        let parent = try fixture.context.one("Parent", "P")
        fixture.context.delete(parent)
        #expect(parent.isDeleted)
        #expect(parent.name == "P")
        #expect(parent.names("children") == ["1", "2"])
        try fixture.context.save()
        #expect(!parent.isDeleted)
        #expect(!parent.hasChanges)
        #expect(parent.managedObjectContext == nil)
        #expect(fixture.context.registeredObject(for: parent.objectID) == nil)
    }

    @Test("a relationship without inverse to many loses its keys with its owner")
    func withoutInverse() throws {
        let owner = Build.entity("Owner", [Build.attribute("name", .stringAttributeType)])
        let item = Build.entity("Item", [Build.attribute("name", .stringAttributeType)])
        _ = Build.many(owner, "items").made(to: item)
        let fixture = try Fixture(Build.model(owner, item))
        let first = fixture.insert("Item", ["name": "i"])
        let holder = fixture.insert("Owner", ["name": "o", "items": Set([first])])
        try fixture.context.save()
        #expect(try fixture.value("SELECT Z2ITEMS FROM ZITEM") == "1")
        #expect(try fixture.freshContext().one("Owner", "o").names("items") == ["i"])
        fixture.context.delete(holder)
        try fixture.context.save()
        #expect(try fixture.rows("SELECT Z2ITEMS FROM ZITEM") == [[nil]])
    }

    // MARK: Deep and cyclic graphs

    /// Nodes that lead to others by one to-many relationship with a rule.
    static func network(_ rule: NSDeleteRule, back: NSDeleteRule = .nullifyDeleteRule) throws -> Fixture {
        let node = Build.entity("Node", [Build.attribute("name", .stringAttributeType)])
        Build.relate(Build.many(node, "next", rule: rule), Build.many(node, "last", rule: back))
        return try Fixture(Build.model(node))
    }

    private func nodes(_ fixture: Fixture, _ edges: [(Int, Int)], _ count: Int) throws -> [NSManagedObject] {
        let nodes = (0..<count).map { fixture.insert("Node", ["name": "\($0)"]) }
        for (a, b) in edges { nodes[a].mutableSetValue(forKey: "next").add(nodes[b]) }
        try fixture.context.save()
        return nodes
    }

    @Test("cascade goes down a long chain")
    func chain() throws {
        let fixture = try Self.network(.cascadeDeleteRule)
        let all = try nodes(fixture, (0..<1999).map { ($0, $0 + 1) }, 2000)
        fixture.context.delete(all[1])
        try fixture.context.save()
        #expect(try fixture.column("SELECT ZNAME FROM ZNODE") == ["0"])
        #expect(all[0].set("next").isEmpty)
    }

    @Test("cascade goes through circles and diamonds once, each object being told once")
    func circle() throws {
        let fixture = try Self.network(.cascadeDeleteRule)
        let all = try nodes(fixture, [(0, 1), (1, 2), (2, 0), (0, 3), (3, 2), (4, 0), (2, 2)], 6)
        fixture.context.delete(all[3])
        fixture.context.processPendingChanges()
        #expect(fixture.context.deletedObjects == Set(all[0...3]))
        try fixture.context.save()
        #expect(try fixture.column("SELECT ZNAME FROM ZNODE ORDER BY 1") == ["4", "5"])
        #expect(all[4].set("next").isEmpty)
    }

    @Test("rules act per side: cascade from the child deletes the parent, whose rule frees the siblings")
    func perSide() throws {
        let fixture = try Self.family(Self.model(.nullifyDeleteRule, back: .cascadeDeleteRule))
        let context = try fixture.freshContext()
        context.delete(try context.one("Child", "1"))
        try context.save()
        #expect(try fixture.rows("SELECT ZNAME, ZPARENT FROM ZCHILD") == [["2", nil]])
        #expect(try fixture.value("SELECT COUNT(*) FROM ZPARENT") == "0")
    }

    @Test("deny on the side of the child refuses to delete any child that has a parent")
    func denyOfChild() throws {
        let fixture = try Self.family(Self.model(.nullifyDeleteRule, back: .denyDeleteRule))
        let child = try fixture.context.one("Child", "1")
        fixture.context.delete(child)
        #expect(errorCode { try fixture.context.save() } == .validationRelationshipDeniedDelete)
        fixture.context.rollback()
        child.setValue(nil, forKey: "parent")
        fixture.context.delete(child)
        try fixture.context.save()
        #expect(try fixture.column("SELECT ZNAME FROM ZCHILD") == ["2"])
    }

    @Test("deny below a cascade refuses the whole deletion, which can be repeated and rolled back")
    func denyBelow() throws {
        let parent = Build.entity("Parent", [Build.attribute("name", .stringAttributeType)])
        let child = Build.entity("Child", [Build.attribute("name", .stringAttributeType)])
        let grandchild = Build.entity("Grandchild", [Build.attribute("name", .stringAttributeType)])
        Build.relate(Build.many(parent, "children", rule: .cascadeDeleteRule), Build.one(child, "parent"))
        Build.relate(Build.many(child, "children", rule: .denyDeleteRule), Build.one(grandchild, "parent"))
        let fixture = try Fixture(Build.model(parent, child, grandchild))
        let top = fixture.insert("Parent", ["name": "P"])
        let middle = fixture.insert("Child", ["name": "C", "parent": top])
        let bottom = fixture.insert("Grandchild", ["name": "G", "parent": middle])
        try fixture.context.save()
        fixture.context.delete(top)
        for _ in 0..<2 {
            #expect(errorCode { try fixture.context.save() } == .validationRelationshipDeniedDelete)
            #expect(fixture.context.deletedObjects == [top, middle])
        }
        fixture.context.rollback()
        #expect(!top.isDeleted && top.set("children") == [middle] && middle.set("children") == [bottom])
        // Lifted once what stands against it goes too, also after a refusal.
        fixture.context.delete(top)
        #expect(errorCode { try fixture.context.save() } == .validationRelationshipDeniedDelete)
        fixture.context.delete(bottom)
        try fixture.context.save()
        #expect(try fixture.value("SELECT (SELECT COUNT(*) FROM ZPARENT) + (SELECT COUNT(*) FROM ZGRANDCHILD)") == "0")
    }

    @Test("deny is lifted when the related objects are deleted first, or move away")
    func lifted() throws {
        for moves in [false, true] {
            let fixture = try Self.family(Self.model(.denyDeleteRule))
            let parent = try fixture.context.one("Parent", "P")
            for child in try fixture.context.find("Child") {
                child.setValue(Set<NSManagedObject>(), forKey: "tags")
                if moves { child.setValue(nil, forKey: "parent") } else { fixture.context.delete(child) }
            }
            fixture.context.delete(parent)
            try fixture.context.save()
            #expect(try fixture.value("SELECT COUNT(*) FROM ZCHILD") == (moves ? "2" : "0"))
        }
    }

    @Test("rules are applied when changes are processed, or only by the save", arguments: [true, false])
    func time(_ isAtEndOfEvent: Bool) throws {
        let fixture = try Self.family(Self.model(.cascadeDeleteRule))
        let context = fixture.context
        context.propagatesDeletesAtEndOfEvent = isAtEndOfEvent
        let (parent, child) = (try context.one("Parent", "P"), try context.one("Child", "1"))
        context.delete(parent)
        #expect(parent.isDeleted && !child.isDeleted && context.deletedObjects == [parent])
        context.processPendingChanges()
        #expect(child.isDeleted == isAtEndOfEvent)
        try context.save()
        #expect(try fixture.value("SELECT COUNT(*) FROM ZCHILD") == "0")
    }

    @Test("prepareForDeletion is called by each delete, with the relationships as they were, before any rule")
    func preparing() throws {
        let fixture = try Fixture(UndoTests.model())
        let diarist = NSManagedObject.with("Diarist", "D", fixture.context)
        try fixture.context.save()
        fixture.context.delete(diarist)
        fixture.context.delete(diarist)
        #expect((diarist as? Diarist)?.entries == ["insert", "delete", "delete"])
        #expect(fixture.context.deletedObjects == [diarist])
    }

    @Test("an unsaved insert that is deleted: isDeleted at once, out of the context once processed, and never written")
    func unsaved() throws {
        let fixture = try Self.family(Self.model(.nullifyDeleteRule))
        let new = fixture.insert("Parent", ["name": "new"])
        fixture.context.processPendingChanges()
        fixture.context.delete(new)
        #expect(new.isDeleted && !fixture.context.insertedObjects.contains(new))
        #expect(fixture.context.deletedObjects.isEmpty, "no save hears of it")
        fixture.context.processPendingChanges()
        #expect(new.managedObjectContext == nil)
        try fixture.context.save()
        #expect(new.managedObjectContext == nil && !new.isDeleted && !new.isInserted)
        #expect(try fixture.value("SELECT COUNT(*) FROM ZPARENT") == "1")
    }
}
