import CoreData
import Foundation
import TestSupport
import Testing

@Suite("What all stores do alike")
struct CommonStoreTests {
    @Test("what is saved is found by another context, changed and deleted", arguments: StoreCase.types)
    func createReadUpdateDelete(_ type: String) throws {
        let stores = try StoreCase(type)
        let oslo = stores.insert("City", ["name": "Oslo", "people": 709_000, "isOld": true, "area": 454.5])
        let id = oslo.objectID
        stores.insert("City", ["name": "Bergen"])
        try stores.context.save()
        #expect(id.isTemporaryID && !oslo.objectID.isTemporaryID && oslo.objectID != id)
        #expect(!oslo.hasChanges && oslo.changedValues().isEmpty)

        let context = try stores.fresh()
        let found = try context.one("City", "Oslo")
        #expect(found.value(forKey: "people") as? Int == 709_000)
        #expect(found.value(forKey: "isOld") as? Bool == true && found.value(forKey: "area") as? Double == 454.5)
        #expect(found.value(forKey: "founded") == nil)
        #expect(found !== oslo && found.objectID.uriRepresentation() == oslo.objectID.uriRepresentation())
        found.setValue("Christiania", forKey: "name")
        context.delete(try context.one("City", "Bergen"))
        try context.save()
        #expect(try stores.fresh().names("City") == ["Christiania"])
        context.delete(found)
        try context.save()
        #expect(try stores.fresh().find("City").isEmpty)
    }

    @Test("an object ID's URI leads back to the object", arguments: StoreCase.types)
    func identity(_ type: String) throws {
        let stores = try StoreCase(type)
        let oslo = stores.insert("City", ["name": "Oslo"])
        let capital = stores.insert("Capital", ["name": "Rome"])
        try stores.context.save()
        for object in [oslo, capital] {
            let uri = object.objectID.uriRepresentation()
            #expect(uri.scheme == "x-coredata" && uri.host?.uppercased() == stores.store.identifier)
            #expect(uri.absoluteString.contains("/\(object.entity.name ?? "")/p"))
            let id = try #require(stores.coordinator.managedObjectID(forURIRepresentation: uri))
            #expect(id == object.objectID && id.hash == object.objectID.hash && id.persistentStore === stores.store)
            #expect(stores.context.object(with: id) === object)
            let context = try stores.fresh()
            let other = try #require(context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri))
            #expect(try context.existingObject(with: other).name == object.name)
        }
        let gone = oslo.objectID
        stores.context.delete(oslo)
        try stores.context.save()
        #expect(errorCode { _ = try stores.context.existingObject(with: gone) } == .managedObjectReferentialIntegrity)
    }

    @Test("relationships of every kind are kept at both ends", arguments: StoreCase.types)
    func relationships(_ type: String) throws {
        let stores = try StoreCase(type)
        let norway = stores.insert("Country", ["name": "Norway"])
        let cities = ["c", "a", "b"].map { stores.insert("City", ["name": $0, "country": norway]) }
        norway.setValue(NSOrderedSet(array: cities), forKey: "shop")
        let tags = ["x", "y"].map { stores.insert("Tag", ["name": $0]) }
        cities[0].setValue(Set(tags), forKey: "tags")
        cities[1].setValue(Set([tags[0]]), forKey: "tags")
        cities[0].setValue(cities[1], forKey: "twin")
        try stores.context.save()

        let context = try stores.fresh()
        let found = try context.one("Country", "Norway")
        #expect(found.names("cities") == ["a", "b", "c"] && found.orderedNames("shop") == ["c", "a", "b"])
        let c = try context.one("City", "c")
        #expect(c.object("country") === found && c.names("tags") == ["x", "y"] && c.object("twin")?.name == "a")
        #expect(try context.one("Tag", "x").names("cities") == ["a", "c"])
        #expect(try context.one("City", "a").object("twinBack") === c)

        // Moved to the front, taken out, cut.
        found.setValue(NSOrderedSet(array: [try context.one("City", "b"), c]), forKey: "shop")
        c.setValue(nil, forKey: "country")
        c.setValue(Set<NSManagedObject>(), forKey: "tags")
        c.setValue(nil, forKey: "twin")
        try context.save()
        let last = try stores.fresh()
        #expect(try last.one("Country", "Norway").orderedNames("shop") == ["b", "c"])
        #expect(try last.one("Country", "Norway").names("cities") == ["a", "b"])
        #expect(try last.one("Tag", "y").names("cities").isEmpty && last.one("Tag", "x").names("cities") == ["a"])
        #expect(try last.one("City", "a").object("twinBack") == nil && last.one("City", "a").object("seller") == nil)
    }

