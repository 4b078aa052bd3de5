import Foundation
import Testing

@testable import CoreData

@Suite("Uniqueness constraints")
struct UniquenessPolicyTests {
    static func model() -> NSManagedObjectModel {
        let text = { Build.attribute($0, .stringAttributeType) }
        let city = Build.entity("City", [text("name"), text("code"), text("zone"), text("note")])
        let person = Build.entity("Person", [text("name"), text("mail")], subentities: [])
        let chief = Build.entity("Chief", [text("badge")])
        person.subentities = [chief]
        let street = Build.entity("Street", [text("name")])
        let plain = Build.entity("Plain", [text("name")])
        Build.relate(Build.many(city, "people"), Build.one(person, "city"))
        Build.relate(Build.many(city, "streets"), Build.many(street, "cities"))
        Build.relate(Build.many(city, "line", isOrdered: true), Build.one(street, "lineCity"))
        Build.relate(Build.one(city, "twin"), Build.one(city, "twinOf"))
        _ = Build.one(plain, "city").made(to: city)
        city.uniquenessConstraints = [["code"], ["zone", "note"]]
        person.uniquenessConstraints = [["mail"]]
        chief.uniquenessConstraints = [["badge"]]
        return Build.model(city, person, chief, street, plain)
    }

    let fixture: Fixture
    let oslo: NSManagedObject
    var context: NSManagedObjectContext { fixture.context }

    init() throws {
        fixture = try Fixture(Self.model(), rootType: .privateQueueConcurrencyType)
        oslo = fixture.insert("City", ["name": "Oslo", "code": "OSL", "note": "old"])
        fixture.insert("Person", ["name": "Ann", "mail": "a@x", "city": oslo])
        try fixture.context.save()
    }

    private func cities() throws -> [[String?]] {
        try fixture.rows("SELECT Z_PK, ZNAME, ZCODE, ZNOTE FROM ZCITY ORDER BY Z_PK")
    }

    // MARK: The default

    @Test("are violated only by a save: error 133021 with the conflicts, and nothing is written")
    func violation() throws {
        let double = fixture.insert("City", ["name": "Double", "code": "OSL"])
        let third = fixture.insert("City", ["name": "Third", "code": "OSL"])
        do {
            try context.save()
            Issue.record("equal values were saved")
        } catch let error as CocoaError {
            #expect(error.code == .managedObjectConstraintMerge && error.code.rawValue == 133021)
            let conflicts = try #require(error.userInfo["conflictList"] as? [NSConstraintConflict])
            #expect(conflicts.count == 1)
            let conflict = conflicts[0]
            #expect(conflict.constraint == ["code"])
            #expect(conflict.constraintValues["code"] as? String == "OSL")
            #expect(conflict.databaseObject === oslo)
            #expect(conflict.databaseSnapshot?["name"] as? String == "Oslo")
            #expect(conflict.conflictingObjects == [double, third])
            #expect(conflict.conflictingSnapshots.allSatisfy { $0.isEmpty })
            #expect(conflict.description.contains(") for constraint (\ncode\n): database: "))
            #expect(conflict.description.contains("<\(oslo.objectID.uriRepresentation().absoluteString)>"))
        }
        #expect(context.insertedObjects == [double, third])
        #expect(try cities().count == 1)
    }

    @Test("among the context's own objects, a conflict has no object of the database")
    func withinContext() throws {
        let two = ["1", "2"].map { fixture.insert("City", ["name": $0, "code": "NEW"]) }
        do {
            try context.save()
            Issue.record("equal values were saved")
        } catch let error as CocoaError {
            let conflict = try #require((error.userInfo["conflictList"] as? [NSConstraintConflict])?.first)
            #expect(conflict.databaseObject == nil && conflict.databaseSnapshot == nil)
            #expect(conflict.conflictingObjects == two)
            #expect(conflict.description.contains("database: (null)"))
        }
    }

    @Test("a changed object's snapshot is what it was made from")
    func snapshots() throws {
        let rome = fixture.insert("City", ["name": "Rome", "code": "ROM"])
        try context.save()
        rome.setValue("OSL", forKey: "code")
        do {
            try context.save()
            Issue.record("equal values were saved")
        } catch let error as CocoaError {
            let conflict = try #require((error.userInfo["conflictList"] as? [NSConstraintConflict])?.first)
            #expect(conflict.conflictingSnapshots.first?["code"] as? String == "ROM")
            #expect(conflict.databaseObject === oslo)
        }
    }

