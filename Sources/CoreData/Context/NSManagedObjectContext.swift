import Dispatch
import FoundationSupplement
import ManagedObjectModel
import Synchronization

/// A space in which objects are fetched, changed and saved.
///
/// ```swift
/// let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
/// context.persistentStoreCoordinator = coordinator
/// try context.performAndWait {
///     let city = NSEntityDescription.insertNewObject(forEntityName: "City", into: context)
///     city.setValue("Oslo", forKey: "name")
///     try context.save()
/// }
/// ```
/// There is one object per row and context. Objects without unsaved changes are held weakly: memory follows use.
/// A context and its objects are used on the context's queue only.
///
/// A context saves to its coordinator's stores, or, if it has a `parent`, to that context, one level up.
open class NSManagedObjectContext: NSObject, NSLocking, @unchecked Sendable {
    /// The queue that the context is used on.
    public let concurrencyType: NSManagedObjectContextConcurrencyType
    /// A name for people.
    open var name: String?
    /// Free information for the program.
    public let userInfo = NSMutableDictionary()
    /// Who is changing data, for the history of stores that keep one.
    open var transactionAuthor: String?

    /// What happens when an object is saved whose row was changed by someone else, or a uniqueness constraint is
    /// violated: an `NSMergePolicy`. Without one that resolves conflicts, the save fails.
    open var mergePolicy: Any = NSErrorMergePolicy
    /// How old, in seconds, a row may be that the coordinator remembers, for an object to be filled with it. Negative, as
    /// at first: of any age.
    open var stalenessInterval: TimeInterval = -1
    /// Whether delete rules are applied when changes are processed, or, if false, only by a save.
    open var propagatesDeletesAtEndOfEvent = true
    /// Whether an object whose row is found to be gone counts as deleted, with nil for all its values. If false, that is a
    /// mistake of the program.
    open var shouldDeleteInaccessibleFaults = true
    /// Whether what is saved to the coordinator, or to the parent context, by others is merged into this context.
    open var automaticallyMergesChangesFromParent = false
    /// What notes changes so that they can be undone. Nil at first, as then nothing needs to be noted.
    open var undoManager: UndoManager? {
        willSet { if newValue !== undoManager { undoManager?.removeAllActions(withTarget: self) } }
    }
    /// Whether the context keeps all its objects in memory, and not only those with unsaved changes.
    open var retainsRegisteredObjects = false {
        didSet { retained = retainsRegisteredObjects ? registry.objects : [] }
    }
    var retained: [NSManagedObject] = []

    /// When the reading that is going on began, by the row cache's clock; 0, long ago, where that isn't known.
    var readingSince = 0.0

    let registry = ObjectRegistry()
    // Objects with unsaved changes, held strongly until they are saved or dropped.
    var inserted = ObjectList()
    var updated = ObjectList()
    var deleted = ObjectList()
    /// What was touched since changes were last processed.
    var event = ContextEvent()
    /// Deleted objects whose delete rules are still to be applied.
    var pendingDeletes: [NSManagedObject] = []
    /// Changes between `willChangeValue(forKey:)` and `didChangeValue(forKey:)`.
    var openChanges: [OpenChange] = []
    /// Objects whose versions are checked by the next save although they aren't changed.
    var locked = ObjectList()
    /// The stores that a program has chosen for new objects.
    var assignedStores: [ObjectIdentifier: NSPersistentStore] = [:]
    /// Nothing is processed while changes are being processed or undone.
    var isProcessing = false
    var isProcessingScheduled = false
    /// For child contexts that still know an object by its temporary key.
    var permanentIDs: [Int64: NSManagedObjectID] = [:]
    /// How many objects here have got a permanent ID; children look at it from their queues.
    let adoptions = Atomic<Int>(0)
    /// The temporary keys of this child's objects that the parent has too.
    var temporaryKeysInParent: Set<Int64> = []
    /// The parents' `adoptions` when these keys were last looked up.
    var seenAdoptions = 0
    /// The contexts that have this one as parent.
    let children = ContextList()

    private let programLock = NSRecursiveLock()
    let queue: DispatchQueue
    /// The thread that runs one of the context's blocks, or 0.
    let owner = Atomic<UInt>(0)

    /// Creates a context without a coordinator.
    ///
    /// - Parameter ct: the queue that the context will be used on.
    public init(concurrencyType ct: NSManagedObjectContextConcurrencyType) {
        concurrencyType = ct
        queue = ct == .mainQueueConcurrencyType ? .main : DispatchQueue(label: "NSManagedObjectContext")
        super.init()
        registry.context = self
        _ = NSFetchRequestExpression.isRegistered
    }

