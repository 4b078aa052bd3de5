import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("Incremental stores of programs")
struct IncrementalStoreTests {
    private static func make() throws -> (StoreCase, ServiceStore) {
        let stores = try StoreCase(ServiceStore.typeName)
        return (stores, try #require(stores.store as? ServiceStore))
    }

    /// A country with a city and a tag, as the service has them; a context that hasn't seen them.
    private static func seeded() throws -> (StoreCase, ServiceStore, NSManagedObjectContext) {
        let (stores, _) = try make()
        let norway = stores.insert("Country", ["name": "Norway"])
        stores.insert("City", ["name": "Oslo", "country": norway, "tags": Set([stores.insert("Tag", ["name": "t"])])])
        try stores.context.save()
        let context = try stores.fresh()
        let store = try #require(context.persistentStoreCoordinator?.persistentStores.first as? ServiceStore)
        store.calls = []
        return (stores, store, context)
    }

    private static func entity(_ name: String, _ stores: StoreCase) throws -> NSEntityDescription {
        try #require(stores.model.entitiesByName[name])
    }

    // MARK: Metadata and identity

    @Test("adding a store loads its metadata once; they have its type and UUID")
    func metadata() throws {
        let (_, store) = try Self.make()
        #expect(store.calls == ["loadMetadata"])
        #expect(store.metadata[NSStoreTypeKey] as? String == ServiceStore.typeName)
        #expect(
            store.identifier == store.metadata[NSStoreUUIDKey] as? String && UUID(uuidString: store.identifier) != nil)
        let id = try #require(NSIncrementalStore.identifierForNewStore(at: URL(fileURLWithPath: "/a")) as? String)
        #expect(UUID(uuidString: id) != nil)
    }

    @Test("IDs are permanent, of their own entity and store, and equal for equal references")
    func identity() throws {
        let (stores, store) = try Self.make()
        let capital = try Self.entity("Capital", stores)
        let id = store.newObjectID(for: capital, referenceObject: "r1")
        #expect(!id.isTemporaryID && id.entity === capital && id.persistentStore === store)
        #expect(store.referenceObject(for: id) as? String == "r1")
        let same = store.newObjectID(for: capital, referenceObject: NSString("r1"))
        #expect(id == same && id.hash == same.hash && Set([id]).contains(same))
        #expect(id != store.newObjectID(for: capital, referenceObject: "r2"))
        #expect(id != store.newObjectID(for: try Self.entity("City", stores), referenceObject: "r1"))
    }

