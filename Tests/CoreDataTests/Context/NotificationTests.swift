import Foundation
import Testing

@testable import CoreData

@Suite("The notifications of a context")
struct NotificationTests {
    let fixture: Fixture
    let posted: ContextNotifications
    var context: NSManagedObjectContext { fixture.context }

    init() throws {
        fixture = try Railway.fixture()
        posted = ContextNotifications(fixture.context)
    }

    @Test("have Apple's names and keys")
    func names() {
        #expect(
            Notification.Name.NSManagedObjectContextObjectsDidChange.rawValue
                == "NSObjectsChangedInManagingContextNotification")
        #expect(
            Notification.Name.NSManagedObjectContextWillSave.rawValue == "NSManagingContextWillSaveChangesNotification")
        #expect(
            Notification.Name.NSManagedObjectContextDidSave.rawValue == "NSManagingContextDidSaveChangesNotification")
        #expect(NSManagedObjectContext.didSaveObjectsNotification == .NSManagedObjectContextDidSave)
        #expect(NSManagedObjectContext.willSaveObjectsNotification == .NSManagedObjectContextWillSave)
        #expect(NSManagedObjectContext.didChangeObjectsNotification == .NSManagedObjectContextObjectsDidChange)
        #expect(NSManagedObjectContext.didSaveObjectIDsNotification == .NSManagedObjectContextDidSaveObjectIDs)
        #expect(
            NSManagedObjectContext.didMergeChangesObjectIDsNotification
                == .NSManagedObjectContextDidMergeChangesObjectIDs)
        let keys: [(NSManagedObjectContext.NotificationKey, String)] = [
            (.insertedObjects, NSInsertedObjectsKey), (.updatedObjects, NSUpdatedObjectsKey),
            (.deletedObjects, NSDeletedObjectsKey), (.refreshedObjects, NSRefreshedObjectsKey),
            (.invalidatedObjects, NSInvalidatedObjectsKey), (.invalidatedAllObjects, NSInvalidatedAllObjectsKey),
            (.insertedObjectIDs, NSInsertedObjectIDsKey), (.updatedObjectIDs, NSUpdatedObjectIDsKey),
            (.deletedObjectIDs, NSDeletedObjectIDsKey), (.refreshedObjectIDs, NSRefreshedObjectIDsKey),
            (.invalidatedObjectIDs, NSInvalidatedObjectIDsKey),
            (.queryGeneration, NSManagedObjectContextQueryGenerationKey),
        ]
        for (key, text) in keys { #expect(key.rawValue == text) }
    }

    @Test("processing posts one for everything since the last one, and none where there is nothing")
    func processing() throws {
        let (a, b) = (try fixture.station("A"), try fixture.station("B"))
        context.processPendingChanges()
        #expect(posted.names == [])
        _ = (a.name, b.name)
        a.setValue(2, forKey: "platforms")
        a.setValue(3, forKey: "platforms")
        context.delete(b)
        fixture.insert("Station", ["name": "N"])
        context.processPendingChanges()
        #expect(posted.names == ["didChange"])
        let entry = posted.entries[0]
        #expect(entry.names(NSInsertedObjectsKey) == ["N"])
        #expect(entry.names(NSUpdatedObjectsKey)?.contains("A") == true)
        #expect(entry.names(NSDeletedObjectsKey) == ["B"])
        #expect(entry.keys == ["deleted", "inserted", "updated"])
        context.processPendingChanges()
        #expect(posted.names == ["didChange"])
    }

    @Test("an object that comes and goes in one event is in none of the sets")
    func comesAndGoes() throws {
        context.delete(fixture.insert("Station"))
        context.processPendingChanges()
        #expect(posted.names == [])
    }

    @Test("the other end of a relationship is told of as updated")
    func otherEnd() throws {
        let line = try fixture.line()
        fixture.insert("Station", ["name": "N", "line": line])
        context.processPendingChanges()
        #expect(posted.entries.first?.info[NSUpdatedObjectsKey] as? Set<NSManagedObject> == [line])
    }

    @Test("a save posts ObjectsDidChange, WillSave, DidSave and DidSaveObjectIDs, in this order")
    func saving() throws {
        let (a, b) = (try fixture.station("A"), try fixture.station("B"))
        _ = (a.name, b.name, b.object("line"))
        a.setValue(2, forKey: "platforms")
        context.delete(b)
        let new = fixture.insert("Station", ["name": "N"])
        try context.save()
        #expect(posted.names == ["didChange", "willSave", "didSave", "didSaveIDs"])
        let (saved, identifiers) = (posted.entries[2], posted.entries[3])
        #expect(saved.names(NSInsertedObjectsKey) == ["N"])
        #expect(saved.info[NSUpdatedObjectsKey] as? Set<NSManagedObject> == [a, try fixture.line()])
        #expect(saved.info[NSDeletedObjectsKey] as? Set<NSManagedObject> == [b])
        #expect(saved.keys == ["deleted", "inserted", "updated"])
        #expect(identifiers.identifiers(NSInsertedObjectIDsKey) == [new.objectID])
        #expect(identifiers.identifiers(NSUpdatedObjectIDsKey)?.contains(a.objectID) == true)
        #expect(identifiers.identifiers(NSDeletedObjectIDsKey) == [b.objectID])
        #expect(new.objectID.isTemporaryID == false)
    }

    @Test("while WillSave is posted the context's sets and the objects' dictionaries are still those of the changes")
    func duringWillSave() throws {
        let station = try fixture.station("A")
        nonisolated(unsafe) var seen: [Bool] = []
        posted.handler = { [context] entry in
            guard entry.name == "willSave" else { return }
            seen = [
                context.updatedObjects == [station], station.changedValues()["platforms"] as? Int == 2,
                station.committedValues(forKeys: ["platforms"])["platforms"] as? Int == 1, entry.info.isEmpty,
            ]
        }
        station.setValue(2, forKey: "platforms")
        try context.save()
        #expect(seen == [true, true, true, true])
    }

    @Test("a save without changes posts WillSave, and DidSave with empty sets, and is no error")
    func emptySave() throws {
        try context.save()
        #expect(posted.names == ["willSave", "didSave", "didSaveIDs"])
        #expect(posted.entries[1].names(NSInsertedObjectsKey) == [])
        #expect(posted.entries[1].names(NSUpdatedObjectsKey) == [])
        #expect(posted.entries[1].names(NSDeletedObjectsKey) == [])
    }

    @Test("a save that fails posts no DidSave")
    func failedSave() throws {
        let store = try #require(fixture.coordinator.persistentStores.first)
        fixture.insert("Station")
        try fixture.coordinator.remove(store)
        #expect(throws: (any Error).self) { try context.save() }
        #expect(posted.names == ["didChange", "willSave"])
    }

    @Test("what a handler changes while it is told is told of next time, and saved by the save that told it")
    func handlerChanges() throws {
        let (a, b) = (try fixture.station("A"), try fixture.station("B"))
        _ = (a.name, b.name)
        nonisolated(unsafe) var isDone = false
        posted.handler = { _ in
            guard !isDone else { return }
            isDone = true
            b.setValue(9, forKey: "platforms")
        }
        a.setValue(2, forKey: "platforms")
        try context.save()
        #expect(posted.all("didChange").map { $0.names(NSUpdatedObjectsKey) } == [["A"], ["B"]])
        #expect(try fixture.value("SELECT ZPLATFORMS FROM ZSTATION WHERE ZNAME = 'B'") == "9")
        #expect(!context.hasChanges)
    }

    @Test("a rollback tells of dropped insertions as deleted, and of restored objects as refreshed")
    func rollback() throws {
        let (a, b) = (try fixture.station("A"), try fixture.station("B"))
        a.setValue(2, forKey: "platforms")
        context.delete(b)
        fixture.insert("Station", ["name": "N"])
        context.processPendingChanges()
        posted.clear()
        context.rollback()
        #expect(posted.names == ["didChange"])
        #expect(posted.entries[0].names(NSDeletedObjectsKey) == ["N"])
        let refreshed = posted.entries[0].info[NSRefreshedObjectsKey] as? Set<NSManagedObject>
        #expect(refreshed?.isSuperset(of: [a, b]) == true)
    }

    @Test("are posted on the thread that processes or saves")
    func thread() async throws {
        let context = fixture.makePrivate()
        let posted = ContextNotifications(context)
        nonisolated(unsafe) var threads: [pthread_t] = []
        posted.handler = { _ in threads.append(pthread_self()) }
        func insert() -> pthread_t {
            _ = NSEntityDescription.insertNewObject(forEntityName: "Station", into: context)
            return pthread_self()
        }
        let caller = pthread_self()
        context.performAndWait {
            _ = insert()
            context.processPendingChanges()
        }
        #expect(threads == [caller])
        let performing = await context.perform { insert() }
        #expect(threads == [caller, performing])
    }
}
