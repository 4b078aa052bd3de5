import CSQLite
import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("Values with files of their own")
struct ExternalDataTests: ExternalDataSuite {
    let fixture: Fixture

    init() throws { fixture = try Fixture(Self.model()) }

    // MARK: Where values are

    @Test("go into the row up to 100 KB, and above it into .<store>_SUPPORT/_EXTERNAL_DATA", arguments: [0, 1])
    func threshold(_ more: Int) throws {
        let data = Self.data(100 * 1024 + more)
        _ = try saved("a", data)
        let stored = try #require(try fixture.value("SELECT hex(ZPHOTO) FROM ZNOTE"))
        guard more > 0 else {
            #expect(files.isEmpty && !fixture.folder.names.contains(".test_SUPPORT"))
            #expect(stored.count == 2 * (1 + data.count) && stored.hasPrefix("01"))
            return
        }
        let name = try #require(files.first)
        #expect(files.count == 1 && UUID(uuidString: name)?.uuidString == name)
        #expect(stored == "02" + name.utf8.map { String(format: "%02X", $0) }.joined() + "00")
        #expect(try Data(contentsOf: fixture.folder.file(".test_SUPPORT/_EXTERNAL_DATA/\(name)")) == data)
        #expect(try fixture.freshContext().one("Note", "a").value(forKey: "photo") as? Data == data)
    }

    @Test("are only those of attributes that allow it")
    func plain() throws {
        fixture.insert("Note", ["name": "a", "plain": Self.data(300_000)])
        try context.save()
        #expect(files.isEmpty)
        #expect(try fixture.value("SELECT length(ZPLAIN) FROM ZNOTE") == "300000")
    }

    @Test("can be those of transformable attributes")
    func transformable() throws {
        let note = fixture.insert("Note", ["name": "a", "text": "x"])
        try context.save()
        #expect(files.count == 1)
        try { () throws in
            let found = try fixture.freshContext().one("Note", "a")
            #expect(found.value(forKey: "text") as? String == "x")
            #expect(found.changedValues().isEmpty && !found.hasPersistentChangedValues)
        }()
        note.setValue("y", forKey: "text")
        try context.save()
        #expect(files.count == 1)
        #expect(try fixture.freshContext().one("Note", "a").value(forKey: "text") as? String == "y")
    }

    @Test("stay in the rows of a store in memory")
    func inMemory() throws {
        let coordinator = try Library.open(URL(fileURLWithPath: "/dev/null"), model: Self.model())
        let context = Library.context(coordinator)
        let note = Library.insert("Note", "a", context)
        note.setValue(Self.data(200_000), forKey: "photo")
        try context.save()
        context.refresh(note, mergeChanges: false)
        #expect(note.value(forKey: "photo") as? Data == Self.data(200_000))
    }

    // MARK: Changes

    @Test("have a new file when they change, and the old one goes")
    func update() throws {
        let note = try saved("a", Self.data(200_000))
        let before = files
        note.setValue(Self.data(200_000, 9), forKey: "photo")
        try context.save()
        #expect(files.count == 1 && files != before)
        note.setValue("b", forKey: "name")
        let now = files
        try context.save()
        #expect(files == now)
        note.setValue(Data([1]), forKey: "photo")
        try context.save()
        #expect(files.isEmpty)
        #expect(try fixture.freshContext().one("Note", "b").value(forKey: "photo") as? Data == Data([1]))
        note.setValue(Self.data(150_000), forKey: "photo")
        try context.save()
        note.setValue(nil, forKey: "photo")
        try context.save()
        #expect(files.isEmpty)
    }

    @Test("go with their row, also when nobody has read it")
    func delete() throws {
        _ = try saved("a", Self.data(200_000))
        let other = try fixture.freshContext()
        other.delete(try other.one("Note", "a"))
        try other.save()
        #expect(files.isEmpty)
    }

    @Test("are equal to what they were when they are set anew, and then nothing is written")
    func unchanged() throws {
        _ = try saved("a", Self.data(200_000))
        let before = files
        let other = try fixture.freshContext()
        let note = try other.one("Note", "a")
        note.setValue(Self.data(200_000), forKey: "photo")
        #expect(!note.hasPersistentChangedValues)
        try other.save()
        #expect(files == before)
        #expect(try fixture.value("SELECT Z_OPT FROM ZNOTE") == "1")
    }

