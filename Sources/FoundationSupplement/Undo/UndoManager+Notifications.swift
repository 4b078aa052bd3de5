extension NSNotification.Name {
    /// Posted whenever an undo manager opens or closes a group, except when it opens one at the top level, and before
    /// it tells what there is to undo and redo. Who delays changes registers them now.
    public static let NSUndoManagerCheckpoint = NSNotification.Name("NSUndoManagerCheckpointNotification")
    /// Posted after a group was opened.
    public static let NSUndoManagerDidOpenUndoGroup = NSNotification.Name("NSUndoManagerDidOpenUndoGroupNotification")
    /// Posted before a group is closed; its user info may have `NSUndoManagerGroupIsDiscardableKey`.
    public static let NSUndoManagerWillCloseUndoGroup = NSNotification.Name(
        "NSUndoManagerWillCloseUndoGroupNotification")
    /// Posted after a group was closed; its user info may have `NSUndoManagerGroupIsDiscardableKey`.
    public static let NSUndoManagerDidCloseUndoGroup = NSNotification.Name("NSUndoManagerDidCloseUndoGroupNotification")
    /// Posted before actions are undone.
    public static let NSUndoManagerWillUndoChange = NSNotification.Name("NSUndoManagerWillUndoChangeNotification")
    /// Posted after actions were undone; its user info may have `NSUndoManagerGroupIsDiscardableKey`.
    public static let NSUndoManagerDidUndoChange = NSNotification.Name("NSUndoManagerDidUndoChangeNotification")
    /// Posted before actions are redone.
    public static let NSUndoManagerWillRedoChange = NSNotification.Name("NSUndoManagerWillRedoChangeNotification")
    /// Posted after actions were redone; its user info may have `NSUndoManagerGroupIsDiscardableKey`.
    public static let NSUndoManagerDidRedoChange = NSNotification.Name("NSUndoManagerDidRedoChangeNotification")
}

/// In the user info of notifications, with the value true, when the whole group may be discarded; absent otherwise.
public let NSUndoManagerGroupIsDiscardableKey = "NSUndoManagerGroupIsDiscardableKey"

/// The place among the orders of a run loop's pass at which Apple's undo managers close the event's group. On Linux
/// run loops have no orders; the constant is there for programs that name it.
public let NSUndoCloseGroupingRunLoopOrdering = 350_000
