import CoreData
import Dispatch
import Synchronization

/// The user pressed Control-C, or the system asked the tool to end.
struct Interrupted: Error, CustomStringConvertible {
    let description = "interrupted; nothing was written"
}

/// Notes Control-C, and the signals of a closing terminal and of a system that ends programs, while an import runs. The import ends itself, and leaves everything as it was; where it can't, because
/// it waits for a pipe or makes an index, it is ended a moment later, and its unfinished file removed. A store that was
/// there before is then put right by SQLite's journal.
final class Interruption {
    private let signals: [Int32]
    private let requested = Flag()
    private let sources: [any DispatchSourceSignal]

    private final class Flag: Sendable {
        let value = Atomic<Bool>(false)
    }

    init() {
        let queue = DispatchQueue(label: "coredata.interruption")
        // What was ignored from the start, as by nohup, stays ignored.
        signals = [SIGINT, SIGTERM, SIGHUP].filter { number in
            unsafeBitCast(signal(number, SIG_IGN), to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self)
        }
        sources = signals.map { DispatchSource.makeSignalSource(signal: $0, queue: queue) }
        for source in sources {
            source.setEventHandler { [requested] in
                requested.value.store(true, ordering: .relaxed)
                DispatchQueue.global().asyncAfter(deadline: .now() + 0.5) {
                    UnfinishedStores.removeAll()
                    _exit(ExitStatus.interrupted.rawValue)
                }
            }
            source.resume()
        }
    }

    /// Whether the work should end.
    var isRequested: Bool { requested.value.load(ordering: .relaxed) }

    /// From now on the signals end the process.
    func end() {
        for (source, number) in zip(sources, signals) {
            source.cancel()
            signal(number, SIG_DFL)
        }
    }
}
