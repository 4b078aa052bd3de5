import Foundation
import Testing

@testable import CoreData

@Suite("Merging what another context has saved")
struct MergingTests {
    let fixture: Fixture
    let posted: ContextNotifications
    var context: NSManagedObjectContext { fixture.context }

    init() throws {
        fixture = try Railway.fixture()
        posted = ContextNotifications(fixture.context)
    }

    /// Saves changes in another context, and gives its notification.
    func saved(_ change: (NSManagedObjectContext) throws -> Void) throws -> Notification {
        try saved(in: fixture.secondContext(), change)
    }

    func saved(
        in other: NSManagedObjectContext, _ change: (NSManagedObjectContext) throws -> Void
    ) throws -> Notification {
        let log = ContextNotifications(other)
        try change(other)
        try other.save()
        let info = try #require(log.all("didSave").first?.info)
        return Notification(name: .NSManagedObjectContextDidSave, object: other, userInfo: info)
    }

    func insert(_ name: String, into other: NSManagedObjectContext) -> NSManagedObject {
        let station = NSEntityDescription.insertNewObject(forEntityName: "Station", into: other)
        station.setValue(name, forKey: "name")
        return station
    }

    @Test("updates come as refreshed, insertions as inserted, deletions as deleted; only deletions leave changes")
    func kinds() throws {
        let (a, b) = (try fixture.station("A"), try fixture.station("B"))
        _ = (a.name, b.name)
        var new: NSManagedObject?
        let notification = try saved { other in
            try other.one("Station", "A").setValue(5, forKey: "platforms")
            other.delete(try other.one("Station", "B"))
            new = insert("N", into: other)
        }
        let id = try #require(new?.objectID)
        context.mergeChanges(fromContextDidSave: notification)
        let told = try #require(posted.all("didChange").first)
        #expect(posted.names == ["didChange", "didMergeIDs"])
        #expect(told.info[NSRefreshedObjectsKey] as? Set<NSManagedObject> == [a])
        #expect((told.info[NSInsertedObjectsKey] as? Set<NSManagedObject>)?.map(\.objectID) == [id])
        #expect(told.info[NSDeletedObjectsKey] as? Set<NSManagedObject> == [b])
        #expect(told.info[NSUpdatedObjectsKey] == nil)
        #expect(a.value(forKey: "platforms") as? Int == 5)
        #expect(context.insertedObjects.isEmpty && context.updatedObjects.isEmpty && context.deletedObjects == [b])
    }

    @Test("after insertions and updates alone the context has no changes")
    func noChanges() throws {
        let a = try fixture.station("A")
        _ = a.name
        context.mergeChanges(
            fromContextDidSave: try saved { other in
                try other.one("Station", "A").setValue(5, forKey: "platforms")
                _ = insert("N", into: other)
            })
        #expect(!context.hasChanges && context.insertedObjects.isEmpty)
    }

    @Test("DidMergeChangesObjectIDs has the IDs: updated those of the save, refreshed those that were held")
    func mergedIDs() throws {
        let a = try fixture.station("A")
        _ = a.name
        var ids: [String: NSManagedObjectID] = [:]
        context.mergeChanges(
            fromContextDidSave: try saved { other in
                for name in ["A", "B"] {
                    let station = try other.one("Station", name)
                    station.setValue(5, forKey: "platforms")
                    ids[name] = station.objectID
                }
            })
        let told = try #require(posted.all("didMergeIDs").first)
        #expect(told.identifiers(NSUpdatedObjectIDsKey) == Set(ids.values))
        #expect(told.identifiers(NSRefreshedObjectIDsKey) == [a.objectID])
        #expect(told.identifiers(NSInsertedObjectIDsKey) == [] && told.identifiers(NSDeletedObjectIDsKey) == [])
    }