    /// Creates a context without a coordinator.
    public convenience init(_ type: ConcurrencyType) { self.init(concurrencyType: type.rawValue) }

    /// Creates a context that is confined to whatever thread the program uses it on.
    @available(*, deprecated, message: "Say which queue the context is used on.")
    public convenience override init() { self.init(concurrencyType: .confinementConcurrencyType) }

    deinit {
        undoManager?.removeAllActions(withTarget: self)
        // Objects that know each other in both directions would keep each other in memory for ever.
        for object in registry.objects { object.orphan() }
    }

    // MARK: Where the context saves to

    /// The coordinator whose stores the context reads and writes: its own, or that of the context at the root.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get { parent?.persistentStoreCoordinator ?? ownCoordinator }
        set {
            guard parent == nil else {
                misuse("Context already has a parent; cannot set a coordinator")
                return
            }
            ownCoordinator?.contexts.remove(self)
            ownCoordinator = newValue
            newValue?.contexts.add(self)
        }
    }
    private var ownCoordinator: NSPersistentStoreCoordinator?

    /// The context that this one reads from and saves to, instead of stores. Set once, before use.
    open var parent: NSManagedObjectContext? {
        didSet {
            guard parent !== oldValue else { return }
            guard ownCoordinator == nil else {
                misuse("Context already has a coordinator; cannot replace")
                parent = oldValue
                return
            }
            if parent?.concurrencyType == .confinementConcurrencyType {
                misuse(
                    "Parent NSManagedObjectContext must use either NSPrivateQueueConcurrencyType or"
                        + " NSMainQueueConcurrencyType.")
            }
            oldValue?.children.remove(self)
            parent?.children.add(self)
        }
    }

    func coordinator() throws -> NSPersistentStoreCoordinator {
        guard let persistentStoreCoordinator else {
            throw CocoaError.request("the context has no persistent store coordinator")
        }
        return persistentStoreCoordinator
    }

    // MARK: What the context holds

    /// The objects to be inserted by the next save.
    open var insertedObjects: Set<NSManagedObject> { Set(inserted.objects) }
    /// The objects whose changes the next save will write.
    open var updatedObjects: Set<NSManagedObject> { Set(updated.objects) }
    /// The objects to be deleted by the next save.
    open var deletedObjects: Set<NSManagedObject> { Set(deleted.objects) }
    /// The objects in memory that belong to the context.
    open var registeredObjects: Set<NSManagedObject> { Set(registry.objects) }
    /// Whether there are unsaved changes.
    open var hasChanges: Bool { !inserted.isEmpty || !updated.isEmpty || !deleted.isEmpty }

    /// Asked when an object is used whose row is gone.
    ///
    /// - Parameters:
    ///   - fault: the object.
    ///   - oid: its ID.
    ///   - property: the property that was to be read, if one was.
    /// - Returns: whether the object shall count as deleted; by default `shouldDeleteInaccessibleFaults`.
    open func shouldHandleInaccessibleFault(
        _ fault: NSManagedObject, for oid: NSManagedObjectID, triggeredByProperty property: NSPropertyDescription?
    ) -> Bool {
        shouldDeleteInaccessibleFaults
    }

    // MARK: Finding objects by ID

    /// The object with an ID if it is in memory. Reads nothing.
    open func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? { known(objectID) }

    /// The object with an ID, filled from the store when first used; the row is taken to exist. Reads nothing.
    open func object(with objectID: NSManagedObjectID) -> NSManagedObject { knownOrFault(objectID) }

    /// The object with an ID, filled.
    ///
    /// - Throws: `managedObjectReferentialIntegrity` (133000) when there is no such row, or it is in none of the stores.
    open func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject { try existing(objectID) }

    // MARK: Changing and saving

    /// Writes all changes to the stores, each store in one transaction; or to the parent context, one level up.
    ///
    /// A failed save changes nothing, neither in the stores nor in the context.
    /// - Throws: validation errors (1550–1680), `managedObjectMerge` (133020) when a row was changed by someone else,
    ///   `managedObjectConstraintMerge` (133021) when a uniqueness constraint is violated, where the merge policy doesn't
    ///   resolve it.
    open func save() throws { try saveChanges() }

    /// Inserts an object that was made without a context.
    open func insert(_ object: NSManagedObject) { insertObject(object) }

    /// Marks an object to be deleted by the next save. Delete rules are applied when changes are processed.
    open func delete(_ object: NSManagedObject) { deleteObject(object) }

    /// Applies the delete rules of deleted objects, notes how to undo what was changed, and tells who listens.
    ///
    /// Called at the end of each block given to `perform`, by saves, and, for the main queue's contexts, when the queue's
    /// turn ends. `performAndWait` doesn't call it.
    open func processPendingChanges() { processPendingChanges(isSaving: false) }

    /// Gives an object the values that the coordinator remembers for it, or the store or the parent context has.
    ///
    /// - Parameters:
    ///   - object: the object. It becomes a fault, unless it has unsaved changes that stay.
    ///   - flag: whether unsaved changes stay, on top of the new values. If not, they are dropped.
    open func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) { refreshObject(object, flag) }

    /// Refreshes all objects, keeping unsaved changes, and tells who listens.
    open func refreshAllObjects() { refreshAll() }

    /// Checks, when the context is saved, that the row of an object was not changed by someone else, although the object
    /// itself isn't changed.
    open func detectConflicts(for object: NSManagedObject) { noteLocked(object) }

    /// Undoes what was done since the last time changes were processed, or the step before. Does nothing without an
    /// undo manager.
    open func undo() {
        guard let undoManager else { return }
        processPendingChanges()
        undoManager.undo()
    }

    /// Does again what was undone last.
    open func redo() {
        guard let undoManager else { return }
        processPendingChanges()
        undoManager.redo()
    }

    /// Forgets everything: objects, changes. Objects of the context can't be used any more.
    open func reset() { forgetAll() }

    /// Drops all unsaved changes: inserted objects leave the context, changed and deleted ones are again as they were
    /// last read or saved. What could be undone can't any more.
    open func rollback() { dropAllChanges() }

    // MARK: Stores

    /// Chooses the store that a new object will be saved to, where several could take it.
    ///
    /// - Parameters:
    ///   - object: an object that was never saved.
    ///   - store: one of the coordinator's stores, whose configuration has the object's entity.
    open func assign(_ object: Any, to store: NSPersistentStore) { choose(store, for: object) }

    /// Gives new objects the IDs that they will be saved under. Those that have one are left alone.
    ///
    /// Takes keys from the stores, one transaction each: keys that are never saved stay unused.
    /// - Throws: when no store can take an object.
    open func obtainPermanentIDs(for objects: [NSManagedObject]) throws { try takePermanentIDs(for: objects) }

    // MARK: What others have saved

    /// Brings what another context has saved into this one.
    ///
    /// Updated objects that have their values here are refreshed, unsaved changes staying on top; inserted objects come in
    /// as faults; deleted ones that are in memory are deleted here too. The other context may have a coordinator of its
    /// own that has the same store open.
    /// - Parameter notification: the other context's `NSManagedObjectContextDidSave`.
    open func mergeChanges(fromContextDidSave notification: Notification) { merge(notification) }

    /// Brings changes that were made elsewhere, as by a batch request or in another process, into contexts.
    ///
    /// - Parameters:
    ///   - changeNotificationData: by the keys of change notifications, as `NSDeletedObjectsKey`: object IDs, or their
    ///     URIs.
    ///   - contexts: the contexts; parents come before their children by themselves.
    open class func mergeChanges(
        fromRemoteContextSave changeNotificationData: [AnyHashable: Any], into contexts: [NSManagedObjectContext]
    ) {
        merge(remote: changeNotificationData, into: contexts)
    }

    // MARK: The queue

    /// Runs a block on the context's queue, later, and processes the changes that it made.
    open func perform(_ block: @escaping () -> Void) { enqueue(block) }

    /// Waits for who has locked the context. Deprecated by Apple: a context is used on its queue, by `perform`.
    open func lock() { programLock.lock() }

    /// Ends `lock()`.
    open func unlock() { programLock.unlock() }

    /// Like `lock()`, unless it would have to wait.
    open func tryLock() -> Bool { programLock.try() }

    func post(_ name: Notification.Name, _ userInfo: [AnyHashable: Any]) {
        NotificationCenter.default.post(name: name, object: self, userInfo: userInfo)
    }
}

/// Contexts, held weakly; may be used from any thread.
final class ContextList: @unchecked Sendable {
    private struct Entry { weak var context: NSManagedObjectContext? }
    private var entries: [Entry] = []
    private let lock = NSLock()

    var contexts: [NSManagedObjectContext] { lock.withLock { entries.compactMap(\.context) } }

    /// Whether no context was ever added, or all were removed.
    var isEmpty: Bool { lock.withLock { entries.isEmpty } }

    func add(_ context: NSManagedObjectContext) {
        lock.withLock {
            entries.removeAll { $0.context == nil }
            entries.append(Entry(context: context))
        }
    }

    func remove(_ context: NSManagedObjectContext) {
        lock.withLock { entries.removeAll { $0.context == nil || $0.context === context } }
    }
}
