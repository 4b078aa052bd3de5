import Foundation
import Testing

@testable import CoreData

@Suite("Merge policies")
struct MergePolicyTests {
    static func model() -> NSManagedObjectModel {
        let person = Build.entity(
            "Person",
            [
                Build.attribute("name", .stringAttributeType), Build.attribute("job", .stringAttributeType),
                Build.attribute("pay", .integer32AttributeType),
            ])
        let team = Build.entity("Team", [Build.attribute("name", .stringAttributeType)])
        Build.relate(Build.one(person, "team"), Build.many(team, "people"))
        Build.relate(Build.many(person, "friends"), Build.many(person, "admirers"))
        return Build.model(person, team)
    }

    let fixture: Fixture
    /// The context that saves second, and its object.
    let mine: NSManagedObjectContext
    let ann: NSManagedObject
    var theirs: NSManagedObjectContext { fixture.context }
    let other: NSManagedObject

    init() throws {
        fixture = try Fixture(Self.model())
        other = fixture.insert("Person", ["name": "Ann", "job": "cook", "pay": 1])
        for name in ["red", "blue"] { fixture.insert("Team", ["name": name]) }
        other.setValue(try fixture.context.one("Team", "red"), forKey: "team")
        try fixture.context.save()
        mine = fixture.secondContext()
        ann = try mine.one("Person", "Ann")
        _ = ann.value(forKey: "pay")
    }

    private func row() throws -> [String?] {
        try fixture.rows("SELECT ZNAME, ZJOB, ZPAY, Z_OPT FROM ZPERSON WHERE Z_PK = 1").first ?? []
    }

    /// Both change the name; they the pay, I the job.
    private func changeBoth() throws {
        other.setValue("Theirs", forKey: "name")
        other.setValue(2, forKey: "pay")
        try theirs.save()
        ann.setValue("Mine", forKey: "name")
        ann.setValue("judge", forKey: "job")
    }

    private func values(_ object: NSManagedObject) -> [String] {
        ["name", "job", "pay"].map { object.value(forKey: $0).map { "\($0)" } ?? "-" }
    }

    // MARK: Two changes

    @Test("error: the save fails with 133020, nothing is written, and the changes stay")
    func error() throws {
        try changeBoth()
        for _ in 0..<2 {
            do {
                try mine.save()
                Issue.record("a conflict was saved")
            } catch let error as CocoaError {
                #expect(error.code == .managedObjectMerge && error.code.rawValue == 133020)
                #expect(error.localizedDescription == "Could not merge changes.")
                let list = error.userInfo["conflictList"] as? [NSMergeConflict]
                #expect(list?.map(\.sourceObject) == [ann])
                #expect(error.userInfo["NSExceptionOmitCallstacks"] as? Bool == true)
            }
        }
        #expect(try row() == ["Theirs", "cook", "2", "2"])
        #expect(values(ann) == ["Mine", "judge", "1"] && ann.isUpdated)
    }

    @Test(
        "property by property, or as a whole",
        arguments: [
            (NSMergePolicyType.mergeByPropertyStoreTrumpMergePolicyType, ["Theirs", "judge", "2"]),
            (.mergeByPropertyObjectTrumpMergePolicyType, ["Mine", "judge", "2"]),
            (.overwriteMergePolicyType, ["Mine", "judge", "1"]), (.rollbackMergePolicyType, ["Theirs", "cook", "2"]),
        ])
    func updates(_ type: NSMergePolicyType, _ result: [String]) throws {
        try changeBoth()
        mine.mergePolicy = NSMergePolicy(merge: type)
        try mine.save()
        #expect(values(ann) == result)
        #expect(ann.changedValues().isEmpty && !mine.hasChanges)
        #expect(try row() == result + [type == .rollbackMergePolicyType ? "2" : "3"])
        // What was merged is a version like any other.
        ann.setValue("later", forKey: "job")
        try mine.save()
        #expect(try row()[1] == "later")
    }

    @Test("are the same against a row that another coordinator has changed")
    func otherCoordinator() throws {
        let outside = try fixture.freshContext()
        let same = try outside.one("Person", "Ann")
        same.setValue("Theirs", forKey: "name")
        same.setValue(2, forKey: "pay")
        try outside.save()
        ann.setValue("Mine", forKey: "name")
        #expect(errorCode { try mine.save() } == .managedObjectMerge)
        mine.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try mine.save()
        #expect(try row() == ["Mine", "cook", "2", "3"])
        #expect(values(ann) == ["Mine", "cook", "2"])
    }

