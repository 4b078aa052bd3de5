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
        for object in inserted.objects + updated.objects where !object.isDeleted { object.willSave() }
        processPendingChanges()
        try validate()
        let plan = try savePlan(coordinator)
        let sets: [AnyHashable: Any] = [
            NSInsertedObjectsKey: Set(plan.flatMap(\.changes.inserted)),
            NSUpdatedObjectsKey: Set(plan.flatMap(\.changes.updated)),
            NSDeletedObjectsKey: Set(plan.flatMap(\.changes.deleted)),
        ]
        try coordinator.exclusively {
            for (store, changes) in plan where !changes.isEmpty { adopt(try store.save(changes), changes) }
        }
        finishSave(plan)
        post(.NSManagedObjectContextDidSave, sets)
    }

    private typealias Plan = [(store: NSPersistentStore, changes: SaveChanges)]

    /// The changes that are really to be written, by store.
    private func savePlan(_ coordinator: NSPersistentStoreCoordinator) throws -> Plan {
        var byStore: [ObjectIdentifier: SaveChanges] = [:]
        func add(_ store: NSPersistentStore?, _ object: NSManagedObject, _ list: WritableKeyPath<SaveChanges, [NSManagedObject]>) {
            guard let store else { return }
            byStore[ObjectIdentifier(store), default: SaveChanges()][keyPath: list].append(object)
        }
        for object in inserted.objects where !object.isDeleted {
            add(try coordinator.storeForInsertion(of: object.entity), object, \.inserted)
        }
        for object in updated.objects where !object.isDeleted && object.hasPersistentChangedValues {
            add(object.objectID.persistentStore, object, \.updated)
        }
        for object in deleted.objects where !object.isInserted {
            add(object.objectID.persistentStore, object, \.deleted)
        }
        return coordinator.persistentStores.compactMap { store in
            byStore[ObjectIdentifier(store)].map { (store, $0) }
        }
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

    private func finishSave(_ plan: Plan) {
        let saved = plan.flatMap { $0.changes.inserted + $0.changes.updated }
        for object in inserted.objects + updated.objects {
            object.state.remove([.inserted, .updated])
            for case .toMany(let relation) in object.slots { relation.noteSaved() }
        }
        for object in deleted.objects {
            release(object)
            object.state.remove([.inserted, .updated])
        }
        inserted.removeAll()
        updated.removeAll()
        deleted.removeAll()
        for object in saved { object.didSave() }
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
            guard let relationship = property as? NSRelationshipDescription, relationship.deleteRule != .noActionDeleteRule
            else { continue }
            let others = relationship.isToMany ? object.toMany(slot).objects : [object.toOne(slot)].compactMap(\.self)
            for other in others {
                switch relationship.deleteRule {
                case .cascadeDeleteRule: delete(other)
                case .denyDeleteRule: continue
                default: if !other.isDeleted, let inverse = relationship.inverseRelationship { other.detach(inverse, object) }
                }
            }
        }
        if object.isInserted { inserted.remove(object) }
    }
}
