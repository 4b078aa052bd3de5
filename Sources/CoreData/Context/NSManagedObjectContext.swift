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
open class NSManagedObjectContext: NSObject, @unchecked Sendable {
    /// The queue that the context is used on.
    public let concurrencyType: NSManagedObjectContextConcurrencyType
    /// The coordinator whose stores the context reads and writes.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator?
    /// A name for people.
    open var name: String?
    /// Free information for the program.
    public let userInfo = NSMutableDictionary()

    var inserted = ObjectList()
    var updated = ObjectList()
    var deleted = ObjectList()
    /// During a save, the objects that `willSave` has changed.
    var changedWhileSaving: ObjectList?
    let registry = ObjectRegistry()
    private let queue: DispatchQueue
    /// The thread that runs one of the context's blocks, or 0.
    private let owner = Atomic<UInt>(0)

    /// Creates a context without a coordinator.
    public init(concurrencyType ct: NSManagedObjectContextConcurrencyType) {
        concurrencyType = ct
        queue = ct == .mainQueueConcurrencyType ? .main : DispatchQueue(label: "NSManagedObjectContext")
        super.init()
        registry.context = self
    }

    deinit {
        // Objects that know each other in both directions would keep each other in memory for ever.
        for object in registry.objects { object.orphan() }
    }

    // MARK: Queue

    /// Runs a block on the context's queue, later, and processes the changes that it made.
    open func perform(_ block: @escaping () -> Void) {
        // The context is confined to its queue; that is what makes handing the block over safe.
        nonisolated(unsafe) let block = block
        queue.async {
            self.owned {
                block()
                self.processPendingChanges()
            }
        }
    }

    /// Runs a block on the context's queue and waits for it. Calls may be nested.
    open func performAndWait<T, E: Error>(_ block: () throws(E) -> T) throws(E) -> T {
        if isOnQueue { return try block() }
        var result: Result<T, E>?
        queue.sync {
            owned { do throws(E) { result = .success(try block()) } catch { result = .failure(error) } }
        }
        guard let result else { preconditionFailure("a queue didn't run its block") }
        return try result.get()
    }

    private var isOnQueue: Bool {
        switch concurrencyType {
        case .mainQueueConcurrencyType: Thread.isMainThread
        case .privateQueueConcurrencyType: owner.load(ordering: .relaxed) == Self.currentThread
        case .confinementConcurrencyType: true
        }
    }

    /// Notes whose thread runs `body`. Not the queue but the thread tells whether a call may go ahead: a block of
    /// another context, called from one of this, runs on another queue but on the same thread.
    private func owned(_ body: () -> Void) {
        owner.store(Self.currentThread, ordering: .relaxed)
        defer { owner.store(0, ordering: .relaxed) }
        body()
    }

    private static var currentThread: UInt { UInt(pthread_self()) }

    // MARK: Objects

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

    /// Inserts an object that was made without a context.
    open func insert(_ object: NSManagedObject) {
        if let other = object.managedObjectContext {
            if other !== self {
                misuse("An NSManagedObject's context can't be changed: \(object) belongs to another context.")
            }
            return
        }
        guard !object.entity.isAbstract else {
            misuse("Cannot create instances of abstract entity \(object.entity.name ?? "")")
            return
        }
        object.registry = registry
        object.state.insert(.inserted)
        inserted.append(object)
        registry.register(object)
        object.awakeFromInsert()
    }

    /// Marks an object to be deleted by the next save. Delete rules are applied when changes are processed.
    open func delete(_ object: NSManagedObject) {
        guard object.managedObjectContext === self else {
            misuse("An NSManagedObjectContext cannot delete objects in other contexts.")
            return
        }
        guard !object.isDeleted else { return }
        object.prepareForDeletion()
        object.state.insert(.deleted)
        updated.remove(object)
        object.state.remove(.updated)
        deleted.append(object)
        pendingDeletes.append(object)
    }
    var pendingDeletes: [NSManagedObject] = []