    @Test("references may be of any type")
    func references() throws {
        let (stores, store) = try Self.make()
        let city = try Self.entity("City", stores)
        let uuid = UUID()
        let pairs: [(Any, Any)] = [
            (42, NSNumber(value: 42)), (uuid, uuid as NSUUID), (Data([1]), NSData(data: Data([1]))),
            (1.5, NSNumber(value: 1.5)),
            (NSDecimalNumber(string: "2.25"), Decimal(string: "2.25") ?? 0),
            (URL(fileURLWithPath: "/a"), NSURL(fileURLWithPath: "/a")),
        ]
        for (a, b) in pairs {
            let id = store.newObjectID(for: city, referenceObject: a)
            #expect(id == store.newObjectID(for: city, referenceObject: b), "\(a)")
            #expect(stores.coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation()) == id, "\(a)")
            #expect("\(store.referenceObject(for: id))" == "\(a)")
        }
        // As doubles these two would be the same.
        let large = [9_007_199_254_740_992, 9_007_199_254_740_993].map { NSNumber(value: $0) }
        #expect(
            store.newObjectID(for: city, referenceObject: large[0])
                != store.newObjectID(for: city, referenceObject: large[1]))
    }

    @Test("a URI has p and the reference's description, escaped as a path, and gives back what stands in it")
    func uris() throws {
        let (stores, store) = try Self.make()
        let city = try Self.entity("City", stores)
        let number = store.newObjectID(for: city, referenceObject: NSNumber(value: 42)).uriRepresentation()
        #expect(number.scheme == "x-coredata" && number.lastPathComponent == "p42")
        let data = store.newObjectID(for: city, referenceObject: Data([1, 0xab, 0xff])).uriRepresentation()
        #expect(data.absoluteString.lowercased().contains("01abff"))
        let text = store.newObjectID(for: city, referenceObject: "key with/slash").uriRepresentation()
        #expect(text.absoluteString.contains("/City/pkey%20with/slash"))
        let back = try #require(stores.coordinator.managedObjectID(forURIRepresentation: text))
        #expect(store.referenceObject(for: back) as? String == "key%20with/slash")
        let plain = store.newObjectID(for: city, referenceObject: "r1")
        #expect(stores.coordinator.managedObjectID(forURIRepresentation: plain.uriRepresentation()) == plain)
        for text in [
            "x-coredata://\(store.identifier ?? "")/Nothing/pr1", "x-coredata://ABC/City/pr1",
            "x-coredata://\(store.identifier ?? "")/City/r1", "http://a/City/pr1",
        ] {
            #expect(stores.coordinator.managedObjectID(forURIRepresentation: try #require(URL(string: text))) == nil)
        }
    }

    // MARK: Fetching

    @Test("a fetch reaches the store with all that was asked; faults call for values")
    func fetching() throws {
        let (stores, store, context) = try Self.seeded()
        let request = NSFetchRequest<NSManagedObject>(entityName: "City")
        request.predicate = NSPredicate(format: "people == nil")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        (request.fetchLimit, request.fetchOffset, request.includesSubentities) = (5, 0, false)
        let found = try context.fetch(request)
        #expect(found.count == 1 && store.calls.first == "fetch")
        let asked = try #require(store.lastFetch)
        #expect(
            asked.entityName == "City" && asked.predicate == request.predicate
                && asked.resultType == .managedObjectResultType)
        #expect(asked.fetchLimit == 5 && asked.sortDescriptors?.count == 1 && !asked.includesSubentities)
        #expect(try context.count(for: request) == 1)
        #expect(store.lastFetch?.resultType == .countResultType)
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Country")
        ids.resultType = .managedObjectIDResultType
        store.calls = []
        let id = try #require(try context.fetch(ids).first)
        #expect(store.lastFetch?.resultType == .managedObjectIDResultType && store.calls == ["fetch"])
        store.calls = []
        let country = context.object(with: id)
        #expect(country.isFault && store.calls.isEmpty)
        #expect(country.name == "Norway" && country.value(forKey: "name") != nil && store.calls == ["newValues"])
        _ = stores
    }

    @Test("a to-one relationship comes from the node, without another call")
    func toOneFromNode() throws {
        let (_, store, context) = try Self.seeded()
        let oslo = try context.one("City", "Oslo")
        #expect(oslo.object("country")?.name == "Norway")
        #expect(!store.calls.contains { $0.hasPrefix("newValue ") })
    }

    @Test("a to-one relationship that the node lacks is asked for at once, a to-many one when needed, and once")
    func lazyRelationships() throws {
        let (_, store, context) = try Self.seeded()
        store.leavesOutToOne = true
        let oslo = try #require(try context.find("City").first)
        store.calls = []
        _ = oslo.name
        #expect(store.calls.first == "newValues")
        #expect(
            Set(store.calls.dropFirst()) == [
                "newValue country", "newValue seller", "newValue twin", "newValue twinBack",
            ])
        #expect(store.calls.count == 5)
        store.calls = []
        #expect(oslo.object("country") != nil && store.calls.isEmpty)
        #expect(oslo.names("tags") == ["t"] && store.calls.filter { $0 == "newValue tags" }.count == 1)
        store.calls = []
        #expect(oslo.set("tags").count == 1 && store.calls.isEmpty)
    }

    @Test("a to-many relationship that the node has is not asked for")
    func toManyFromNode() throws {
        let (_, store, context) = try Self.seeded()
        store.includesToMany = true
        let oslo = try context.one("City", "Oslo")
        #expect(oslo.names("tags") == ["t"] && !store.calls.contains { $0.hasPrefix("newValue ") })
    }

    @Test("values of nodes that the model doesn't have are left out")
    func unmodelledValues() throws {
        let (stores, store) = try Self.make()
        let city = try Self.entity("City", stores)
        let id = store.newObjectID(for: city, referenceObject: "a")
        let node = NSIncrementalStoreNode(objectID: id, withValues: ["name": "x", "other": 1], version: 7)
        let other = NSAttributeDescription()
        other.name = "other"
        let name = try #require(city.propertiesByName["name"])
        #expect(node.value(for: other) == nil && node.value(for: name) as? String == "x")
        #expect(node.objectID == id && node.version == 7)
        node.update(withValues: ["name": "y"], version: 8)
        #expect(node.value(for: name) as? String == "y" && node.version == 8)
    }

    @Test("an object that the store doesn't have is error 133000; one that nobody knows of stays a fault")
    func missingObjects() throws {
        let (stores, store) = try Self.make()
        let id = store.newObjectID(for: try Self.entity("City", stores), referenceObject: "none")
        #expect(errorCode { _ = try stores.context.existingObject(with: id) } == .managedObjectReferentialIntegrity)
        store.valuesError = NSError(domain: "org.example.store", code: 42)
        let other = store.newObjectID(for: try Self.entity("City", stores), referenceObject: "other")
        let city = stores.context.object(with: other)
        #expect(city.value(forKey: "name") == nil && city.isFault && !city.isDeleted)
    }

    // MARK: Saving

    @Test("a save asks for IDs first, then sends one request with what changed")
    func saving() throws {
        let (stores, store) = try Self.make()
        store.calls = []
        let oslo = stores.insert("Capital", ["name": "Oslo"])
        try stores.context.save()
        #expect(store.calls == ["obtainPermanentIDs", "save"])
        let request = try #require(store.lastSave)
        #expect(request.requestType == .saveRequestType && request.insertedObjects == [oslo])
        #expect(request.updatedObjects == [] && request.deletedObjects == [] && request.lockedObjects == [])
        #expect(!oslo.objectID.isTemporaryID && oslo.objectID.entity.name == "Capital")
        oslo.setValue("Bergen", forKey: "name")
        store.calls = []
        try stores.context.save()
        #expect(
            store.calls == ["save"] && store.lastSave?.updatedObjects == [oslo] && store.lastSave?.insertedObjects == []
        )
        stores.context.delete(oslo)
        try stores.context.save()
        #expect(store.lastSave?.deletedObjects == [oslo])
        #expect(try stores.second().find("City").isEmpty)
    }

    @Test("a conflict with what another context has saved is noticed, and the merge policy resolves it")
    func conflicts() throws {
        let (stores, _) = try Self.make()
        let oslo = stores.insert("City", ["name": "Oslo", "people": 1])
        try stores.context.save()
        let other = stores.second()
        try other.one("City", "Oslo").setValue(2, forKey: "people")
        try other.save()
        oslo.setValue(3, forKey: "people")
        #expect(errorCode { try stores.context.save() } == .managedObjectMerge)
        stores.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try stores.context.save()
        #expect(try stores.fresh().one("City", "Oslo").value(forKey: "people") as? Int == 3)
    }

    @Test("a save without changes sends a request without sets: it asks for the metadata to be written")
    func emptySave() throws {
        let (stores, store) = try Self.make()
        #expect(store.wantsEmptySaves)
        try stores.context.save()
        let request = try #require(store.lastSave)
        #expect(request.insertedObjects == nil && request.updatedObjects == nil)
        #expect(request.deletedObjects == nil && request.lockedObjects == nil)
        store.isReadOnly = true
        #expect(!store.wantsEmptySaves)
    }

    @Test("the error of a store is the error of the save, and everything stays")
    func errors() throws {
        let (stores, store) = try Self.make()
        let oslo = stores.insert("City", ["name": "Oslo"])
        let refusal = NSError(domain: "org.example.store", code: 42)
        func code() -> Int? {
            do {
                try stores.context.save()
                return nil
            } catch {
                #expect((error as NSError).domain == "org.example.store")
                return (error as NSError).code
            }
        }
        store.identifierError = refusal
        #expect(code() == 42)
        store.identifierError = nil
        store.saveError = refusal
        #expect(code() == 42)
        #expect(oslo.isInserted && oslo.objectID.isTemporaryID)
        #expect(stores.context.registeredObject(for: oslo.objectID) === oslo)
        store.saveError = nil
        try stores.context.save()
        #expect(try stores.second().names("City") == ["Oslo"])
    }

    // MARK: Stores that answer with nonsense

    /// Answers what a test gives it.
    private final class OddStore: NSIncrementalStore {
        var result: Any = [Any]()
        var values: [String: Any] = [:]
        var relation: Any = NSNull()
        var ids: [NSManagedObjectID] = []
        override var type: String { "Odd" }
        override func loadMetadata() {}
        override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) -> Any {
            result
        }
        override func newValuesForObject(
            with objectID: NSManagedObjectID, with context: NSManagedObjectContext
        ) -> NSIncrementalStoreNode { NSIncrementalStoreNode(objectID: objectID, withValues: values, version: .max) }
        override func newValue(
            forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
            with context: NSManagedObjectContext?
        ) -> Any { relation }
        override func obtainPermanentIDs(for array: [NSManagedObject]) -> [NSManagedObjectID] { ids }
    }

    private static func odd() throws -> (OddStore, NSManagedObjectContext, NSPersistentStoreCoordinator) {
        NSPersistentStoreCoordinator.registerStoreClass(OddStore.self, forStoreType: "Odd")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: StoreCase.model())
        let store = try coordinator.addPersistentStore(ofType: "Odd", configurationName: nil, at: nil)
        let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return (try #require(store as? OddStore), context, coordinator)
    }

    @Test("results that are none are errors")
    func oddResults() throws {
        let (store, context, coordinator) = try Self.odd()
        let entities = coordinator.managedObjectModel.entitiesByName
        let tag = store.newObjectID(for: try #require(entities["Tag"]), referenceObject: 1)
        let (other, _, otherCoordinator) = try Self.odd()
        let foreign = other.newObjectID(
            for: try #require(otherCoordinator.managedObjectModel.entitiesByName["City"]), referenceObject: 1)
        for result: Any in ["text", 5, ["text"], [tag], [foreign], NSNull()] {
            store.result = result
            #expect(errorCode { _ = try context.find("City") } == .coreData, "\(result)")
            let request = NSFetchRequest<NSManagedObject>(entityName: "City")
            #expect(errorCode { _ = try context.count(for: request) } == .coreData, "\(result)")
        }
        store.result = [NSNumber(value: 3)]
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "City")) == 3)
        store.result = NSArray(array: [tag])
        #expect(try context.find("Tag").count == 1)
    }

    @Test("values and IDs that don't fit the model are errors, or leave the object a fault")
    func oddValues() throws {
        let (store, context, coordinator) = try Self.odd()
        let city = try #require(coordinator.managedObjectModel.entitiesByName["City"])
        let id = store.newObjectID(for: city, referenceObject: "a")
        store.values = ["people": "many"]
        #expect(errorCode { _ = try context.existingObject(with: id) } == .coreData)
        store.values = ["country": id]
        #expect(errorCode { _ = try context.existingObject(with: id) } == .coreData)
        store.values = ["country": "text"]
        #expect(errorCode { _ = try context.existingObject(with: id) } == .coreData)
        store.values = [:]
        store.relation = [id]
        #expect(errorCode { _ = try context.existingObject(with: id) } == .coreData)
        store.relation = NSNull()
        #expect(try context.existingObject(with: id).value(forKey: "country") == nil)
        let new = NSEntityDescription.insertNewObject(forEntityName: "City", into: context)
        #expect(errorCode { try context.save() } == .coreData)
        store.ids = [
            store.newObjectID(
                for: try #require(coordinator.managedObjectModel.entitiesByName["Tag"]), referenceObject: 1)
        ]
        #expect(errorCode { try context.save() } == .coreData)
        #expect(new.objectID.isTemporaryID)
        store.ids = [store.newObjectID(for: city, referenceObject: "new")]
        try context.save()
        #expect(new.objectID == store.ids[0])
    }

    @Test("a class that overrides nothing says so, and one without a UUID can't be added")
    func unfinishedClasses() throws {
        final class Empty: NSIncrementalStore {
            override var type: String { "Empty" }
        }
        final class Nameless: NSIncrementalStore {
            override var type: String { "Nameless" }
            override func loadMetadata() { metadata = [NSStoreTypeKey: type] }
        }
        NSPersistentStoreCoordinator.registerStoreClass(Empty.self, forStoreType: "Empty")
        NSPersistentStoreCoordinator.registerStoreClass(Nameless.self, forStoreType: "Nameless")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: StoreCase.model())
        #expect(
            errorCode { try coordinator.addPersistentStore(ofType: "Nameless", configurationName: nil, at: nil) }
                == .persistentStoreOpen)
        try coordinator.addPersistentStore(ofType: "Empty", configurationName: nil, at: nil)
        let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        #expect(errorCode { _ = try context.find("City") } == .coreData)
        _ = NSEntityDescription.insertNewObject(forEntityName: "City", into: context)
        #expect(errorCode { try context.save() } == .coreData)
    }
}
