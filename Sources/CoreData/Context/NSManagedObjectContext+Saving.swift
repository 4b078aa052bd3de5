import FoundationSupplement
import ManagedObjectModel

extension NSManagedObjectContext {
    /// Carries out `save()`.
    ///
    /// In order: delete rules, `willSave`, validation, writing, with conflicts resolved by the merge policy, new object
    /// IDs, `didSave`.
    func saveChanges() throws {
        checkQueue()
        adoptPermanentIDs()
        try prepareSave()
        try validate()
        var saved = SavedObjects()
        if let parent {
            saved = try save(to: parent)
        } else {
            try saveToStores(&saved)
        }
        // What is left had no persistent changes.
        let unwritten = updated.objects.filter { !$0.isDeleted }
        saved.updated += unwritten
        finish((inserted.objects + unwritten).filter { !$0.isDeleted })
        for object in deleted.objects { leave(object) }
        locked.removeAll()
        for object in saved.inserted + saved.updated { object.didSave() }
        for object in saved.deleted { object.didSaveDeletion() }
        post(.NSManagedObjectContextDidSave, saved.userInfo)
        post(.NSManagedObjectContextDidSaveObjectIDs, saved.identifierInfo)
        announce(saved.changes)
    }

    // MARK: Before

    /// Processes changes, and calls `willSave` on every changed object, and again on those that the calls have changed.
    private func prepareSave() throws {
        processPendingChanges(isSaving: true)
        var next =
            inserted.objects.filter { !$0.isDeleted } + updated.objects + deleted.objects.filter { !$0.isInserted }
        var isPosted = false
        var rounds = 0
        while !next.isEmpty || !isPosted {
            rounds += 1
            guard rounds <= 1000 else { throw CocoaError.request(Self.stillDirty) }
            for object in next { object.willSave() }
            if event.isEmpty, !isPosted {
                isPosted = true
                post(.NSManagedObjectContextWillSave, [:])
            }
            next = event.touched
            processPendingChanges(isSaving: true)
        }
    }

    /// Validates until nothing is changed by it any more: validation may replace values.
    private func validate() throws {
        for _ in 0..<1000 {
            try validateOnce()
            if event.touched.isEmpty { return }
            processPendingChanges(isSaving: true)
        }
        throw CocoaError.request(Self.stillDirty)
    }

    private static let stillDirty =
        "Failed to process pending changes before save. The context is still dirty after 1000 attempts. Typically this"
        + " recursive dirtying is caused by a bad validation method, -willSave, or notification handler."

    private func validateOnce() throws {
        var errors: [any Error] = []
        func check(_ object: NSManagedObject, _ rules: (NSManagedObject) -> () throws -> Void) {
            do {
                try rules(object)()
            } catch {
                let details = (error as? CocoaError)?.userInfo[NSDetailedErrorsKey] as? [any Error]
                errors += details ?? [error]
            }
        }
        for object in deleted.objects where !object.isInserted && !object.isInaccessible {
            check(object, NSManagedObject.validateForDelete)
        }
        for object in inserted.objects where !object.isDeleted { check(object, NSManagedObject.validateForInsert) }
        for object in updated.objects where !object.isDeleted { check(object, NSManagedObject.validateForUpdate) }
        try NSManagedObject.raise(errors)
    }

    // MARK: Writing

    /// Each store in a transaction of its own. What one store has committed is saved, even if the next one fails.
    private func saveToStores(_ saved: inout SavedObjects) throws {
        var attempts = 0
        while true {
            do {
                for (store, changes) in try savePlan() {
                    try write(changes, to: store, &saved)
                }
                return
            } catch let conflicts as SaveConflicts {
                attempts += 1
                guard attempts <= 10 else { throw conflicts.error(in: self) }
                try resolve(conflicts)
            }
        }
    }

    private func write(_ changes: SaveChanges, to store: NSPersistentStore, _ saved: inout SavedObjects) throws {
        // An order is written from the whole relationship, which can only be read before its rows change.
        for object in changes.inserted + changes.updated { object.loadReorderedRelationships() }
        try coordinator().exclusively {
            try checkRowCache(changes)
            adopt(try store.save(changes, in: self), changes)
        }
        saved.add(changes)
        finish(changes.inserted + changes.updated)
        for object in changes.deleted { leave(object) }
    }

