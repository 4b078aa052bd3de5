import Dispatch
import Foundation
import Testing

@testable import CoreData

@Suite("The queue of a context")
struct QueueTests {
    let fixture: Fixture

    init() throws { fixture = try Railway.fixture() }

    func insert(into context: NSManagedObjectContext) {
        _ = NSEntityDescription.insertNewObject(forEntityName: "Station", into: context)
    }

    @Test(
        "performAndWait of a private context runs on the calling thread, may be nested, and hands on results and errors"
    )
    func performAndWait() throws {
        let context = fixture.makePrivate()
        let thread = pthread_self()
        let isSame = context.performAndWait { context.performAndWait { pthread_equal(thread, pthread_self()) != 0 } }
        #expect(isSame)
        #expect(throws: CocoaError.self) { try context.performAndWait { throw CocoaError(.coreData) } }
    }

    @Test("performAndWait processes no changes at its end, perform does")
    func processing() async throws {
        let context = fixture.makePrivate()
        let posted = ContextNotifications(context)
        context.performAndWait { insert(into: context) }
        #expect(posted.names == [])
        context.performAndWait { context.processPendingChanges() }
        #expect(posted.names == ["didChange"])
        await context.perform { insert(into: context) }
        #expect(posted.names == ["didChange", "didChange"])
        await withCheckedContinuation { done in
            context.perform { insert(into: context) }
            context.perform { done.resume() }
        }
        #expect(posted.names == ["didChange", "didChange", "didChange"])
    }

    @Test("perform of a private context runs off the main queue, in the order of the calls")
    func perform() async throws {
        let context = fixture.makePrivate()
        nonisolated(unsafe) var order: [Int] = []
        await MainActor.run {
            for index in 0..<5 {
                context.perform {
                    order.append(index)
                    dispatchPrecondition(condition: .notOnQueue(.main))
                }
            }
        }
        await context.perform {}
        #expect(order == [0, 1, 2, 3, 4])
    }

    /// Traps off the main queue.
    static func assertMainQueue() { dispatchPrecondition(condition: .onQueue(.main)) }

    @Test("the blocks of a main-queue context run on the main queue, wherever they are called from")
    func mainQueue() async throws {
        let context = NSManagedObjectContext(.mainQueue)
        context.persistentStoreCoordinator = fixture.coordinator
        await context.perform { Self.assertMainQueue() }
        await MainActor.run { context.performAndWait { Self.assertMainQueue() } }
        await withCheckedContinuation { done in
            DispatchQueue.global().async {
                context.performAndWait { Self.assertMainQueue() }
                done.resume()
            }
        }
    }

    @Test("a block of the main queue may wait for another context's, and that one for the main queue's")
    func mainQueueNesting() async throws {
        let main = NSManagedObjectContext(.mainQueue)
        let other = fixture.makePrivate()
        let depth = await MainActor.run {
            main.performAndWait { other.performAndWait { main.performAndWait { other.performAndWait { 4 } } } }
        }
        #expect(depth == 4)
        let child = NSManagedObjectContext(.mainQueue)
        child.parent = other
        let count = try await MainActor.run {
            try child.count(for: NSFetchRequest<NSManagedObject>(entityName: "Station"))
        }
        #expect(count == 3)
    }

    @Test("the main queue's context processes what was changed outside of blocks when the queue's turn comes")
    @MainActor
    func mainQueueTurn() async throws {
        let context = NSManagedObjectContext(.mainQueue)
        context.persistentStoreCoordinator = fixture.coordinator
        let posted = ContextNotifications(context)
        insert(into: context)
        insert(into: context)
        #expect(posted.names == [])
        await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
        #expect(posted.names == ["didChange"])
        insert(into: context)
        await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
        #expect(posted.names == ["didChange", "didChange"])
    }

    @Test("the async perform hands on a result, or the error that the block throws, with its type")
    func asyncPerform() async throws {
        struct Odd: Error { let number: Int }
        let context = fixture.makePrivate()
        let count = try await context.perform {
            try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Station"))
        }
        #expect(count == 3)
        do throws(Odd) {
            try await context.perform { () throws(Odd) in throw Odd(number: 7) }
            Issue.record("no error came")
        } catch {
            #expect(error.number == 7)
        }
    }

    @Test("an immediate block runs at once on the queue itself; an enqueued one waits for what is there before it")
    @MainActor
    func schedule() async throws {
        let context = NSManagedObjectContext(.mainQueue)
        nonisolated(unsafe) var order: [String] = []
        DispatchQueue.main.async { order.append("waiting") }
        await context.perform(schedule: .immediate) { order.append("immediate") }
        #expect(order.first == "immediate")
        await context.perform(schedule: .enqueued) { order.append("enqueued") }
        #expect(order == ["immediate", "waiting", "enqueued"])
    }

    @Test("blocks that wait for each other's contexts run on one thread, and come back")
    func nesting() throws {
        let parent = fixture.makePrivate()
        let child = NSManagedObjectContext(.privateQueue)
        child.parent = parent
        let count = try parent.performAndWait {
            try child.performAndWait {
                try parent.performAndWait {
                    try child.count(for: NSFetchRequest<NSManagedObject>(entityName: "Station"))
                }
            }
        }
        #expect(count == 3)
    }

    @Test("lock and unlock keep other threads out, and may be nested")
    func locking() {
        let context = fixture.makePrivate()
        context.lock()
        #expect(context.tryLock())
        context.unlock()
        // Not with `await`, after which another thread might go on, which has no lock to give back.
        nonisolated(unsafe) var other = true
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            other = context.tryLock()
            done.signal()
        }
        done.wait()
        #expect(!other)
        context.unlock()
        #expect(context.withLock { 5 } == 5)
    }

    /// What programs' tests do: a context that fails to save.
    final class Failing: NSManagedObjectContext, @unchecked Sendable {
        var performed = 0
        override func save() throws { throw CocoaError(.persistentStoreSave) }
        override func perform(_ block: @escaping () -> Void) {
            performed += 1
            super.perform(block)
        }
        override func object(with objectID: NSManagedObjectID) -> NSManagedObject { super.object(with: objectID) }
    }

    @Test("a subclass may override what Apple's lets it override")
    func overriding() {
        let context = Failing(.privateQueue)
        context.persistentStoreCoordinator = fixture.coordinator
        context.perform {}
        #expect(context.performed == 1)
        #expect(errorCode { try context.save() } == .persistentStoreSave)
    }
}