    @Test("delete rules are carried out", arguments: StoreCase.types)
    func deleteRules(_ type: String) throws {
        let stores = try StoreCase(type)
        let country = stores.insert("Country", ["name": "Norway"])
        let tag = stores.insert("Tag", ["name": "x"])
        for name in ["a", "b"] {
            stores.insert("City", ["name": name, "country": country, "tags": Set([tag])])
        }
        stores.insert("City", ["name": "sold", "seller": country])
        try stores.context.save()
        let context = try stores.fresh()
        context.delete(try context.one("Country", "Norway"))
        context.delete(try context.one("Tag", "x"))
        try context.save()
        let last = try stores.fresh()
        #expect(try last.names("City") == ["a", "b"] && last.find("Country").isEmpty && last.find("Tag").isEmpty)
        #expect(try last.one("City", "a").object("country") == nil && last.one("City", "a").set("tags").isEmpty)
    }

    @Test("a fetch finds by predicate, in order, from a place on, and as many as asked for", arguments: StoreCase.types)
    func fetching(_ type: String) throws {
        let stores = try StoreCase(type)
        let countries = ["Norway", "Italy"].map { stores.insert("Country", ["name": $0]) }
        for (index, name) in ["Oslo", "Bergen", "Ålesund", "Rome", "Milan"].enumerated() {
            let isCapital = ["Oslo", "Rome"].contains(name)
            let city = stores.insert(isCapital ? "Capital" : "City", ["name": name, "people": index * 10])
            city.setValue(countries[index / 3], forKey: "country")
        }
        try stores.context.save()
        let context = try stores.fresh()
        let request = NSFetchRequest<NSManagedObject>(entityName: "City")
        request.sortDescriptors = [
            NSSortDescriptor(key: "country.name", ascending: true), NSSortDescriptor(key: "people", ascending: false),
        ]
        #expect(try context.fetch(request).map(\.name) == ["Milan", "Rome", "Ålesund", "Bergen", "Oslo"])
        (request.fetchOffset, request.fetchLimit) = (1, 3)
        #expect(try context.fetch(request).map(\.name) == ["Rome", "Ålesund", "Bergen"])
        #expect(try context.count(for: request) == 3)
        request.fetchOffset = 4
        #expect(try context.count(for: request) == 1)
        #expect(try context.names("City", "name BEGINSWITH[cd] 'a'") == ["Ålesund"])
        #expect(try context.names("City", "people > 10 AND people <= 30") == ["Rome", "Ålesund"])
        #expect(try context.names("City", "country.name == 'Italy'") == ["Milan", "Rome"])
        #expect(try context.names("Country", "ANY cities.people == 20") == ["Norway"])
        #expect(try context.names("Country", "cities.@count == 2") == ["Italy"])
        #expect(try context.names("Country", "SUBQUERY(cities, $c, $c.people > 20).@count > 0") == ["Italy"])
        let norway = try context.one("Country", "Norway")
        #expect(try context.names("City", "country == %@", norway) == ["Bergen", "Oslo", "Ålesund"])
        #expect(try context.names("City", "country == %@", norway.objectID) == ["Bergen", "Oslo", "Ålesund"])
        let rome = try context.one("City", "Rome")
        #expect(try context.names("City", "SELF IN %@", [rome]) == ["Rome"])
        #expect(try context.names("City", "SELF != %@", rome).count == 4)
        #expect(try context.names("Capital") == ["Oslo", "Rome"])
        #expect(rome.entity.name == "Capital")
        let plain = NSFetchRequest<NSManagedObject>(entityName: "City")
        plain.includesSubentities = false
        #expect(try context.fetch(plain).map(\.name).sorted() == ["Bergen", "Milan", "Ålesund"])
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Capital")
        ids.resultType = .managedObjectIDResultType
        ids.sortDescriptors = [NSSortDescriptor(key: "name", ascending: false)]
        #expect(try context.fetch(ids).map { context.object(with: $0).name } == ["Rome", "Oslo"])
    }

