import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("Migrating, replacing and destroying stores")
struct CoordinatorMigrationTests {
    let folder: TemporaryFolder
    let model = Library.model()

    init() throws { folder = try TemporaryFolder() }

    /// Authors and their books, some on shelves in an order.
    private func fill(_ coordinator: NSPersistentStoreCoordinator) throws {
        let context = Library.context(coordinator)
        let (a, b) = (Library.insert("Author", "A", context), Library.insert("Author", "B", context))
        a.setValue(Set([b]), forKey: "friends")
        let books = ["3", "1", "2"].map { Library.insert($0 == "1" ? "Novel" : "Book", $0, context) }
        for book in books { book.setValue(a, forKey: "author") }
        books[1].setValue("comedy", forKey: "genre")
        books[1].setValue(Data([0, 1, 2]), forKey: "cover")
        books[2].setValue(474, forKey: "pages")
        _ = Library.insert("Book", "loose", context)
        Library.insert("Shelf", "S", context).setValue(NSOrderedSet(array: books), forKey: "books")
        try context.save()
    }

    private func check(_ context: NSManagedObjectContext) throws {
        #expect(try context.names("Author") == ["A", "B"])
        let a = try context.one("Author", "A")
        #expect(a.names("books") == ["1", "2", "3"] && a.names("friends") == ["B"])
        #expect(try context.one("Author", "B").names("friends") == ["A"])
        let novel = try context.one("Book", "1")
        #expect(novel.entity.name == "Novel" && novel.value(forKey: "genre") as? String == "comedy")
        #expect(novel.value(forKey: "cover") as? Data == Data([0, 1, 2]))
        #expect(try context.one("Book", "2").value(forKey: "pages") as? Int == 474)
        #expect(try context.one("Book", "loose").object("author") == nil)
        #expect(try context.one("Shelf", "S").orderedNames("books") == ["3", "1", "2"])
        #expect(novel.names("shelves") == ["S"])
    }

    @Test("a migrated store has all objects, relationships and orders, metadata, and a UUID of its own")
    func migrate() throws {
        let coordinator = try Library.open(folder.file("a"), model: model)
        try fill(coordinator)
        let old = coordinator.persistentStores[0]
        let identifier = old.identifier
        coordinator.setMetadata(
            coordinator.metadata(for: old).merging(["Test.mark": "kept"]) { $1 }, for: old)
        let new = try coordinator.migratePersistentStore(old, to: folder.file("b"), type: .sqlite)
        #expect(coordinator.persistentStores == [new] && new.url == folder.file("b"))
        #expect(coordinator.metadata(for: new)["Test.mark"] as? String == "kept")
        #expect(new.identifier != identifier && old.persistentStoreCoordinator == nil)
        try check(Library.context(coordinator))
        // From the file alone, and the old one is as it was.
        for file in ["a", "b"] {
            let other = try Library.open(folder.file(file), model: model)
            try check(Library.context(other))
            #expect((other.metadata(for: other.persistentStores[0])["Test.mark"] != nil) == (file == "b"))
        }
    }

    @Test(
        "a migration may change the type, and loses nothing on the way",
        arguments: [
            [NSXMLStoreType, NSSQLiteStoreType], [NSBinaryStoreType, NSXMLStoreType],
            [NSInMemoryStoreType, NSBinaryStoreType, NSSQLiteStoreType],
        ])
    func types(_ types: [String]) throws {
        let coordinator = try Library.open(folder.file("a"), model: model)
        try fill(coordinator)
        for type in types {
            let old = coordinator.persistentStores[0]
            let url = type == NSInMemoryStoreType ? URL(fileURLWithPath: "/dev/null") : folder.file(type)
            let new = try coordinator.migratePersistentStore(old, to: url, withType: type)
            #expect(coordinator.persistentStores == [new] && new.type == type)
            try check(Library.context(coordinator))
        }
        let last = try #require(types.last)
        let fresh = NSPersistentStoreCoordinator(managedObjectModel: model)
        try fresh.addPersistentStore(ofType: last, configurationName: nil, at: folder.file(last))
        try check(Library.context(fresh))
    }

