import Foundation
import Testing

@testable import CoreData

/// An object that is never done.
final class Restless: NSManagedObject {
    override func willSave() { setValue(((value(forKey: "count") as? Int) ?? 0) + 1, forKey: "count") }
}

@Suite("A failed save")
struct FailedSaveTests {
    static func model() -> NSManagedObjectModel {
        let item = Build.entity(
            "Item",
            [
                Build.attribute("name", .stringAttributeType, isOptional: false),
                Build.attribute("code", .stringAttributeType), Build.attribute("count", .integer32AttributeType),
            ])
        let box = Build.entity("Box", [Build.attribute("name", .stringAttributeType)])
        Build.relate(Build.many(box, "items", rule: .denyDeleteRule), Build.one(item, "box"))
        Build.relate(Build.many(item, "next", isOrdered: true), Build.many(item, "last"))
        item.uniquenessConstraints = [["code"]]
        return Build.model(item, box)
    }

    /// Everything that a save could have changed.
    struct State: Equatable {
        var inserted, updated, deleted: Set<NSManagedObject>
        var changes: [String: [String]]
        var ids: [NSManagedObjectID]
        var file: [[String?]]

        init(_ fixture: Fixture, _ objects: [NSManagedObject]) throws {
            let context = fixture.context
            (inserted, updated, deleted) = (context.insertedObjects, context.updatedObjects, context.deletedObjects)
            changes = [:]
            for object in objects {
                changes[object.name] = object.changedValues().map { key, value in
                    let members =
                        (value as? Set<NSManagedObject>).map(Array.init)
                        ?? ((value as? NSOrderedSet)?.array as? [NSManagedObject])
                    return
                        "\(key)=\(members.map { "\($0.map(\.name).sorted())" } ?? "\((value as? NSManagedObject)?.name ?? value)")"
                }.sorted()
            }
            ids = objects.map(\.objectID)
            file = try fixture.rows("SELECT Z_PK, Z_OPT, ZNAME, ZCODE, ZCOUNT, ZBOX FROM ZITEM ORDER BY 1")
            file += try fixture.rows("SELECT Z_PK, Z_OPT, ZNAME FROM ZBOX ORDER BY 1")
            let joins = try fixture.column(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'Z!_2%' ESCAPE '!'")
            for table in joins.compactMap(\.self) { file += try fixture.rows("SELECT * FROM \(table) ORDER BY 1, 2") }
            file += try fixture.rows("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY ORDER BY 1")
        }
    }

    enum Kind: CaseIterable {
        case missingValue, denied, version, deletedRow, uniqueness, otherStore, refusedByFile, willSave
    }

    @Test(
        "leaves the context and the file as they were, and succeeds once the reason is gone", arguments: Kind.allCases)
    func failed(_ kind: Kind) throws {
        let model = Self.model()
        if kind == .willSave {
            model.entitiesByName["Item"]?.managedObjectClassName = NSStringFromClass(Restless.self)
        }
        let fixture = try Fixture(model)
        let context = fixture.context
        if kind == .willSave {
            let item = fixture.insert("Item", ["name": "1"])
            #expect(errorCode { try context.save() } == .coreData)
            #expect(context.insertedObjects == [item] && item.objectID.isTemporaryID)
            #expect(try fixture.value("SELECT COUNT(*) FROM ZITEM") == "0")
            return
        }
        let items = ["1", "2", "3", "4"].map { fixture.insert("Item", ["name": $0, "code": $0]) }
        let box = fixture.insert("Box", ["name": "B", "items": Set(items.prefix(2))])
        items[0].setValue(NSOrderedSet(array: [items[1], items[2]]), forKey: "next")
        try context.save()

        // Changes of every kind.
        let new = fixture.insert("Item", ["name": "new", "box": box])
        items[0].setValue(NSOrderedSet(array: [items[2], items[1], new]), forKey: "next")
        items[1].setValue(5, forKey: "count")
        items[1].setValue(nil, forKey: "box")
        context.delete(items[3])
        let (code, mend) = try trouble(kind, fixture, items, box, new)
        context.processPendingChanges()
        let all = items + [box, new]
        let before = try State(fixture, all)
        for _ in 0..<2 {
            #expect(errorCode { try context.save() } == code)
            #expect(try State(fixture, all) == before)
        }
        try mend()
        try context.save()
        #expect(!context.hasChanges && !new.objectID.isTemporaryID)
        // What others have taken out of the order with its row stays out, although the row comes back.
        let order = kind == .deletedRow ? ["3", "new"] : ["3", "2", "new"]
        #expect(try fixture.freshContext().one("Item", "1").orderedNames("next") == order)
        #expect(items[0].orderedNames("next") == order)
        #expect(try fixture.value("SELECT COUNT(*) FROM ZITEM WHERE ZNAME = '4'") == "0")
    }