    @Test("objects sort by themselves, in one direction and the other", arguments: StoreCase.types)
    func sortedBySelf(_ type: String) throws {
        let stores = try StoreCase(type)
        for name in ["a", "b", "c"] {
            stores.insert("City", ["name": name])
            try stores.context.save()
        }
        let context = try stores.fresh()
        let up = try context.find("City", sort: "self").map(\.name)
        let request = NSFetchRequest<NSManagedObject>(entityName: "City")
        request.sortDescriptors = [NSSortDescriptor(key: "objectID", ascending: false)]
        let down = try context.fetch(request).map(\.name)
        #expect(Set(up) == ["a", "b", "c"] && down == up.reversed())
    }

    @Test("a predicate that can't be carried out is an error", arguments: StoreCase.types)
    func badPredicates(_ type: String) throws {
        let stores = try StoreCase(type)
        stores.insert("City", ["name": "Oslo"])
        try stores.context.save()
        let context = try stores.fresh()
        #expect(errorCode { _ = try context.find("City", "nothing == 1") } == .coreData)
        #expect(errorCode { _ = try context.find("City", sort: "nothing") } == .coreData)
        #expect(try context.names("City") == ["Oslo"])
    }

    @Test(
        "a save that meets another version of an object is refused, and everything stays",
        arguments: StoreCase.lockingTypes)
    func conflicts(_ type: String) throws {
        let stores = try StoreCase(type)
        let oslo = stores.insert("City", ["name": "Oslo", "people": 1])
        stores.insert("City", ["name": "Bergen"])
        try stores.context.save()
        let other = stores.second()
        let same = try other.one("City", "Oslo")
        same.setValue(2, forKey: "people")
        try other.save()
        oslo.setValue(3, forKey: "people")
        stores.insert("City", ["name": "new"])
        #expect(errorCode { try stores.context.save() } == .managedObjectMerge)
        #expect(oslo.isUpdated && stores.context.insertedObjects.count == 1)
        #expect(try stores.second().names("City") == ["Bergen", "Oslo"])
        #expect(try stores.second().one("City", "Oslo").value(forKey: "people") as? Int == 2)
    }

    @Test(
        "a deletion of what somebody has changed is a conflict, of what is gone already none",
        arguments: StoreCase.lockingTypes)
    func conflictingDeletions(_ type: String) throws {
        let stores = try StoreCase(type)
        let cities = ["Oslo", "Bergen"].map { stores.insert("City", ["name": $0]) }
        try stores.context.save()
        let other = stores.second()
        try other.one("City", "Oslo").setValue(4, forKey: "people")
        other.delete(try other.one("City", "Bergen"))
        try other.save()
        stores.context.delete(cities[1])
        try stores.context.save()
        stores.context.delete(cities[0])
        #expect(errorCode { try stores.context.save() } == .managedObjectMerge)
        #expect(try stores.second().names("City") == ["Oslo"])
    }

    @Test("an update of an object that somebody has deleted is a conflict", arguments: StoreCase.lockingTypes)
    func updateOfDeleted(_ type: String) throws {
        let stores = try StoreCase(type)
        let oslo = stores.insert("City", ["name": "Oslo"])
        try stores.context.save()
        let other = stores.second()
        other.delete(try other.one("City", "Oslo"))
        try other.save()
        oslo.setValue(3, forKey: "people")
        #expect(errorCode { try stores.context.save() } == .managedObjectMerge)
        #expect(try stores.second().find("City").isEmpty)
    }