    @Test("a merged insertion is registered straight afterwards, and gone with the next event if nobody holds it")
    func insertedFaults() throws {
        var id: NSManagedObjectID?
        let notification = try saved { other in
            let new = insert("N", into: other)
            try other.obtainPermanentIDs(for: [new])
            id = new.objectID
        }
        context.mergeChanges(fromContextDidSave: notification)
        let known = try #require(id)
        #expect(context.registeredObject(for: known)?.isFault == true)
        posted.clear()
        context.processPendingChanges()
        #expect(context.registeredObject(for: known) == nil)
        #expect(posted.names == [])
    }

    @Test("an update of an object that is a fault or not in memory is not told of")
    func skipped() throws {
        let fault = try fixture.station("A")
        context.mergeChanges(
            fromContextDidSave: try saved { other in
                for name in ["A", "B"] { try other.one("Station", name).setValue(5, forKey: "platforms") }
            })
        #expect(posted.all("didChange").isEmpty)
        #expect(fault.isFault && fault.value(forKey: "platforms") as? Int == 5)
    }

    @Test("a deletion of an object that is not in memory is not told of")
    func skippedDeletion() throws {
        context.mergeChanges(fromContextDidSave: try saved { $0.delete(try $0.one("Station", "A")) })
        #expect(posted.all("didChange").isEmpty && !context.hasChanges)
    }

    @Test("unsaved changes stay on top, and can be saved")
    func localChanges() throws {
        let a = try fixture.station("A")
        a.setValue("mine", forKey: "name")
        context.processPendingChanges()
        context.mergeChanges(
            fromContextDidSave: try saved { other in
                let same = try other.one("Station", "A")
                same.setValue("theirs", forKey: "name")
                same.setValue(5, forKey: "platforms")
            })
        #expect(!a.isFault && a.name == "mine" && a.value(forKey: "platforms") as? Int == 5)
        try context.save()
        #expect(try fixture.rows("SELECT ZNAME, ZPLATFORMS FROM ZSTATION WHERE ZPLATFORMS = 5") == [["mine", "5"]])
    }

    @Test("a to-many relationship that was read sees what has come and gone")
    func relationship() throws {
        let line = try fixture.line()
        #expect(line.names("stations") == ["A", "B", "C"])
        context.mergeChanges(
            fromContextDidSave: try saved { other in
                let theirs = try other.one("Line", "R")
                insert("N", into: other).setValue(theirs, forKey: "line")
                other.delete(try other.one("Station", "A"))
            })
        #expect(line.names("stations") == ["B", "C", "N"])
    }

    @Test("what a context of another coordinator has saved to the same file is read from the file")
    func otherCoordinator() throws {
        let (a, c) = (try fixture.station("A"), try fixture.station("C"))
        a.setValue("mine", forKey: "name")
        _ = c.name
        let notification = try saved(in: fixture.freshContext()) { other in
            for name in ["A", "C"] { try other.one("Station", name).setValue(5, forKey: "platforms") }
            other.delete(try other.one("Station", "B"))
        }
        let b = try fixture.station("C")
        _ = b.name
        context.mergeChanges(fromContextDidSave: notification)
        #expect(a.name == "mine" && a.value(forKey: "platforms") as? Int == 5)
        #expect(c.value(forKey: "platforms") as? Int == 5)
        try context.save()
    }

    // MARK: Changes from elsewhere

    func execute(_ sql: String) throws {
        let connection = try SQLiteConnection(fixture.url, .readWrite)
        try connection.execute(sql)
    }

