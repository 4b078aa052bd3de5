import Foundation
import Testing

@testable import CoreData

/// Says in its hooks what happens to it.
final class Account: NSManagedObject {
    nonisolated(unsafe) var calls: [String] = []

    override func awakeFromInsert() {
        super.awakeFromInsert()
        calls.append("awakeFromInsert")
    }
    override func awakeFromFetch() {
        super.awakeFromFetch()
        guard name == "waking" else { return }
        setValue("awake", forKey: "stamp")
        setValue(nil, forKey: "owner")
    }
    override func prepareForDeletion() { calls.append("prepareForDeletion") }
    override func willSave() {
        super.willSave()
        calls.append("willSave")
        if !isDeleted, value(forKey: "stamp") == nil { setValue("stamped", forKey: "stamp") }
        if name == "endless" { setValue(calls.count, forKey: "count") }
        if name == "meddler" {
            for other in (try? managedObjectContext?.find("Account", "name == 'other'")) ?? [] where !other.isUpdated {
                other.setValue("meddled", forKey: "stamp")
            }
        }
    }
    override func didSave() { calls.append("didSave") }
    override func validateForInsert() throws {
        try super.validateForInsert()
        calls.append("validateForInsert")
        if name == "forbidden" { throw CocoaError(.managedObjectValidation) }
    }
    override func validateForUpdate() throws {
        try super.validateForUpdate()
        if name == "forbidden" { throw CocoaError(.managedObjectValidation) }
    }
    override func validateForDelete() throws {
        try super.validateForDelete()
        if name == "kept" { throw CocoaError(.validationRelationshipDeniedDelete) }
    }
}

@Suite("Validation and the hooks of a subclass")
struct ValidationTests {
    static func model() -> NSManagedObjectModel {
        let name = Build.attribute("name", .stringAttributeType, isOptional: false)
        name.setValidationPredicates([NSPredicate(format: "length <= 9")], withValidationWarnings: nil)
        let count = Build.attribute("count", .integer32AttributeType)
        count.setValidation(
            [NSPredicate(format: "SELF >= 0"), NSPredicate(format: "SELF <= 1000")],
            warnings: [NSNumber(value: 1620), NSNumber(value: 1610)])
        let account = Build.entity("Account", [name, count, Build.attribute("stamp", .stringAttributeType)])
        account.managedObjectClassName = NSStringFromClass(Account.self)
        let owner = Build.entity("Owner", [Build.attribute("name", .stringAttributeType)])
        Build.relate(Build.many(owner, "accounts", isOptional: false), Build.one(account, "owner", isOptional: true))
        return Build.model(account, owner)
    }

    let fixture: Fixture

    init() throws { fixture = try Fixture(Self.model()) }

    func account(_ name: String?) throws -> Account {
        try #require(fixture.insert("Account", ["name": name]) as? Account)
    }

    @Test("a plain insertion and save calls each hook once, and what willSave sets is saved")
    func hooks() throws {
        let account = try account("a")
        account.setValue("set", forKey: "stamp")
        try fixture.context.save()
        #expect(account.calls == ["awakeFromInsert", "willSave", "validateForInsert", "didSave"])
        let stamped = try self.account("b")
        try fixture.context.save()
        #expect(stamped.calls == ["awakeFromInsert", "willSave", "willSave", "validateForInsert", "didSave"])
        #expect(!fixture.context.hasChanges)
        #expect(try fixture.column("SELECT ZSTAMP FROM ZACCOUNT ORDER BY ZNAME") == ["set", "stamped"])
        stamped.calls = []
        fixture.context.delete(stamped)
        try fixture.context.save()
        #expect(stamped.calls == ["prepareForDeletion", "willSave", "didSave"])
    }

    @Test("what willSave does to another object is saved along")
    func meddling() throws {
        let other = try account("other")
        let meddler = try account("x")
        try fixture.context.save()
        meddler.setValue("meddler", forKey: "name")
        try fixture.context.save()
        #expect(try fixture.value("SELECT ZSTAMP FROM ZACCOUNT WHERE ZNAME = 'other'") == "meddled")
        #expect(!other.hasChanges)
    }

