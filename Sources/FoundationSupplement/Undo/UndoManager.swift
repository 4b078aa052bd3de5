/// Records how to take back what a program did, and how to do it again.
///
/// ```swift
/// func rename(_ note: Note, to name: String) {
///     let old = note.name
///     undoManager.registerUndo(withTarget: note) { [unowned self] in rename($0, to: old) }
///     undoManager.setActionName("Rename")
///     note.name = name
/// }
/// …
/// undoManager.undo()   // the old name
/// undoManager.redo()   // the new one: what a handler registers while it undoes is what redo does
/// ```
/// Actions are collected in groups; an undo reverts a whole group. With ``groupsByEvent`` the manager opens a group
/// itself when something is registered, and closes it in the next pass of the run loop of the thread that registered
/// it. Where no run loop runs, as in most command-line programs, nothing ends the event but ``undo()``, so that such
/// programs turn it off and call ``beginUndoGrouping()`` and ``endUndoGrouping()``.
///
/// Targets are not kept alive; an action whose target is gone does nothing. What a handler captures is kept. A manager
/// is used by one thread at a time. Registering costs two allocations.
open class UndoManager: NSObject {
    private let undoStack = UndoStack()
    private let redoStack = UndoStack()
    private var disablings = 0
    private var work = Work.none

    private enum Work { case none, undoing, redoing }

    // MARK: Groups

    /// Whether all that is registered in one pass of the run loop is one group. True unless set.
    open var groupsByEvent = true

    /// The modes of the run loop in which the group of an event is closed.
    open var runLoopModes: [RunLoop.Mode] = [.default]

    /// How many groups at the top level are kept; the oldest go first. 0, the default, is no limit.
    open var levelsOfUndo = 0 {
        didSet { undoStack.trim(to: levelsOfUndo) }
    }

    /// How many groups are open, one in the other; while undoing, of those that are to be redone.
    open var groupingLevel: Int { recordingStack.open.count }

    /// Opens a group, inside the group that is open. With ``groupsByEvent`` that is at least the event's.
    open func beginUndoGrouping() {
        openGroupOfEvent()
        begin(UndoGroup())
    }

    /// Closes the group that was opened last. A group is kept also when nothing was registered in it.
    ///
    /// Without an open group it is a programmer's error: debug builds stop, others log it.
    open func endUndoGrouping() {
        guard groupingLevel > 0 else {
            return misuse(invalid("_endUndoGroupRemovingIfEmpty:", "endUndoGrouping called with no matching begin"))
        }
        post(.NSUndoManagerCheckpoint)
        end()
    }

    // MARK: Registering

    /// Whether actions are taken. See ``disableUndoRegistration()``.
    open var isUndoRegistrationEnabled: Bool { disablings == 0 }

    /// From now on no actions are taken, until ``enableUndoRegistration()`` was called as often as this.
    open func disableUndoRegistration() { disablings += 1 }

    /// Takes back one ``disableUndoRegistration()``.
    open func enableUndoRegistration() {
        guard disablings > 0 else {
            return misuse("enableUndoRegistration may only be invoked with matching call to disableUndoRegistration")
        }
        disablings -= 1
    }

    /// Registers an action in the open group. What could be redone is forgotten, unless this is undoing or redoing.
    ///
    /// - Parameters:
    ///   - target: What the action changes. It isn't kept alive.
    ///   - handler: The action. It gets the target, and should register its own reverse.
    public func registerUndo<TargetType: AnyObject>(
        withTarget target: TargetType, handler: @escaping (TargetType) -> Void
    ) {
        guard isUndoRegistrationEnabled else { return }
        openGroupOfEvent()
        guard groupingLevel > 0 else {
            return misuse(invalid("_registerUndoObject:", "must begin a group before registering undo"))
        }
        if work == .none { redoStack.removeAll() }
        recordingStack.register(
            UndoAction(target) { target in
                if let target = target as? TargetType { handler(target) }
            })
    }

    // MARK: Undoing and redoing

    /// Whether ``undo()`` is at work.
    open var isUndoing: Bool { work == .undoing }

    /// Whether ``redo()`` is at work.
    open var isRedoing: Bool { work == .redoing }

