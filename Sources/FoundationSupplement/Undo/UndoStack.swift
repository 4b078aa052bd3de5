/// The groups to undo, or those to redo.
final class UndoStack {
    /// Closed groups at the top level, the newest last.
    private(set) var groups: [UndoGroup] = []
    /// Groups that are still being filled, the outermost first.
    private(set) var open: [UndoGroup] = []

    /// The group at the top level that comes next, open or not.
    var next: UndoGroup? { open.first ?? groups.last }

    /// How many groups at the top level have something in them or were closed empty.
    var count: Int { groups.count + (open.first?.entries.isEmpty == false ? 1 : 0) }

    func begin(_ group: UndoGroup) { open.append(group) }

    /// Closes the innermost open group. An empty one stays, like any other, unless it was opened for an event.
    func end(limit: Int) {
        guard let group = open.popLast() else { return }
        if group.isForEvent, group.entries.isEmpty { return }
        if let outer = open.last {
            outer.entries.append(.group(group))
        } else {
            groups.append(group)
            trim(to: limit)
        }
    }

    /// Forgets the oldest groups beyond a limit; 0 is no limit.
    func trim(to limit: Int) {
        if limit > 0, groups.count > limit { groups.removeFirst(groups.count - limit) }
    }

    func register(_ action: UndoAction) { open.last?.entries.append(.action(action)) }

    /// Whether the innermost open group ends in an action, which no group closed since contains.
    var endsInLooseAction: Bool {
        if case .action? = open.last?.entries.last { true } else { false }
    }

    /// Takes out the newest closed group, at whatever level the innermost open group is.
    func popNewest() -> UndoGroup? {
        guard let innermost = open.last else { return groups.popLast() }
        guard case .group(let group)? = innermost.entries.last else { return nil }
        innermost.entries.removeLast()
        return group
    }

    func removeAll() {
        groups = []
        open = []
    }

    func removeActions(of target: ObjectIdentifier) {
        groups.removeAll { $0.isEmptyWithoutActions(of: target) }
        for group in open { group.removeActions(of: target) }
    }
}
