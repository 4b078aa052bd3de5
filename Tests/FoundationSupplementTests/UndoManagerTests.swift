import FoundationSupplement
import Testing

@Suite("Undo managers")
struct UndoManagerTests {
    /// Something whose changes register their reverse, as programs do it.
    final class Counter {
        let manager: UndoManager
        var log: [Int] = [0]
        var value: Int { log[log.count - 1] }

        init(_ manager: UndoManager) { self.manager = manager }

        func set(_ new: Int) {
            let old = value
            manager.registerUndo(withTarget: self) { $0.set(old) }
            log.append(new)
        }
    }

    /// A manager whose groups are the test's.
    static func manual() -> UndoManager {
        let manager = UndoManager()
        manager.groupsByEvent = false
        return manager
    }

    static func group(_ manager: UndoManager, _ body: () -> Void) {
        manager.beginUndoGrouping()
        body()
        manager.endUndoGrouping()
    }

    @Test("a new manager has Apple's defaults")
    func defaults() {
        let manager = UndoManager()
        #expect(manager.groupsByEvent)
        #expect(manager.levelsOfUndo == 0)
        #expect(manager.groupingLevel == 0)
        #expect(manager.runLoopModes == [.default])
        #expect(manager.isUndoRegistrationEnabled)
        #expect(!manager.canUndo && !manager.canRedo && !manager.isUndoing && !manager.isRedoing)
        #expect(manager.undoActionName == "" && manager.redoActionName == "")
        #expect(NSUndoCloseGroupingRunLoopOrdering == 350_000)
        manager.undo()
        manager.redo()
        #expect(manager.undoCount == 0 && manager.redoCount == 0)
    }

    @Test("undo and redo go back and forth through groups")
    func backAndForth() {
        let manager = Self.manual()
        let counter = Counter(manager)
        for number in 1...3 { Self.group(manager) { counter.set(number) } }
        #expect(manager.undoCount == 3)
        manager.undo()
        manager.undo()
        #expect(counter.value == 1 && manager.undoCount == 1 && manager.redoCount == 2)
        manager.redo()
        #expect(counter.value == 2)
        manager.redo()
        manager.redo()
        #expect(counter.value == 3 && !manager.canRedo)
        for _ in 0..<4 { manager.undo() }
        #expect(counter.value == 0 && !manager.canUndo && manager.redoCount == 3)
    }

    @Test("the actions of a group are undone newest first, and redone in the order in which they were done")
    func order() {
        let manager = Self.manual()
        let counter = Counter(manager)
        Self.group(manager) { for number in 1...3 { counter.set(number) } }
        manager.undo()
        #expect(counter.log == [0, 1, 2, 3, 2, 1, 0])
        manager.redo()
        #expect(counter.log.suffix(3) == [1, 2, 3])
    }

    @Test("a new action makes redoing impossible; opening a group doesn't")
    func redoIsForgotten() {
        let manager = Self.manual()
        let counter = Counter(manager)
        Self.group(manager) { counter.set(1) }
        manager.undo()
        Self.group(manager) {}
        #expect(manager.canRedo)
        Self.group(manager) { counter.set(2) }
        #expect(!manager.canRedo)
        manager.redo()
        #expect(counter.value == 2)
    }

    @Test("a group that was closed empty takes an undo, as on Apple's systems")
    func emptyGroup() {
        let manager = Self.manual()
        let counter = Counter(manager)
        Self.group(manager) { counter.set(1) }
        Self.group(manager) {}
        #expect(manager.undoCount == 2)
        manager.undo()
        #expect(counter.value == 1)
        manager.undo()
        #expect(counter.value == 0)
    }

    @Test("undo takes the whole top-level group, undoNestedGroup the last nested one")
    func nested() {
        let manager = Self.manual()
        let counter = Counter(manager)
        manager.beginUndoGrouping()
        for number in 1...3 { Self.group(manager) { counter.set(number) } }
        #expect(manager.groupingLevel == 1)
        manager.undoNestedGroup()
        #expect(counter.value == 2 && manager.groupingLevel == 1 && manager.redoCount == 1)
        manager.redo()
        #expect(counter.value == 3 && manager.groupingLevel == 1)
        manager.undoNestedGroup()
        manager.endUndoGrouping()
        manager.undo()
        #expect(counter.value == 0)
        #expect(!manager.canUndo)
        manager.redo()
        #expect(counter.value == 2)
    }

