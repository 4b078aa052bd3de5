import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("SQLite stores in memory")
struct CoordinatorMemoryTests {
    private static let null = URL(fileURLWithPath: "/dev/null")

    @Test("a store at /dev/null is its coordinator's own, and can be all that a store can be")
    func privateStore() throws {
        let (a, b) = (try Library.open(Self.null), try Library.open(Self.null))
        try Library.addAuthor("A", a)
        #expect(try Library.context(a).names("Author") == ["A"])
        #expect(try Library.context(b).names("Author") == [])
        #expect(a.persistentStores[0].identifier != b.persistentStores[0].identifier)
        #expect(errorCode { try a.addPersistentStore(type: .sqlite, at: Self.null) }?.rawValue == 134081)
        var status = stat()
        #expect(stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
    }

    @Test("a store at a name below /dev/null is shared by the process, for as long as somebody has it")
    func sharedStore() throws {
        let url = Self.null.appendingPathComponent("shared \(UUID().uuidString)?#%")
        let (a, b) = (try Library.open(url), try Library.open(url))
        try Library.addAuthor("A", a)
        #expect(try Library.context(b).names("Author") == ["A"])
        #expect(a.persistentStores[0].identifier == b.persistentStores[0].identifier)
        try Library.addAuthor("B", b)
        try a.remove(a.persistentStores[0])
        #expect(try Library.context(b).names("Author") == ["A", "B"])
        try b.remove(b.persistentStores[0])
        #expect(try Library.context(Library.open(url)).names("Author") == [])
    }

    @Test("coordinators that share a store in memory may write it at the same time")
    func sharedWriting() async throws {
        let url = Self.null.appendingPathComponent(UUID().uuidString)
        let keeper = try Library.open(url)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    do {
                        let coordinator = try Library.open(url)
                        for index in 0..<25 { try Library.addAuthor("\(index)", coordinator) }
                    } catch { Issue.record("\(error)") }
                }
            }
        }
        #expect(try Library.context(keeper).names("Author").count == 100)
    }

    @Test("a store in memory can be migrated to a file and back, replaced, and destroyed")
    func moving() throws {
        let folder = try TemporaryFolder()
        let coordinator = try Library.open(Self.null)
        try Library.addAuthor("A", coordinator)
        let file = try coordinator.migratePersistentStore(
            coordinator.persistentStores[0], to: folder.file("a"), type: .sqlite)
        #expect(try Library.authors(folder.file("a")) == ["A"])
        let name = Self.null.appendingPathComponent(UUID().uuidString)
        try coordinator.migratePersistentStore(file, to: name, type: .sqlite)
        #expect(try Library.context(coordinator).names("Author") == ["A"])
        let copy = folder.file("copy")
        try coordinator.replacePersistentStore(at: copy, withPersistentStoreFrom: name, type: .sqlite)
        #expect(try Library.authors(copy) == ["A"])
        let other = try Library.open(name)
        try NSPersistentStoreCoordinator(managedObjectModel: Library.model())
            .destroyPersistentStore(at: name, type: .sqlite)
        #expect(throws: CocoaError.self) { try Library.context(other).names("Author") }
    }

    @Test("there is nothing to open read-only in a new store in memory")
    func readOnly() {
        let code = errorCode { _ = try Library.open(Self.null, options: [NSReadOnlyPersistentStoreOption: true]) }
        #expect(code == .fileReadNoSuchFile)
    }
}
