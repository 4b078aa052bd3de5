import CoreData
import Dispatch
import Synchronization

/// The user pressed Control-C.
struct Interrupted: Error {}

/// Notes Control-C while an import runs. The import ends itself, and leaves everything as it was; where it can't, because
/// it waits for a pipe or makes an index, it is ended a moment later, and its unfinished file removed. A store that was
/// there before is then put right by SQLite's journal.
final class Interruption {
    private let requested = Flag()
    private let source = DispatchSource.makeSignalSource(
        signal: SIGINT, queue: DispatchQueue(label: "coredata.interruption"))

    private final class Flag: Sendable {
        let value = Atomic<Bool>(false)
    }

    init() {
        signal(SIGINT, SIG_IGN)
        source.setEventHandler { [requested, source] in
            requested.value.store(true, ordering: .relaxed)
            guard !source.isCancelled else { return }
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.5) {
                UnfinishedStores.removeAll()
                _exit(ExitStatus.interrupted.rawValue)
            }
        }
        source.resume()
    }

    /// Whether the work should end.
    var isRequested: Bool { requested.value.load(ordering: .relaxed) }

    /// From now on Control-C ends the process.
    func end() {
        source.cancel()
        signal(SIGINT, SIG_DFL)
    }
}