    /// Conflicts with what other contexts of the coordinator have saved are known without asking the store.
    private func checkRowCache(_ changes: SaveChanges) throws {
        var conflicts = SaveConflicts()
        for object in changes.updated + changes.deleted + changes.locked {
            guard let row = object.row, let newest = object.space.rows.row(object.primaryKey),
                newest.version != row.version
            else { continue }
            conflicts.versions.append(VersionConflict(object: object, newRow: newest, isCached: true))
        }
        if !conflicts.isEmpty { throw conflicts }
    }

    private typealias Plan = [(store: NSPersistentStore, changes: SaveChanges)]

    /// The changes that are really to be written, by store.
    private func savePlan() throws -> Plan {
        let stores = persistentStoreCoordinator?.persistentStores ?? []
        guard !stores.isEmpty || !hasChanges else {
            throw CocoaError.request(
                "This NSPersistentStoreCoordinator has no persistent stores (unknown).  It cannot perform a save"
                    + " operation.")
        }
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
        // Objects of one entity mostly go to one store.
        var (entity, entityStore): (EntityLayout?, NSPersistentStore?)
        for object in inserted.objects where !object.isDeleted {
            if entity !== object.layout || !assignedStores.isEmpty || object.space !== ObjectIDSpace.temporary {
                (entity, entityStore) = (object.layout, try storeForInsertion(of: object))
                if object.space !== ObjectIDSpace.temporary { entity = nil }
            }
            try add(entityStore, object, \.inserted)
        }
        for object in updated.objects where !object.isDeleted && object.hasPersistentChangedValues {
            try add(object.space.store, object, \.updated)
        }
        for object in deleted.objects where !object.isInserted && !object.isInaccessible {
            try add(object.space.store, object, \.deleted)
        }
        for object in locked.objects where object.state.isDisjoint(with: .unsaved) {
            try add(object.space.store, object, \.locked)
        }
        return zip(stores, changes).filter { !$0.1.isEmpty || $0.0.wantsEmptySaves }.map { ($0.0, $0.1) }
    }

    func noteLocked(_ object: NSManagedObject) {
        guard object.managedObjectContext === self, !object.objectID.isTemporaryID else { return }
        object.willAccessValue(forKey: nil)
        locked.append(object)
    }

    // MARK: After

    private func adopt(_ outcome: SaveOutcome, _ changes: SaveChanges) {
        for (object, id) in zip(changes.inserted, outcome.identifiers) { adopt(id, object) }
        for (object, row) in zip(changes.inserted + changes.updated, outcome.rows) {
            object.row = object.space.rows.enter(row, object.primaryKey, readSince: .infinity)
        }
        for object in changes.deleted { object.space.rows.forget(object.primaryKey) }
    }

    /// The objects are as the store, or the parent context, has them.
    func finish(_ objects: [NSManagedObject]) {
        for object in objects {
            object.state.subtract([.inserted, .updated])
            for case .toMany(let relation) in object.slots { relation.noteSaved() }
        }
        inserted.keep(where: \.isInserted)
        updated.keep(where: \.isUpdated)
    }

    /// The object's row is gone.
    func leave(_ object: NSManagedObject) {
        release(object)
        object.state.subtract([.inserted, .updated, .deleted, .inaccessible])
        inserted.remove(object)
        deleted.remove(object)
    }
}

extension NSManagedObject {
    /// In `didSave` a deleted object says for the last time that it is one.
    fileprivate final func didSaveDeletion() {
        state.insert(.deleted)
        didSave()
        state.remove(.deleted)
    }
}

/// The objects that a save has written, for those who are told of it.
struct SavedObjects {
    var inserted: [NSManagedObject] = []
    var updated: [NSManagedObject] = []
    var deleted: [NSManagedObject] = []

    mutating func add(_ changes: SaveChanges) {
        inserted += changes.inserted
        updated += changes.updated
        deleted += changes.deleted
    }

    var userInfo: [AnyHashable: Any] {
        [
            NSInsertedObjectsKey: Set(inserted), NSUpdatedObjectsKey: Set(updated), NSDeletedObjectsKey: Set(deleted),
        ]
    }

    var identifierInfo: [AnyHashable: Any] {
        [
            NSInsertedObjectIDsKey: Set(inserted.map(\.objectID)), NSUpdatedObjectIDsKey: Set(updated.map(\.objectID)),
            NSDeletedObjectIDsKey: Set(deleted.map(\.objectID)),
        ]
    }

    var changes: SavedChanges {
        SavedChanges(
            inserted: inserted.map(\.objectID), updated: updated.map(\.objectID), deleted: deleted.map(\.objectID))
    }
}