    @Test("a conflict made by a program has what it was given")
    func made() {
        let conflict = NSConstraintConflict(
            constraint: ["code"], database: oslo, databaseSnapshot: ["code": "OSL", 1: "left out"],
            conflicting: [oslo], conflictingSnapshots: [["code": "X"], NSNull()])
        #expect(conflict.databaseSnapshot?.count == 1)
        #expect(conflict.conflictingSnapshots.map(\.count) == [1, 0])
    }

    @Test("NULLs are equal to nothing, in compound constraints too", arguments: [0, 1, 2])
    func nulls(_ type: UInt) throws {
        context.mergePolicy = NSMergePolicy(merge: NSMergePolicyType(rawValue: type) ?? .errorMergePolicyType)
        for _ in 0..<2 { fixture.insert("City", ["zone": "z"]) }
        for _ in 0..<2 { fixture.insert("City", ["note": "n"]) }
        try context.save()
        #expect(try cities().count == 5)
    }

    // MARK: Upserts

    @Test("object trump: the row stays, with the new values and all relationships of both")
    func objectTrump() throws {
        let street = fixture.insert("Street", ["name": "S"])
        oslo.setValue(Set([street]), forKey: "streets")
        try context.save()
        let id = oslo.objectID
        let double = fixture.insert("City", ["name": "New Oslo", "code": "OSL"])
        let ben = fixture.insert("Person", ["name": "Ben", "city": double])
        let lane = fixture.insert("Street", ["name": "L", "cities": Set([double]), "lineCity": double])
        let plain = fixture.insert("Plain", ["name": "p", "city": double])
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try context.save()
        #expect(!context.hasChanges && double.managedObjectContext == nil)
        #expect(oslo.objectID == id && oslo.name == "New Oslo")
        #expect(try cities() == [["1", "New Oslo", "OSL", nil]], "untouched values of the new object count too")
        #expect(oslo.names("people") == ["Ann", "Ben"] && ben.object("city") === oslo)
        #expect(oslo.names("streets") == ["L", "S"] && lane.names("cities") == ["New Oslo"])
        #expect(oslo.orderedNames("line") == ["L"] && plain.object("city") === oslo)
        let fresh = try fixture.freshContext().one("City", "New Oslo")
        #expect(fresh.names("people") == ["Ann", "Ben"] && fresh.names("streets") == ["L", "S"])
        #expect(try fixture.value("SELECT ZCITY FROM ZPLAIN") == "1")
    }

    @Test("store trump: the row stays as it is, and takes over the new object's relationships")
    func storeTrump() throws {
        let double = fixture.insert("City", ["name": "New Oslo", "code": "OSL", "note": "new"])
        let ben = fixture.insert("Person", ["name": "Ben", "city": double])
        context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        try context.save()
        #expect(try cities() == [["1", "Oslo", "OSL", "old"]])
        #expect(ben.object("city") === oslo && oslo.names("people") == ["Ann", "Ben"])
        #expect(double.managedObjectContext == nil)
    }

    @Test("a to-one relationship of either side stays", arguments: [1, 2])
    func toOneKept(_ type: UInt) throws {
        let (bonn, rome) = (fixture.insert("City", ["name": "Bonn"]), fixture.insert("City", ["name": "Rome"]))
        oslo.setValue(bonn, forKey: "twin")
        try context.save()
        context.mergePolicy = NSMergePolicy(merge: NSMergePolicyType(rawValue: type) ?? .errorMergePolicyType)
        // The new one has none: the old one's stays.
        fixture.insert("City", ["name": "Oslo", "code": "OSL"])
        try context.save()
        #expect(oslo.object("twin") === bonn)
        fixture.insert("City", ["name": "Oslo", "code": "OSL", "twin": rome])
        try context.save()
        #expect(oslo.object("twin") === (type == 1 ? bonn : rome))
        #expect(rome.object("twinOf") === (type == 1 ? nil : oslo))
        #expect(bonn.object("twinOf") === (type == 1 ? oslo : nil))
        #expect(try fixture.value("SELECT COUNT(*) FROM ZCITY") == "3")
    }

    @Test("rows that were never read in this context are found, and only theirs keys are kept", arguments: [1, 2])
    func unread(_ type: UInt) throws {
        let other = try fixture.freshContext()
        other.mergePolicy = NSMergePolicy(merge: NSMergePolicyType(rawValue: type) ?? .errorMergePolicyType)
        for (index, code) in ["OSL", "ROM", "OSL"].enumerated() {
            let city = NSManagedObject.with("City", "\(index)", other)
            city.setValue(code, forKey: "code")
        }
        try other.save()
        #expect(try cities().map { $0[2] } == ["OSL", "ROM"])
        #expect(try cities()[0][1] == (type == 1 ? "Oslo" : "2"))
        #expect(!other.hasChanges)
    }