    /// The object with an ID if it is in memory.
    open func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
        registry.object(objectID.key)
    }

    /// The object with an ID, filled from the store when first used; the row is taken to exist.
    open func object(with objectID: NSManagedObjectID) -> NSManagedObject {
        registry.object(objectID.key) ?? makeFault(objectID.layout, objectID.primaryKey, objectID.space, row: nil)
    }

    /// The object with an ID.
    ///
    /// - Throws: `managedObjectReferentialIntegrity` (133000) when there is no such row.
    open func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
        if let known = registry.object(objectID.key), !known.isFault, !known.isInaccessible { return known }
        guard !objectID.isTemporaryID, let store = objectID.persistentStore,
            let (entity, row) = try coordinator().exclusively({
                try store.row(objectID.entity, objectID.primaryKey, in: self)
            }),
            entity.isKindOf(entity: objectID.entity)
        else {
            throw CocoaError(
                .managedObjectReferentialIntegrity,
                userInfo: [
                    NSLocalizedDescriptionKey: "The operation couldn't be completed: there is no row for \(objectID).",
                    "NSAffectedObjectsErrorKey": [objectID],
                ])
        }
        let object = materialise(entity.layout, objectID.primaryKey, objectID.space, row: row)
        _ = object.slotValue(0)
        return object
    }

    func coordinator() throws -> NSPersistentStoreCoordinator {
        guard let persistentStoreCoordinator else {
            throw CocoaError.request("the context has no persistent store coordinator")
        }
        return persistentStoreCoordinator
    }

    /// Forgets everything: objects, changes. Objects of the context can't be used any more.
    open func reset() {
        let objects = registry.objects
        registry.removeAll()
        inserted.removeAll()
        updated.removeAll()
        deleted.removeAll()
        pendingDeletes = []
        for object in objects { object.orphan() }
        post(.NSManagedObjectContextObjectsDidChange, [NSInvalidatedAllObjectsKey: [NSManagedObjectID]()])
    }

    /// Drops all unsaved changes: inserted objects leave the context, changed and deleted ones become what the store
    /// has.
    open func rollback() {
        let (new, old) = (inserted.objects + deleted.objects.filter(\.isInserted), updated.objects + deleted.objects)
        inserted.removeAll()
        updated.removeAll()
        deleted.removeAll()
        pendingDeletes = []
        for object in old where !object.isInserted {
            object.state.remove(.deleted)
            turnIntoFault(object)
        }
        for object in new {
            release(object)
            object.state.remove([.inserted, .deleted])
        }
    }

    /// Lets an object's values go, to be read again from the store. With `mergeChanges`, unsaved changes stay.
    open func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
        guard !object.isInserted, !object.isFault, object.managedObjectContext === self else { return }
        guard flag, object.isUpdated else {
            updated.remove(object)
            turnIntoFault(object)
            return
        }
        let mine = object.changedSlots.map { ($0, object.slots[$0]) }
        guard let row = row(of: object) else { return }
        object.row = row
        var slots = row.values
        for (slot, value) in mine { slots[slot] = value }
        object.slots = slots
    }

    /// Lets an object leave the context.
    func release(_ object: NSManagedObject) {
        registry.remove(object, object.key)
        object.registry = nil
    }

    private func turnIntoFault(_ object: NSManagedObject) {
        object.willTurnIntoFault()
        object.state.remove(.updated)
        object.state.insert(.fault)
        object.slots = []
        object.row = nil
        object.didTurnIntoFault()
    }

    // MARK: What objects ask

    func noteChange(of object: NSManagedObject) {
        guard !object.state.contains(.awaking) else { return }
        changedWhileSaving?.append(object)
        guard object.state.isDisjoint(with: [.inserted, .deleted, .updated]) else { return }
        object.state.insert(.updated)
        updated.append(object)
    }

    /// An object whose row is gone counts as deleted, as with Apple's `shouldDeleteInaccessibleFaults`.
    func noteInaccessible(_ object: NSManagedObject) {
        object.state.remove(.updated)
        updated.remove(object)
        object.state.insert(.deleted)
        deleted.append(object)
    }

    /// The row of an object; nil when it is gone, or is no longer that of such an object.
    func row(of object: NSManagedObject) -> Row? { try? storedRow(of: object).get() }

    /// The row of an object; nil when it is gone. A failure says that nobody knows.
    func storedRow(of object: NSManagedObject) -> Result<Row?, any Error> {
        let id = object.objectID
        guard !id.isTemporaryID, let store = id.persistentStore, let coordinator = store.persistentStoreCoordinator
        else {
            return .failure(CocoaError.request("the store of \(id) is closed"))
        }
        return Result {
            let found = try coordinator.exclusively { try store.row(id.entity, id.primaryKey, in: self) }
            guard let (entity, row) = found, entity.isKindOf(entity: id.entity) else { return nil }
            return row
        }
    }

    /// The object that a key in a row of `source` means.
    func object(
        primaryKey: Int64, entityNumber: Int32, of relationship: NSRelationshipDescription, source: NSManagedObject
    ) -> NSManagedObject? {
        guard let store = source.objectID.persistentStore ?? persistentStoreCoordinator?.persistentStores.first,
            let destination = relationship.destinationEntity
        else { return nil }
        // A file may hold any number; one that means no entity of the right kind means the declared one.
        let stored = store.entity(number: entityNumber)
        let entity = stored?.isKindOf(entity: destination) == true ? stored ?? destination : destination
        return object(with: NSManagedObjectID(entity, primaryKey: primaryKey, space: store.space(of: entity)))
    }

    func objects(of relationship: NSRelationshipDescription, source: NSManagedObject) -> [NSManagedObject] {
        let id = source.objectID
        guard !id.isTemporaryID, let store = id.persistentStore, let coordinator = store.persistentStoreCoordinator
        else {
            return []
        }
        do {
            let keys = try coordinator.exclusively {
                try store.keys(of: relationship, id.entity, id.primaryKey, in: self)
            }
            return keys.filter { entity, _ in
                relationship.destinationEntity.map { entity.isKindOf(entity: $0) } ?? false
            }.map { entity, key in
                object(with: NSManagedObjectID(entity, primaryKey: key, space: store.space(of: entity)))
            }
        } catch {
            SQLLog.warn("'\(relationship.name)' of \(id) can't be read: \(error.localizedDescription)")
            return []
        }
    }

    func fetchedValue(of property: NSFetchedPropertyDescription, source: NSManagedObject) -> Any? {
        guard let request = property.fetchRequest else { return nil }
        do {
            let copy = NSFetchRequest<NSManagedObject>()
            copy.entity = request.entity
            copy.predicate = request.predicate?.withSubstitutionVariables([
                "FETCH_SOURCE": source, "FETCHED_PROPERTY": property,
            ])
            copy.sortDescriptors = request.sortDescriptors
            copy.fetchLimit = request.fetchLimit
            return try fetch(copy)
        } catch {
            SQLLog.warn("the fetched property '\(property.name)' failed: \(error.localizedDescription)")
            return nil
        }
    }

    // MARK: Making objects

    /// The one object for a row: the one in memory, or a new one.
    func materialise(_ layout: EntityLayout, _ primaryKey: Int64, _ space: ObjectIDSpace, row: Row?) -> NSManagedObject
    {
        guard let known = registry.object(ObjectKey(space: ObjectIdentifier(space), primaryKey: primaryKey)) else {
            return makeFault(layout, primaryKey, space, row: row)
        }
        if known.isFault, let row { known.row = row }
        return known
    }

    private func makeFault(
        _ layout: EntityLayout, _ primaryKey: Int64, _ space: ObjectIDSpace, row: Row?
    ) -> NSManagedObject {
        let object = layout.objectClass.init(_frameworkOnly: layout.entity)
        object.setKey(primaryKey, space)
        object.registry = registry
        object.slots = []
        object.row = row
        object.state = .fault
        registry.register(object)
        return object
    }

    func post(_ name: Notification.Name, _ userInfo: [AnyHashable: Any]) {
        NotificationCenter.default.post(name: name, object: self, userInfo: userInfo)
    }
}

extension Notification.Name {
    /// Posted when changes were processed; the user info has sets of objects.
    public static let NSManagedObjectContextObjectsDidChange = Notification.Name(
        "NSObjectsChangedInManagingContextNotification")
    /// Posted before a save.
    public static let NSManagedObjectContextWillSave = Notification.Name("NSManagingContextWillSaveChangesNotification")
    /// Posted after a save; the user info has sets of objects.
    public static let NSManagedObjectContextDidSave = Notification.Name("NSManagingContextDidSaveChangesNotification")
}
