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

    @Test("a pair with an object that is deleted before the save leaves no join row, whatever the rule", arguments: [
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
}
