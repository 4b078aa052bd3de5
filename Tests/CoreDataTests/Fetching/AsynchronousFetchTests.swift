import Foundation
import Testing

@testable import CoreData

@Suite("Asynchronous fetches")
struct AsynchronousFetchTests {
    private static func world(_ type: String = NSSQLiteStoreType) throws -> (StoreCase, NSManagedObjectContext) {
        let world = try StoreCase(type)
        for index in 0..<1_000 { world.insert("City", ["name": "\(index)", "people": index]) }
        try world.context.save()
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = world.coordinator
        return (world, context)
    }

    private static var request: NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "City")
        request.sortDescriptors = [NSSortDescriptor(key: "people", ascending: true)]
        return request
    }

    /// What came of a request.
    private struct Outcome: Sendable {
        let count: Int?
        let code: Int?
        let wasOnQueue: Bool
        let completed: Int64?
    }

    private func run(
        _ context: NSManagedObjectContext, _ request: NSFetchRequest<NSManagedObject>, estimate: Int = 0,
        progress: Progress? = nil, _ started: (NSPersistentStoreAsynchronousResult) -> Void = { _ in }
    ) async throws -> Outcome {
        nonisolated(unsafe) let request = request
        return try await withCheckedThrowingContinuation { continuation in
            let asynchronous = NSAsynchronousFetchRequest(fetchRequest: request) { result in
                continuation.resume(
                    returning: Outcome(
                        count: result.finalResult?.count, code: (result.operationError as? CocoaError)?.code.rawValue,
                        wasOnQueue: context.isOnQueue, completed: result.progress?.completedUnitCount))
            }
            asynchronous.estimatedResultCount = estimate
            do {
                progress?.becomeCurrent(withPendingUnitCount: 1)
                defer { progress?.resignCurrent() }
                let result = try context.execute(asynchronous)
                if let result = result as? NSPersistentStoreAsynchronousResult { started(result) }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    private static func occupy(_ context: NSManagedObjectContext, until gate: DispatchSemaphore) {
        context.perform { gate.wait() }
    }

    @Test("give the results on the context's queue", arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
    func results(type: String) async throws {
        let (world, context) = try Self.world(type)
        let request = Self.request
        request.fetchLimit = 10
        let outcome = try await run(context, request)
        #expect(outcome.count == 10 && outcome.code == nil && outcome.wasOnQueue && outcome.completed == nil)
        withExtendedLifetime(world) {}
    }

    @Test("take unsaved changes into account")
    func pendingChanges() async throws {
        let (world, context) = try Self.world()
        await context.perform {
            _ = NSEntityDescription.insertNewObject(forEntityName: "City", into: context)
        }
        #expect(try await run(context, Self.request).count == 1_001)
        withExtendedLifetime(world) {}
    }

    @Test("have progress where one was current, which climbs to the number of results")
    func progress() async throws {
        let (world, context) = try Self.world()
        let whole = Progress(totalUnitCount: 1)
        let outcome = try await run(context, Self.request, estimate: 800, progress: whole)
        #expect(outcome.count == 1_000 && outcome.completed == 1_000 && whole.fractionCompleted == 1)
        withExtendedLifetime(world) {}
    }

    @Test("that are cancelled end with the user's cancellation")
    func cancellation() async throws {
        let (world, context) = try Self.world()
        // The queue is kept busy, so that the result can't be there before.
        let gate = DispatchSemaphore(value: 0)
        Self.occupy(context, until: gate)
        let outcome = try await run(context, Self.request) { result in
            result.cancel()
            gate.signal()
        }
        #expect(outcome.count == nil && outcome.code == CocoaError.userCancelled.rawValue)
        withExtendedLifetime(world) {}
    }

    @Test("that fail say why")
    func failure() async throws {
        let (world, context) = try Self.world()
        let request = Self.request
        request.predicate = NSPredicate(format: "nothing == 1")
        #expect(try await run(context, request).code == CocoaError.Code.coreData.rawValue)
        withExtendedLifetime(world) {}
    }

    @Test("need a context with a queue, and execute says what it can't carry out")
    func refusals() throws {
        let (world, _) = try Self.world()
        #expect(throws: CocoaError.self) {
            try world.context.execute(NSAsynchronousFetchRequest(fetchRequest: Self.request))
        }
        #expect(
            errorCode { try world.context.execute(NSPersistentStoreRequest()) }
                == .persistentStoreUnsupportedRequestType)
        let result = try world.context.execute(Self.request) as? NSAsynchronousFetchResult<NSManagedObject>
        #expect(result?.finalResult?.count == 1_000)
    }
}
