import Dispatch
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Meant to be run with the thread sanitizer too.
@Suite("Reading while others save")
struct ConcurrentReadingTests {
    typealias Box = ConcurrencyTests.Box

    /// Runs `body` on a thread of its own; false when it isn't done after ten seconds.
    private func finishes(_ body: @escaping @Sendable () -> Void) -> Bool {
        let done = DispatchSemaphore(value: 0)
        DispatchQueue(label: "reader").async {
            body()
            done.signal()
        }
        return done.wait(timeout: .now() + 10) == .success
    }

    @Test("fetches, counts, faults and relationships don't wait for a request that another thread carries out")
    func independence() throws {
        let fixture = try ConcurrencyTests.fixture()
        let country = fixture.insert("Country", ["name": "x"])
        let city = fixture.insert("City", ["name": "a"])
        city.setValue(country, forKey: "country")
        try fixture.context.save()
        let id = country.objectID
        fixture.context.reset()
        let context = Box(value: fixture.makePrivate())
        let isDone = fixture.coordinator.performAndWait {
            finishes {
                context.value.performAndWait {
                    let names = (try? context.value.find("City"))?.map(\.name)
                    let count = try? context.value.count(for: NSFetchRequest<NSManagedObject>(entityName: "City"))
                    #expect(names == ["a"])
                    #expect(count == 1)
                    let country = context.value.object(with: id)
                    #expect(country.name == "x")
                    #expect(country.set("cities").count == 1)
                }
            }
        }
        #expect(isDone)
    }

    @Test("a transaction that another connection has open keeps nobody from reading what was saved before")
    func transactions() throws {
        let fixture = try ConcurrencyTests.fixture()
        fixture.insert("City", ["name": "a"])
        try fixture.context.save()
        let other = try SQLiteConnection(fixture.url, .readWrite)
        try other.execute("BEGIN IMMEDIATE")
        try other.execute("UPDATE ZCITY SET ZNAME = 'b'")
        #expect(try fixture.secondContext().find("City").map(\.name) == ["a"])
        try other.execute("COMMIT")
        #expect(try fixture.secondContext().find("City").map(\.name) == ["b"])
    }

    @Test("a row that was read before a save, and entered after it, is not taken for the newest")
    func lateRows() {
        let cache = RowCache()
        let start = RowCache.now
        do { cache.enter(Row(version: 2, values: []), 1, readSince: .infinity) }
        // Nobody holds the saved row any more.
        #expect(cache.row(1) == nil)
        let late = cache.enter(Row(version: 1, values: []), 1, readSince: start)
        #expect(cache.row(1) == nil)
        let new = cache.enter(Row(version: 2, values: []), 1, readSince: RowCache.now)
        #expect(cache.row(1) === new && late.version == 1)
        cache.forget(1)
        let deleted = cache.enter(Row(version: 2, values: []), 1, readSince: start)
        #expect(cache.row(1) == nil && deleted.version == 2)
    }