    /// Makes the next save fail; how, and what mends it.
    private func trouble(
        _ kind: Kind, _ fixture: Fixture, _ items: [NSManagedObject], _ box: NSManagedObject, _ new: NSManagedObject
    ) throws -> (CocoaError.Code, () throws -> Void) {
        let context = fixture.context
        switch kind {
        case .missingValue:
            let empty = fixture.insert("Item")
            return (.validationMissingMandatoryProperty, { context.delete(empty) })
        case .denied:
            let full = fixture.insert("Box", ["name": "full"])
            items[2].setValue(full, forKey: "box")
            context.processPendingChanges()
            context.delete(box)
            // The deletion is denied; that the new object points to what is being deleted isn't another error.
            return (
                .validationRelationshipDeniedDelete,
                { for item in box.set("items") { item.setValue(full, forKey: "box") } }
            )
        case .version, .deletedRow:
            let other = kind == .version ? fixture.secondContext() : try fixture.freshContext()
            let same = try other.one("Item", "2")
            if kind == .version {
                same.setValue(9, forKey: "count")
            } else {
                same.setValue(nil, forKey: "box")
                other.delete(same)
            }
            try other.save()
            return (.managedObjectMerge, { context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump })
        case .uniqueness:
            new.setValue("1", forKey: "code")
            return (.managedObjectConstraintMerge, { new.setValue("n", forKey: "code") })
        case .otherStore:
            let url = fixture.folder.file("second.sqlite")
            let second = try fixture.coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url)
            let far = fixture.insert("Box", ["name": "far"])
            context.assign(far, to: second)
            items[2].setValue(far, forKey: "box")
            return (.managedObjectExternalRelationship, { items[2].setValue(nil, forKey: "box") })
        case .refusedByFile:
            let connection = try SQLiteConnection(fixture.url, .readWrite)
            try connection.execute(
                "CREATE TRIGGER trouble BEFORE INSERT ON ZITEM BEGIN SELECT RAISE(ABORT, 'no'); END")
            return (
                .managedObjectConstraintMerge,
                { try SQLiteConnection(fixture.url, .readWrite).execute("DROP TRIGGER trouble") }
            )
        case .willSave: return (.coreData, {})
        }
    }

    @Test("to a read-only store is 513, and the changes stay pending")
    func readOnly() throws {
        let fixture = try Fixture(Self.model())
        fixture.insert("Item", ["name": "1"])
        try fixture.context.save()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: fixture.model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: fixture.url,
            options: [NSReadOnlyPersistentStoreOption: true])
        let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let item = try context.one("Item", "1")
        item.setValue("x", forKey: "name")
        #expect(errorCode { try context.save() }?.rawValue == 513)
        #expect(context.updatedObjects == [item] && item.name == "x")
    }

    @Test("repeats itself until rollback, which unregisters what was inserted")
    func rollback() throws {
        let fixture = try Fixture(Self.model())
        let item = fixture.insert("Item")
        for _ in 0..<3 {
            #expect(errorCode { try fixture.context.save() } == .validationMissingMandatoryProperty)
            #expect(fixture.context.insertedObjects == [item])
        }
        fixture.context.rollback()
        #expect(item.managedObjectContext == nil && !fixture.context.hasChanges)
        try fixture.context.save()
    }

    @Test("tells nobody that anything was saved")
    func quiet() throws {
        let fixture = try Fixture(Self.model())
        nonisolated(unsafe) var saves = 0
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: fixture.context, queue: nil
        ) { _ in saves += 1 }
        defer { NotificationCenter.default.removeObserver(token) }
        fixture.insert("Item")
        #expect(throws: CocoaError.self) { try fixture.context.save() }
        #expect(saves == 0)
    }

    @Test("gives keys back: nothing of it is in the file, unlike on Apple's systems")
    func keys() throws {
        let fixture = try Fixture(Self.model())
        fixture.insert("Item", ["name": "1", "code": "c"])
        try fixture.context.save()
        let double = fixture.insert("Item", ["name": "2", "code": "c"])
        #expect(throws: CocoaError.self) { try fixture.context.save() }
        #expect(try fixture.value("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Item'") == "1")
        double.setValue("d", forKey: "code")
        try fixture.context.save()
        #expect(double.objectID.uriRepresentation().lastPathComponent == "p2")
    }

    @Test("with several stores, what one of them has committed is saved, and the rest stays pending")
    func twoStores() throws {
        let fixture = try Fixture(Self.model())
        let second = try fixture.coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: fixture.folder.file("second.sqlite"))
        let first = fixture.insert("Item", ["name": "1", "code": "c"])
        let far = (1...2).map { fixture.insert("Item", ["name": "far\($0)", "code": "same"]) }
        for item in far { fixture.context.assign(item, to: second) }
        #expect(errorCode { try fixture.context.save() } == .managedObjectConstraintMerge)
        #expect(!first.isInserted && !first.objectID.isTemporaryID)
        #expect(fixture.context.insertedObjects == Set(far))
        far[0].setValue("other", forKey: "code")
        try fixture.context.save()
        #expect(try fixture.value("SELECT COUNT(*) FROM ZITEM") == "1")
    }
}
