import Dispatch
import Foundation
import Testing

@testable import CoreData

@Suite("The switch that finds contexts on the wrong queue")
struct ConcurrencyDebugTests {
    @Test(
        "is Apple's argument, or a variable of the environment",
        arguments: [
            (["p"], [:], false), (["p", "-com.apple.CoreData.ConcurrencyDebug", "1"], [:], true),
            (["p", "-com.apple.CoreData.ConcurrencyDebug", "0"], ["COREDATA_CONCURRENCYDEBUG": "1"], false),
            (["p", "-com.apple.CoreData.ConcurrencyDebug"], [:], false),
            (["p"], ["COREDATA_CONCURRENCYDEBUG": "1"], true), (["p"], ["COREDATA_CONCURRENCYDEBUG": "0"], false),
        ] as [([String], [String: String], Bool)])
    func asked(_ arguments: [String], _ environment: [String: String], _ expected: Bool) {
        #expect(ConcurrencyDebug.isAsked(for: arguments, environment) == expected)
    }

    /// What a process prints that uses a context's object, or the context itself, away from its queue.
    static let uses: [@Sendable (NSManagedObjectContext, NSManagedObject) throws -> Void] = [
        { _, station in _ = station.value(forKey: "name") },
        { _, station in station.setValue("x", forKey: "name") },
        { context, _ in _ = try context.find("Station") },
        { context, _ in try context.save() },
        { context, station in context.delete(station) },
        { context, station in context.refresh(station, mergeChanges: true) },
        { context, station in _ = context.object(with: station.objectID) },
        { context, _ in context.reset() },
        { context, _ in _ = NSEntityDescription.insertNewObject(forEntityName: "Station", into: context) },
    ]

    /// Runs a use where it is wrong, in a process that has the switch on.
    static func use(_ index: Int, onQueue: Bool) throws {
        setenv("COREDATA_CONCURRENCYDEBUG", "1", 1)
        let fixture = try Railway.fixture()
        let context = fixture.makePrivate()
        nonisolated(unsafe) let station = try context.performAndWait {
            let station = try context.one("Station", "A")
            _ = station.value(forKey: "name")
            return station
        }
        if onQueue {
            try context.performAndWait { try uses[index](context, station) }
        } else {
            try uses[index](context, station)
        }
    }

    @Test(
        "stops a program with Apple's words when a context or an object is used off its queue", arguments: uses.indices)
    func violation(_ index: Int) async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [index = index as Int] in
            try Self.use(index, onQueue: false)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("+[NSManagedObjectContext __Multithreading_Violation_AllThatIsLeftToUsIsHonor__]"))
    }

    @Test("lets a program be that uses them on their queue")
    func noViolation() async {
        await #expect(processExitsWith: .success) {
            for index in Self.uses.indices { try Self.use(index, onQueue: true) }
        }
    }
}
