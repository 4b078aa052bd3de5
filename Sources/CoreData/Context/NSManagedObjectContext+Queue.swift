import Dispatch
import FoundationSupplement
import ManagedObjectModel

extension NSManagedObjectContext {
    /// A context's queue, in the form that the Swift initialiser takes.
    public struct ConcurrencyType: RawRepresentable, Hashable, Sendable {
        /// The queue, in the form that `init(concurrencyType:)` takes.
        public let rawValue: NSManagedObjectContextConcurrencyType
        /// The queue of that kind.
        public init(rawValue: NSManagedObjectContextConcurrencyType) { self.rawValue = rawValue }

        /// The main queue.
        public static let mainQueue = ConcurrencyType(rawValue: .mainQueueConcurrencyType)
        /// A queue of the context's own.
        public static let privateQueue = ConcurrencyType(rawValue: .privateQueueConcurrencyType)
    }

    /// When a block given to `perform(schedule:_:)` runs.
    public enum ScheduledTaskType: Hashable, Sendable {
        /// At once where the caller is on the context's queue already, else when its turn comes.
        case immediate
        /// After what is on the queue already.
        case enqueued
    }

    func enqueue(_ block: @escaping () -> Void) {
        // The context is confined to its queue; that is what makes handing the block over safe.
        nonisolated(unsafe) let block = block
        queue.async {
            self.owned {
                block()
                self.processPendingChanges()
            }
        }
    }

    /// Runs a block on the context's queue, processes the changes that it made, and hands on its result.
    ///
    /// ```swift
    /// let count = try await context.perform { try context.count(for: request) }
    /// ```
    /// - Parameter schedule: whether the block may run before what waits in the queue.
    /// - Throws: what the block throws.
    public nonisolated(nonsending) func perform<T, E: Error>(
        schedule: ScheduledTaskType = .immediate, _ block: @escaping () throws(E) -> T
    ) async throws(E) -> T {
        nonisolated(unsafe) let block = block
        let box: ResultBox<T, E> = await withCheckedContinuation { continuation in
            let work = {
                let box: ResultBox<T, E>
                do throws(E) { box = ResultBox(.success(try block())) } catch { box = ResultBox(.failure(error)) }
                self.processPendingChanges()
                continuation.resume(returning: box)
            }
            if schedule == .immediate, isOnQueue, concurrencyType != .confinementConcurrencyType {
                CurrentContext.run(self, work)
            } else {
                nonisolated(unsafe) let work = work
                queue.async { self.owned(work) }
            }
        }
        return try box.result.get()
    }

    /// Runs a block on the context's queue and waits for it. Calls may be nested. Changes are not processed at its end.
    ///
    /// A private context's block runs on the calling thread, while its queue waits.
    public func performAndWait<T, E: Error>(_ block: () throws(E) -> T) throws(E) -> T {
        if isOnQueue { return try CurrentContext.run(self, block) }
        var result: Result<T, E>?
        MainQueue.staying {
            queue.sync {
                owned { do throws(E) { result = .success(try block()) } catch { result = .failure(error) } }
            }
        }
        guard let result else { preconditionFailure("a queue didn't run its block") }
        return try result.get()
    }

    var isOnQueue: Bool {
        switch concurrencyType {
        case .mainQueueConcurrencyType: MainQueue.isCurrent
        case .privateQueueConcurrencyType: owner.load(ordering: .relaxed) == Self.currentThread
        case .confinementConcurrencyType: true
        }
    }

    /// Notes whose thread runs `body`. Not the queue but the thread tells whether a call may go ahead: a block of
    /// another context, called from one of this, runs on another queue but on the same thread.
    private func owned(_ body: () -> Void) {
        owner.store(Self.currentThread, ordering: .relaxed)
        defer { owner.store(0, ordering: .relaxed) }
        adoptPermanentIDs()
        CurrentContext.run(self, body)
    }

    private static var currentThread: UInt { UInt(pthread_self()) }

    /// Processes changes that were made outside of any block when the main queue's current turn ends.
    func scheduleProcessing() {
        guard concurrencyType == .mainQueueConcurrencyType, !isProcessingScheduled else { return }
        isProcessingScheduled = true
        DispatchQueue.main.async { [weak self] in
            self?.isProcessingScheduled = false
            self?.processPendingChanges()
        }
    }

    // MARK: The wrong queue

    /// With `-com.apple.CoreData.ConcurrencyDebug 1` among the program's arguments, or
    /// `COREDATA_CONCURRENCYDEBUG=1` in its environment, use of a context away from its queue stops the program.
    @inline(__always)
    func checkQueue() {
        if ConcurrencyDebug.isOn { assertQueue() }
    }

    private func assertQueue() {
        guard !isOnQueue else { return }
        ConcurrencyDebug.violation(
            "\(self)\(name.map { " '\($0)'" } ?? "") is used on a thread that is not its queue's")
    }
}

/// Whether code runs on the main queue. On Linux that isn't the same as the main thread: once `main` is asynchronous, as
/// in tests, any thread may serve the main queue.
private enum MainQueue {
    private static let marker: DispatchSpecificKey<Bool> = {
        let marker = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: marker, value: true)
        return marker
    }()
    /// Set on a thread that serves the main queue and has gone over to another queue, which the main queue waits for.
    private static let stay: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    static var isCurrent: Bool {
        Thread.isMainThread || DispatchQueue.getSpecific(key: marker) == true || pthread_getspecific(stay) != nil
    }

    /// Runs `body`, which goes over to another queue and back.
    static func staying(_ body: () -> Void) {
        guard pthread_getspecific(stay) == nil, DispatchQueue.getSpecific(key: marker) == true else { return body() }
        pthread_setspecific(stay, UnsafeRawPointer(bitPattern: 1))
        body()
        pthread_setspecific(stay, nil)
    }
}

/// A result on its way from the queue that made it to the task that waits for it.
private final class ResultBox<T, E: Error>: @unchecked Sendable {
    let result: Result<T, E>
    init(_ result: Result<T, E>) { self.result = result }
}

/// Apple's switch that finds contexts used on the wrong queue.
enum ConcurrencyDebug {
    static let isOn = isAsked(for: ProcessInfo.processInfo.arguments, ProcessInfo.processInfo.environment)

    static func isAsked(for arguments: [String], _ environment: [String: String]) -> Bool {
        if let at = arguments.firstIndex(of: "-com.apple.CoreData.ConcurrencyDebug"), at + 1 < arguments.count {
            return arguments[at + 1] != "0"
        }
        return environment["COREDATA_CONCURRENCYDEBUG"] == "1"
    }

    /// Stops the program, in release builds too: it was asked to.
    static func violation(_ what: String) -> Never {
        FileHandle.standardError.write(Data("CoreData: error: \(what)\n".utf8))
        fatalError("+[NSManagedObjectContext __Multithreading_Violation_AllThatIsLeftToUsIsHonor__]: \(what)")
    }
}
