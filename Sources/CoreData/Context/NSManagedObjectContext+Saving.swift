import FoundationSupplement
import ManagedObjectModel

extension NSManagedObjectContext {
    /// Writes all changes to the stores, each store in one transaction.
    ///
    /// In order: delete rules, validation, `willSave`, writing, new object IDs, `didSave`. Nothing is written when
    /// anything fails.
    /// - Throws: validation errors (1550–1680), `managedObjectMerge` (133020) when a row was changed by someone else,
    ///   `managedObjectConstraintMerge` (133021) when a uniqueness constraint is violated.
    public func save() throws {
        processPendingChanges()
        let coordinator = try coordinator()
        post(.NSManagedObjectContextWillSave, [:])
        try sendWillSave()
        try validate()
        // An order is written from the whole relationship, which can only be read before its rows change.
        for object in inserted.objects + updated.objects { object.loadReorderedRelationships() }
        let plan = try savePlan(coordinator)
        let sets: [AnyHashable: Any] = [
            NSInsertedObjectsKey: Set(plan.flatMap(\.changes.inserted)),
            NSUpdatedObjectsKey: Set(plan.flatMap(\.changes.updated)),
            NSDeletedObjectsKey: Set(plan.flatMap(\.changes.deleted)),
        ]
        // What one store has committed is saved, even if the next one fails.
        for (store, changes) in plan {
            try coordinator.exclusively { adopt(try store.save(changes, in: self), changes) }
            for object in changes.inserted + changes.updated { finish(object) }
            for object in changes.deleted { leave(object) }
        }
        // What is left had no persistent changes.
        for object in inserted.objects + updated.objects where !object.isDeleted { finish(object) }
        for object in deleted.objects { leave(object) }
        for change in plan { for object in change.changes.inserted + change.changes.updated { object.didSave() } }
        for change in plan { for object in change.changes.deleted { object.didSave() } }
        post(.NSManagedObjectContextDidSave, sets)
    }

    /// Calls `willSave` on every changed object, and again on those that the calls have changed.
    private func sendWillSave() throws {
        var next =
            inserted.objects.filter { !$0.isDeleted } + updated.objects + deleted.objects.filter { !$0.isInserted }
        var rounds = 0
        while !next.isEmpty {
            rounds += 1
            guard rounds <= 1000 else {
                changedWhileSaving = nil
                throw CocoaError.request(
                    "Failed to process pending changes before save. The context is still dirty after 1000 attempts."
                        + " Typically this recursive dirtying is caused by a bad validation method, -willSave, or"
                        + " notification handler.")
            }
            changedWhileSaving = ObjectList()
            for object in next { object.willSave() }
            processPendingChanges()
            next = changedWhileSaving?.objects ?? []
            changedWhileSaving = nil
        }
    }

    private typealias Plan = [(store: NSPersistentStore, changes: SaveChanges)]

    /// The changes that are really to be written, by store.
    private func savePlan(_ coordinator: NSPersistentStoreCoordinator) throws -> Plan {
        let stores = coordinator.persistentStores
        var changes = Array(repeating: SaveChanges(), count: stores.count)
        func add(
            _ store: NSPersistentStore?, _ object: NSManagedObject,
            _ list: WritableKeyPath<SaveChanges, [NSManagedObject]>
        ) throws {
            guard let store, let at = stores.firstIndex(where: { $0 === store }) else {
                throw CocoaError.store(
                    .persistentStoreSave, nil, "the store of \(object.objectID) was removed from the coordinator")
            }
            changes[at][keyPath: list].append(object)
        }
        for object in inserted.objects where !object.isDeleted {
            try add(try coordinator.storeForInsertion(of: object.entity), object, \.inserted)
        }
        for object in updated.objects where !object.isDeleted && object.hasPersistentChangedValues {
            try add(object.objectID.persistentStore, object, \.updated)
        }
        for object in deleted.objects where !object.isInserted && !object.isInaccessible {
            try add(object.objectID.persistentStore, object, \.deleted)
        }
        return zip(stores, changes).filter { !$0.1.isEmpty || $0.0.wantsEmptySaves }.map { ($0.0, $0.1) }
    }

    private func validate() throws {
        var errors: [CocoaError] = []
        func check(_ object: NSManagedObject, _ rules: (NSManagedObject) -> () throws -> Void) throws {
            do {
                try rules(object)()
            } catch let error as CocoaError {
                errors += error.userInfo[NSDetailedErrorsKey] as? [CocoaError] ?? [error]
            }
        }
        for object in deleted.objects where !object.isInserted && !object.isInaccessible {
            try check(object, NSManagedObject.validateForDelete)
        }
        for object in inserted.objects where !object.isDeleted { try check(object, NSManagedObject.validateForInsert) }
        for object in updated.objects where !object.isDeleted { try check(object, NSManagedObject.validateForUpdate) }
        try NSManagedObject.raise(errors)
    }

    private func adopt(_ outcome: SaveOutcome, _ changes: SaveChanges) {
        for object in changes.inserted {
            guard let id = outcome.identifiers[ObjectIdentifier(object)] else { continue }
            registry.remove(object, object.key)
            object.objectID = id
            registry.register(object)
        }
        for object in changes.inserted + changes.updated {
            object.row = outcome.rows[ObjectIdentifier(object)] ?? object.row
        }
    }

    /// The object is as the store has it.
    private func finish(_ object: NSManagedObject) {
        object.state.remove([.inserted, .updated])
        for case .toMany(let relation) in object.slots { relation.noteSaved() }
        inserted.remove(object)
        updated.remove(object)
    }

    /// The object's row is gone.
    private func leave(_ object: NSManagedObject) {
        release(object)
        object.state.remove([.inserted, .updated, .deleted])
        deleted.remove(object)
    }

    // MARK: Deleting

    /// Applies the delete rules of deleted objects and tells who listens what changed.
    public func processPendingChanges() {
        let hadDeletes = !pendingDeletes.isEmpty
        while let object = pendingDeletes.popLast() { propagateDelete(object) }
        if hadDeletes {
            post(.NSManagedObjectContextObjectsDidChange, [NSDeletedObjectsKey: deletedObjects])
        }
    }

    private func propagateDelete(_ object: NSManagedObject) {
        for (slot, property) in object.layout.properties.enumerated() {
            guard let relationship = property as? NSRelationshipDescription,
                relationship.deleteRule == .cascadeDeleteRule || relationship.deleteRule == .nullifyDeleteRule
            else { continue }
            for other in object.related(slot) {
                if relationship.deleteRule == .cascadeDeleteRule {
                    delete(other)
                } else if !other.isDeleted, let inverse = relationship.inverseRelationship {
                    other.detach(inverse, object)
                }
            }
        }
        if object.isInserted { inserted.remove(object) }
    }
}
