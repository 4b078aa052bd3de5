import Foundation
import Testing

@testable import CoreData

@Suite("Faults")
struct FaultingTests {
    let fixture: Fixture
    var context: NSManagedObjectContext { fixture.context }

    init() throws { fixture = try Railway.fixture() }

    /// Changes the file behind the back of all contexts.
    func execute(_ sql: String) throws {
        let connection = try SQLiteConnection(fixture.url, .readWrite)
        try connection.execute(sql)
    }

    @Test("a fetch gives faults, cold or not, that one read fills")
    func fetchedFaults() throws {
        let cold = try fixture.freshContext().find("Station")
        #expect(cold.count == 3 && cold.allSatisfy { $0.isFault })
        let warm = try context.find("Station", sort: "name")
        #expect(warm.allSatisfy { $0.isFault })
        _ = warm[0].value(forKey: "platforms")
        #expect(warm.map(\.isFault) == [false, true, true])
    }

    @Test("what an object is asked of its identity and state fires no fault")
    func doesNotFire() throws {
        let station = try fixture.station("A")
        let other = try fixture.station("B")
        #expect(station != other && station.hash != other.hash)
        #expect(station.isKind(of: NSManagedObject.self) && station.isMember(of: Station.self))
        _ = (station.description, station.managedObjectContext, station.entity, station.objectID)
        _ = (station.isInserted, station.isUpdated, station.isDeleted, station.hasChanges, station.faultingState)
        _ = (station.hasPersistentChangedValues, station.changedValues(), station.changedValuesForCurrentEvent())
        #expect(station.hasFault(forRelationshipNamed: "line") && station.hasFault(forRelationshipNamed: "stopOf"))
        #expect(station.isFault)
    }

    @Test("key-value coding of a collection fires the faults in it")
    func collection() throws {
        let stations = try context.find("Station")
        let names = (NSArray(array: stations) as? [NSManagedObject])?.map { $0.value(forKeyPath: "name") as? String }
        #expect(names?.count == 3 && stations.allSatisfy { !$0.isFault })
    }

    @Test("reading a relationship fills only the object itself; what it leads to comes as a fault, always the same")
    func relationships() throws {
        let station = try fixture.station("A")
        let line = try #require(station.object("line"))
        #expect(line.isFault && !station.isFault)
        #expect(station.object("line") === line)
        #expect(station.hasFault(forRelationshipNamed: "line"))
        _ = line.name
        #expect(!station.hasFault(forRelationshipNamed: "line"))
        #expect(line.hasFault(forRelationshipNamed: "stations"))
        let others = line.set("stations").subtracting([station])
        #expect(others.count == 2 && others.allSatisfy { $0.isFault })
        #expect(!line.hasFault(forRelationshipNamed: "stations"))
    }

    @Test("objectIDs(forRelationshipNamed:) fills its receiver, and none of the others")
    func objectIDs() throws {
        let line = try fixture.line()
        let ids = line.objectIDs(forRelationshipNamed: "stations")
        #expect(!line.isFault && ids.count == 3)
        #expect(ids.allSatisfy { context.registeredObject(for: $0)?.isFault ?? true })
        #expect(try fixture.station("A").objectIDs(forRelationshipNamed: "line") == [line.objectID])
        #expect(line.objectIDs(forRelationshipNamed: "stops") == [])
    }

    @Test("with returnsObjectsAsFaults off all objects are filled, those that are faults in the context included")
    func filled() throws {
        let known = try fixture.station("A")
        let request = NSFetchRequest<NSManagedObject>(entityName: "Station")
        request.returnsObjectsAsFaults = false
        let found = try context.fetch(request)
        #expect(found.count == 3 && found.contains(known) && found.allSatisfy { !$0.isFault })
    }

