import Foundation
import Testing

@testable import CoreData

@Suite("The identity of objects")
struct IdentityTests {
    let fixture: Fixture
    var context: NSManagedObjectContext { fixture.context }

    init() throws { fixture = try Railway.fixture() }

    @Test("a temporary URI has no host, the entity, and t with a UUID and a number")
    func temporaryURI() throws {
        let station = fixture.insert("Station")
        let uri = station.objectID.uriRepresentation()
        #expect(station.objectID.isTemporaryID && station.objectID.persistentStore == nil)
        #expect(uri.scheme == "x-coredata" && uri.host ?? "" == "")
        #expect(uri.pathComponents.count == 3 && uri.pathComponents[1] == "Station")
        #expect(
            uri.absoluteString.wholeMatch(
                of: /x-coredata:\/\/\/Station\/t[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}[0-9]+/)
                != nil)
        #expect(fixture.insert("Station").objectID != station.objectID)
    }

    @Test("the URI of a temporary ID leads back to an equal ID in the same process")
    func temporaryURIBack() throws {
        let station = fixture.insert("Station")
        let id = fixture.coordinator.managedObjectID(forURIRepresentation: station.objectID.uriRepresentation())
        #expect(id == station.objectID)
        #expect(try context.registeredObject(for: #require(id)) === station)
    }

    @Test("a permanent URI has the store's UUID, the object's own entity and p with the key, and leads back")
    func permanentURI() throws {
        let store = try #require(fixture.coordinator.persistentStores.first)
        let station = try fixture.station("A")
        let key = try #require(try fixture.value("SELECT Z_PK FROM ZSTATION WHERE ZNAME = 'A'"))
        let uri = station.objectID.uriRepresentation()
        #expect(uri.absoluteString == "x-coredata://\(store.identifier ?? "")/Station/p\(key)")
        #expect(fixture.coordinator.managedObjectID(forURIRepresentation: uri) == station.objectID)
        #expect(station.objectID.persistentStore === store && !station.objectID.isTemporaryID)
        #expect(station.objectID.entity === station.entity)
        let other = NSPersistentStoreCoordinator(managedObjectModel: fixture.model)
        #expect(other.managedObjectID(forURIRepresentation: uri) == nil)
    }

    @Test("IDs of one row are equal and hash alike; the temporary and the permanent ID of one object are not equal")
    func equality() throws {
        let station = fixture.insert("Station")
        let temporary = station.objectID
        try context.save()
        #expect(station.objectID != temporary)
        let other = try fixture.secondContext().find("Station", "SELF == %@", station.objectID)
        #expect(other.first?.objectID == station.objectID)
        #expect(other.first?.objectID.hash == station.objectID.hash)
        #expect(station.objectID.copy() as? NSManagedObjectID === station.objectID)
    }

    @Test("obtainPermanentIDs gives the ID that the save keeps, and leaves objects alone that have one")
    func permanentIDs() throws {
        let (a, saved) = (fixture.insert("Station"), try fixture.station("A"))
        let id = saved.objectID
        try context.obtainPermanentIDs(for: [a, saved])
        #expect(saved.objectID == id)
        let given = a.objectID
        #expect(!given.isTemporaryID && a.isInserted)
        #expect(context.registeredObject(for: given) === a)
        try context.obtainPermanentIDs(for: [a])
        #expect(a.objectID == given)
        try context.save()
        #expect(a.objectID == given)
        #expect(try fixture.secondContext().existingObject(with: given).entity.name == "Station")
    }

    @Test("an ID taken in a child before its save is the one that the parent knows the object by")
    func permanentIDInChild() throws {
        let parent = fixture.makePrivate()
        let child = NSManagedObjectContext(.privateQueue)
        child.parent = parent
        let id = try child.performAndWait {
            let station = NSEntityDescription.insertNewObject(forEntityName: "Station", into: child)
            try child.obtainPermanentIDs(for: [station])
            try child.save()
            return station.objectID
        }
        #expect(!id.isTemporaryID)
        parent.performAndWait {
            #expect(parent.registeredObject(for: id)?.isInserted == true)
            #expect(parent.insertedObjects.map(\.objectID) == [id])
        }
    }

    @Test("a save of a child leaves its new objects with temporary IDs, which its notification has")
    func childSave() throws {
        let parent = fixture.makePrivate()
        let child = NSManagedObjectContext(.privateQueue)
        child.parent = parent
        let (inChild, inParent) = (ContextNotifications(child), ContextNotifications(parent))
        try child.performAndWait {
            let station = NSEntityDescription.insertNewObject(forEntityName: "Station", into: child)
            try child.save()
            #expect(station.objectID.isTemporaryID)
        }
        try parent.performAndWait { try parent.save() }
        let child0 = try #require(inChild.all("didSaveIDs").first?.identifiers(NSInsertedObjectIDsKey))
        let parent0 = try #require(inParent.all("didSaveIDs").first?.identifiers(NSInsertedObjectIDsKey))
        #expect(child0.map(\.isTemporaryID) == [true])
        #expect(parent0.map(\.isTemporaryID) == [false])
    }

    @Test("registeredObject reads nothing; object(with:) makes a fault; existingObject fills one")
    func lookups() throws {
        let id = try fixture.secondContext().one("Station", "A").objectID
        #expect(context.registeredObject(for: id) == nil)
        let fault = context.object(with: id)
        #expect(fault.isFault)
        #expect(context.registeredObject(for: id) === fault)
        #expect(context.object(with: id) === fault)
        #expect(try context.existingObject(with: id) === fault)
        #expect(!fault.isFault)
    }

    @Test("existingObject gives an object that was never saved for its temporary ID")
    func existingUnsaved() throws {
        let station = fixture.insert("Station")
        #expect(try context.existingObject(with: station.objectID) === station)
        #expect(context.object(with: station.objectID) === station)
    }

    @Test("existingObject of a row that is gone, or of another coordinator's store, is error 133000")
    func missing() throws {
        let id = try fixture.secondContext().one("Station", "A").objectID
        let strange = try fixture.freshContext().one("Station", "B").objectID
        let other = fixture.secondContext()
        other.delete(try other.existingObject(with: id))
        try other.save()
        for id in [id, strange] {
            do {
                _ = try context.existingObject(with: id)
                Issue.record("an object was found for \(id)")
            } catch let error as CocoaError {
                #expect(error.code == .managedObjectReferentialIntegrity)
                #expect(error.userInfo["objectID"] as? NSManagedObjectID == id)
                #expect(error.localizedDescription == "Attempt to access an object not found in store.")
            }
        }
        #expect(context.registeredObject(for: id) == nil && !context.hasChanges)
    }

    @Test("one row is one object of a context, and another one of another context")
    func uniqueness() throws {
        let station = try fixture.station("A")
        #expect(try fixture.station("A") === station)
        #expect(try fixture.line().set("stations").contains(station))
        let other = try fixture.secondContext().one("Station", "A")
        #expect(other !== station && other.objectID == station.objectID)
        #expect(other != station && station.hash == (station as NSObject).hash)
    }

    @Test("objects that nobody holds leave the context, unless they have unsaved changes")
    func weakRegistration() throws {
        let id = try fixture.station("A").objectID
        #expect(context.registeredObject(for: id) == nil)
        #expect(context.registeredObjects.isEmpty)
        try fixture.station("A").setValue(2, forKey: "platforms")
        fixture.insert("Station", ["name": "N"])
        context.processPendingChanges()
        #expect(context.registeredObject(for: id)?.isUpdated == true)
        #expect(context.registeredObjects.count == 2)
        try context.save()
        #expect(context.registeredObjects.isEmpty)
    }

    @Test("a rollback lets the objects go that unsaved changes have held")
    func rollbackReleases() throws {
        try fixture.station("A").setValue(2, forKey: "platforms")
        fixture.insert("Station", ["name": "N"])
        context.rollback()
        #expect(context.registeredObjects.isEmpty)
    }

    @Test("with retainsRegisteredObjects all objects stay, until it is switched off")
    func strongRegistration() throws {
        #expect(!context.retainsRegisteredObjects)
        context.retainsRegisteredObjects = true
        let id = try fixture.station("A").objectID
        #expect(context.registeredObject(for: id) != nil)
        context.retainsRegisteredObjects = false
        #expect(context.registeredObject(for: id) == nil)
    }

    @Test("objects that know each other by filled relationships stay together, until one of them is refreshed")
    func cycles() throws {
        let id: NSManagedObjectID
        do {
            let line = try fixture.line()
            for station in line.set("stations") { #expect(station.object("line") === line) }
            id = line.objectID
        }
        let line = try #require(context.registeredObject(for: id))
        #expect(context.registeredObjects.count == 4)
        context.refresh(line, mergeChanges: false)
        context.processPendingChanges()
        #expect(context.registeredObjects == [line])
    }

    @Test("assign chooses among several stores, by the save and by obtainPermanentIDs")
    func assignment() throws {
        let second = try fixture.coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: fixture.folder.file("second.sqlite"))
        let (a, b, c) = (fixture.insert("Station"), fixture.insert("Station"), fixture.insert("Station"))
        context.assign(a, to: second)
        context.assign(b, to: second)
        try context.obtainPermanentIDs(for: [b])
        #expect(b.objectID.persistentStore === second)
        try context.save()
        #expect(a.objectID.persistentStore === second)
        #expect(c.objectID.persistentStore === fixture.coordinator.persistentStores.first)
    }

    @Test("a new context is empty, with Apple's defaults")
    func newContext() {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        #expect(context.concurrencyType == .privateQueueConcurrencyType)
        #expect(context.persistentStoreCoordinator == nil && context.parent == nil && context.undoManager == nil)
        #expect(!context.hasChanges && context.registeredObjects.isEmpty)
        #expect(context.insertedObjects.isEmpty && context.updatedObjects.isEmpty && context.deletedObjects.isEmpty)
        #expect(context.userInfo.count == 0 && context.name == nil && context.transactionAuthor == nil)
        #expect(!context.retainsRegisteredObjects && context.stalenessInterval == -1)
        #expect(context.propagatesDeletesAtEndOfEvent && context.shouldDeleteInaccessibleFaults)
        #expect(!context.automaticallyMergesChangesFromParent)
        #expect((context.mergePolicy as? NSMergePolicy)?.mergeType == .errorMergePolicyType)
        #expect(NSManagedObjectContext(.mainQueue).concurrencyType == .mainQueueConcurrencyType)
        #expect(NSManagedObjectContextConcurrencyType.confinementConcurrencyType.rawValue == 0)
        #expect(NSManagedObjectContextConcurrencyType.privateQueueConcurrencyType.rawValue == 1)
        #expect(NSManagedObjectContextConcurrencyType.mainQueueConcurrencyType.rawValue == 2)
    }
}
