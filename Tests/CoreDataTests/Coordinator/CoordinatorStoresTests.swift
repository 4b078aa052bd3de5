import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("A coordinator's stores: adding, removing, finding")
struct CoordinatorStoresTests {
    let folder: TemporaryFolder
    let model = Library.model()

    init() throws { folder = try TemporaryFolder() }

    @Test("adding and removing a store is told in Apple's order, and never as a coming change")
    func notifications() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let heard = StoreNotifications(coordinator)
        defer { heard.stop() }
        let store = try coordinator.addPersistentStore(type: .sqlite, at: folder.file("a"))
        #expect(heard.summary == ["added a"])
        try coordinator.remove(store)
        #expect(heard.summary == ["added a", "willRemove a", "removed a"])
        #expect(coordinator.persistentStores.isEmpty && store.persistentStoreCoordinator == nil)
    }

    @Test("a store that is open in the coordinator can't be added again; after its removal it can")
    func twice() throws {
        let coordinator = try Library.open(folder.file("a"), model: model)
        for url in [folder.file("a"), folder.file("x/../a")] {
            let info = errorInfo { try coordinator.addPersistentStore(type: .sqlite, at: url) }
            #expect(info["reason"] as? String == "Can't add the same store twice")
        }
        #expect(
            errorCode { try coordinator.addPersistentStore(type: .sqlite, at: folder.file("a")) }?.rawValue == 134081)
        #expect(coordinator.persistentStores.count == 1)
        try coordinator.remove(coordinator.persistentStores[0])
        try coordinator.addPersistentStore(type: .sqlite, at: folder.file("a"))
        // So it is with stores of other types that have an address, and not with those that have none.
        let memory = URL(fileURLWithPath: "/dev/null")
        try coordinator.addPersistentStore(type: .inMemory, at: memory)
        #expect(errorCode { try coordinator.addPersistentStore(type: .inMemory, at: memory) }?.rawValue == 134081)
        for _ in 0..<2 {
            try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        }
        #expect(coordinator.persistentStores.count == 4)
        #expect(coordinator.url(for: coordinator.persistentStores[3]) == memory)
        // Another coordinator is another matter.
        _ = try Library.open(folder.file("a"), model: model)
    }

    @Test("a removed store's file is let go, with what was in its log")
    func closes() throws {
        let coordinator = try Library.open(folder.file("a"), model: model)
        let store = coordinator.persistentStores[0]
        try Library.addAuthor("A", coordinator)
        #expect(folder.names == ["a", "a-shm", "a-wal"])
        try coordinator.remove(store)
        #expect(folder.names == ["a"])
        #expect(try Library.authors(folder.file("a")) == ["A"])
        #expect(errorCode { try coordinator.remove(store) } == .coreData)
    }

    @Test("objects of a removed store can't be saved, and those of the others still can")
    func removedWhileUsed() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let texts = try coordinator.addPersistentStore(type: .sqlite, configuration: "Texts", at: folder.file("t"))
        try coordinator.addPersistentStore(type: .sqlite, configuration: "Places", at: folder.file("p"))
        let context = Library.context(coordinator)
        let author = Library.insert("Author", "A", context)
        let shelf = Library.insert("Shelf", "S", context)
        try context.save()
        try coordinator.remove(texts)
        author.setValue("B", forKey: "name")
        #expect(throws: CocoaError.self) { try context.save() }
        context.refresh(author, mergeChanges: false)
        shelf.setValue("T", forKey: "name")
        try context.save()
        #expect(try Library.context(coordinator).names("Shelf") == ["T"])
        #expect(coordinator.managedObjectID(forURIRepresentation: author.objectID.uriRepresentation()) == nil)
    }

    @Test("a store may be removed while contexts on other threads read and write it")
    func removalIsSynchronised() async throws {
        let coordinator = try Library.open(folder.file("a"), model: model)
        try Library.addAuthor("A", coordinator)
        let store = coordinator.persistentStores[0]
        let started = DispatchSemaphore(value: 0)
        let group = DispatchGroup()
        for _ in 0..<4 {
            DispatchQueue.global().async(group: group) {
                let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
                context.persistentStoreCoordinator = coordinator
                context.performAndWait {
                    started.signal()
                    for index in 0..<200 {
                        // Before the removal all of this works, after it all of it fails; nothing else may happen.
                        _ = errorCode {
                            _ = try context.names("Author")
                            _ = Library.insert("Author", "\(index)", context)
                            try context.save()
                        }
                    }
                    context.reset()
                }
            }
        }
        for _ in 0..<4 { started.wait() }
        try coordinator.remove(store)
        #expect(group.wait(timeout: .now() + 60) == .success)
        #expect(try Library.authors(folder.file("a")).contains("A"))
    }

    @Test("a type that the store's class doesn't have is refused, and nothing is added")
    func typeMismatch() throws {
        NSPersistentStoreCoordinator.registerStoreClass(MistypedStore.self, forStoreType: "Coordinator.Wanted")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let code = errorCode {
            try coordinator.addPersistentStore(
                ofType: "Coordinator.Wanted", configurationName: nil, at: folder.file("a"))
        }
        #expect(code == .persistentStoreTypeMismatch)
        #expect(coordinator.persistentStores.isEmpty)
    }

    @Test("a file that is no database is refused with its path and SQLite's code")
    func noDatabase() throws {
        let url = try folder.write(String(repeating: "no database. ", count: 100), to: "a")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let add = { _ = try coordinator.addPersistentStore(type: .sqlite, at: url) }
        #expect(errorCode(add) == .fileReadCorruptFile)
        let info = errorInfo(add)
        #expect(info[NSFilePathErrorKey] as? String == url.path)
        #expect((info[NSSQLiteErrorDomain] as? NSNumber)?.intValue == 26)
        #expect(try String(contentsOf: url, encoding: .utf8).hasPrefix("no database. "))
    }

    @Test("a missing file can't be opened for reading only, and isn't made")
    func missingReadOnly() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let add = {
            _ = try coordinator.addPersistentStore(
                type: .sqlite, at: folder.file("a"), options: [NSReadOnlyPersistentStoreOption: true])
        }
        #expect(errorCode(add) == .fileReadNoSuchFile)
        #expect(errorInfo(add)["reason"] as? String == "Attempt to open missing file read only")
        #expect(folder.names == [])
    }

    @Test("a save to a read-only store is refused with its options and address, and the changes stay")
    func readOnlySave() throws {
        let url = folder.file("a")
        try Library.addAuthor("A", Library.open(url, model: model))
        let coordinator = try Library.open(url, options: [NSReadOnlyPersistentStoreOption: true], model: model)
        let context = Library.context(coordinator)
        let author = try context.one("Author", "A")
        author.setValue("B", forKey: "name")
        #expect(errorCode { try context.save() } == .fileWriteNoPermission)
        let info = errorInfo { try context.save() }
        #expect((info["NSPersistentStoreOptions"] as? [AnyHashable: Any])?[NSReadOnlyPersistentStoreOption] != nil)
        #expect(info[NSPersistentStoreURLKey] as? URL == url)
        #expect(info["reason"] is String)
        #expect(author.isUpdated && author.name == "B")
    }

    @Test("a store in a folder that isn't there can't be made, and the error has the system's number")
    func noFolder() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let add = { _ = try coordinator.addPersistentStore(type: .sqlite, at: folder.file("none/a")) }
        #expect(errorCode(add) == .fileWriteUnknown)
        #expect(errorInfo(add)["reason"] as? String == "Failed to create file; code = 2")
    }

    @Test("a store of another model is refused; how depends on whether it may be migrated")
    func incompatible() throws {
        let url = folder.file("a")
        try Library.addAuthor("A", Library.open(url, model: model))
        let other = Build.model(Build.entity("Author", [Build.attribute("title", .stringAttributeType)]))
        let reason = "The model used to open the store is incompatible with the one used to create the store"
        func add(_ migrate: Bool?, _ infer: Bool?) throws {
            var options: [AnyHashable: Any] = [:]
            options[NSMigratePersistentStoresAutomaticallyOption] = migrate
            options[NSInferMappingModelAutomaticallyOption] = infer
            _ = try Library.open(url, options: options, model: other)
        }
        #expect(errorCode { try add(nil, nil) } == .persistentStoreIncompatibleVersionHash)
        let info = errorInfo { try add(false, true) }
        #expect(info["reason"] as? String == reason)
        #expect((info["metadata"] as? [String: Any])?[NSStoreUUIDKey] is String)
        // Migration isn't there yet: the error of an incompatible store says so.
        #expect(errorCode { try add(true, true) } == .persistentStoreIncompatibleVersionHash)
        let text = errorInfo { try add(true, true) }[NSLocalizedDescriptionKey] as? String
        #expect(text?.contains("not supported yet") == true && text?.contains("Author") == true)
        #expect(errorCode { try add(true, false) } == .migrationMissingMappingModel)
        let mapping = errorInfo { try add(true, false) }
        #expect((mapping["sourceModel"] as? NSManagedObjectModel)?.entitiesByName["Shelf"] != nil)
        #expect(mapping["destinationModel"] as? NSManagedObjectModel === other)
        #expect(try Library.authors(url) == ["A"])
        _ = try Library.open(url, options: [NSIgnorePersistentStoreVersioningOption: true], model: other)
    }

    @Test("stores are found by their address, and addresses by their store")
    func places() throws {
        let coordinator = try Library.open(folder.file("a"), model: model)
        let store = try #require(coordinator.persistentStore(for: folder.file("a")))
        #expect(coordinator.url(for: store) == folder.file("a"))
        #expect(coordinator.persistentStore(for: folder.file("b")) == nil)
    }

    @Test("a moved store is gone on with at its new place, with all objects, and only if it is there")
    func setURL() throws {
        let (here, there) = (folder.file("a"), folder.file("b"))
        let coordinator = try Library.open(here, model: model)
        let store = coordinator.persistentStores[0]
        let context = Library.context(coordinator)
        let author = Library.insert("Author", "A", context)
        try context.save()
        #expect(!coordinator.setURL(there, for: store))
        #expect(store.url == here && !FileManager.default.fileExists(atPath: there.path))
        // Another store is not a copy of this one.
        _ = try Library.open(there, model: model)
        #expect(!coordinator.setURL(there, for: store))
        try NSPersistentStoreCoordinator(managedObjectModel: model)
            .replacePersistentStore(at: there, withPersistentStoreFrom: here, type: .sqlite)
        #expect(coordinator.setURL(there, for: store))
        author.setValue("B", forKey: "name")
        try context.save()
        #expect(try Library.authors(there) == ["B"] && Library.authors(here) == ["A"])
        #expect(coordinator.persistentStore(for: there) === store)
    }

    @Test("two programs that make the same store at the same time get one store")
    func race() async throws {
        for round in 0..<20 {
            let url = folder.file("\(round)")
            let identifiers = await withTaskGroup(of: String.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        do {
                            let coordinator = try Library.open(url)
                            try Library.addAuthor("A", coordinator)
                            return coordinator.persistentStores[0].identifier
                        } catch {
                            return "\(error)"
                        }
                    }
                }
                return await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(identifiers.count == 1, "\(identifiers)")
            #expect(try Library.authors(url) == ["A", "A"])
        }
    }
}

/// A store whose own type is not the one that it is registered for.
final class MistypedStore: NSPersistentStore {
    override var type: String { "Coordinator.Own" }
}
