import FoundationSupplement
import ManagedObjectModel

/// The changes of a save, as what other contexts need to know of it.
struct SavedChanges: Sendable {
    var inserted: [NSManagedObjectID] = []
    var updated: [NSManagedObjectID] = []
    var deleted: [NSManagedObjectID] = []
    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}

extension NSManagedObjectContext {
    /// Brings what another context has saved into this one.
    ///
    /// Updated objects that have their values here are refreshed, unsaved changes staying on top; inserted objects come in
    /// as faults; deleted ones that are in memory are deleted here too.
    /// - Parameter notification: the other context's `NSManagedObjectContextDidSave`.
    public func mergeChanges(fromContextDidSave notification: Notification) {
        checkQueue()
        let info = notification.userInfo ?? [:]
        merge(
            SavedChanges(
                inserted: Self.identifiers(info, [NSInsertedObjectsKey, NSInsertedObjectIDsKey], self),
                updated: Self.identifiers(
                    info, [NSUpdatedObjectsKey, NSUpdatedObjectIDsKey, NSRefreshedObjectsKey, NSRefreshedObjectIDsKey],
                    self),
                deleted: Self.identifiers(info, [NSDeletedObjectsKey, NSDeletedObjectIDsKey], self)))
    }

    /// Brings changes that were made elsewhere, as by a batch request or in another process, into contexts.
    ///
    /// - Parameters:
    ///   - changeNotificationData: by the keys of change notifications, as `NSDeletedObjectsKey`: object IDs, or their
    ///     URIs.
    ///   - contexts: the contexts; parents come before their children by themselves.
    public class func mergeChanges(
        fromRemoteContextSave changeNotificationData: [AnyHashable: Any], into contexts: [NSManagedObjectContext]
    ) {
        func depth(_ context: NSManagedObjectContext) -> Int { context.parent.map { depth($0) + 1 } ?? 0 }
        for context in contexts.sorted(by: { depth($0) < depth($1) }) {
            context.performAndWait {
                let changes = SavedChanges(
                    inserted: identifiers(
                        changeNotificationData, [NSInsertedObjectsKey, NSInsertedObjectIDsKey], context),
                    updated: identifiers(
                        changeNotificationData, [NSUpdatedObjectsKey, NSUpdatedObjectIDsKey], context),
                    deleted: identifiers(
                        changeNotificationData, [NSDeletedObjectsKey, NSDeletedObjectIDsKey], context))
                // What the coordinator remembers of these rows is of before.
                if context.parent == nil {
                    for id in changes.updated + changes.deleted { id.space.rows.forget(id.primaryKey) }
                    for id in changes.updated { context.registeredObject(for: id)?.forgetCachedRow() }
                }
                context.merge(changes)
            }
        }
    }

    private static func identifiers(
        _ info: [AnyHashable: Any], _ keys: [String], _ context: NSManagedObjectContext
    ) -> [NSManagedObjectID] {
        keys.flatMap { key -> [Any] in
            switch info[key] {
            case let list as [Any]: list
            case let set as Set<AnyHashable>: set.map(\.base)
            case let set as Set<NSManagedObject>: Array(set)
            case let set as Set<NSManagedObjectID>: Array(set)
            case let set as NSSet: set.allObjects
            default: []
            }
        }.compactMap { item in
            switch item {
            case let object as NSManagedObject: object.objectID
            case let id as NSManagedObjectID: id
            case let uri as URL: context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri)
            default: nil
            }
        }
    }

    func merge(_ changes: SavedChanges) {
        adoptPermanentIDs()
        var refreshed: [NSManagedObject] = []
        for id in changes.updated {
            // An object that nobody has seen the values of needs no telling.
            guard let object = registeredObject(for: id), !object.isFault, !object.isDeleted else { continue }
            refresh(object, mergeChanges: true)
            refreshed.append(object)
        }
        let inserted = changes.inserted.map { object(with: $0) }
        event.mergedInserts += inserted
        var deleted: [NSManagedObject] = []
        for id in changes.deleted {
            guard let object = registeredObject(for: id), !object.isDeleted else { continue }
            object.willAccessCached()
            updated.remove(object)
            object.state.remove(.updated)
            object.state.insert(.deleted)
            self.deleted.append(object)
            event.mergedDeletes.append(object)
            deleted.append(object)
        }
        processPendingChanges()
        post(
            .NSManagedObjectContextDidMergeChangesObjectIDs,
            [
                NSInsertedObjectIDsKey: Set(inserted.map(\.objectID)), NSUpdatedObjectIDsKey: Set(changes.updated),
                NSRefreshedObjectIDsKey: Set(refreshed.map(\.objectID)),
                NSDeletedObjectIDsKey: Set(deleted.map(\.objectID)),
            ])
    }

    /// Tells the contexts that merge by themselves what this one has saved.
    func announce(_ changes: SavedChanges) {
        guard !changes.isEmpty else { return }
        let others = parent.map { $0.children } ?? persistentStoreCoordinator?.contexts
        var listeners = (others?.contexts ?? []) + children.contexts
        listeners.removeAll { $0 === self || !$0.automaticallyMergesChangesFromParent }
        for context in listeners {
            context.perform { [weak context] in context?.merge(changes) }
        }
    }
}

extension NSManagedObject {
    /// Lets the row of a fault go, so that the store is asked when the fault is fired.
    fileprivate final func forgetCachedRow() {
        if isFault { row = nil }
    }

    /// Before the row is gone for good: a fault shows what is known of it.
    fileprivate final func willAccessCached() {
        guard isFault else { return }
        slots = row?.values ?? layout.emptySlots
        state.remove(.fault)
        if row == nil { state.insert(.inaccessible) }
    }
}