    @Test("let a to-one relationship that only they have changed through, and both its ends agree afterwards")
    func relationship() throws {
        let (red, blue) = (try mine.one("Team", "red"), try mine.one("Team", "blue"))
        #expect(red.set("people") == [ann] && blue.set("people").isEmpty)
        other.setValue(try theirs.one("Team", "blue"), forKey: "team")
        try theirs.save()
        ann.setValue("judge", forKey: "job")
        mine.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try mine.save()
        #expect(ann.object("team") === blue)
        #expect(red.set("people").isEmpty && blue.set("people") == [ann])
        #expect(!mine.hasChanges)
    }

    @Test(
        "decide about a to-one relationship that both have changed, at both its ends",
        arguments: [
            (NSMergePolicyType.mergeByPropertyStoreTrumpMergePolicyType, "blue"),
            (.mergeByPropertyObjectTrumpMergePolicyType, "mine"), (.rollbackMergePolicyType, "blue"),
            (.overwriteMergePolicyType, "mine"),
        ])
    func relationshipOfBoth(_ type: NSMergePolicyType, _ result: String) throws {
        let teams = [try mine.one("Team", "red"), try mine.one("Team", "blue"), .with("Team", "mine", mine)]
        for team in teams { _ = team.set("people") }
        other.setValue(try theirs.one("Team", "blue"), forKey: "team")
        try theirs.save()
        ann.setValue(teams[2], forKey: "team")
        mine.mergePolicy = NSMergePolicy(merge: type)
        try mine.save()
        #expect(ann.object("team")?.name == result)
        for team in teams { #expect(team.set("people") == (team.name == result ? [ann] : []), "\(team.name)") }
        mine.refreshAllObjects()
        #expect(ann.object("team")?.name == result)
        for team in teams { #expect(team.set("people") == (team.name == result ? [ann] : []), "\(team.name)") }
    }

    @Test("keep what both have put into a many-to-many relationship")
    func friends() throws {
        for (context, name) in [(theirs, "T"), (mine, "M")] {
            let friend = NSManagedObject.with("Person", name, context)
            (context === mine ? ann : other).mutableSetValue(forKey: "friends").add(friend)
        }
        #expect(ann.names("friends") == ["M"])
        try theirs.save()
        #expect(errorCode { try mine.save() } == .managedObjectMerge)
        mine.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try mine.save()
        #expect(ann.names("friends") == ["M", "T"])
        #expect(try fixture.value("SELECT COUNT(*) FROM Z_1FRIENDS") == "2")
    }

    // MARK: Deletions

    @Test("their deletion against my change: error fails, the store's side lets the object go, mine writes it anew")
    func theyDelete() throws {
        for type in [NSMergePolicyType.errorMergePolicyType] + Self.resolving {
            let me = try MergePolicyTests()
            me.theirs.delete(me.other)
            try me.theirs.save()
            me.ann.setValue("Mine", forKey: "name")
            me.mine.mergePolicy = NSMergePolicy(merge: type)
            switch type {
            case .errorMergePolicyType:
                do {
                    try me.mine.save()
                    Issue.record("a conflict was saved")
                } catch let error as CocoaError {
                    let conflict = (error.userInfo["conflictList"] as? [NSMergeConflict])?.first
                    #expect(error.code == .managedObjectMerge && conflict?.newVersionNumber == 0)
                    #expect(conflict?.cachedSnapshot == nil && conflict?.persistedSnapshot == nil)
                    #expect(conflict?.description.contains("newVersion = <deleted>") == true)
                }
                #expect(try me.fixture.value("SELECT COUNT(*) FROM ZPERSON") == "0")
                #expect(me.ann.isUpdated)
            case .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType:
                try me.mine.save()
                #expect(me.ann.managedObjectContext == nil && !me.mine.hasChanges)
                #expect(try me.fixture.value("SELECT COUNT(*) FROM ZPERSON") == "0")
                #expect(try me.mine.one("Team", "red").set("people").isEmpty)
            default:
                try me.mine.save()
                #expect(try me.row() == ["Mine", "cook", "1", "1"])
                #expect(me.ann.managedObjectContext === me.mine && !me.ann.hasChanges)
                me.ann.setValue("again", forKey: "job")
                try me.mine.save()
                #expect(try me.row() == ["Mine", "again", "1", "2"])
            }
        }
    }

    @Test("my deletion against their change: error fails, the store's side keeps the object, mine deletes it")
    func iDelete() throws {
        for type in [NSMergePolicyType.errorMergePolicyType] + Self.resolving {
            let me = try MergePolicyTests()
            let red = try me.mine.one("Team", "red")
            #expect(red.set("people") == [me.ann])
            me.other.setValue("Theirs", forKey: "name")
            try me.theirs.save()
            me.mine.delete(me.ann)
            me.mine.mergePolicy = NSMergePolicy(merge: type)
            switch type {
            case .errorMergePolicyType:
                #expect(errorCode { try me.mine.save() } == .managedObjectMerge)
                #expect(me.ann.isDeleted)
                #expect(try me.fixture.value("SELECT COUNT(*) FROM ZPERSON") == "1")
            case .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType:
                try me.mine.save()
                #expect(!me.ann.isDeleted && me.ann.name == "Theirs" && !me.mine.hasChanges)
                #expect(me.ann.object("team") === red && red.set("people") == [me.ann])
                #expect(try me.row() == ["Theirs", "cook", "1", "2"])
            default:
                try me.mine.save()
                #expect(me.ann.managedObjectContext == nil && red.set("people").isEmpty)
                #expect(try me.fixture.value("SELECT COUNT(*) FROM ZPERSON") == "0")
            }
        }
    }

    static let resolving: [NSMergePolicyType] = [
        .mergeByPropertyStoreTrumpMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType,
        .overwriteMergePolicyType, .rollbackMergePolicyType,
    ]

    @Test("two deletions are no conflict", arguments: [true, false])
    func bothDelete(_ isOtherCoordinator: Bool) throws {
        // Without a team, which both would change.
        other.setValue(nil, forKey: "team")
        try theirs.save()
        mine.refresh(ann, mergeChanges: false)
        #expect(ann.object("team") == nil)
        let context = isOtherCoordinator ? try fixture.freshContext() : theirs
        context.delete(try context.one("Person", "Ann"))
        try context.save()
        mine.delete(ann)
        try mine.save()
        #expect(!mine.hasChanges && ann.managedObjectContext == nil)
    }

    // MARK: Conflict objects

    @Test("a conflict with another context of the coordinator has the cached row, what was read, and the versions")
    func cached() throws {
        try changeBoth()
        var conflict: NSMergeConflict?
        do { try mine.save() } catch let error as CocoaError {
            conflict = (error.userInfo["conflictList"] as? [NSMergeConflict])?.first
        }
        #expect(conflict?.oldVersionNumber == 1 && conflict?.newVersionNumber == 2)
        #expect(conflict?.objectSnapshot?["name"] as? String == "Ann", "what was read, not what was set")
        #expect(conflict?.cachedSnapshot?["name"] as? String == "Theirs")
        #expect(conflict?.cachedSnapshot?["team"] as? NSManagedObjectID == ann.object("team")?.objectID)
        #expect(conflict?.cachedSnapshot.map { Set($0.keys) } == ["name", "job", "pay", "team"], "no to-many")
        #expect(conflict?.persistedSnapshot == nil)
        let text = try #require(conflict?.description)
        #expect(text.hasPrefix("NSMergeConflict (0x"))
        for part in [
            ") for NSManagedObject (0x", "with objectID '",
            "with oldVersion = 1 and newVersion = 2 and old object snapshot = {",
            "} and new cached row = {",
        ] {
            #expect(text.contains(part), "\(text)")
        }
    }

    @Test("a conflict with the store has the row as remembered and as stored")
    func persisted() throws {
        let outside = try fixture.freshContext()
        try outside.one("Person", "Ann").setValue("Theirs", forKey: "name")
        try outside.save()
        ann.setValue("Mine", forKey: "name")
        var conflict: NSMergeConflict?
        do { try mine.save() } catch let error as CocoaError {
            conflict = (error.userInfo["conflictList"] as? [NSMergeConflict])?.first
        }
        #expect(conflict?.cachedSnapshot?["name"] as? String == "Ann")
        #expect(conflict?.persistedSnapshot?["name"] as? String == "Theirs")
        #expect(conflict?.oldVersionNumber == 1 && conflict?.newVersionNumber == 2)
        #expect(conflict?.description.contains("new database row = {") == true)
    }

    @Test("nil is NSNull in a snapshot")
    func nulls() throws {
        other.setValue(nil, forKey: "job")
        other.setValue(nil, forKey: "team")
        try theirs.save()
        ann.setValue("Mine", forKey: "name")
        do { try mine.save() } catch let error as CocoaError {
            let conflict = (error.userInfo["conflictList"] as? [NSMergeConflict])?.first
            #expect(conflict?.cachedSnapshot?["job"] is NSNull && conflict?.cachedSnapshot?["team"] is NSNull)
        }
    }

    @Test("a conflict made by a program has what it was given")
    func made() throws {
        let conflict = NSMergeConflict(
            source: ann, newVersion: 5, oldVersion: 3, cachedSnapshot: ["name": "c"], persistedSnapshot: ["name": "p"])
        #expect(conflict.sourceObject === ann && conflict.newVersionNumber == 5 && conflict.oldVersionNumber == 3)
        #expect(conflict.cachedSnapshot?["name"] as? String == "c")
        #expect(conflict.persistedSnapshot?["name"] as? String == "p")
        #expect(conflict.objectSnapshot?["name"] as? String == "Ann")
    }

    // MARK: Objects that aren't changed

    @Test("detectConflicts makes a save fail whose object was read, not changed, and has changed below")
    func detect() throws {
        try changeBoth()
        mine.rollback()
        _ = NSManagedObject.with("Team", "new", mine)
        mine.detectConflicts(for: ann)
        do {
            try mine.save()
            Issue.record("the conflict was not found")
        } catch let error as CocoaError {
            #expect(error.code == .managedObjectMerge)
            #expect((error.userInfo["conflictList"] as? [NSMergeConflict])?.map(\.sourceObject) == [ann])
        }
        #expect(try fixture.value("SELECT COUNT(*) FROM ZTEAM") == "2")
        mine.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        try mine.save()
        #expect(values(ann) == ["Theirs", "cook", "2"])
        #expect(try row()[3] == "2", "the object itself was not written")
        // It was for one save.
        mine.mergePolicy = NSMergePolicy.error
        other.setValue(3, forKey: "pay")
        try theirs.save()
        _ = NSManagedObject.with("Team", "newer", mine)
        try mine.save()
    }

    @Test("detectConflicts finds what another coordinator has changed or deleted, too", arguments: [true, false])
    func detectOutside(_ isDeletion: Bool) throws {
        let outside = try fixture.freshContext()
        let same = try outside.one("Person", "Ann")
        if isDeletion { outside.delete(same) } else { same.setValue(9, forKey: "pay") }
        try outside.save()
        _ = NSManagedObject.with("Team", "new", mine)
        mine.detectConflicts(for: ann)
        #expect(errorCode { try mine.save() } == .managedObjectMerge)
    }

    @Test("an object nobody else has changed passes detectConflicts")
    func undetected() throws {
        mine.detectConflicts(for: ann)
        _ = NSManagedObject.with("Team", "new", mine)
        try mine.save()
        #expect(try row()[3] == "1")
    }

    // MARK: Policies as objects

    final class Custom: NSMergePolicy, @unchecked Sendable {
        let level: Int
        nonisolated(unsafe) var calls: [String] = []
        struct Refusal: Error {}

        init(_ level: Int, _ type: NSMergePolicyType) {
            self.level = level
            super.init(merge: type)
        }

        override func resolve(mergeConflicts list: [Any]) throws {
            calls.append("all \(list.count)")
            if level == 0 { throw Refusal() }
            try super.resolve(mergeConflicts: list)
        }

        override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
            calls.append("versions \(list.count)")
            if level == 1 {
                // The longer name wins.
                for conflict in list {
                    let stored = conflict.cachedSnapshot?["name"] as? String ?? ""
                    if stored.count > conflict.sourceObject.name.count {
                        conflict.sourceObject.setValue(stored, forKey: "name")
                    }
                }
                return
            }
            try super.resolve(optimisticLockingConflicts: list)
        }

        override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
            calls.append("constraints \(list.count)")
            try super.resolve(constraintConflicts: list)
        }
    }