    @Test("stores that are written whole are replaced and deleted as files")
    func wholeFiles() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        for (name, author) in [("a", "A"), ("b", "B")] {
            try coordinator.addPersistentStore(type: .xml, at: folder.file(name))
            try Library.addAuthor(author, coordinator)
            try coordinator.remove(coordinator.persistentStores[0])
        }
        try coordinator.replacePersistentStore(
            at: folder.file("b"), withPersistentStoreFrom: folder.file("a"), type: .xml)
        try coordinator.addPersistentStore(type: .xml, at: folder.file("b"))
        #expect(try Library.context(coordinator).names("Author") == ["A"])
        try coordinator.destroyPersistentStore(at: folder.file("b"), type: .xml)
        #expect(folder.names == ["a"] && coordinator.persistentStores.isEmpty)
        #expect(
            errorCode {
                try coordinator.replacePersistentStore(
                    at: folder.file("a"), withPersistentStoreFrom: folder.file("none"), type: .xml)
            } == .fileReadNoSuchFile)
        #expect(folder.names == ["a"])
    }

    @Test("a migration is told in Apple's order, with each object's old and new ID")
    func notifications() throws {
        let coordinator = try Library.open(folder.file("a"), model: model)
        try fill(coordinator)
        let context = Library.context(coordinator)
        let ids = try context.find("Book").map(\.objectID)
        let heard = StoreNotifications(coordinator)
        defer { heard.stop() }
        try coordinator.migratePersistentStore(coordinator.persistentStores[0], to: folder.file("b"), type: .sqlite)
        #expect(
            heard.summary == [
                "added b", "willRemove a", "willRemove b", "changed a b", "willRemove a", "removed a",
            ])
        let changed = try #require(
            heard.all[3].userInfo?[NSUUIDChangedPersistentStoresKey] as? [Any])
        #expect(heard.all[3].userInfo?[NSUUIDChangedPersistentStoresKey] is NSArray)
        let pairs = try #require(changed[2] as? [NSManagedObjectID])
        #expect(pairs.count == 2 * 7)
        let fresh = Library.context(coordinator)
        for id in ids {
            let at = try #require(pairs.firstIndex(of: id))
            #expect(at % 2 == 0 && pairs[at + 1].entity.name == id.entity.name)
            #expect(try fresh.existingObject(with: pairs[at + 1]).entity.name == id.entity.name)
        }
    }

    @Test("a store isn't migrated onto a file, nor one of another coordinator; nothing changes then")
    func refusals() throws {
        let coordinator = try Library.open(folder.file("a"), model: model)
        let store = coordinator.persistentStores[0]
        try folder.write("text", to: "b")
        let onto = { (url: URL) in _ = try coordinator.migratePersistentStore(store, to: url, type: .sqlite) }
        #expect(errorCode { try onto(folder.file("b")) } == .fileWriteFileExists)
        #expect(errorCode { try onto(folder.file("a")) } == .fileWriteFileExists)
        #expect(errorCode { try onto(folder.file("none/c")) } == .fileWriteUnknown)
        #expect(coordinator.persistentStores == [store])
        #expect(try String(contentsOf: folder.file("b"), encoding: .utf8) == "text")
        let other = NSPersistentStoreCoordinator(managedObjectModel: model)
        #expect(
            errorCode { _ = try other.migratePersistentStore(store, to: folder.file("c"), type: .sqlite) } == .coreData)
        #expect(!folder.names.contains("c"))
    }

    @Test("a migration that fails on the way leaves no file behind")
    func failsOnTheWay() throws {
        let coordinator = try Library.open(folder.file("a"), model: model)
        try fill(coordinator)
        let store = try #require(coordinator.persistentStores[0] as? SQLiteStore)
        try store.connection.execute("DROP TABLE ZSHELF")
        #expect(throws: CocoaError.self) {
            try coordinator.migratePersistentStore(store, to: folder.file("b"), type: .sqlite)
        }
        #expect(coordinator.persistentStores == [store])
        #expect(!folder.names.contains { $0.hasPrefix("b") })
    }

    @Test("a store is replaced by a copy, with what is only in the copied store's log, under the same UUID")
    func replace() throws {
        let coordinator = try Library.open(folder.file("a"), model: model)
        try fill(coordinator)
        #expect(folder.names.contains("a-wal"))
        try Library.addAuthor("old", Library.open(folder.file("b"), model: model))
        let other = NSPersistentStoreCoordinator(managedObjectModel: model)
        for destination in ["b", "new"] {
            try other.replacePersistentStore(
                at: folder.file(destination), withPersistentStoreFrom: folder.file("a"), type: .sqlite)
            let copy = try Library.open(folder.file(destination), model: model)
            try check(Library.context(copy))
            #expect(copy.persistentStores[0].identifier == coordinator.persistentStores[0].identifier)
        }
        try check(Library.context(coordinator))
    }

    @Test("a damaged store is replaced too")
    func replaceDamaged() throws {
        try Library.addAuthor("A", Library.open(folder.file("a"), model: model))
        try folder.write(String(repeating: "damaged", count: 1000), to: "b")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.replacePersistentStore(
            at: folder.file("b"), withPersistentStoreFrom: folder.file("a"), type: .sqlite)
        #expect(try Library.authors(folder.file("b")) == ["A"])
    }

    @Test("replacing by nothing, or by what is no store, is an error and changes nothing")
    func replaceErrors() throws {
        try Library.addAuthor("A", Library.open(folder.file("a"), model: model))
        try folder.write(String(repeating: "damaged", count: 1000), to: "bad")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        func replace(_ source: String) -> CocoaError.Code? {
            errorCode {
                try coordinator.replacePersistentStore(
                    at: folder.file("a"), withPersistentStoreFrom: folder.file(source), type: .sqlite)
            }
        }
        #expect(replace("none") == .fileReadNoSuchFile)
        #expect(replace("bad") == .fileReadCorruptFile)
        #expect(try Library.authors(folder.file("a")) == ["A"])
    }

    @Test("a destroyed SQLite store leaves an empty file, in which a new store can be made")
    func destroy() throws {
        let url = folder.file("a")
        let coordinator = try Library.open(url, model: model)
        try fill(coordinator)
        let identifier = coordinator.persistentStores[0].identifier
        let heard = StoreNotifications(coordinator)
        defer { heard.stop() }
        // The coordinator itself has the store open, as in the usual way to start afresh.
        try coordinator.destroyPersistentStore(at: url, type: .sqlite)
        #expect(heard.summary == ["willRemove a", "removed a"] && coordinator.persistentStores.isEmpty)
        #expect(folder.names == ["a"])
        #expect(try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int == 0)
        let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
        #expect(store.identifier != identifier)
        #expect(try Library.context(coordinator).names("Author") == [])
    }

    @Test("a store that others have open is emptied for them too")
    func destroyWhileOpen() throws {
        let url = folder.file("a")
        let user = try Library.open(url, model: model)
        try fill(user)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.destroyPersistentStore(at: url, type: .sqlite)
        #expect(throws: CocoaError.self) { try Library.context(user).names("Author") }
        try user.remove(user.persistentStores[0])
        #expect(try Library.authors(url) == [])
    }

    @Test("a destroyed store's external data go with it")
    func destroyExternalData() throws {
        _ = try Library.open(folder.file("a.sqlite"), model: model)
        try folder.write("x", to: ".a_SUPPORT/_EXTERNAL_DATA/\(UUID().uuidString)")
        try NSPersistentStoreCoordinator(managedObjectModel: model)
            .destroyPersistentStore(at: folder.file("a.sqlite"), type: .sqlite)
        #expect(!folder.names.contains(".a_SUPPORT"))
    }

    @Test("a locked store isn't destroyed, unless that is forced")
    func destroyLocked() throws {
        let url = folder.file("a")
        let user = try Library.open(url, options: [NSSQLitePragmasOption: ["journal_mode": "DELETE"]], model: model)
        try fill(user)
        try user.remove(user.persistentStores[0])
        let locker = try SQLiteConnection(url, .readWrite)
        try locker.execute("BEGIN EXCLUSIVE")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        func destroy(_ more: [AnyHashable: Any] = [:]) -> CocoaError.Code? {
            errorCode {
                try coordinator.destroyPersistentStore(
                    at: url, type: .sqlite,
                    options: [NSPersistentStoreTimeoutOption: 0.05].merging(more) { $1 })
            }
        }
        #expect(destroy() == .persistentStoreTimeout)
        try locker.execute("ROLLBACK")
        #expect(try Library.authors(url) == ["A", "B"])
        try locker.execute("BEGIN EXCLUSIVE")
        #expect(destroy([NSPersistentStoreForceDestroyOption: true]) == nil)
        #expect(try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int == 0)
    }

    @Test("a damaged store can be destroyed, and one that isn't there is no error")
    func destroyStrange() throws {
        let url = try folder.write(String(repeating: "damaged", count: 1000), to: "a")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.destroyPersistentStore(at: url, type: .sqlite)
        #expect(try Library.authors(url) == [])
        try coordinator.destroyPersistentStore(at: folder.file("none"), type: .sqlite)
        try coordinator.destroyPersistentStore(at: URL(fileURLWithPath: "/dev/null"), type: .sqlite)
        #expect(folder.names == ["a"])
        #expect(
            errorCode { try coordinator.destroyPersistentStore(at: url, ofType: "Nothing") }
                == .persistentStoreInvalidType)
    }
}
