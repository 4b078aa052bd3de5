import FoundationSupplement
import ManagedObjectModel

/// An object whose row has another version than the object was made from.
package struct VersionConflict {
    package let object: NSManagedObject
    /// The row as it is now; nil when it was deleted.
    package let newRow: Row?
    /// Whether the new row was found in the coordinator's row cache, or else in the store.
    package let isCached: Bool

    package init(object: NSManagedObject, newRow: Row?, isCached: Bool) {
        self.object = object
        self.newRow = newRow
        self.isCached = isCached
    }
}

/// Objects that have the same values for what shall be unique, among each other or with a row.
package struct UniquenessConflict {
    package let constraint: [String]
    package let objects: [NSManagedObject]
    /// The row that has the values already.
    package let rowID: NSManagedObjectID?
    package let row: Row?

    package init(constraint: [String], objects: [NSManagedObject], rowID: NSManagedObjectID?, row: Row?) {
        self.constraint = constraint
        self.objects = objects
        self.rowID = rowID
        self.row = row
    }
}

/// Why a store has refused a save, for the merge policy to resolve. Nothing was written.
// An error must be Sendable; this one stays within the save.
package struct SaveConflicts: Error, @unchecked Sendable {
    package var versions: [VersionConflict] = []
    package var uniqueness: [UniquenessConflict] = []
    package var isEmpty: Bool { versions.isEmpty && uniqueness.isEmpty }

    package init() {}

    /// What a program is told when nothing resolves them.
    func error(in context: NSManagedObjectContext) -> CocoaError {
        versions.isEmpty
            ? NSMergePolicy.error(constraints: uniqueness.map { NSConstraintConflict($0, in: context) })
            : NSMergePolicy.error(versions: versions.map { NSMergeConflict($0) })
    }
}

extension NSManagedObjectContext {
    /// Lets the merge policy resolve conflicts; after that the objects stand on the rows as they are now.
    func resolve(_ conflicts: SaveConflicts) throws {
        guard let policy = mergePolicy as? NSMergePolicy else {
            throw CocoaError.request("the context's mergePolicy is not an NSMergePolicy but \(mergePolicy)")
        }
        // Versions first: a constraint may hold once the values are settled.
        if conflicts.versions.isEmpty {
            try policy.resolve(mergeConflicts: conflicts.uniqueness.map { NSConstraintConflict($0, in: self) })
        } else {
            let merging = conflicts.versions.map { NSMergeConflict($0) }
            // Now that the conflicts have what was remembered: the same object, refreshed, is to meet the new row.
            for conflict in conflicts.versions {
                guard let row = conflict.newRow else { continue }
                conflict.object.space.rows.enter(row, conflict.object.primaryKey, readSince: .infinity)
            }
            try policy.resolve(mergeConflicts: merging)
            for conflict in conflicts.versions { settle(conflict) }
        }
        processPendingChanges(isSaving: true)
    }

    /// Whatever the policy has made of the values, they are now changes to the new row.
    private func settle(_ conflict: VersionConflict) {
        let object = conflict.object
        guard object.managedObjectContext === self else { return }
        // What others have put into to-many relationships, or taken from them, is read anew.
        for case .toMany(let relation) in object.slots { relation.unload() }
        if let row = conflict.newRow {
            object.row = row
        } else if object.isUpdated {
            // The row is gone and the object shall stay: it is written anew, under its old key.
            object.space.rows.forget(object.primaryKey)
            object.row = nil
            updated.remove(object)
            object.state.remove(.updated)
            object.state.insert(.inserted)
            inserted.append(object)
        }
        object.awake(fromSnapshotEvents: .mergePolicy)
    }
}