    @Test("levelsOfUndo drops the oldest groups, also when it is set later")
    func levels() {
        let manager = Self.manual()
        let counter = Counter(manager)
        manager.levelsOfUndo = 3
        for number in 1...5 { Self.group(manager) { counter.set(number) } }
        #expect(manager.undoCount == 3)
        manager.levelsOfUndo = 1
        manager.undo()
        manager.undo()
        #expect(counter.value == 4)
        manager.redo()
        #expect(counter.value == 5 && manager.undoCount == 1)
    }

    @Test("nothing is registered until enabling was called as often as disabling")
    func disabling() {
        let manager = Self.manual()
        let counter = Counter(manager)
        manager.disableUndoRegistration()
        manager.disableUndoRegistration()
        counter.set(1)
        manager.enableUndoRegistration()
        #expect(!manager.isUndoRegistrationEnabled)
        counter.set(2)
        manager.enableUndoRegistration()
        #expect(manager.isUndoRegistrationEnabled)
        Self.group(manager) { counter.set(3) }
        manager.undo()
        #expect(counter.value == 2 && !manager.canUndo)
    }

    @Test("what is undone with registration disabled can't be redone")
    func disabledDuringUndo() {
        let manager = Self.manual()
        let counter = Counter(manager)
        Self.group(manager) { counter.set(1) }
        manager.disableUndoRegistration()
        manager.undo()
        manager.enableUndoRegistration()
        #expect(counter.value == 0)
        manager.redo()
        #expect(counter.value == 0)
    }

    @Test("isUndoing and isRedoing are true while handlers run, and then only")
    func flags() {
        let manager = Self.manual()
        var seen: [[Bool]] = []
        func register() {
            manager.registerUndo(withTarget: manager) {
                seen.append([$0.isUndoing, $0.isRedoing, $0.groupingLevel == 1])
                register()
            }
        }
        Self.group(manager, register)
        manager.undo()
        manager.redo()
        #expect(seen == [[true, false, true], [false, true, true]])
        #expect(!manager.isUndoing && !manager.isRedoing)
    }

    @Test("removeAllActions forgets both stacks, open groups and disablings")
    func removeAll() {
        let manager = Self.manual()
        let counter = Counter(manager)
        for number in 1...2 { Self.group(manager) { counter.set(number) } }
        manager.undo()
        manager.beginUndoGrouping()
        manager.disableUndoRegistration()
        manager.removeAllActions()
        #expect(manager.groupingLevel == 0 && manager.isUndoRegistrationEnabled)
        #expect(!manager.canUndo && !manager.canRedo)
    }

    @Test("removeAllActions in a handler leaves a usable manager")
    func removeAllInHandler() {
        let manager = Self.manual()
        Self.group(manager) { manager.registerUndo(withTarget: manager) { $0.removeAllActions() } }
        manager.undo()
        #expect(!manager.isUndoing && manager.groupingLevel == 0 && !manager.canRedo)
        let counter = Counter(manager)
        Self.group(manager) { counter.set(1) }
        manager.undo()
        #expect(counter.value == 0)
    }

    @Test("removing a target's actions leaves those of others, and no empty groups")
    func removeTarget() {
        let manager = Self.manual()
        let (one, other) = (Counter(manager), Counter(manager))
        Self.group(manager) { one.set(1) }
        Self.group(manager) {
            one.set(2)
            Self.group(manager) { one.set(3) }
            other.set(1)
        }
        manager.beginUndoGrouping()
        one.set(4)
        manager.removeAllActions(withTarget: one)
        manager.endUndoGrouping()
        manager.removeAllActions(withTarget: 7)
        #expect(manager.undoCount == 2)
        manager.undo()
        manager.undo()
        #expect(one.value == 4 && other.value == 0 && !manager.canUndo)
        manager.removeAllActions(withTarget: other)
        #expect(manager.redoCount == 1)
    }

    @Test("a target isn't kept alive, and its actions do nothing once it is gone")
    func targetIsGone() {
        let manager = Self.manual()
        var counter: Counter? = Counter(manager)
        weak let gone = counter
        Self.group(manager) { counter?.set(1) }
        counter = nil
        #expect(gone == nil)
        #expect(manager.canUndo)
        manager.undo()
        #expect(!manager.canUndo)
    }