    @Test("fetches beside a store that moves to another file and back find what is in either")
    func moving() async throws {
        let fixture = Box(value: try ConcurrencyTests.fixture())
        for index in 0..<20 { fixture.value.insert("City", ["name": "\(index)"]) }
        try fixture.value.context.save()
        let (here, there) = (fixture.value.url, fixture.value.folder.file("there.sqlite"))
        let coordinator = fixture.value.coordinator
        try NSPersistentStoreCoordinator(managedObjectModel: coordinator.managedObjectModel)
            .replacePersistentStore(at: there, withPersistentStoreFrom: here, type: .sqlite)
        let isMoving = Box(value: Flag())
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for round in 0..<20 {
                    let store = coordinator.persistentStores[0]
                    #expect(coordinator.setURL(round % 2 == 0 ? there : here, for: store))
                }
                isMoving.value.clear()
            }
            for _ in 0..<2 {
                group.addTask {
                    repeat {
                        let context = fixture.value.makePrivate()
                        context.performAndWait {
                            let names = Result { try context.find("City").map(\.name) }
                            #expect((try? names.get())?.count == 20, "\(names)")
                        }
                    } while isMoving.value.isSet
                }
            }
        }
    }

    @Test("no reader sees a value go back, whatever was read while it was saved")
    func moments() async throws {
        let fixture = Box(value: try ConcurrencyTests.fixture())
        for _ in 0..<2 { fixture.value.insert("City", ["people": 0]) }
        try fixture.value.context.save()
        let isSaving = Box(value: Flag())
        func people(_ context: NSManagedObjectContext) -> [Int] {
            ((try? context.find("City")) ?? []).map { ($0.value(forKey: "people") as? NSNumber)?.intValue ?? -1 }
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                let context = fixture.value.makePrivate()
                for round in 1...150 {
                    context.performAndWait {
                        do {
                            for city in try context.find("City") { city.setValue(round, forKey: "people") }
                            try context.save()
                            context.reset()
                        } catch { Issue.record("\(error)") }
                    }
                }
                isSaving.value.clear()
            }
            for _ in 0..<3 {
                group.addTask {
                    var seen = 0
                    repeat {
                        let context = fixture.value.makePrivate()
                        let values = context.performAndWait { people(context) }
                        #expect(values.count == 2 && values.allSatisfy { $0 >= seen })
                        seen = values.min() ?? 0
                    } while isSaving.value.isSet
                }
            }
        }
        let last = fixture.value.makePrivate()
        #expect(last.performAndWait { people(last) } == [150, 150])
    }

    @Test("a store with a rollback journal is read and saved by one thread at a time, and nothing fails")
    func rollbackJournal() async throws {
        let folder = try TemporaryFolder()
        let coordinator = Box(
            value: try Library.open(
                folder.file("a.sqlite"), options: [NSSQLitePragmasOption: ["journal_mode": "DELETE"]]))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
                    context.persistentStoreCoordinator = coordinator.value
                    for _ in 0..<10 {
                        context.performAndWait {
                            do {
                                _ = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
                                try context.save()
                                _ = try context.find("Author")
                            } catch { Issue.record("\(error)") }
                        }
                    }
                }
            }
        }
        #expect(coordinator.value.persistentStores.allSatisfy { !$0.readsConcurrently })
        #expect(try Library.authors(folder.file("a.sqlite")).count == 40)
    }

    @Test("a file that has come into the place of the store's is not read; the store's own still is")
    func replacement() throws {
        let fixture = try ConcurrencyTests.fixture()
        fixture.insert("City", ["name": "a"])
        try fixture.context.save()
        let other = try ConcurrencyTests.fixture()
        other.insert("City", ["name": "b"])
        try other.context.save()
        try FileManager.default.removeItem(at: fixture.url)
        try FileManager.default.copyItem(at: other.url, to: fixture.url)
        #expect(try fixture.secondContext().find("City").map(\.name) == ["a"])
    }

    @Test("a reader's connection has the program's pragmas, and is closed with the store")
    func connections() throws {
        let readers = SQLiteReaders()
        let folder = try TemporaryFolder()
        let url = folder.file("a.sqlite")
        _ = try Library.open(url)
        #expect(try readers.read { $0 == nil })
        readers.open(url, .readWrite, busyTimeout: 100, pragmas: ["PRAGMA cache_size = 123"])
        let first = try #require(try readers.read { $0 })
        #expect(try first.connection.int("PRAGMA cache_size") == 123)
        #expect(try readers.read { $0 === first })
        let (isOther, rows) = try readers.read { outer in
            let isOther = try readers.read { inner in inner !== outer }
            readers.close()
            return (isOther, try outer?.connection.int("SELECT COUNT(*) FROM ZAUTHOR"))
        }
        #expect(isOther)
        #expect(rows == 0)
        #expect(throws: SQLiteError.self) { try first.connection.int("SELECT 1") }
        #expect(try readers.read { $0 == nil })
    }
}

/// A flag that threads share.
private final class Flag: @unchecked Sendable {
    private let lock = NSLock()
    private var value = true
    var isSet: Bool { lock.withLock { value } }
    func clear() { lock.withLock { value = false } }
}