    /// Whether there is anything to undo. A group that is open may have to be closed first.
    open var canUndo: Bool { undoCount > 0 }

    /// Whether there is anything to redo. Posts `NSUndoManagerCheckpoint`, as what is registered now makes redoing
    /// impossible.
    open var canRedo: Bool {
        post(.NSUndoManagerCheckpoint)
        return redoCount > 0
    }

    /// How often ``undo()`` finds something to undo.
    open var undoCount: Int { undoStack.count }

    /// How often ``redo()`` finds something to redo.
    open var redoCount: Int { redoStack.count }

    /// Closes the group at the top level if it is open, and undoes it; what that registers can be redone.
    ///
    /// While a nested group is open it is a programmer's error: debug builds stop, others log it and undo nothing.
    open func undo() {
        post(.NSUndoManagerCheckpoint)
        if work == .none, groupingLevel == 1 { endUndoGrouping() }
        guard work != .none || groupingLevel == 0 else {
            return misuse(invalid("undo", "undo was called with too many nested undo groups"))
        }
        undoNestedGroup()
    }

    /// Undoes the group that was closed last, nested or not; what that registers can be redone as one group.
    ///
    /// It is a programmer's error when actions were registered since in the group that is open.
    open func undoNestedGroup() {
        guard work == .none else {
            return misuse(invalid("undoNestedGroup", "undo was called during an undo or redo operation"))
        }
        post(.NSUndoManagerCheckpoint)
        guard !undoStack.endsInLooseAction else {
            return misuse(invalid("undoNestedGroup", "undo operations were registered in a group that is still open"))
        }
        guard let group = undoStack.popNewest() else { return }
        work = .undoing
        defer { work = .none }
        perform(group, .NSUndoManagerWillUndoChange, .NSUndoManagerDidUndoChange)
    }

    /// Does again what was undone last; what that registers can be undone as one group.
    ///
    /// During an undo it is a programmer's error.
    open func redo() {
        guard work == .none else {
            return misuse(invalid("redo", "redo was called during an undo or redo operation"))
        }
        post(.NSUndoManagerCheckpoint)
        guard let group = redoStack.popNewest() else { return }
        work = .redoing
        defer { work = .none }
        perform(group, .NSUndoManagerWillRedoChange, .NSUndoManagerDidRedoChange)
    }

    /// Forgets all that can be undone and redone, closes all groups, and enables registration.
    open func removeAllActions() {
        undoStack.removeAll()
        redoStack.removeAll()
        disablings = 0
    }

    /// Forgets the actions of a target.
    open func removeAllActions(withTarget target: Any) {
        guard type(of: target) is AnyClass else { return }
        let identity = ObjectIdentifier(target as AnyObject)
        undoStack.removeActions(of: identity)
        redoStack.removeActions(of: identity)
    }

    // MARK: Names and properties of actions

    /// Names the open group, or the newest one, for the menu. An empty name takes a name away.
    open func setActionName(_ actionName: String) {
        for group in namedGroups { group.name = actionName }
    }

    /// The name of what ``undo()`` would undo; empty when it has none.
    open var undoActionName: String { undoStack.next?.name ?? "" }

    /// The name of what ``redo()`` would do again; empty when it has none.
    open var redoActionName: String { redoStack.next?.name ?? "" }

    /// Says whether the action that was registered last may be lost when a document can't be saved.
    open func setActionIsDiscardable(_ discardable: Bool) {
        if let open = recordingStack.open.last {
            open.markNewest(isDiscardable: discardable)
        } else {
            recordingStack.groups.last?.markAll(isDiscardable: discardable)
        }
    }

    /// Whether all of what ``undo()`` would undo may be lost.
    open var undoActionIsDiscardable: Bool { undoStack.next?.isDiscardable ?? false }

    /// Whether all of what ``redo()`` would do again may be lost.
    open var redoActionIsDiscardable: Bool { redoStack.next?.isDiscardable ?? false }

    /// Keeps a value with the open group, or the newest one; nil takes it away.
    open func setActionUserInfoValue(_ info: Any?, forKey key: UserInfoKey) {
        for group in namedGroups { group.userInfo[key] = info }
    }

    /// A value kept with what ``undo()`` would undo.
    open func undoActionUserInfoValue(forKey key: UserInfoKey) -> Any? { undoStack.next?.userInfo[key] }