    @Test(
        "IDs or URIs of rows that were changed elsewhere bring their new values into several contexts",
        arguments: [true, false])
    func remote(_ asURIs: Bool) throws {
        let other = fixture.secondContext()
        let objects = [context, other].map { context in
            let found = ["A", "B"].map { name in try? context.one("Station", name) }.compactMap(\.self)
            for station in found { _ = station.name }
            found.first?.setValue(context === other ? "other" : "mine", forKey: "name")
            return found
        }
        try execute("UPDATE ZSTATION SET ZPLATFORMS = 42, Z_OPT = Z_OPT + 1")
        let ids = objects[0].map(\.objectID)
        let changes: [Any] = asURIs ? ids.map { $0.uriRepresentation() } : ids
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSUpdatedObjectsKey: changes], into: [context, other])
        for (found, name) in zip(objects, ["mine", "other"]) {
            #expect(found.map { $0.value(forKey: "platforms") as? Int } == [42, 42])
            #expect(found[0].name == name && found[0].isUpdated && !found[1].hasChanges)
        }
        try context.save()
    }

    @Test("IDs of rows that were deleted elsewhere delete held objects, which no fetch finds any more")
    func remoteDeletion() throws {
        let station = try fixture.station("A")
        _ = station.name
        try execute("DELETE FROM ZSTATION WHERE ZNAME = 'A'")
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSDeletedObjectsKey: [station.objectID]], into: [context])
        #expect(station.isDeleted && station.name == "A")
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Station")) == 2)
        try context.save()
        #expect(!context.hasChanges)
    }

    @Test("parents come before their children, whatever the order")
    func nested() throws {
        let parent = fixture.makePrivate()
        let child = NSManagedObjectContext(.privateQueue)
        child.parent = parent
        let id = try fixture.station("A").objectID
        let inParent = parent.performAndWait { ConcurrencyTests.Box(value: parent.object(with: id)) }
        let inChild = child.performAndWait { ConcurrencyTests.Box(value: child.object(with: id)) }
        parent.performAndWait { _ = inParent.value.name }
        child.performAndWait { _ = inChild.value.name }
        try execute("UPDATE ZSTATION SET ZPLATFORMS = 42, Z_OPT = Z_OPT + 1")
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSUpdatedObjectIDsKey: [id]], into: [child, parent])
        parent.performAndWait { #expect(inParent.value.value(forKey: "platforms") as? Int == 42) }
        child.performAndWait { #expect(inChild.value.value(forKey: "platforms") as? Int == 42) }
    }

    // MARK: By themselves

    @Test("a context that merges by itself sees what its siblings save; another one doesn't")
    func siblings() async throws {
        let (merging, other, saving) = (fixture.makePrivate(), fixture.makePrivate(), fixture.makePrivate())
        merging.automaticallyMergesChangesFromParent = true
        let id = try fixture.station("A").objectID
        let objects = await [merging, other].asyncMap { context in
            await context.perform {
                let station = context.object(with: id)
                _ = station.name
                return ConcurrencyTests.Box(value: station)
            }
        }
        try await saving.perform {
            saving.object(with: id).setValue(5, forKey: "platforms")
            try saving.save()
        }
        // Merging waits in the queue before this.
        await merging.perform { #expect(objects[0].value.value(forKey: "platforms") as? Int == 5) }
        await other.perform { #expect(objects[1].value.value(forKey: "platforms") as? Int == 1) }
    }

    @Test("a child that merges by itself sees what its parent saves; another one doesn't")
    func children() async throws {
        let parent = fixture.makePrivate()
        let (merging, other) = (NSManagedObjectContext(.privateQueue), NSManagedObjectContext(.privateQueue))
        (merging.parent, other.parent) = (parent, parent)
        merging.automaticallyMergesChangesFromParent = true
        let id = try fixture.station("A").objectID
        let objects = await [merging, other].asyncMap { context in
            await context.perform {
                let station = context.object(with: id)
                _ = station.name
                return ConcurrencyTests.Box(value: station)
            }
        }
        try await parent.perform {
            parent.object(with: id).setValue(5, forKey: "platforms")
            try parent.save()
        }
        await merging.perform { #expect(objects[0].value.value(forKey: "platforms") as? Int == 5) }
        await other.perform { #expect(objects[1].value.value(forKey: "platforms") as? Int == 1) }
    }
}

extension Array {
    func asyncMap<T>(_ transform: (Element) async throws -> T) async rethrows -> [T] {
        var result: [T] = []
        for element in self { result.append(try await transform(element)) }
        return result
    }
}