    @Test("a willSave that never comes to rest is an error, not an endless loop")
    func endless() throws {
        let account = try account("endless")
        #expect(errorCode { try fixture.context.save() } == .coreData)
        account.setValue("a", forKey: "name")
        account.setValue(nil, forKey: "count")
        try fixture.context.save()
    }

    @Test("an override of a validation stops the save, and the object stays unsaved")
    func overrides() throws {
        let account = try account("forbidden")
        #expect(errorCode { try fixture.context.save() } == .managedObjectValidation)
        #expect(account.isInserted)
        account.setValue("kept", forKey: "name")
        try fixture.context.save()
        account.setValue("forbidden", forKey: "name")
        #expect(errorCode { try fixture.context.save() } == .managedObjectValidation)
        account.setValue("kept", forKey: "name")
        fixture.context.delete(account)
        #expect(errorCode { try fixture.context.save() } == .validationRelationshipDeniedDelete)
        fixture.context.rollback()
        #expect(try fixture.value("SELECT COUNT(*) FROM ZACCOUNT") == "1")
    }

    @Test(
        "the model's rules give their codes",
        arguments: [
            (nil, 1, .validationMissingMandatoryProperty), ("a", -1, .validationNumberTooSmall),
            ("a", 1001, .validationNumberTooLarge),
            ("much too long", 1, .managedObjectValidation), ("", 1, nil), ("exactly 9", 1000, nil), ("a", nil, nil),
        ] as [(String?, Int?, CocoaError.Code?)])
    func rules(_ name: String?, _ count: Int?, _ code: CocoaError.Code?) throws {
        let account = try account(name)
        account.setValue(count, forKey: "count")
        #expect(errorCode { try account.validateForInsert() } == code)
        #expect(errorCode { try fixture.context.save() } == code)
    }

    @Test("several broken rules come as one error with all of them")
    func several() throws {
        let account = try account(nil)
        account.setValue(-1, forKey: "count")
        do {
            try fixture.context.save()
            Issue.record("an invalid object was saved")
        } catch let error as CocoaError {
            #expect(error.code == .validationMultipleErrors)
            let details = error.userInfo[NSDetailedErrorsKey] as? [CocoaError] ?? []
            #expect(Set(details.map { $0.userInfo[NSValidationKeyErrorKey] as? String }) == ["name", "count"])
        }
    }

    @Test("a mandatory to-many relationship that was never touched is missing")
    func mandatoryToMany() throws {
        let owner = fixture.insert("Owner", ["name": "o"])
        #expect(errorCode { try fixture.context.save() } == .validationMissingMandatoryProperty)
        try account("a").setValue(owner, forKey: "owner")
        try fixture.context.save()
        let fresh = try fixture.freshContext().one("Owner", "o")
        try fresh.validateForUpdate()
        let fault = fixture.secondContext().object(with: owner.objectID)
        try fault.validateForUpdate()
    }

    @Test("a reference to a deleted object is refused")
    func dangling() throws {
        let owner = fixture.insert("Owner", ["name": "o"])
        let account = try account("a")
        account.setValue(owner, forKey: "owner")
        try fixture.context.save()
        fixture.context.delete(owner)
        fixture.context.processPendingChanges()
        #expect(account.object("owner") == nil)
        account.setValue(owner, forKey: "owner")
        #expect(errorCode { try fixture.context.save() } == .managedObjectValidation)
        account.setValue(nil, forKey: "owner")
        try fixture.context.save()
        #expect(try fixture.rows("SELECT ZOWNER FROM ZACCOUNT") == [[nil]])
    }

    @Test("what awakeFromFetch sets is no change, and reaches no other object")
    func awaking() throws {
        let owner = fixture.insert("Owner", ["name": "o"])
        let account = try account("waking")
        account.setValue(owner, forKey: "owner")
        try fixture.context.save()
        let context = try fixture.freshContext()
        let other = try #require(try context.one("Account", "waking") as? Account)
        #expect(other.value(forKey: "stamp") as? String == "awake")
        #expect(!other.hasChanges && !context.hasChanges)
        other.setValue(5, forKey: "count")
        try context.save()
        #expect(try fixture.value("SELECT ZCOUNT FROM ZACCOUNT") == "5")
    }
}