    @Test("a fetch by SELF IN fills the faults of each context")
    func batch() throws {
        let other = fixture.secondContext()
        let faults = try context.find("Station") + other.find("Station")
        for context in [context, other] {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Station")
            request.predicate = NSPredicate(
                format: "SELF IN %@", faults.filter { $0.managedObjectContext === context })
            request.returnsObjectsAsFaults = false
            #expect(try context.fetch(request).count == 3)
        }
        #expect(faults.allSatisfy { !$0.isFault })
    }

    @Test("an entity without properties can be fetched filled")
    func noProperties() throws {
        let fixture = try Fixture(Build.model(Build.entity("Empty")))
        fixture.insert("Empty")
        try fixture.context.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Empty")
        request.returnsObjectsAsFaults = false
        #expect(try fixture.secondContext().fetch(request).map(\.isFault) == [false])
    }

    @Test("refresh without merging drops the edits; the next read gives the store's values")
    func refreshDropping() throws {
        let station = try fixture.station("A")
        station.setValue("mine", forKey: "name")
        context.refresh(station, mergeChanges: false)
        #expect(station.isFault && !station.hasChanges && station.changedValues().isEmpty)
        #expect(context.updatedObjects.isEmpty && !context.hasChanges)
        #expect(station.name == "A")
    }

    @Test("a new object that is refreshed without merging is a fault that has the model's defaults when it is filled")
    func refreshNew() throws {
        let station = fixture.insert("Station", ["name": "N", "platforms": 9])
        context.refresh(station, mergeChanges: false)
        #expect(station.isFault && station.isInserted && context.hasChanges)
        station.willAccessValue(forKey: nil)
        #expect(!station.isFault)
        #expect(station.value(forKey: "name") == nil && station.value(forKey: "platforms") as? Int == 1)
        try context.save()
    }

    @Test("refresh with merging keeps the edits on top of the newest values, and makes a fault of an unchanged object")
    func refreshMerging() throws {
        let (a, b) = (try fixture.station("A"), try fixture.station("B"))
        _ = (a.name, b.name)
        let other = fixture.secondContext()
        for name in ["A", "B"] { try other.one("Station", name).setValue(8, forKey: "platforms") }
        try other.save()
        a.setValue("mine", forKey: "name")
        for station in [a, b] { context.refresh(station, mergeChanges: true) }
        #expect(!a.isFault && a.name == "mine" && a.value(forKey: "platforms") as? Int == 8)
        #expect(a.isUpdated && a.changedValues().keys.sorted() == ["name"])
        #expect(b.isFault && b.value(forKey: "platforms") as? Int == 8)
        try context.save()
    }

    @Test("refreshAllObjects does so to all, with one notification that lists all")
    func refreshAll() throws {
        let (a, b) = (try fixture.station("A"), try fixture.station("B"))
        b.setValue("mine", forKey: "name")
        _ = a.name
        context.processPendingChanges()
        let posted = ContextNotifications(context)
        context.refreshAllObjects()
        #expect(a.isFault && !b.isFault && b.name == "mine")
        #expect(posted.names == ["didChange"])
        #expect(posted.entries.first?.info[NSRefreshedObjectsKey] as? Set<NSManagedObject> == [a, b])
        #expect(posted.entries.first?.keys == ["refreshed"])
    }

    @Test("a refreshed object that had no changes loses its transient values")
    func transientValues() throws {
        let station = try fixture.station("A")
        station.setPrimitiveValue("x", forKey: "note")
        _ = station.name
        station.setPrimitiveValue("x", forKey: "note")
        #expect(station.value(forKey: "note") as? String == "x")
        context.refresh(station, mergeChanges: true)
        #expect(station.value(forKey: "note") == nil)
    }

    @Test(
        "a refreshed object is filled from what the coordinator remembers, or, past stalenessInterval, from the store")
    func staleness() throws {
        let station = try fixture.station("A")
        _ = station.name
        try execute("UPDATE ZSTATION SET ZPLATFORMS = 77, Z_OPT = Z_OPT + 1 WHERE ZNAME = 'A'")
        context.refresh(station, mergeChanges: true)
        #expect(station.value(forKey: "platforms") as? Int == 1)
        context.stalenessInterval = 0
        context.refresh(station, mergeChanges: true)
        #expect(station.value(forKey: "platforms") as? Int == 77)
    }

