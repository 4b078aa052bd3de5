/// What one undo reverts: actions and nested groups, in the order in which they were registered.
final class UndoGroup {
    enum Entry {
        case action(UndoAction)
        case group(UndoGroup)
    }

    var entries: [Entry] = []
    /// The name for the menu.
    var name = ""
    var userInfo: [UndoManager.UserInfoKey: Any] = [:]
    /// Whether the group was opened for all that one event registers.
    let isForEvent: Bool
    /// Whether the event of such a group is over, and only groups that the program opened keep it open.
    var isOverdue = false

    init(isForEvent: Bool = false) { self.isForEvent = isForEvent }

    /// Whether there is something in it and all of that may be lost.
    var isDiscardable: Bool {
        !entries.isEmpty
            && entries.allSatisfy { entry in
                switch entry {
                case .action(let action): action.isDiscardable
                case .group(let group): group.isDiscardable
                }
            }
    }

    /// Says of the newest entry whether it may be lost.
    func markNewest(isDiscardable: Bool) {
        switch entries.last {
        case .action(let action)?: action.isDiscardable = isDiscardable
        case .group(let group)?: group.markAll(isDiscardable: isDiscardable)
        case nil: break
        }
    }

    func markAll(isDiscardable: Bool) {
        for entry in entries {
            switch entry {
            case .action(let action): action.isDiscardable = isDiscardable
            case .group(let group): group.markAll(isDiscardable: isDiscardable)
            }
        }
    }

    /// Carries out all actions, the newest first.
    func perform() {
        for entry in entries.reversed() {
            switch entry {
            case .action(let action): action.perform()
            case .group(let group): group.perform()
            }
        }
    }

    /// Takes out the actions of a target, and nested groups that are empty without them.
    func removeActions(of target: ObjectIdentifier) {
        entries.removeAll { entry in
            switch entry {
            case .action(let action): return action.targetIdentity == target
            case .group(let group): return group.isEmptyWithoutActions(of: target)
            }
        }
    }

    /// Takes out the actions of a target; whether that left nothing. A group that was empty before stays.
    func isEmptyWithoutActions(of target: ObjectIdentifier) -> Bool {
        let hadEntries = !entries.isEmpty
        removeActions(of: target)
        return hadEntries && entries.isEmpty
    }
}

/// One registered action.
final class UndoAction {
    // The reference may be nil while the target is going, when it commonly asks for its actions to be removed.
    let targetIdentity: ObjectIdentifier
    private weak var target: AnyObject?
    private let handler: (AnyObject) -> Void
    var isDiscardable = false

    init(_ target: AnyObject, _ handler: @escaping (AnyObject) -> Void) {
        targetIdentity = ObjectIdentifier(target)
        self.target = target
        self.handler = handler
    }

    /// Does nothing where the target is gone.
    func perform() {
        if let target { handler(target) }
    }
}
