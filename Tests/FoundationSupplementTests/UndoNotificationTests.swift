import FoundationSupplement
import Testing

@Suite("Notifications of undo managers")
struct UndoNotificationTests {
    /// Writes down the notifications of one manager: the name's short form, the level, and whether it is discardable.
    final class Recorder: @unchecked Sendable {
        private var tokens: [any NSObjectProtocol] = []
        private(set) var events: [String] = []

        init(_ manager: UndoManager) {
            let names: [(NSNotification.Name, String)] = [
                (.NSUndoManagerCheckpoint, "checkpoint"), (.NSUndoManagerDidOpenUndoGroup, "opened"),
                (.NSUndoManagerWillCloseUndoGroup, "closing"), (.NSUndoManagerDidCloseUndoGroup, "closed"),
                (.NSUndoManagerWillUndoChange, "undoing"), (.NSUndoManagerDidUndoChange, "undone"),
                (.NSUndoManagerWillRedoChange, "redoing"), (.NSUndoManagerDidRedoChange, "redone"),
            ]
            for (name, short) in names {
                tokens.append(
                    NotificationCenter.default.addObserver(forName: name, object: manager, queue: nil) {
                        [unowned self] note in
                        let level = (note.object as? UndoManager)?.groupingLevel ?? -1
                        let isDiscardable = note.userInfo?[NSUndoManagerGroupIsDiscardableKey] as? Bool
                        self.events.append("\(short) \(level)\(isDiscardable.map { " \($0)" } ?? "")")
                    })
            }
        }

        func take() -> [String] {
            defer { events = [] }
            return events
        }

        deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }
    }

    @Test("names are Apple's")
    func names() {
        #expect(NSNotification.Name.NSUndoManagerCheckpoint.rawValue == "NSUndoManagerCheckpointNotification")
        #expect(
            NSNotification.Name.NSUndoManagerDidOpenUndoGroup.rawValue == "NSUndoManagerDidOpenUndoGroupNotification")
        #expect(
            NSNotification.Name.NSUndoManagerWillCloseUndoGroup.rawValue
                == "NSUndoManagerWillCloseUndoGroupNotification")
        #expect(
            NSNotification.Name.NSUndoManagerDidCloseUndoGroup.rawValue == "NSUndoManagerDidCloseUndoGroupNotification")
        #expect(NSNotification.Name.NSUndoManagerWillUndoChange.rawValue == "NSUndoManagerWillUndoChangeNotification")
        #expect(NSNotification.Name.NSUndoManagerDidUndoChange.rawValue == "NSUndoManagerDidUndoChangeNotification")
        #expect(NSNotification.Name.NSUndoManagerWillRedoChange.rawValue == "NSUndoManagerWillRedoChangeNotification")
        #expect(NSNotification.Name.NSUndoManagerDidRedoChange.rawValue == "NSUndoManagerDidRedoChangeNotification")
        #expect(NSUndoManagerGroupIsDiscardableKey == "NSUndoManagerGroupIsDiscardableKey")
    }

    @Test("opening and closing groups: no checkpoint for opening at the top level")
    func groups() {
        let manager = UndoManagerTests.manual()
        let recorder = Recorder(manager)
        manager.beginUndoGrouping()
        #expect(recorder.take() == ["opened 1"])
        manager.beginUndoGrouping()
        #expect(recorder.take() == ["checkpoint 1", "opened 2"])
        manager.endUndoGrouping()
        #expect(recorder.take() == ["checkpoint 2", "closing 2", "closed 1"])
        manager.endUndoGrouping()
        #expect(recorder.take() == ["checkpoint 1", "closing 1", "closed 0"])
    }

    @Test("undoing and redoing: a checkpoint, will, a group for the reverse, did")
    func undoing() {
        let manager = UndoManagerTests.manual()
        let counter = UndoManagerTests.Counter(manager)
        UndoManagerTests.group(manager) { counter.set(1) }
        let recorder = Recorder(manager)
        manager.undo()
        #expect(
            recorder.take() == [
                "checkpoint 0", "checkpoint 0", "undoing 0", "opened 1", "checkpoint 1", "closing 1", "closed 0",
                "undone 0",
            ])
        manager.redo()
        #expect(
            recorder.take() == [
                "checkpoint 0", "redoing 0", "opened 1", "checkpoint 1", "closing 1", "closed 0", "redone 0",
            ])
        _ = manager.canUndo
        #expect(recorder.take() == [])
        _ = manager.canRedo
        #expect(recorder.take() == ["checkpoint 0"])
    }

    @Test("with nothing to undo there is a checkpoint only")
    func nothing() {
        let manager = UndoManagerTests.manual()
        let recorder = Recorder(manager)
        manager.undo()
        manager.redo()
        #expect(Set(recorder.take()) == ["checkpoint 0"])
    }

    @Test("the key for discardable groups is there for those only")
    func discardable() {
        let manager = UndoManagerTests.manual()
        let counter = UndoManagerTests.Counter(manager)
        let recorder = Recorder(manager)
        UndoManagerTests.group(manager) {
            counter.set(1)
            manager.setActionIsDiscardable(true)
        }
        #expect(recorder.take() == ["opened 1", "checkpoint 1", "closing 1 true", "closed 0 true"])
        manager.undo()
        #expect(recorder.take().last == "undone 0 true")
        manager.redo()
        #expect(recorder.take().last == "redone 0 true")
    }

    @Test("changes registered at a checkpoint get into the group that is closed, and are undone with it")
    func pendingChanges() {
        let manager = UndoManager()
        let counter = UndoManagerTests.Counter(manager)
        nonisolated(unsafe) var pending = [1]
        nonisolated(unsafe) let target = counter
        let token = NotificationCenter.default.addObserver(
            forName: .NSUndoManagerCheckpoint, object: manager, queue: nil
        ) { _ in
            if let number = pending.popLast() { target.set(number) }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        manager.undo()
        #expect(counter.log == [0, 1, 0])
        pending = [2]
        #expect(!manager.canRedo)
        #expect(counter.value == 2)
    }
}