    @Test("what others have written is seen by the next fetch and count, not by objects that have their values")
    func foreignRows() throws {
        let station = try fixture.station("A")
        _ = station.name
        try execute("UPDATE ZSTATION SET ZNAME = 'Z', Z_OPT = Z_OPT + 1 WHERE ZNAME = 'A'")
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Station")) == 3)
        let found = try context.find("Station", "name == 'Z'")
        #expect(found == [station])
        #expect(station.name == "A")
    }

    // MARK: Rows that are gone

    /// A fault whose row is deleted behind the context's back.
    func lost(in context: NSManagedObjectContext) throws -> NSManagedObject {
        let id = try fixture.freshContext().one("Station", "A").objectID.uriRepresentation()
        let known = try #require(fixture.coordinator.managedObjectID(forURIRepresentation: id))
        try execute("DELETE FROM ZSTATION WHERE ZNAME = 'A'")
        return context.object(with: known)
    }

    @Test("a fault whose row is gone counts as deleted, with nil for all values, and is discarded by the save")
    func inaccessible() throws {
        let station = try lost(in: context)
        #expect(station.value(forKey: "name") == nil && station.value(forKey: "platforms") == nil)
        #expect(station.object("line") == nil && station.set("stopOf").isEmpty)
        #expect(station.isDeleted && context.deletedObjects == [station])
        try context.save()
        #expect(!context.hasChanges && station.managedObjectContext == nil)
    }

    @Test("setting a value of such an object, or of its relationship, changes nothing and is no error of the save")
    func inaccessibleSetter() throws {
        let station = try lost(in: context)
        station.setValue(nil, forKey: "name")
        try context.save()
        #expect(try fixture.value("SELECT COUNT(*) FROM ZSTATION") == "2")
    }

    /// Writes down what it is asked.
    final class Asked: NSManagedObjectContext, @unchecked Sendable {
        var questions: [String] = []
        override func shouldHandleInaccessibleFault(
            _ fault: NSManagedObject, for oid: NSManagedObjectID, triggeredByProperty property: NSPropertyDescription?
        ) -> Bool {
            questions.append("\(fault.objectID == oid) \(property?.name ?? "-")")
            return true
        }
    }

    @Test("shouldHandleInaccessibleFault is asked when a value is read, and not by existingObject")
    func asked() throws {
        let context = Asked(concurrencyType: .confinementConcurrencyType)
        context.persistentStoreCoordinator = fixture.coordinator
        context.shouldDeleteInaccessibleFaults = false
        let station = try lost(in: context)
        #expect(
            errorCode { _ = try context.existingObject(with: station.objectID) } == .managedObjectReferentialIntegrity)
        #expect(context.questions == [])
        _ = station.value(forKey: "name")
        #expect(context.questions == ["true name"])
        #expect(station.isDeleted)
    }

    @Test("after a reset an object is an empty fault that can still be asked")
    func afterReset() throws {
        let station = try fixture.station("A")
        _ = station.name
        context.reset()
        #expect(station.isFault && station.managedObjectContext == nil)
        station.willAccessValue(forKey: nil)
        #expect(!station.isFault && station.value(forKey: "name") == nil)
    }

    @Test("a reset posts one notification, with an array of all IDs and nothing else")
    func resetNotification() throws {
        let station = try fixture.station("A")
        station.setValue(2, forKey: "platforms")
        let id = station.objectID
        let posted = ContextNotifications(context)
        context.reset()
        #expect(posted.names == ["didChange"])
        #expect(posted.entries.first?.keys == [NSInvalidatedAllObjectsKey])
        #expect(posted.entries.first?.info[NSInvalidatedAllObjectsKey] as? [NSManagedObjectID] == [id])
        #expect(try fixture.value("SELECT ZPLATFORMS FROM ZSTATION WHERE ZNAME = 'A'") == "1")
    }
}