    @Test("among the context's own new objects one stays, with all relationships", arguments: [1, 2, 3, 4])
    func ownObjects(_ type: UInt) throws {
        context.mergePolicy = NSMergePolicy(merge: NSMergePolicyType(rawValue: type) ?? .errorMergePolicyType)
        for index in 1...3 {
            let city = fixture.insert("City", ["name": "\(index)", "code": "NEW"])
            fixture.insert("Person", ["name": "P\(index)", "city": city])
        }
        try context.save()
        let left = try context.find("City", "code == 'NEW'")
        #expect(left.count == 1)
        #expect(left.first?.names("people") == ["P1", "P2", "P3"])
        #expect(
            try fixture.value("SELECT COUNT(*) FROM ZPERSON p JOIN ZCITY c ON c.Z_PK = p.ZCITY WHERE ZCODE = 'NEW'")
                == "3")
        #expect(try cities().count == 2)
    }

    @Test("repeated imports change nothing but values")
    func imports() throws {
        for round in 1...3 {
            let other = try fixture.freshContext()
            other.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            for index in 0..<50 {
                let city = NSManagedObject.with("City", "\(round)", other)
                city.setValue("C\(index)", forKey: "code")
                let person = NSManagedObject.with("Person", "\(round)", other)
                person.setValue("\(index)@x", forKey: "mail")
                person.setValue(city, forKey: "city")
            }
            try other.save()
        }
        #expect(
            try fixture.rows("SELECT COUNT(*), COUNT(DISTINCT ZCODE), MIN(ZNAME) FROM ZCITY WHERE ZCODE <> 'OSL'") == [
                ["50", "50", "3"]
            ])
        let sql =
            "SELECT COUNT(*) FROM ZPERSON p JOIN ZCITY c ON c.Z_PK = p.ZCITY WHERE 'C' || replace(ZMAIL, '@x', '') = ZCODE"
        #expect(try fixture.value(sql) == "50")
    }

    // MARK: Changed objects

    @Test("a saved object that takes the value of another gets its own back, or takes the other's place")
    func taking() throws {
        for type in [
            NSMergePolicyType.mergeByPropertyStoreTrumpMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType,
        ] {
            let me = try UniquenessPolicyTests()
            let rome = me.fixture.insert("City", ["name": "Rome", "code": "ROM", "note": "r"])
            try me.context.save()
            rome.setValue("OSL", forKey: "code")
            rome.setValue("Roma", forKey: "name")
            me.context.mergePolicy = NSMergePolicy(merge: type)
            try me.context.save()
            if type == .mergeByPropertyStoreTrumpMergePolicyType {
                #expect(try me.cities() == [["1", "Oslo", "OSL", "old"], ["2", "Roma", "ROM", "r"]])
            } else {
                #expect(try me.cities() == [["1", "Roma", "OSL", "r"]])
                #expect(rome.managedObjectContext == nil)
            }
            #expect(!me.context.hasChanges)
        }
    }

    @Test("values may be traded in one save, in a circle too, under any policy", arguments: [0, 1, 2, 3, 4])
    func trade(_ type: UInt) throws {
        let others = ["ROM", "BON"].map { fixture.insert("City", ["name": $0, "code": $0]) }
        try context.save()
        context.mergePolicy = NSMergePolicy(merge: NSMergePolicyType(rawValue: type) ?? .errorMergePolicyType)
        oslo.setValue("ROM", forKey: "code")
        others[0].setValue("BON", forKey: "code")
        others[1].setValue("OSL", forKey: "code")
        try context.save()
        #expect(try cities().map { $0[2] } == ["ROM", "BON", "OSL"])
        #expect(try fixture.column("SELECT Z_OPT FROM ZCITY") == ["2", "2", "2"])
    }

    @Test("a value that is given up, or whose object is deleted, may be taken in the same save")
    func givenUp() throws {
        let new = fixture.insert("City", ["name": "New", "code": "OSL"])
        oslo.setValue(nil, forKey: "code")
        try context.save()
        fixture.insert("City", ["name": "Newer", "code": "OSL"])
        context.delete(new)
        try context.save()
        #expect(try fixture.column("SELECT ZNAME FROM ZCITY WHERE ZCODE = 'OSL'") == ["Newer"])
    }

    // MARK: Kinds of constraints

    @Test("of several attributes: all have to be the same", arguments: [1, 2])
    func compound(_ type: UInt) throws {
        context.mergePolicy = NSMergePolicy(merge: NSMergePolicyType(rawValue: type) ?? .errorMergePolicyType)
        for (zone, note) in [("a", "1"), ("a", "2"), ("b", "1"), ("a", "1")] {
            fixture.insert("City", ["name": zone + note, "zone": zone, "note": note])
        }
        try context.save()
        #expect(
            try fixture.column("SELECT ZZONE || ZNOTE FROM ZCITY WHERE ZZONE NOT NULL ORDER BY 1") == [
                "a1", "a2", "b1",
            ])
    }

    @Test("two constraints of one new object that meet two rows leave no equal values", arguments: [1, 2])
    func twoConstraints(_ type: UInt) throws {
        fixture.insert("City", ["name": "Z", "zone": "z", "note": "n"])
        try context.save()
        context.mergePolicy = NSMergePolicy(merge: NSMergePolicyType(rawValue: type) ?? .errorMergePolicyType)
        fixture.insert("City", ["name": "both", "code": "OSL", "zone": "z", "note": "n"])
        try context.save()
        #expect(try fixture.value("SELECT COUNT(*) - COUNT(DISTINCT ZCODE) FROM ZCITY WHERE ZCODE NOT NULL") == "0")
        #expect(try fixture.value("SELECT COUNT(*) FROM ZCITY WHERE ZZONE = 'z'") == "1")
        #expect(!context.hasChanges)
    }

    @Test("an inherited constraint holds between an entity and its sub-entities", arguments: [0, 1, 2])
    func inherited(_ type: UInt) throws {
        context.mergePolicy = NSMergePolicy(merge: NSMergePolicyType(rawValue: type) ?? .errorMergePolicyType)
        fixture.insert("Chief", ["name": "Boss", "mail": "a@x", "badge": "1"])
        if type == 0 {
            #expect(errorCode { try context.save() } == .managedObjectConstraintMerge)
            return
        }
        try context.save()
        #expect(try fixture.rows("SELECT ZNAME, ZMAIL FROM ZPERSON") == [[type == 1 ? "Ann" : "Boss", "a@x"]])
    }

    @Test("a sub-entity's own constraint holds among its objects", arguments: [0, 2])
    func ofSubentity(_ type: UInt) throws {
        context.mergePolicy = NSMergePolicy(merge: NSMergePolicyType(rawValue: type) ?? .errorMergePolicyType)
        fixture.insert("Chief", ["name": "One", "badge": "1"])
        try context.save()
        fixture.insert("Chief", ["name": "Two", "badge": "1"])
        if type == 0 {
            #expect(errorCode { try context.save() } == .managedObjectConstraintMerge)
        } else {
            try context.save()
            #expect(try fixture.column("SELECT ZNAME FROM ZPERSON WHERE ZBADGE = '1'") == ["Two"])
        }
    }

    @Test("version conflicts are resolved first, then constraints")
    func both() throws {
        let other = try fixture.freshContext()
        try other.one("City", "Oslo").setValue("theirs", forKey: "note")
        try other.save()
        let policy = MergePolicyTests.Custom(2, .mergeByPropertyObjectTrumpMergePolicyType)
        context.mergePolicy = policy
        oslo.setValue("Mine", forKey: "name")
        fixture.insert("City", ["name": "Double", "code": "OSL", "note": "double"])
        try context.save()
        #expect(policy.calls == ["all 1", "versions 1", "all 1", "constraints 1"])
        #expect(try cities() == [["1", "Double", "OSL", "double"]])
    }

    @Test("version conflicts are resolved first also where the file finds the violated constraint first")
    func constraintFoundFirst() throws {
        let (rome, bonn) = (
            fixture.insert("City", ["name": "Rome", "code": "ROM"]), fixture.insert("City", ["name": "Bonn"])
        )
        try context.save()
        let other = try fixture.freshContext()
        try other.one("City", "Bonn").setValue("theirs", forKey: "note")
        try other.save()
        let policy = MergePolicyTests.Custom(2, .mergeByPropertyStoreTrumpMergePolicyType)
        context.mergePolicy = policy
        rome.setValue("OSL", forKey: "code")
        bonn.setValue("Mine", forKey: "name")
        try context.save()
        #expect(policy.calls == ["all 1", "versions 1", "all 1", "constraints 1"])
        #expect(try cities().dropFirst() == [["2", "Rome", "ROM", nil], ["3", "Mine", nil, "theirs"]])
    }

    @Test("a child's save checks nothing; the root's does")
    func child() throws {
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        NSManagedObject.with("City", "Double", child).setValue("OSL", forKey: "code")
        try child.save()
        #expect(errorCode { try context.save() } == .managedObjectConstraintMerge)
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try context.save()
        #expect(try cities().map { $0[1] } == ["Double"])
        #expect(try child.find("City").count == 1)
    }
}
