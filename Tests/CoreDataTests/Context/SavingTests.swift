import Foundation
import Testing

@testable import CoreData

@Suite("Saving")
struct SavingTests {
    static func model() -> NSManagedObjectModel {
        let user = Build.entity(
            "User",
            [
                Build.attribute("name", .stringAttributeType), Build.attribute("mail", .stringAttributeType),
                Build.attribute("age", .integer32AttributeType),
            ])
        user.uniquenessConstraints = [["mail"]]
        let group = Build.entity("Group", [Build.attribute("name", .stringAttributeType)])
        Build.relate(Build.many(user, "groups"), Build.many(group, "users"))
        return Build.model(user, group)
    }

    let fixture: Fixture
    let user: NSManagedObject
    var context: NSManagedObjectContext { fixture.context }

    init() throws {
        fixture = try Fixture(Self.model())
        user = fixture.insert("User", ["name": "A", "mail": "a@x", "age": 1])
        try fixture.context.save()
    }

    @Test("gives keys in a row, counts versions, and knows what an object is")
    func bookkeeping() throws {
        #expect(!user.objectID.isTemporaryID && !user.hasChanges && !user.isFault)
        #expect(user.objectID.uriRepresentation().lastPathComponent == "p1")
        fixture.insert("User", ["name": "B"])
        fixture.insert("Group", ["name": "G"])
        user.setValue(2, forKey: "age")
        try context.save()
        user.setValue(3, forKey: "age")
        try context.save()
        #expect(
            try fixture.rows("SELECT Z_PK, Z_ENT, Z_OPT FROM ZUSER ORDER BY Z_PK") == [
                ["1", "2", "3"], ["2", "2", "1"],
            ])
        #expect(
            try fixture.rows("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT") == [
                ["Group", "1"], ["User", "2"],
            ])
    }

    @Test("the temporary ID goes, the object stays the one of its context")
    func identity() throws {
        let new = fixture.insert("User", ["name": "new"])
        let temporary = new.objectID
        #expect(temporary.isTemporaryID)
        #expect(context.registeredObject(for: temporary) === new)
        #expect(try context.existingObject(with: temporary) === new)
        try context.save()
        #expect(new.objectID != temporary)
        #expect(context.registeredObject(for: temporary) == nil)
        #expect(context.object(with: new.objectID) === new)
        #expect(try context.one("User", "new") === new)
        let url = new.objectID.uriRepresentation()
        #expect(fixture.coordinator.managedObjectID(forURIRepresentation: url) == new.objectID)
        let other = try fixture.freshContext()
        let id = try #require(other.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: url))
        #expect(try other.existingObject(with: id).name == "new")
    }

    @Test(
        "URIs that mean nothing give no ID, rows that don't exist no object",
        arguments: [
            "x-coredata:///User/t1", "x-coredata://S/User/p1", "http://a/b", "x-coredata://ID/Nothing/p1",
            "x-coredata://ID/User/1", "x-coredata://ID/User/p",
            "x-coredata://ID/User/p-1", "x-coredata://ID/User/p99999999999999999999", "x-coredata://ID/User/p1/x",
            "x-coredata://ID", "p1",
        ])
    func strangeURIs(_ text: String) throws {
        let store = try #require(fixture.coordinator.persistentStores.first?.identifier)
        let url = try #require(URL(string: text.replacingOccurrences(of: "ID", with: store)))
        #expect(fixture.coordinator.managedObjectID(forURIRepresentation: url) == nil)
        let missing = try #require(URL(string: "x-coredata://\(store)/User/p\(Int64.max)"))
        let id = try #require(fixture.coordinator.managedObjectID(forURIRepresentation: missing))
        #expect(errorCode { _ = try context.existingObject(with: id) } == .managedObjectReferentialIntegrity)
        let fault = context.object(with: id)
        #expect(fault.value(forKey: "name") == nil)
        #expect(fault.isDeleted)
        try context.save()
    }

    @Test("a violated uniqueness constraint is error 133021, and nothing is written")
    func uniqueness() throws {
        fixture.insert("Group", ["name": "G"])
        let double = fixture.insert("User", ["name": "B", "mail": "a@x"])
        #expect(errorCode { try context.save() } == .managedObjectConstraintMerge)
        #expect(try fixture.value("SELECT COUNT(*) FROM ZGROUP") == "0")
        #expect(double.objectID.isTemporaryID && double.isInserted)
        double.setValue("b@x", forKey: "mail")
        try context.save()
        #expect(try fixture.value("SELECT COUNT(*) FROM ZUSER") == "2")
        // NULLs are never equal.
        fixture.insert("User", ["name": "C"])
        fixture.insert("User", ["name": "D"])
        try context.save()
    }

    @Test("a unique value that one object gives up another may take in the same save")
    func uniqueValueMoves() throws {
        fixture.insert("User", ["name": "B", "mail": "a@x"])
        user.setValue("other@x", forKey: "mail")
        try context.save()
        fixture.insert("User", ["name": "C", "mail": "other@x"])
        context.delete(user)
        try context.save()
        #expect(try fixture.column("SELECT ZMAIL FROM ZUSER ORDER BY ZMAIL") == ["a@x", "other@x"])
    }

    @Test("two contexts that change one row: the second one gets error 133020, and may refresh and save")
    func conflict() throws {
        let other = fixture.secondContext()
        let same = try other.one("User", "A")
        #expect(same !== user && same.objectID == user.objectID)
        user.setValue(10, forKey: "age")
        same.setValue("A2", forKey: "name")
        try context.save()
        #expect(errorCode { try other.save() } == .managedObjectMerge)
        #expect(same.isUpdated)
        other.refresh(same, mergeChanges: true)
        try other.save()
        #expect(try fixture.rows("SELECT ZNAME, ZAGE, Z_OPT FROM ZUSER") == [["A2", "10", "3"]])
    }

    @Test(
        "a change to a row that was deleted, and a deletion of one that was changed, are conflicts; two deletions are none"
    )
    func deletionConflicts() throws {
        let other = fixture.secondContext()
        let same = try other.one("User", "A")
        _ = same.name
        user.setValue(5, forKey: "age")
        try context.save()
        other.delete(same)
        #expect(errorCode { try other.save() } == .managedObjectMerge)
        #expect(try fixture.value("SELECT COUNT(*) FROM ZUSER") == "1")
        // A rollback gives back what was read; only a refresh takes what there is now.
        other.rollback()
        other.refresh(same, mergeChanges: false)
        other.delete(same)
        try other.save()
        user.setValue(6, forKey: "age")
        #expect(errorCode { try context.save() } == .managedObjectMerge)
        context.rollback()
        let third = fixture.secondContext()
        third.delete(third.object(with: user.objectID))
        try third.save()
    }

    @Test("both ends of a many-to-many pair are in the conflict check")
    func relationConflict() throws {
        let group = fixture.insert("Group", ["name": "G"])
        try context.save()
        let other = fixture.secondContext()
        try other.one("Group", "G").setValue("H", forKey: "name")
        try other.save()
        user.setValue(Set([group]), forKey: "groups")
        #expect(errorCode { try context.save() } == .managedObjectMerge)
        #expect(try fixture.value("SELECT COUNT(*) FROM Z_1USERS") == "0")
    }

    @Test("a row that is gone leaves an object that counts as deleted, and saving it does nothing")
    func inaccessible() throws {
        let connection = try SQLiteConnection(fixture.url, .readWrite)
        try connection.execute("DELETE FROM ZUSER")
        let other = fixture.secondContext()
        // Not what the coordinator remembers.
        other.stalenessInterval = 0
        let fault = other.object(with: user.objectID)
        #expect(fault.value(forKey: "name") == nil)
        #expect(fault.isDeleted)
        #expect(other.deletedObjects == [fault])
        try other.save()
        #expect(!other.hasChanges)
    }

    @Test("an error of reading leaves the object a fault, and nothing is deleted")
    func unreadable() throws {
        let other = fixture.secondContext()
        other.stalenessInterval = 0
        let fault = other.object(with: user.objectID)
        let connection = try SQLiteConnection(fixture.url, .readWrite)
        try connection.execute("ALTER TABLE ZUSER RENAME TO HIDDEN")
        #expect(fault.value(forKey: "name") == nil)
        #expect(!fault.isDeleted && fault.isFault && !other.hasChanges)
        #expect(throws: CocoaError.self) { try other.find("User") }
        try connection.execute("ALTER TABLE HIDDEN RENAME TO ZUSER")
        #expect(fault.name == "A")
    }

    @Test("a context without a coordinator, or a coordinator without a store, throws")
    func nowhere() throws {
        let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        try context.save()
        #expect(errorCode { _ = try context.find("User") } == .coreData)
        context.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        try context.save()
        _ = NSEntityDescription.insertNewObject(forEntityName: "User", into: context)
        #expect(errorCode { try context.save() } == .coreData)
        #expect(context.insertedObjects.count == 1)
    }

    @Test("changes of objects whose store was removed are refused, not lost")
    func removedStore() throws {
        user.setValue("x", forKey: "name")
        for store in fixture.coordinator.persistentStores { try fixture.coordinator.remove(store) }
        #expect(throws: CocoaError.self) { try context.save() }
        #expect(context.updatedObjects == [user])
    }

    @Test("a save without changes is done, and tells so")
    func clean() throws {
        nonisolated(unsafe) var notes = 0
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: context, queue: nil
        ) { _ in notes += 1 }
        try context.save()
        #expect(notes == 1)
        NotificationCenter.default.removeObserver(token)
    }
}
