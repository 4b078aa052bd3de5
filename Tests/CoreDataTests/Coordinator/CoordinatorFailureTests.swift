import CSQLite
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// A small file system in memory, for what a folder can't show: a full disk, and one that can't be written. Making one
/// needs the right to mount.
private final class SmallDisk {
    let url: URL

    init(kilobytes: Int) throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("coredata-disk-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        guard mount("tmpfs", url.path, "tmpfs", 0, "size=\(kilobytes)k") == 0 else {
            rmdir(url.path)
            throw CocoaError(.fileWriteNoPermission)
        }
    }

    static let isPossible = (try? SmallDisk(kilobytes: 64)) != nil

    func makeReadOnly() throws {
        guard mount("tmpfs", url.path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0 else {
            throw CocoaError(.fileWriteNoPermission)
        }
    }

    /// Leaves no room for anything.
    func fill() throws {
        let handle = fopen(url.appendingPathComponent("filler").path, "w")
        defer { if let handle { fclose(handle) } }
        guard let handle else { throw CocoaError(.fileWriteUnknown) }
        let page = [UInt8](repeating: 1, count: 4096)
        setvbuf(handle, nil, _IONBF, 0)
        while fwrite(page, 1, page.count, handle) == page.count {}
    }

    func makeRoom() throws { try FileManager.default.removeItem(at: url.appendingPathComponent("filler")) }

    deinit {
        umount2(url.path, Int32(MNT_DETACH))
        rmdir(url.path)
    }
}

@Suite("What can go wrong with a store's file")
struct CoordinatorFailureTests {
    let folder: TemporaryFolder
    let url: URL
    let model = Library.model()

    init() throws {
        folder = try TemporaryFolder()
        url = folder.file("a")
    }

    private static let noMount: Comment = "mounting a small file system needs rights that the tests don't have"

    private func code(_ info: [String: Any]) -> Int? { (info[NSSQLiteErrorDomain] as? NSNumber)?.intValue }

    @Test(
        "a save to a full disk fails as a whole; what was saved stays, and the same save is done when there is room",
        .enabled(if: SmallDisk.isPossible, noMount), arguments: ["WAL", "DELETE"])
    func fullDisk(_ journal: String) throws {
        let disk = try SmallDisk(kilobytes: 1024)
        let url = disk.url.appendingPathComponent("a")
        let coordinator = try Library.open(
            url, options: [NSSQLitePragmasOption: ["journal_mode": journal]], model: model)
        try Library.addAuthor("A", coordinator)
        try disk.fill()
        let context = Library.context(coordinator)
        let author = Library.insert("Author", "B", context)
        for index in 0..<20 {
            Library.insert("Book", "\(index)", context).setValue(Data(count: 8000), forKey: "cover")
        }
        #expect(errorCode { try context.save() } == .fileReadUnknown)
        let info = errorInfo { try context.save() }
        #expect([SQLITE_FULL, SQLITE_IOERR].contains(Int32(code(info) ?? 0) & 0xff))
        #expect(info[NSFilePathErrorKey] as? String == url.path)
        #expect(context.insertedObjects.count == 21 && author.objectID.isTemporaryID)
        #expect(try Library.context(coordinator).names("Author") == ["A"])
        try disk.makeRoom()
        try context.save()
        #expect(try Library.context(coordinator).names("Author") == ["A", "B"])
        #expect(try Library.context(coordinator).names("Book").count == 20)
        try coordinator.remove(coordinator.persistentStores[0])
        #expect(try Library.authors(url) == ["A", "B"])
    }

