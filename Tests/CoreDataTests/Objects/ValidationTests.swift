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

/// Replaces and judges single values, as `validate<Key>` methods do on Apple's systems.
final class Member: NSManagedObject {
    struct TooYoung: Error {}
    nonisolated(unsafe) var asked: [String] = []

    override func validateValue(_ value: UnsafeMutablePointer<AnyObject?>, forKey key: String) throws {
        asked.append(key)
        try super.validateValue(value, forKey: key)
        switch (key, value.pointee) {
        case ("nick", let nick as String) where nick.hasPrefix(" "):
            value.pointee = String(nick.dropFirst()) as AnyObject
        case ("age", let age as NSNumber) where age.intValue == 1: throw TooYoung()
        case ("club", let club as NSManagedObject) where club.name == "closed": throw CocoaError(.validationInvalidDate)
        default: return
        }
    }
}

@Suite("Validation, property by property")
struct PropertyValidationTests {
    static func model() -> NSManagedObjectModel {
        let name = Build.attribute("name", .stringAttributeType, isOptional: false)
        name.setValidation(
            [
                NSPredicate(format: "length >= 2"), NSPredicate(format: "length <= 5"),
                NSPredicate(format: "SELF MATCHES '[a-z]+'"),
            ],
            warnings: [NSNumber(value: 1670), NSNumber(value: 1660), NSNumber(value: 1680)])
        let age = Build.attribute("age", .integer16AttributeType)
        age.setValidation([NSPredicate(format: "SELF >= 0")], warnings: [NSNumber(value: 1620)])
        let joined = Build.attribute("joined", .dateAttributeType)
        joined.setValidation(
            [
                NSPredicate(format: "SELF >= %@", Date(timeIntervalSinceReferenceDate: 0) as NSDate),
                NSPredicate(format: "SELF <= %@", Date(timeIntervalSinceReferenceDate: 1000) as NSDate),
            ], warnings: [NSNumber(value: 1640), NSNumber(value: 1630)])
        let nick = Build.attribute("nick", .stringAttributeType)
        nick.setValidation([NSPredicate(format: "length > 0")], warnings: ["Nick is too short."])
        let mood = Build.attribute("mood", .stringAttributeType, isOptional: false, isTransient: true, default: "fine")
        let member = Build.entity("Member", [name, age, joined, nick, mood])
        member.managedObjectClassName = NSStringFromClass(Member.self)
        let plain = Build.entity("Plain", [name.copy(), nick.copy()].compactMap { $0 as? NSPropertyDescription })
        let club = Build.entity("Club", [Build.attribute("name", .stringAttributeType)])
        Build.relate(Build.many(club, "members", rule: .denyDeleteRule), Build.one(member, "club", isOptional: false))
        Build.relate(Build.many(club, "judges"), Build.many(member, "judged"))
        _ = Build.many(club, "guests").made(to: plain)
        club.relationshipsByName["judges"]?.minCount = 2
        club.relationshipsByName["judges"]?.maxCount = 3
        return Build.model(member, plain, club)
    }

    let fixture: Fixture
    let club: NSManagedObject
    var context: NSManagedObjectContext { fixture.context }

    init() throws {
        fixture = try Fixture(Self.model())
        club = fixture.insert("Club", ["name": "open"])
        try fixture.context.save()
    }

    func member(_ values: [String: Any?] = [:]) throws -> Member {
        let all = ["name": "abc", "club": club].merging(values) { $1 }
        return try #require(fixture.insert("Member", all) as? Member)
    }

    func error(_ object: NSManagedObject) throws -> CocoaError? {
        do {
            try object.validateForInsert()
            return nil
        } catch let error as CocoaError { return error }
    }

