import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("A coordinator's queue, requests and object IDs")
struct CoordinatorQueueTests {
    let folder: TemporaryFolder
    let coordinator: NSPersistentStoreCoordinator

    init() throws {
        folder = try TemporaryFolder()
        coordinator = try Library.open(folder.file("a"))
    }

    @Test("a block that waits runs on the calling thread, may be nested, and hands out its value and its error")
    func performAndWait() throws {
        struct Odd: Error {}
        let thread = Thread.current
        let depth = coordinator.performAndWait {
            coordinator.performAndWait { Thread.current === thread ? 2 : 0 }
        }
        #expect(depth == 2)
        #expect(throws: Odd.self) { try coordinator.performAndWait { () throws(Odd) in throw Odd() } }
    }

    @Test("blocks run one at a time, whichever way they came, and in the order in which they were given")
    func serial() {
        final class Log: @unchecked Sendable {
            var running = 0
            var most = 0
            var order: [Int] = []
        }
        let log = Log()
        let group = DispatchGroup()
        for index in 0..<50 {
            group.enter()
            coordinator.perform {
                log.running += 1
                log.most = max(log.most, log.running)
                log.order.append(index)
                log.running -= 1
                group.leave()
            }
        }
        let coordinator = coordinator
        DispatchQueue.concurrentPerform(iterations: 50) { _ in
            coordinator.performAndWait {
                log.running += 1
                log.most = max(log.most, log.running)
                log.running -= 1
            }
        }
        #expect(group.wait(timeout: .now() + 10) == .success)
        #expect(log.most == 1 && log.order == Array(0..<50))
    }

    @Test("a block that is awaited hands out its value and its error")
    func asynchronous() async throws {
        struct Odd: Error {}
        let seven = await coordinator.perform { 7 }
        #expect(seven == 7)
        await #expect(throws: Odd.self) {
            try await coordinator.perform { () throws(Odd) -> Int in throw Odd() }
        }
    }

    @Test("a locked coordinator saves nothing for others")
    func locking() throws {
        final class Seen: @unchecked Sendable { var hasLocked = true }
        let (coordinator, seen) = (coordinator, Seen())
        let (tried, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        coordinator.lock()
        DispatchQueue.global().async {
            seen.hasLocked = coordinator.tryLock()
            tried.signal()
            _ = errorCode { try Library.addAuthor("A", coordinator) }
            done.signal()
        }
        tried.wait()
        #expect(!seen.hasLocked)
        #expect(done.wait(timeout: .now() + 0.1) == .timedOut)
        #expect(coordinator.withLock { 1 } == 1)
        coordinator.unlock()
        #expect(done.wait(timeout: .now() + 10) == .success)
    }

    @Test("a fetch request is carried out for its context, and results are the context's")
    func execute() throws {
        try Library.addAuthor("A", coordinator)
        let context = Library.context(coordinator)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        let found = try coordinator.execute(request, with: context) as? [NSManagedObject]
        #expect(found?.map(\.name) == ["A"] && found?.first?.managedObjectContext === context)
        request.resultType = .countResultType
        #expect(throws: CocoaError.self) { _ = try coordinator.execute(request, with: context) as? [NSNumber] }
        let other = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        #expect(errorCode { _ = try coordinator.execute(request, with: other) } == .coreData)
        #expect(
            errorCode { _ = try coordinator.execute(NSPersistentStoreRequest(), with: context) }
                == .persistentStoreUnsupportedRequestType)
    }

    @Test("a save request is one of all changes of its context")
    func executeSave() throws {
        let context = Library.context(coordinator)
        let (a, b) = (Library.insert("Author", "A", context), Library.insert("Author", "B", context))
        func request(_ inserted: Set<NSManagedObject>) -> NSSaveChangesRequest {
            NSSaveChangesRequest(inserted: inserted, updated: nil, deleted: nil, locked: nil)
        }
        #expect(errorCode { _ = try coordinator.execute(request([a]), with: context) } == .coreData)
        #expect(try (coordinator.execute(request([a, b]), with: context) as? [Any])?.isEmpty == true)
        #expect(!context.hasChanges)
        #expect(try Library.context(coordinator).names("Author") == ["A", "B"])
    }

    @Test("URIs lead back to IDs, of saved and of unsaved objects, and garbage to none")
    func identifiers() throws {
        let context = Library.context(coordinator)
        let author = Library.insert("Author", "A", context)
        let temporary = author.objectID
        #expect(coordinator.managedObjectID(forURIRepresentation: temporary.uriRepresentation()) == temporary)
        try context.save()
        let id = author.objectID
        #expect(coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation()) == id)
        #expect(coordinator.managedObjectID(for: id.uriRepresentation().absoluteString) == id)
        let uri = id.uriRepresentation().absoluteString
        for text in [
            "", "garbage", "http://x/Author/p1", uri + "x", uri.replacingOccurrences(of: "/p", with: "/q"),
            uri.replacingOccurrences(of: "Author", with: "Nobody"), "x-coredata://\(UUID().uuidString)/Author/p1",
            "x-coredata:///Author/t", "x-coredata:///Author/t\(UUID().uuidString)999999",
        ] {
            #expect(coordinator.managedObjectID(for: text) == nil, "\(text)")
        }
        let closed = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        #expect(closed.managedObjectID(forURIRepresentation: id.uriRepresentation()) == nil)
    }

    @Test("a coordinator's name can be set from any thread")
    func name() async {
        let coordinator = coordinator
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<20 { group.addTask { coordinator.name = "\(index)" } }
        }
        #expect(coordinator.name != nil)
    }
}
