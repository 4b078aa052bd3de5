import FoundationSupplement
import ManagedObjectModel

/// Objects whose values for a uniqueness constraint are the same, among each other or with a row of the store.
open class NSConstraintConflict: NSObject, @unchecked Sendable {
    /// The names of the attributes that shall be unique together.
    public let constraint: [String]
    /// The values that they have, by name.
    public let constraintValues: [String: Any]
    /// The object whose row has the values already; nil when only objects of the context conflict.
    public let databaseObject: NSManagedObject?
    /// That row.
    public let databaseSnapshot: [String: Any]?
    /// The objects of the context that have the values.
    public let conflictingObjects: [NSManagedObject]
    /// What these objects were made from; empty for one that was never saved.
    public let conflictingSnapshots: [[AnyHashable: Any]]

    /// Describes a conflict.
    ///
    /// - Parameters:
    ///   - contraint: the names of the attributes that shall be unique together.
    ///   - databaseObject: the object whose row has the values already.
    ///   - databaseSnapshot: that row.
    ///   - conflictingObjects: the objects of the context that have the values.
    ///   - conflictingSnapshots: what these were made from, `NSNull` for one that was never saved.
    public init(
        constraint contraint: [String], database databaseObject: NSManagedObject?,
        databaseSnapshot: [AnyHashable: Any]?, conflicting conflictingObjects: [NSManagedObject],
        conflictingSnapshots: [Any]
    ) {
        constraint = contraint
        self.databaseObject = databaseObject
        self.databaseSnapshot = databaseSnapshot.map { snapshot in
            Dictionary(uniqueKeysWithValues: snapshot.compactMap { key, value in (key as? String).map { ($0, value) } })
        }
        self.conflictingObjects = conflictingObjects
        self.conflictingSnapshots = conflictingSnapshots.map { $0 as? [AnyHashable: Any] ?? [:] }
        var values: [String: Any] = [:]
        for key in contraint { values[key] = conflictingObjects.first?.value(forKey: key) ?? NSNull() }
        constraintValues = values
    }

    convenience init(_ conflict: UniquenessConflict, in context: NSManagedObjectContext) {
        let database = conflict.rowID.map { context.object(with: $0) }
        let snapshot = conflict.row.flatMap { row in database?.snapshot(of: row) }
        self.init(
            constraint: conflict.constraint, database: database, databaseSnapshot: snapshot,
            conflicting: conflict.objects,
            conflictingSnapshots: conflict.objects.map { object in
                object.row.map { object.snapshot(of: $0) } ?? NSNull() as Any
            })
    }

    open override var description: String {
        let objects = conflictingObjects.map { "\"\($0.address) \($0.objectID)\"" }.joined(separator: ",\n")
        let database = databaseObject.map { "\($0.objectID)" } ?? "(null)"
        return
            "NSConstraintConflict (\(address(of: self))) for constraint (\n\(constraint.joined(separator: ",\n"))\n):"
            + " database: \(database), conflictedObjects: (\n\(objects)\n)"
    }
}