    @Test(
        "the rules that the model editor knows have their own codes and words",
        arguments: [
            ("name", "a", 1670, "name is too short."), ("name", "abcdef", 1660, "name is too long."),
            ("name", "ABC", 1680, "name doesn't match its pattern."), ("age", -1, 1620, "age is too small."),
            ("joined", Date(timeIntervalSinceReferenceDate: -1), 1640, "joined is too soon."),
            ("joined", Date(timeIntervalSinceReferenceDate: 1001), 1630, "joined is too late."),
            ("nick", "", 1550, "Nick is too short."), ("name", nil, 1570, "name is a required value."),
            ("club", nil, 1570, "club is a required value."), ("mood", nil, 1570, "mood is a required value."),
        ] as [(String, (any Sendable)?, Int, String)])
    func rules(_ key: String, _ value: (any Sendable)?, _ code: Int, _ text: String) throws {
        let member = try member([key: value])
        let error = try #require(try error(member))
        #expect(error.code.rawValue == code && error.localizedDescription == text)
        let info = error.userInfo
        #expect(info[NSValidationObjectErrorKey] as? NSManagedObject === member)
        #expect(info[NSValidationKeyErrorKey] as? String == key)
        #expect((info[NSValidationValueErrorKey] == nil) == (value == nil))
        #expect((info[NSValidationPredicateErrorKey] is NSPredicate) == (value != nil))
        #expect(errorCode { try context.save() }?.rawValue == code)
        #expect(member.isInserted && context.hasChanges)
    }