    @Test(
        "a store on a full disk isn't made, and nothing is left of it",
        .enabled(if: SmallDisk.isPossible, noMount))
    func fullDiskForNewStore() throws {
        let disk = try SmallDisk(kilobytes: 64)
        let url = disk.url.appendingPathComponent("a")
        try disk.fill()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        #expect(throws: CocoaError.self) { try coordinator.addPersistentStore(type: .sqlite, at: url) }
        try disk.makeRoom()
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.url.path) == [])
    }

    @Test(
        "on a disk that can't be written, a store opens for reading only",
        .enabled(if: SmallDisk.isPossible, noMount))
    func readOnlyDisk() throws {
        let disk = try SmallDisk(kilobytes: 1024)
        let url = disk.url.appendingPathComponent("a")
        let coordinator = try Library.open(url, model: model)
        try Library.addAuthor("A", coordinator)
        try coordinator.remove(coordinator.persistentStores[0])
        try disk.makeReadOnly()
        #expect(throws: CocoaError.self) { _ = try Library.open(url, model: model) }
        let reader = try Library.open(url, options: [NSReadOnlyPersistentStoreOption: true], model: model)
        #expect(try Library.context(reader).names("Author") == ["A"])
        #expect(
            errorCode { try reader.addPersistentStore(type: .sqlite, at: disk.url.appendingPathComponent("b")) }
                == .fileWriteUnknown)
    }

    @Test(
        "a file that may not be written is no store to write",
        .enabled(if: geteuid() != 0, "for the superuser, permissions count for nothing"))
    func readOnlyFile() throws {
        let coordinator = try Library.open(url, model: model)
        try Library.addAuthor("A", coordinator)
        try coordinator.remove(coordinator.persistentStores[0])
        chmod(url.path, 0o444)
        #expect(errorCode { _ = try Library.open(url, model: model) } == .fileWriteNoPermission)
        #expect(
            try Library.context(Library.open(url, options: [NSReadOnlyPersistentStoreOption: true])).names("Author")
                == ["A"])
    }

    @Test("a save waits for another program's lock, then fails, and is done when the lock is gone")
    func lockedSave() throws {
        let coordinator = try Library.open(url, options: [NSPersistentStoreTimeoutOption: 0.2], model: model)
        try Library.addAuthor("A", coordinator)
        let locker = try SQLiteConnection(url, .readWrite)
        try locker.execute("BEGIN IMMEDIATE")
        let context = Library.context(coordinator)
        _ = Library.insert("Author", "B", context)
        let begin = Date()
        #expect(errorCode { try context.save() } == .persistentStoreTimeout)
        #expect((0.15...20).contains(Date().timeIntervalSince(begin)))
        let info = errorInfo { try context.save() }
        #expect(code(info) == 5 && info[NSFilePathErrorKey] as? String == url.path)
        // Readers don't wait for writers.
        #expect(try Library.context(coordinator).names("Author") == ["A"])
        try locker.execute("ROLLBACK")
        try context.save()
        #expect(try Library.context(coordinator).names("Author") == ["A", "B"])
    }

    @Test("a save that waits is done as soon as the lock is gone")
    func waitingSave() throws {
        let coordinator = try Library.open(url, model: model)
        let locker = try SQLiteConnection(url, .readWrite)
        try locker.execute("BEGIN IMMEDIATE")
        nonisolated(unsafe) let held = locker
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.2) { _ = errorCode { try held.execute("ROLLBACK") } }
        try Library.addAuthor("A", coordinator)
        #expect(try Library.authors(url) == ["A"])
    }

    @Test("a store that another program has for itself can't be opened, and the wait is as long as asked for")
    func lockedOpen() throws {
        let first = try Library.open(url, options: [NSSQLitePragmasOption: ["journal_mode": "DELETE"]], model: model)
        try Library.addAuthor("A", first)
        try first.remove(first.persistentStores[0])
        let locker = try SQLiteConnection(url, .readWrite)
        try locker.execute("BEGIN EXCLUSIVE")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        func add(_ seconds: Double, isReadOnly: Bool = false) throws {
            try coordinator.addPersistentStore(
                type: .sqlite, at: url,
                options: [NSPersistentStoreTimeoutOption: seconds, NSReadOnlyPersistentStoreOption: isReadOnly])
        }
        let begin = Date()
        #expect(errorCode { try add(0.2) } == .persistentStoreTimeout)
        #expect((0.15...20).contains(Date().timeIntervalSince(begin)))
        #expect(errorCode { try add(0, isReadOnly: true) } == .persistentStoreTimeout)
        #expect(coordinator.persistentStores.isEmpty)
        try locker.execute("ROLLBACK")
        try add(1)
        #expect(try Library.context(coordinator).names("Author") == ["A"])
    }

    @Test("a save to a file that was removed is refused, rather than lost with the connection")
    func removedFile() throws {
        let coordinator = try Library.open(url, model: model)
        try Library.addAuthor("A", coordinator)
        SQLiteStore.removeFiles(url)
        let context = Library.context(coordinator)
        let author = Library.insert("Author", "B", context)
        #expect(errorCode { try context.save() } == .fileReadUnknown)
        #expect(code(errorInfo { try context.save() }) == 6922)
        #expect(author.isInserted && author.objectID.isTemporaryID)
        #expect(!FileManager.default.fileExists(atPath: url.path))
        // The coordinator goes on with a new store in the same place.
        try coordinator.remove(coordinator.persistentStores[0])
        try coordinator.addPersistentStore(type: .sqlite, at: url)
        try context.save()
        #expect(try Library.authors(url) == ["B"])
    }

    @Test("a file that another one was put in the place of is not written")
    func replacedFile() throws {
        let coordinator = try Library.open(url, model: model)
        try Library.addAuthor("A", coordinator)
        try Library.addAuthor("other", Library.open(folder.file("b"), model: model))
        SQLiteStore.removeFiles(url)
        try FileManager.default.moveItem(at: folder.file("b"), to: url)
        #expect(errorCode { try Library.addAuthor("B", coordinator) } == .fileReadUnknown)
        #expect(try Library.authors(url) == ["other"])
    }

    @Test("a damaged page is an error of what reads it, with SQLite's code; the rest is still there")
    func damagedPage() throws {
        let coordinator = try Library.open(
            url, options: [NSSQLitePragmasOption: ["journal_mode": "DELETE"]], model: model)
        let context = Library.context(coordinator)
        _ = Library.insert("Author", "A", context)
        for index in 0..<300 {
            Library.insert("Book", "\(index)", context).setValue(Data(count: 300), forKey: "cover")
        }
        try context.save()
        let root = try #require(
            try SQLiteConnection(url, .readOnly).int("SELECT rootpage FROM sqlite_master WHERE name = 'ZBOOK'"))
        try coordinator.remove(coordinator.persistentStores[0])
        let file = try FileHandle(forWritingTo: url)
        try file.seek(toOffset: UInt64(root - 1) * 4096)
        try file.write(contentsOf: Data(repeating: 0xff, count: 4096))
        try file.close()
        let damaged = try Library.open(url, model: model)
        let fetch = { _ = try Library.context(damaged).names("Book") }
        #expect(errorCode(fetch) == .fileReadCorruptFile)
        #expect(code(errorInfo(fetch)) == 11)
        #expect(try Library.context(damaged).names("Author") == ["A"])
        let other = Library.context(damaged)
        _ = Library.insert("Book", "new", other)
        #expect(errorCode { try other.save() } == .fileReadCorruptFile)
        other.reset()
        try Library.addAuthor("B", damaged)
        #expect(try Library.authors(url) == ["A", "B"])
    }
}