    @Test("a subclass may resolve all itself, or call super, or refuse")
    func custom() throws {
        try changeBoth()
        let refusing = Custom(0, .overwriteMergePolicyType)
        mine.mergePolicy = refusing
        #expect(throws: Custom.Refusal.self) { try mine.save() }
        #expect(refusing.calls == ["all 1"] && ann.isUpdated && ann.name == "Mine")
        let longest = Custom(1, .errorMergePolicyType)
        mine.mergePolicy = longest
        try mine.save()
        #expect(longest.calls == ["all 1", "versions 1"])
        #expect(try row() == ["Theirs", "judge", "1", "3"], "what it doesn't set is as in memory")
        try changeBothAgain()
        let calling = Custom(2, .mergeByPropertyObjectTrumpMergePolicyType)
        mine.mergePolicy = calling
        try mine.save()
        #expect(calling.calls == ["all 1", "versions 1"])
        #expect(try row() == ["Again", "judge", "7", "5"])
    }

    private func changeBothAgain() throws {
        theirs.refresh(other, mergeChanges: false)
        other.setValue(7, forKey: "pay")
        try theirs.save()
        ann.setValue("Again", forKey: "name")
    }

    @Test("the five policies are one object each, of their types, by class properties and by Apple's constants")
    func constants() {
        let all: [(AnyObject, NSMergePolicy, NSMergePolicyType, UInt)] = [
            (NSErrorMergePolicy, .error, .errorMergePolicyType, 0),
            (
                NSMergeByPropertyStoreTrumpMergePolicy, .mergeByPropertyStoreTrump,
                .mergeByPropertyStoreTrumpMergePolicyType, 1
            ),
            (
                NSMergeByPropertyObjectTrumpMergePolicy, .mergeByPropertyObjectTrump,
                .mergeByPropertyObjectTrumpMergePolicyType, 2
            ),
            (NSOverwriteMergePolicy, .overwrite, .overwriteMergePolicyType, 3),
            (NSRollbackMergePolicy, .rollback, .rollbackMergePolicyType, 4),
        ]
        for (constant, policy, type, number) in all {
            #expect(constant === policy && policy.mergeType == type && type.rawValue == number)
            #expect(NSMergePolicyType(rawValue: number) == type)
        }
        #expect(mine.mergePolicy as AnyObject === NSMergePolicy.error)
        let rules: [(NSDeleteRule, UInt)] = [
            (.noActionDeleteRule, 0), (.nullifyDeleteRule, 1), (.cascadeDeleteRule, 2), (.denyDeleteRule, 3),
        ]
        for (rule, number) in rules { #expect(rule.rawValue == number && NSDeleteRule(rawValue: number) == rule) }
        #expect(NSDeleteRule(rawValue: 4) == nil && NSMergePolicyType(rawValue: 5) == nil)
        #expect(NSRelationshipDescription().deleteRule == .nullifyDeleteRule)
    }

    @Test("something that is no policy is an error at the first conflict")
    func noPolicy() throws {
        mine.mergePolicy = "error"
        ann.setValue(3, forKey: "pay")
        try mine.save()
        other.setValue(4, forKey: "pay")
        #expect(errorCode { try theirs.save() } == .managedObjectMerge)
        theirs.mergePolicy = "error"
        #expect(errorCode { try theirs.save() } == .coreData)
    }

    @Test("objects that a policy has changed are told by awake(fromSnapshotEvents:)")
    func events() throws {
        let model = UndoTests.model()
        let fixture = try Fixture(model)
        let first = NSManagedObject.with("Diarist", "D", fixture.context)
        try fixture.context.save()
        let context = fixture.secondContext()
        let second = try context.one("Diarist", "D")
        _ = second.value(forKey: "name")
        first.setValue("E", forKey: "name")
        try fixture.context.save()
        second.setValue("F", forKey: "name")
        context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        try context.save()
        #expect((second as? Diarist)?.entries == ["event 64"])
        #expect(second.name == "E")
    }

    @Test("several objects of one save are resolved together")
    func several() throws {
        let names = ["B", "C", "D"]
        for name in names { fixture.insert("Person", ["name": name]) }
        try theirs.save()
        let own = try names.map { try mine.one("Person", $0) }
        for object in own { _ = object.value(forKey: "pay") }
        for name in names { try theirs.one("Person", name).setValue(5, forKey: "pay") }
        try theirs.save()
        for object in own { object.setValue("chef", forKey: "job") }
        let policy = Custom(2, .mergeByPropertyObjectTrumpMergePolicyType)
        mine.mergePolicy = policy
        try mine.save()
        #expect(policy.calls == ["all 3", "versions 3"])
        #expect(try fixture.value("SELECT COUNT(*) FROM ZPERSON WHERE ZPAY = 5 AND ZJOB = 'chef'") == "3")
    }
}