    @Test("relationships with too few or too many objects, and none where there have to be some")
    func counts() throws {
        let members = try (0..<4).map { _ in try member() }
        for (count, code) in [(0, nil), (1, 1580), (2, nil), (3, nil), (4, 1590)] as [(Int, Int?)] {
            let judges = Set(members.prefix(count).map { $0 as NSManagedObject })
            club.setValue(judges, forKey: "judges")
            let error = try error(club)
            #expect(error?.code.rawValue == code)
            if code != nil { #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == "judges") }
            var value: AnyObject? = NSSet(array: Array(judges))
            #expect(errorCode { try club.validateValue(&value, forKey: "judges") }?.rawValue == code)
        }
    }

    @Test("values that an optional property may lack pass all rules")
    func optionalNil() throws {
        try member(["age": nil, "joined": nil, "nick": nil]).validateForInsert()
    }

    @Test("a relationship without inverse to an object that has left the context is refused")
    func danglingToMany() throws {
        let plain = fixture.insert("Plain", ["name": "ok"])
        club.setValue([plain] as Set<NSManagedObject>, forKey: "guests")
        context.delete(plain)
        do {
            try context.save()
            Issue.record("a relationship to a lost object was saved")
        } catch let error as CocoaError {
            #expect(error.code == .managedObjectValidation)
            #expect(error.localizedDescription == "Dangling reference to an invalid object.")
            #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "guests")
            let value = error.userInfo[NSValidationValueErrorKey] as? String ?? ""
            #expect(value.hasPrefix("Relationship 'guests' on managed object (0x") && value.hasSuffix(")}"))
        }
        club.setValue([] as Set<NSManagedObject>, forKey: "guests")
        try context.save()
    }

    @Test("a denied deletion has the relationship, its objects and the hint that recovery may be tried")
    func denial() throws {
        let member = try member()
        try context.save()
        context.delete(club)
        for attempt in [{ try club.validateForDelete() }, { try context.save() }, { try context.save() }] {
            do {
                try attempt()
                Issue.record("the deletion was not denied")
            } catch let error as CocoaError {
                #expect(error.code == .validationRelationshipDeniedDelete)
                #expect(error.localizedDescription == "Items cannot be deleted from members.")
                #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "members")
                #expect(error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === club)
                #expect((error.userInfo[NSValidationValueErrorKey] as? Set<NSManagedObject>) == [member])
                #expect(error.userInfo["NSValidationErrorShouldAttemptRecoveryKey"] as? Bool == true)
            }
        }
        #expect(context.hasChanges && context.deletedObjects == [club])
    }

    @Test("a class is asked about each property in the model's order, and its errors come out as they are")
    func classRules() throws {
        let member = try member(["age": 1])
        #expect(throws: Member.TooYoung.self) { try member.validateForInsert() }
        #expect(member.asked == ["age", "club", "joined", "mood", "name", "nick"])
        #expect(throws: Member.TooYoung.self) { try context.save() }
        member.setValue(2, forKey: "age")
        try context.save()
    }

    @Test("a class may refuse what a to-one relationship leads to")
    func classRuleForRelationship() throws {
        let closed = fixture.insert("Club", ["name": "closed"])
        let member = try member(["club": closed])
        #expect(errorCode { try context.save() } == .validationInvalidDate)
        member.setValue(club, forKey: "club")
        try context.save()
    }

    @Test("a value that validation puts in place of another is validated in turn, and saved")
    func replacement() throws {
        let member = try member(["nick": "   x"])
        try context.save()
        #expect(member.value(forKey: "nick") as? String == "x")
        #expect(try fixture.value("SELECT ZNICK FROM ZMEMBER") == "x")
        #expect(!context.hasChanges)
        context.processPendingChanges()
        #expect(!context.hasChanges)
        member.setValue("  ", forKey: "nick")
        #expect(errorCode { try context.save() } == .managedObjectValidation)
        member.setValue(" y", forKey: "nick")
        try context.save()
        #expect(try fixture.value("SELECT ZNICK FROM ZMEMBER") == "y")
    }

    @Test("validateValue judges one value without setting it, and replaces it at its address")
    func oneValue() throws {
        let member = try member()
        var value: AnyObject? = " z" as AnyObject
        try member.validateValue(&value, forKey: "nick")
        #expect(value as? String == "z" && member.value(forKey: "nick") == nil)
        value = "a" as AnyObject
        #expect(errorCode { try member.validateValue(&value, forKey: "name") } == .validationStringTooShort)
        value = nil
        #expect(errorCode { try member.validateValue(&value, forKey: "name") } == .validationMissingMandatoryProperty)
        #expect(errorCode { try member.validateValue(&value, forKey: "club") } == .validationMissingMandatoryProperty)
        value = "x" as AnyObject
        #expect(errorCode { try member.validateValue(&value, forKey: "age") } == .managedObjectValidation)
    }

    @Test(
        "broken rules of several objects come as one error 1560 with all of them, in the order of objects and properties"
    )
    func several() throws {
        _ = try member(["name": "a", "age": -1])
        fixture.insert("Plain", ["name": nil])
        do {
            try context.save()
            Issue.record("invalid objects were saved")
        } catch let error as CocoaError {
            #expect(error.code == .validationMultipleErrors)
            #expect(error.localizedDescription == "Multiple validation errors occurred.")
            let details = error.userInfo[NSDetailedErrorsKey] as? [CocoaError] ?? []
            #expect(details.map(\.code.rawValue) == [1620, 1670, 1570])
        }
    }

    @Test("an update is held up by an invalid property that it didn't touch")
    func untouched() throws {
        let plain = fixture.insert("Plain", ["name": "ok"])
        try context.save()
        let connection = try SQLiteConnection(fixture.url, .readWrite)
        try connection.execute("UPDATE ZPLAIN SET ZNAME = 'far too long'")
        context.stalenessInterval = 0
        context.refresh(plain, mergeChanges: false)
        plain.setValue("nick", forKey: "nick")
        #expect(errorCode { try context.save() } == .validationStringTooLong)
        context.delete(plain)
        try context.save()
    }

    @Test("a transient value is validated after an insertion; the object that a fetch gives may lack it")
    func transientValues() throws {
        _ = try member(["name": "old"])
        try context.save()
        let other = fixture.secondContext()
        let old = try other.one("Member", "old")
        #expect(old.value(forKey: "mood") == nil)
        old.setValue(3, forKey: "age")
        try other.save()
    }
}