    /// A value kept with what ``redo()`` would do again.
    open func redoActionUserInfoValue(forKey key: UserInfoKey) -> Any? { redoStack.next?.userInfo[key] }

    // MARK: Menus

    /// The title of the menu item that undoes: "Undo Rename".
    open var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }

    /// The title of the menu item that redoes: "Redo Rename".
    open var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

    /// The title of the menu item that undoes an action with a name. To be overridden for other languages.
    open func undoMenuTitle(forUndoActionName actionName: String) -> String {
        actionName.isEmpty ? "Undo" : "Undo \(actionName)"
    }

    /// The title of the menu item that redoes an action with a name. To be overridden for other languages.
    open func redoMenuTitle(forUndoActionName actionName: String) -> String {
        actionName.isEmpty ? "Redo" : "Redo \(actionName)"
    }
}

extension UndoManager {
    /// Where actions are registered now: while undoing among those to redo.
    private var recordingStack: UndoStack { work == .undoing ? redoStack : undoStack }

    /// What names belong to: all groups that are open, since an inner one may be undone by itself, else the newest.
    private var namedGroups: [UndoGroup] {
        let stack = recordingStack
        return stack.open.isEmpty ? Array(stack.groups.suffix(1)) : stack.open
    }

    private func begin(_ group: UndoGroup) {
        if groupingLevel > 0 { post(.NSUndoManagerCheckpoint) }
        recordingStack.begin(group)
        post(.NSUndoManagerDidOpenUndoGroup)
    }

    private func end() {
        let stack = recordingStack
        guard let group = stack.open.last else { return }
        let isDiscardable = group.isDiscardable
        post(.NSUndoManagerWillCloseUndoGroup, isDiscardable: isDiscardable)
        stack.end(limit: levelsOfUndo)
        post(.NSUndoManagerDidCloseUndoGroup, isDiscardable: isDiscardable)
        if let outermost = stack.open.first, stack.open.count == 1, outermost.isOverdue { closeLater(outermost) }
    }

    /// Carries out the actions of a group that was taken off its stack, with a group open for their reverses.
    private func perform(_ group: UndoGroup, _ will: NSNotification.Name, _ did: NSNotification.Name) {
        post(will)
        let isDiscardable = group.isDiscardable
        let reverse = UndoGroup()
        (reverse.name, reverse.userInfo) = (group.name, group.userInfo)
        begin(reverse)
        group.perform()
        // Handlers may have left groups open, or have removed all.
        while recordingStack.open.contains(where: { $0 === reverse }) { endUndoGrouping() }
        if isDiscardable { reverse.markAll(isDiscardable: true) }
        post(did, isDiscardable: isDiscardable)
    }

    private func post(_ name: NSNotification.Name, isDiscardable: Bool = false) {
        NotificationCenter.default.post(
            name: name, object: self, userInfo: isDiscardable ? [NSUndoManagerGroupIsDiscardableKey: true] : nil)
    }

    private func invalid(_ method: String, _ reason: String) -> String {
        let address = String(UInt(bitPattern: ObjectIdentifier(self).hashValue), radix: 16)
        return "\(method): NSUndoManager 0x\(address) is in invalid state, \(reason)"
    }

    // MARK: Events

    /// Opens the group that the event's actions go to, unless a group is open.
    private func openGroupOfEvent() {
        guard groupsByEvent, work == .none, groupingLevel == 0 else { return }
        let group = UndoGroup(isForEvent: true)
        begin(group)
        closeLater(group)
    }

    /// Closes the event's group in the next pass of this thread's run loop.
    private func closeLater(_ group: UndoGroup) {
        group.isOverdue = false
        nonisolated(unsafe) weak let manager = self
        nonisolated(unsafe) weak let group = group
        RunLoop.current.perform(inModes: runLoopModes) {
            if let manager, let group { manager.endEvent(group) }
        }
    }

    private func endEvent(_ group: UndoGroup) {
        guard undoStack.open.first === group else { return }
        if undoStack.open.count == 1, work == .none {
            endUndoGrouping()
        } else {
            // The program's own groups reach over several events; the last of them closes this one.
            group.isOverdue = true
        }
    }
}