    @Test(
        "an update of an object that somebody has deleted, saved all the same, puts it back",
        arguments: StoreCase.lockingTypes)
    func resurrection(_ type: String) throws {
        let stores = try StoreCase(type)
        let oslo = stores.insert("City", ["name": "Oslo"])
        try stores.context.save()
        let id = oslo.objectID
        let other = stores.second()
        other.delete(try other.one("City", "Oslo"))
        try other.save()
        oslo.setValue(3, forKey: "people")
        stores.context.mergePolicy = NSMergePolicy.overwrite
        try stores.context.save()
        #expect(oslo.objectID == id)
        #expect(try stores.fresh().one("City", "Oslo").value(forKey: "people") as? Int == 3)
    }

    @Test("an ID obtained before the save is the one that the object is saved under", arguments: StoreCase.types)
    func earlyIdentifiers(_ type: String) throws {
        let stores = try StoreCase(type)
        let country = stores.insert("Country", ["name": "Norway"])
        let city = stores.insert("City", ["name": "Oslo", "country": country])
        try stores.context.obtainPermanentIDs(for: [city])
        let id = city.objectID
        #expect(!id.isTemporaryID && id.persistentStore === stores.store && country.objectID.isTemporaryID)
        #expect(city.set("tags").isEmpty)
        try stores.context.save()
        #expect(city.objectID == id && stores.context.object(with: id) === city)
        let context = try stores.fresh()
        let uri = id.uriRepresentation()
        let found = try #require(context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri))
        #expect(try context.existingObject(with: found).object("country")?.name == "Norway")
    }

