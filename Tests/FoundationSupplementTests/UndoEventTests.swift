import FoundationSupplement
import Testing

@Suite("Undo managers and run loops")
struct UndoEventTests {
    typealias Counter = UndoManagerTests.Counter

    /// Runs the work on a thread of its own, as run loops belong to threads and tests move between them.
    static func onThread(_ work: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                work()
                continuation.resume()
            }
        }
    }

    /// One pass of the thread's run loop.
    static func pass() {
        RunLoop.current.perform {}
        _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
    }

    @Test("all that is registered in one event is one group; the next pass of the run loop closes it")
    func events() async {
        await Self.onThread {
            let manager = UndoManager()
            let counter = Counter(manager)
            for event in 0..<2 {
                counter.set(event * 10 + 1)
                counter.set(event * 10 + 2)
                #expect(manager.groupingLevel == 1)
                Self.pass()
                #expect(manager.groupingLevel == 0)
            }
            #expect(manager.undoCount == 2)
            manager.undo()
            #expect(counter.value == 2)
            manager.undo()
            #expect(counter.value == 0)
        }
    }

    @Test("without a run loop, undo ends the event")
    func noRunLoop() {
        let manager = UndoManager()
        let counter = Counter(manager)
        counter.set(1)
        counter.set(2)
        manager.undo()
        #expect(counter.value == 0 && manager.groupingLevel == 0 && manager.canRedo)
        manager.redo()
        #expect(counter.value == 2)
    }

    @Test("a group that is opened in an event lies in the event's group")
    func explicitGroup() async {
        await Self.onThread {
            let manager = UndoManager()
            let counter = Counter(manager)
            manager.beginUndoGrouping()
            #expect(manager.groupingLevel == 2)
            counter.set(1)
            manager.endUndoGrouping()
            counter.set(2)
            Self.pass()
            #expect(manager.groupingLevel == 0 && manager.undoCount == 1)
            manager.undo()
            #expect(counter.value == 0)
        }
    }

    @Test("a group that is open over several events keeps theirs open, until the pass after its end")
    func longGroup() async {
        await Self.onThread {
            let manager = UndoManager()
            let counter = Counter(manager)
            manager.beginUndoGrouping()
            for number in 1...3 {
                counter.set(number)
                Self.pass()
                #expect(manager.groupingLevel == 2)
            }
            manager.endUndoGrouping()
            Self.pass()
            #expect(manager.groupingLevel == 0 && manager.undoCount == 1)
            counter.set(4)
            Self.pass()
            #expect(manager.undoCount == 2)
        }
    }

    @Test("an event in which nothing was registered leaves no group")
    func emptyEvent() async {
        await Self.onThread {
            let manager = UndoManager()
            let counter = Counter(manager)
            counter.set(1)
            manager.removeAllActions(withTarget: counter)
            Self.pass()
            #expect(manager.groupingLevel == 0 && !manager.canUndo)
        }
    }

    @Test("a group is closed only in the manager's run loop modes")
    func modes() async {
        await Self.onThread {
            let manager = UndoManager()
            manager.runLoopModes = [RunLoop.Mode("tracking")]
            let counter = Counter(manager)
            counter.set(1)
            Self.pass()
            #expect(manager.groupingLevel == 1)
            RunLoop.current.perform(inModes: [RunLoop.Mode("tracking")]) {}
            _ = RunLoop.current.run(mode: RunLoop.Mode("tracking"), before: Date(timeIntervalSinceNow: 0.01))
            #expect(manager.groupingLevel == 0)
        }
    }

    @Test("a pass that comes after the event's group was undone doesn't close another one")
    func latePass() async {
        await Self.onThread {
            let manager = UndoManager()
            let counter = Counter(manager)
            counter.set(1)
            manager.undo()
            manager.groupsByEvent = false
            manager.beginUndoGrouping()
            Self.pass()
            #expect(manager.groupingLevel == 1)
        }
    }
}