    @Test("a target can have its actions removed while it goes")
    func removalInDeinit() {
        final class Target {
            let manager: UndoManager
            init(_ manager: UndoManager) { self.manager = manager }
            deinit { manager.removeAllActions(withTarget: self) }
        }
        let manager = Self.manual()
        var target: Target? = Target(manager)
        Self.group(manager) {
            if let target { manager.registerUndo(withTarget: target) { _ in } }
        }
        #expect(manager.canUndo)
        target = nil
        #expect(!manager.canUndo)
    }

    @Test("names follow what they name, from undo to redo")
    func names() {
        let manager = Self.manual()
        let counter = Counter(manager)
        Self.group(manager) {
            counter.set(1)
            manager.setActionName("Count")
        }
        Self.group(manager) { counter.set(2) }
        #expect(manager.undoActionName == "" && manager.undoMenuItemTitle == "Undo")
        manager.setActionName("Count on")
        #expect(manager.undoMenuItemTitle == "Undo Count on")
        manager.undo()
        #expect(manager.undoMenuItemTitle == "Undo Count" && manager.redoMenuItemTitle == "Redo Count on")
        manager.redo()
        #expect(manager.undoActionName == "Count on" && manager.redoActionName == "")
        manager.setActionName("")
        #expect(manager.undoActionName == "")
    }

    @Test("a name given in a nested group names the whole")
    func nestedName() {
        let manager = Self.manual()
        let counter = Counter(manager)
        Self.group(manager) {
            Self.group(manager) {
                counter.set(1)
                manager.setActionName("Count")
            }
        }
        #expect(manager.undoActionName == "Count")
    }

    @Test("subclasses translate titles")
    func translatedTitles() {
        final class German: UndoManager {
            override func undoMenuTitle(forUndoActionName name: String) -> String { "\(name) widerrufen" }
        }
        let manager = German()
        manager.groupsByEvent = false
        Self.group(manager) { manager.setActionName("Zählen") }
        #expect(manager.undoMenuItemTitle == "Zählen widerrufen")
    }

    @Test("values kept with an action go from undo to redo")
    func userInfo() {
        let manager = Self.manual()
        let counter = Counter(manager)
        Self.group(manager) { counter.set(1) }
        manager.setActionUserInfoValue("pen", forKey: "icon")
        #expect(manager.undoActionUserInfoValue(forKey: "icon") as? String == "pen")
        manager.undo()
        #expect(manager.redoActionUserInfoValue(forKey: "icon") as? String == "pen")
        #expect(manager.undoActionUserInfoValue(forKey: "icon") == nil)
    }

    @Test("a group is discardable when all its actions are")
    func discardable() {
        let manager = Self.manual()
        let counter = Counter(manager)
        Self.group(manager) {
            counter.set(1)
            manager.setActionIsDiscardable(true)
        }
        #expect(manager.undoActionIsDiscardable)
        manager.undo()
        #expect(manager.redoActionIsDiscardable && !manager.undoActionIsDiscardable)
        Self.group(manager) {
            counter.set(1)
            manager.setActionIsDiscardable(true)
            counter.set(2)
        }
        #expect(!manager.undoActionIsDiscardable)
        manager.setActionIsDiscardable(true)
        #expect(manager.undoActionIsDiscardable)
    }

    @Test(
        "misuse stops debug builds with Apple's words",
        arguments: [
            "endUndoGrouping called with no matching begin", "must begin a group before registering undo",
            "undo was called with too many nested undo groups",
            "enableUndoRegistration may only be invoked with matching call to disableUndoRegistration",
            "during an undo or redo operation", "registered in a group that is still open",
        ])
    func misuses(_ words: String) async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [words] in
            let manager = UndoManagerTests.manual()
            let counter = Counter(manager)
            switch words.prefix(8) {
            case "endUndoG": manager.endUndoGrouping()
            case "must beg": counter.set(1)
            case "undo was":
                manager.beginUndoGrouping()
                manager.beginUndoGrouping()
                manager.undo()
            case "enableUn": manager.enableUndoRegistration()
            case "during a":
                UndoManagerTests.group(manager) { manager.registerUndo(withTarget: manager) { $0.redo() } }
                manager.undo()
            default:
                manager.beginUndoGrouping()
                counter.set(1)
                manager.undoNestedGroup()
            }
        }
        let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(output.contains(words), "\(output)")
    }
}