    @Test("an object of another store can't be related to", arguments: StoreCase.types)
    func otherStores(_ type: String) throws {
        let model = StoreCase.model()
        let parts = Dictionary(grouping: model.entities) { $0.name == "Tag" ? "Tags" : "Places" }
        for (name, entities) in parts { model.setEntities(entities, forConfigurationName: name) }
        let folder = try TemporaryFolder()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: type, configurationName: "Places", at: folder.file("places"))
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: "Tags", at: nil)
        let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let city = NSEntityDescription.insertNewObject(forEntityName: "City", into: context)
        let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
        city.setValue(Set([tag]), forKey: "tags")
        #expect(errorCode { try context.save() } == .managedObjectExternalRelationship)
        #expect(city.objectID.isTemporaryID)
        city.setValue(Set<NSManagedObject>(), forKey: "tags")
        try context.save()
        #expect(city.objectID.persistentStore === coordinator.persistentStores[0])
        #expect(tag.objectID.persistentStore === coordinator.persistentStores[1])
        #expect(try context.find("City").count == 1 && context.find("Tag").count == 1)
    }

    @Test("transient values are not stored, and stay with the object", arguments: StoreCase.types)
    func transientValues(_ type: String) throws {
        let stores = try StoreCase(type)
        let oslo = stores.insert("City", ["name": "Oslo", "note": "draft"])
        try stores.context.save()
        #expect(oslo.value(forKey: "note") as? String == "draft")
        #expect(try stores.fresh().one("City", "Oslo").value(forKey: "note") == nil)
    }

    @Test("a value that can't be archived makes the save fail, and nothing is written", arguments: StoreCase.types)
    func failingSave(_ type: String) throws {
        let stores = try StoreCase(type)
        let oslo = stores.insert("City", ["name": "Oslo"])
        try stores.context.save()
        oslo.setValue("Bergen", forKey: "name")
        stores.insert("City", ["name": "bad", "object": NSObject()])
        #expect(throws: (any Error).self) { try stores.context.save() }
        #expect(try stores.fresh().names("City") == ["Oslo"])
        #expect(stores.context.insertedObjects.allSatisfy(\.objectID.isTemporaryID) && oslo.isUpdated)
        stores.context.rollback()
        stores.insert("City", ["name": "good", "object": ["a", "b"]])
        try stores.context.save()
        #expect(try stores.fresh().one("City", "good").value(forKey: "object") as? [String] == ["a", "b"])
    }

    @Test(
        "what is changed inside of a transformable value after the save stays with its context",
        arguments: [NSSQLiteStoreType, NSInMemoryStoreType, NSBinaryStoreType, NSXMLStoreType])
    func mutableValues(_ type: String) throws {
        let stores = try StoreCase(type)
        let list = NSMutableArray(array: ["a"])
        let oslo = stores.insert("City", ["name": "Oslo", "object": list])
        try stores.context.save()
        list.add("b")
        #expect((oslo.value(forKey: "object") as? NSArray)?.count == 2)
        #expect((try stores.second().one("City", "Oslo").value(forKey: "object") as? NSArray)?.count == 1)
    }

    @Test("a read-only store is read and refuses to be written", arguments: StoreCase.types)
    func readOnly(_ type: String) throws {
        guard type != NSInMemoryStoreType else { return }  // one can't be opened again
        let stores = try StoreCase(type)
        stores.insert("City", ["name": "Oslo"])
        try stores.context.save()
        let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        context.persistentStoreCoordinator = try stores.reopened([NSReadOnlyPersistentStoreOption: true])
        let oslo = try context.one("City", "Oslo")
        oslo.setValue("x", forKey: "name")
        #expect(errorCode { try context.save() } == .fileWriteNoPermission)
        #expect(oslo.isUpdated)
        #expect(try stores.fresh().names("City") == ["Oslo"])
    }

    @Test(
        "random edits leave in each store what they leave in a SQLite store", arguments: StoreCase.types,
        Randomness.seeds(2))
    func likeSQLite(_ type: String, _ seed: UInt64) throws {
        var random = Randomness(seed)
        let sides = [try StoreCase(type), try StoreCase(NSSQLiteStoreType)]
        for round in 0..<12 {
            let edits = (0..<random.next(12) + 1).map { _ in Edit(&random, round) }
            for side in sides {
                for edit in edits { try edit.apply(to: side) }
                try side.context.save()
                if round % 4 == 3 { side.context.reset() }
            }
            #expect(try sides[0].fresh().dump() == sides[1].fresh().dump(), "round \(round)")
            #expect(try sides[0].context.dump() == sides[1].context.dump(), "round \(round)")
        }
    }

    /// A change that means the same in two stores: objects are named, not pointed to.
    private enum Edit {
        case insert(String, String)
        case set(String, String, Int)
        case relate(String, Int, Int)
        case collect(String, String, Int, [Int])
        case delete(String, Int)

        init(_ random: inout Randomness, _ round: Int) {
            let (a, b) = (random.next(50), random.next(50))
            switch random.next(8) {
            case 0, 1, 2:
                self = .insert(
                    random.pick(["City", "City", "Capital", "Country", "Tag"]), "\(round)-\(random.next(1_000_000))")
            case 3: self = .set(random.pick(["people", "area"]), "City", a)
            case 4, 5: self = .relate(random.pick(["country", "seller", "twin"]), a, b)
            case 6:
                let (entity, key) = random.pick([("City", "tags"), ("Country", "cities"), ("Country", "shop")])
                self = .collect(entity, key, a, (0..<random.next(4)).map { _ in random.next(50) })
            default: self = .delete(random.pick(["City", "Country", "Tag"]), a)
            }
        }

        func apply(to side: StoreCase) throws {
            func all(_ entity: String) throws -> [NSManagedObject] { try side.context.find(entity, sort: "name") }
            func pick(_ entity: String, _ at: Int) throws -> NSManagedObject? {
                let objects = try all(entity)
                return objects.isEmpty ? nil : objects[at % objects.count]
            }
            switch self {
            case .insert(let entity, let name): side.insert(entity, ["name": name])
            case .set(let key, let entity, let value): try pick(entity, value)?.setValue(value, forKey: key)
            case .relate(let key, let a, let b):
                let other = try pick(key == "twin" ? "City" : "Country", b)
                try pick("City", a)?.setValue(b % 5 == 0 ? nil : other, forKey: key)
            case .collect(let entity, let key, let a, let members):
                guard let owner = try pick(entity, a) else { return }
                let target = entity == "City" ? "Tag" : "City"
                let objects = NSOrderedSet(array: try members.compactMap { try pick(target, $0) })
                owner.setValue(key == "shop" ? objects as Any : objects.set as Any, forKey: key)
            case .delete(let entity, let at):
                if let object = try pick(entity, at) { side.context.delete(object) }
                side.context.processPendingChanges()
            }
        }
    }
}
