import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("Atomic stores of programs")
struct AtomicStoreTests {
    /// Keeps everything the default way, in memory.
    private final class PlainStore: NSAtomicStore {
        var saves = 0
        var events: [String] = []
        var failure: (any Error)?
        override var type: String { "Plain" }
        override func load() {}
        override func save() throws {
            saves += 1
            if let failure { throw failure }
        }
        override func didAdd(to coordinator: NSPersistentStoreCoordinator) { events.append("didAdd") }
        override func willRemove(from coordinator: NSPersistentStoreCoordinator?) { events.append("willRemove") }
    }

    /// Says nothing of how it loads.
    private final class MuteStore: NSAtomicStore {
        override var type: String { "Mute" }
    }

    /// Says that it is of another type than it was registered for.
    private final class LyingStore: NSAtomicStore {
        override var type: String { "Truth" }
        override func load() {}
    }

    private static func plain(
        _ model: NSManagedObjectModel = StoreCase.model()
    ) throws -> (PlainStore, NSManagedObjectContext, NSPersistentStoreCoordinator) {
        NSPersistentStoreCoordinator.registerStoreClass(PlainStore.self, forStoreType: "Plain")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(ofType: "Plain", configurationName: nil, at: nil)
        let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return (try #require(store as? PlainStore), context, coordinator)
    }

    @Test("metadata are read before the objects; a save names new objects, makes their nodes, and writes")
    func order() throws {
        let stores = try StoreCase(TableStore.typeName)
        let store = try #require(stores.store as? TableStore)
        #expect(store.calls == ["loadMetadata", "load"])
        let oslo = stores.insert("City", ["name": "Oslo"])
        store.calls = []
        try stores.context.save()
        #expect(store.calls == ["newReferenceObject true", "newCacheNode false", "save"])
        oslo.setValue("Bergen", forKey: "name")
        store.calls = []
        try stores.context.save()
        #expect(store.calls == ["updateCacheNode", "save"])
        stores.context.delete(oslo)
        store.calls = []
        try stores.context.save()
        #expect(store.calls == ["willRemoveCacheNodes 1", "save"])
        #expect(store.cacheNodes().isEmpty)
    }

    @Test("nodes are found by the IDs of their objects, and know what the store calls them")
    func nodes() throws {
        let stores = try StoreCase(TableStore.typeName)
        let store = try #require(stores.store as? TableStore)
        let objects = ["a", "b"].map { stores.insert("City", ["name": $0]) } + [stores.insert("Tag", ["name": "t"])]
        try stores.context.save()
        #expect(store.cacheNodes().count == 3)
        for object in objects {
            let node = try #require(store.cacheNode(for: object.objectID))
            #expect(node.objectID == object.objectID && node.value(forKey: "name") as? String == object.name)
            let reference = try #require(store.referenceObject(for: object.objectID) as? String)
            #expect(store.objectID(for: object.entity, withReferenceObject: reference) == object.objectID)
            #expect(object.objectID.uriRepresentation().lastPathComponent == "p\(reference)")
        }
        let unknown = store.objectID(for: objects[0].entity, withReferenceObject: "none")
        #expect(store.cacheNode(for: unknown) == nil)
    }

    @Test("a node has no dictionary until a value is set")
    func propertyCache() throws {
        let (store, _, coordinator) = try Self.plain()
        let entity = try #require(coordinator.managedObjectModel.entitiesByName["City"])
        let node = NSAtomicStoreCacheNode(objectID: store.objectID(for: entity, withReferenceObject: 1))
        node.setValue(nil, forKey: "name")
        #expect(node.propertyCache == nil && node.value(forKey: "name") == nil)
        node.setValue("Oslo", forKey: "name")
        #expect(node.propertyCache?["name"] as? String == "Oslo" && node.value(forKey: "name") as? String == "Oslo")
        node.setValue(nil, forKey: "name")
        #expect(node.value(forKey: "name") == nil)
    }

    @Test("nodes that load() registers are found by predicates that follow their relationships")
    func relatedNodes() throws {
        let (store, context, coordinator) = try Self.plain()
        let entities = coordinator.managedObjectModel.entitiesByName
        func node(_ entity: String, _ name: String) throws -> NSAtomicStoreCacheNode {
            let id = store.objectID(for: try #require(entities[entity]), withReferenceObject: name)
            let node = NSAtomicStoreCacheNode(objectID: id)
            node.setValue(name, forKey: "name")
            return node
        }
        let norway = try node("Country", "Norway")
        let cities = try ["Oslo", "Bergen"].map { try node("City", $0) }
        for city in cities { city.setValue(norway, forKey: "country") }
        norway.setValue(Set(cities), forKey: "cities")
        norway.setValue(NSOrderedSet(array: cities), forKey: "shop")
        cities[0].setValue(Set([try node("Tag", "stray")]), forKey: "tags")
        store.addCacheNodes(Set(cities + [norway]))
        #expect(try context.names("City", "country.name == 'Norway' AND name BEGINSWITH 'O'") == ["Oslo"])
        #expect(try context.names("Country", "ANY cities.name == 'Bergen'") == ["Norway"])
        #expect(try context.names("Country", "cities.@count == 2 AND shop.@count == 2") == ["Norway"])
        let country = try context.one("Country", "Norway")
        #expect(country.names("cities") == ["Bergen", "Oslo"] && country.orderedNames("shop") == ["Oslo", "Bergen"])
        // A node that was not registered is none of the store's.
        #expect(try context.one("City", "Oslo").set("tags").isEmpty)
    }

    @Test("a predicate with a block is given nodes")
    func blocks() throws {
        let stores = try StoreCase(TableStore.typeName)
        for name in ["a", "b"] { stores.insert("City", ["name": name]) }
        try stores.context.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "City")
        request.predicate = NSPredicate { object, _ in
            (object as? NSAtomicStoreCacheNode)?.value(forKey: "name") as? String == "b"
        }
        #expect(try stores.second().fetch(request).map(\.name) == ["b"])
    }

    @Test("without overrides of nodes the framework keeps all values, relationships too")
    func defaults() throws {
        let (store, context, coordinator) = try Self.plain()
        func insert(_ entity: String, _ name: String) -> NSManagedObject {
            let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
            object.setValue(name, forKey: "name")
            return object
        }
        let (norway, oslo, tag) = (insert("Country", "Norway"), insert("Capital", "Oslo"), insert("Tag", "t"))
        oslo.setValue(norway, forKey: "country")
        oslo.setValue(Set([tag]), forKey: "tags")
        oslo.setValue(7, forKey: "since")
        try context.save()
        #expect(store.saves == 1)
        let other = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        other.persistentStoreCoordinator = coordinator
        let found = try other.one("City", "Oslo")
        #expect(found.object("country")?.name == "Norway" && found.names("tags") == ["t"])
        #expect(found.value(forKey: "since") as? Int == 7)
        #expect(try other.names("Country", "ANY cities.tags.name == 't'") == ["Norway"])
        other.delete(found)
        try other.save()
        #expect(try other.one("Country", "Norway").set("cities").isEmpty && store.cacheNodes().count == 2)
    }

    @Test("a save that fails gives nodes their values back, takes new ones out and puts removed ones in")
    func failure() throws {
        let (store, context, _) = try Self.plain()
        let names = ["a", "b"]
        let objects = names.map { name in
            let object = NSEntityDescription.insertNewObject(forEntityName: "City", into: context)
            object.setValue(name, forKey: "name")
            return object
        }
        try context.save()
        struct Refusal: Error {}
        store.failure = Refusal()
        objects[0].setValue("changed", forKey: "name")
        context.delete(objects[1])
        let new = NSEntityDescription.insertNewObject(forEntityName: "City", into: context)
        #expect(throws: Refusal.self) { try context.save() }
        #expect(new.objectID.isTemporaryID && objects[0].isUpdated && objects[1].isDeleted)
        #expect(Set(store.cacheNodes().compactMap { $0.value(forKey: "name") as? String }) == Set(names))
        store.failure = nil
        try context.save()
        #expect(Set(store.cacheNodes().map { $0.value(forKey: "name") as? String }) == ["changed", nil])
        #expect(!new.objectID.isTemporaryID)
    }

    @Test("a node's value of another type than the model's is an error that names it")
    func wrongType() throws {
        let (store, context, coordinator) = try Self.plain()
        let entity = try #require(coordinator.managedObjectModel.entitiesByName["City"])
        let node = NSAtomicStoreCacheNode(objectID: store.objectID(for: entity, withReferenceObject: "x"))
        node.setValue("many", forKey: "people")
        store.addCacheNodes([node])
        do {
            _ = try context.find("City")
            Issue.record("no error")
        } catch let error as CocoaError {
            #expect(error.code == .coreData && "\(error)".contains("people") && "\(error)".contains("many"))
        }
    }

    @Test("new metadata have the type, a UUID, and the hashes of the entities that the store keeps")
    func metadata() throws {
        let model = StoreCase.model()
        model.setEntities(try [#require(model.entitiesByName["Tag"])], forConfigurationName: "Tags")
        NSPersistentStoreCoordinator.registerStoreClass(PlainStore.self, forStoreType: "Plain")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(ofType: "Plain", configurationName: "Tags", at: nil)
        #expect(store.metadata[NSStoreTypeKey] as? String == "Plain" && UUID(uuidString: store.identifier) != nil)
        let hashes = store.metadata[NSStoreModelVersionHashesKey] as? [String: Data]
        #expect(hashes?.keys.sorted() == ["Tag"] && hashes?["Tag"] == model.entityVersionHashesByName["Tag"])
        store.identifier = "mine"
        #expect(store.identifier == "mine" && store.metadata[NSStoreUUIDKey] as? String == "mine")
        #expect(store.configurationName == "Tags" && store.url == nil && !store.isReadOnly)
    }

    @Test("a store hears that it was added and will be removed")
    func events() throws {
        let (store, _, coordinator) = try Self.plain()
        #expect(store.events == ["didAdd"] && store.persistentStoreCoordinator === coordinator)
        try coordinator.remove(store)
        #expect(store.events == ["didAdd", "willRemove"] && coordinator.persistentStores.isEmpty)
    }

    @Test("a store of another type than asked for is refused with 134010, one that can't load with an error")
    func refusals() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: StoreCase.model())
        NSPersistentStoreCoordinator.registerStoreClass(LyingStore.self, forStoreType: "Lie")
        #expect(
            errorCode { try coordinator.addPersistentStore(ofType: "Lie", configurationName: nil, at: nil) }
                == .persistentStoreTypeMismatch)
        NSPersistentStoreCoordinator.registerStoreClass(MuteStore.self, forStoreType: "Mute")
        #expect(
            errorCode { try coordinator.addPersistentStore(ofType: "Mute", configurationName: nil, at: nil) }
                == .coreData)
        #expect(
            errorCode { _ = try MuteStore.metadataForPersistentStore(with: URL(fileURLWithPath: "/x")) } == .coreData)
        #expect(coordinator.persistentStores.isEmpty)
        #expect(NSPersistentStoreCoordinator.registeredStoreTypes["Lie"] != nil)
        NSPersistentStoreCoordinator.registerStoreClass(nil, forStoreType: "Lie")
        #expect(NSPersistentStoreCoordinator.registeredStoreTypes["Lie"] == nil)
        #expect(
            errorCode { try coordinator.addPersistentStore(ofType: "Lie", configurationName: nil, at: nil) }
                == .persistentStoreInvalidType)
    }

    @Test("nodes that refer to each other go with their store")
    func memory() throws {
        weak var store: NSPersistentStore?
        weak var node: NSAtomicStoreCacheNode?
        do {
            let stores = try StoreCase(TableStore.typeName)
            let cities = ["a", "b"].map { stores.insert("City", ["name": $0]) }
            cities[0].setValue(cities[1], forKey: "twin")
            try stores.context.save()
            store = stores.store
            node = (stores.store as? TableStore)?.cacheNode(for: cities[0].objectID)
            #expect(node != nil)
        }
        #expect(store == nil && node == nil)
    }
}