    @Test("of one object are copied for another one")
    func copies() throws {
        var first: NSManagedObject? = try saved("a", Self.data(200_000))
        let second = fixture.insert("Note", ["name": "b", "photo": first?.value(forKey: "photo")])
        try context.save()
        #expect(files.count == 2)
        if let object = first { context.delete(object) }
        try context.save()
        first = nil
        #expect(files.count == 1)
        context.refresh(second, mergeChanges: false)
        #expect(second.value(forKey: "photo") as? Data == Self.data(200_000))
    }

    @Test("of a deleted object come back when the deletion is undone")
    func undo() throws {
        let note = try saved("a", Self.data(200_000))
        let manager = UndoManager()
        manager.groupsByEvent = false
        context.undoManager = manager
        manager.beginUndoGrouping()
        context.delete(note)
        context.processPendingChanges()
        manager.endUndoGrouping()
        try context.save()
        context.undo()
        try context.save()
        #expect(!note.hasPersistentChangedValues)
        context.undoManager = nil
        context.refresh(note, mergeChanges: false)
        #expect(files.count == 1)
        #expect(try fixture.freshContext().one("Note", "a").value(forKey: "photo") as? Data == Self.data(200_000))
    }

    // MARK: Reading

    @Test("are read when they are asked for, not before")
    func lazily() throws {
        let data = Self.data(200_000)
        _ = try saved("a", data)
        let other = try fixture.freshContext()
        let note = try other.one("Note", "a")
        #expect(note.value(forKey: "name") as? String == "a")
        // A file with other content is the proof.
        try Data([5]).write(to: file(try #require(files.first)))
        #expect(note.value(forKey: "photo") as? Data == Data([5]))
    }

    @Test("stay with who holds the row when another context replaces them")
    func replacedMeanwhile() throws {
        let note = try saved("a", Self.data(200_000))
        let other = try fixture.freshContext()
        let seen = try other.one("Note", "a")
        _ = seen.value(forKey: "name")
        note.setValue(Self.data(200_000, 1), forKey: "photo")
        try context.save()
        #expect(files.count == 2)
        #expect(seen.value(forKey: "photo") as? Data == Self.data(200_000))
        other.stalenessInterval = 0
        other.refresh(seen, mergeChanges: false)
        #expect(seen.value(forKey: "photo") as? Data == Self.data(200_000, 1))
        #expect(files.count == 1)
    }

    @Test("whose file is gone are nil, and a save of other values leaves the reference as it is")
    func missing() throws {
        _ = try saved("a", Self.data(200_000))
        let reference = try fixture.value("SELECT hex(ZPHOTO) FROM ZNOTE")
        try FileManager.default.removeItem(at: file(try #require(files.first)))
        let other = try fixture.freshContext()
        let note = try other.one("Note", "a")
        #expect(note.value(forKey: "photo") == nil)
        note.setValue("b", forKey: "name")
        try other.save()
        #expect(try fixture.value("SELECT hex(ZPHOTO) FROM ZNOTE") == reference)
        // To copy it would lose it.
        #expect(
            errorCode {
                let coordinator = try Library.open(fixture.url, model: Self.model())
                _ = try coordinator.migratePersistentStore(
                    coordinator.persistentStores[0], to: fixture.folder.file("copy.sqlite"), type: .sqlite)
            } == .fileReadNoSuchFile)
        #expect(!fixture.folder.names.contains { $0.contains("copy") })
    }

    @Test(
        "have no names but UUIDs, and no other mark",
        arguments: [
            "../../../../../../../../../etc/passwd", "/etc/passwd", "", "A", String(repeating: "A", count: 36),
            "\(UUID().uuidString)/../x",
        ])
    func names(_ name: String) throws {
        _ = try saved("a", Data([1]))
        let connection = try SQLiteConnection(fixture.url, .readWrite)
        let statement = try connection.statement("UPDATE ZNOTE SET ZPHOTO = ?")
        for bytes in [Data([2]) + Data(name.utf8) + Data([0]), Data([2]) + Data(name.utf8), Data([3])] {
            statement.bind(1, bytes)
            try statement.run()
            #expect(errorCode { _ = try fixture.freshContext().find("Note") } == .fileReadCorruptFile)
        }
    }

    @Test("are not read through a link, from a pipe or from a folder")
    func strangeFiles() throws {
        _ = try saved("a", Self.data(200_000))
        let path = file(try #require(files.first)).path
        let secret = try fixture.folder.write("secret", to: "secret")
        for make in [{ _ = symlink(secret.path, path) }, { _ = mkfifo(path, 0o600) }, { _ = mkdir(path, 0o700) }] {
            try FileManager.default.removeItem(atPath: path)
            make()
            #expect(try fixture.freshContext().one("Note", "a").value(forKey: "photo") == nil)
        }
    }

    // MARK: Stores that move

    @Test("lie beside the store itself, not beside a link to it")
    func links() throws {
        let link = fixture.folder.file("elsewhere/link.sqlite")
        try FileManager.default.createDirectory(
            at: link.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: fixture.url)
        let linked = Library.context(try Library.open(link, model: Self.model()))
        Library.insert("Note", "a", linked).setValue(Self.data(200_000), forKey: "photo")
        try linked.save()
        #expect(files.count == 1)
        #expect(try fixture.freshContext().one("Note", "a").value(forKey: "photo") as? Data == Self.data(200_000))
    }

    @Test("go along when a store is moved or replaced, and are gone when it is destroyed")
    func moving() throws {
        _ = try saved("a", Self.data(200_000))
        let coordinator = try Library.open(fixture.url, model: Self.model())
        let (copy, target) = (fixture.folder.file("copy.db"), fixture.folder.file("target.sqlite"))
        _ = try coordinator.migratePersistentStore(coordinator.persistentStores[0], to: copy, type: .sqlite)
        #expect(Self.names(copy).count == 1 && Self.names(copy) != files)
        func photo(_ url: URL) throws -> Data? {
            let context = Library.context(try Library.open(url, model: Self.model()))
            return try context.one("Note", "a").value(forKey: "photo") as? Data
        }
        #expect(try photo(copy) == Self.data(200_000))
        // A store with a value of its own, which goes.
        let other = Library.context(try Library.open(target, model: Self.model()))
        Library.insert("Note", "z", other).setValue(Self.data(130_000), forKey: "photo")
        try other.save()
        try NSPersistentStoreCoordinator(managedObjectModel: Self.model())
            .replacePersistentStore(at: target, withPersistentStoreFrom: fixture.url, type: .sqlite)
        #expect(Self.names(target) == files)
        #expect(try photo(target) == Self.data(200_000))
        try NSPersistentStoreCoordinator(managedObjectModel: Self.model())
            .destroyPersistentStore(at: target, type: .sqlite)
        #expect(Self.names(target).isEmpty && !fixture.folder.names.contains(".target_SUPPORT"))
        #expect(files.count == 1)
    }

    @Test("can be copied into stores of other kinds")
    func otherKinds() throws {
        _ = try saved("a", Self.data(200_000))
        for type in [NSPersistentStore.StoreType.binary, .xml, .inMemory] {
            let coordinator = try Library.open(fixture.url, model: Self.model())
            _ = try coordinator.migratePersistentStore(
                coordinator.persistentStores[0], to: fixture.folder.file("copy.\(type.rawValue)"), type: type)
            let context = Library.context(coordinator)
            #expect(try context.one("Note", "a").value(forKey: "photo") as? Data == Self.data(200_000))
        }
    }

    @Test("that are imported have files too, and none when the import fails")
    func bulk() throws {
        let model = Self.model()
        let url = fixture.folder.file("new.sqlite")
        for (name, fails) in [("a", true), ("a", false), ("b", true)] {
            let before = Self.names(url)
            let writer = try SQLiteBulkWriter(model, url: url)
            let entity = try #require(writer.schema.entities.first)
            var values = [SlotValue](repeating: .null, count: entity.layout.count)
            values[try #require(entity.layout.slot("photo"))] = .data(Self.data(200_000))
            values[try #require(entity.layout.slot("name"))] = .string(name)
            try writer.insert(entity, primaryKey: writer.takeKey(entity), values)
            #expect(Self.names(url).count == before.count + 1)
            if fails { writer.cancel() } else { try writer.finish() }
            #expect(Self.names(url).count == before.count + (fails ? 0 : 1))
        }
        let context = Library.context(try Library.open(url, model: model))
        #expect(try context.one("Note", "a").value(forKey: "photo") as? Data == Self.data(200_000))
        #expect(!fixture.folder.names.contains { $0.contains("importing") })
    }
}
