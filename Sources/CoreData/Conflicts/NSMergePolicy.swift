import FoundationSupplement
import ManagedObjectModel

/// How a merge policy resolves conflicts.
public enum NSMergePolicyType: UInt, Sendable {
    /// Not at all: the save fails.
    case errorMergePolicyType = 0
    /// Property by property; where both sides have changed one, the store's value stays.
    case mergeByPropertyStoreTrumpMergePolicyType = 1
    /// Property by property; where both sides have changed one, the object's value stays.
    case mergeByPropertyObjectTrumpMergePolicyType = 2
    /// The whole object is written, also what it has not changed.
    case overwriteMergePolicyType = 3
    /// The object's changes are dropped.
    case rollbackMergePolicyType = 4
}

/// Resolves conflicts between what a context saves and what others have saved.
///
/// ```swift
/// context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump   // new data wins; equal unique keys update rows
/// ```
/// Subclasses override one of the `resolve` methods, and call `super` for what they leave to the policy's type.
open class NSMergePolicy: NSObject, @unchecked Sendable {
    /// How the policy resolves conflicts.
    public let mergeType: NSMergePolicyType

    /// Creates a policy of a type.
    public init(merge ty: NSMergePolicyType) { mergeType = ty }

    /// A save with conflicts fails. What contexts have at first.
    public class var error: NSMergePolicy { shared[0] }
    /// Where both sides have changed a property, the store's value stays.
    public class var mergeByPropertyStoreTrump: NSMergePolicy { shared[1] }
    /// Where both sides have changed a property, the object's value stays.
    public class var mergeByPropertyObjectTrump: NSMergePolicy { shared[2] }
    /// The whole object is written, also what it has not changed.
    public class var overwrite: NSMergePolicy { shared[3] }
    /// The object's changes are dropped.
    public class var rollback: NSMergePolicy { shared[4] }

    private static let shared: [NSMergePolicy] = [
        NSMergePolicy(merge: .errorMergePolicyType), NSMergePolicy(merge: .mergeByPropertyStoreTrumpMergePolicyType),
        NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType),
        NSMergePolicy(merge: .overwriteMergePolicyType), NSMergePolicy(merge: .rollbackMergePolicyType),
    ]

    /// Resolves conflicts of both kinds, by the two methods below, those of versions first.
    ///
    /// - Throws: `managedObjectMerge` (133020) or `managedObjectConstraintMerge` (133021) for what isn't resolved. The
    ///   save fails with it.
    open func resolve(mergeConflicts list: [Any]) throws {
        let versions = list.compactMap { $0 as? NSMergeConflict }
        let constraints = list.compactMap { $0 as? NSConstraintConflict }
        if !versions.isEmpty { try resolve(optimisticLockingConflicts: versions) }
        if !constraints.isEmpty { try resolve(constraintConflicts: constraints) }
    }

    /// Resolves conflicts with rows that others have changed: gives the objects the values that shall be saved.
    open func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        guard mergeType != .errorMergePolicyType else { throw Self.error(versions: list) }
        for conflict in list { resolve(conflict) }
    }

    /// Resolves violations of uniqueness constraints: one object of each conflict stays, the others are deleted, or get
    /// their old values back.
    open func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        guard mergeType != .errorMergePolicyType else { throw Self.error(constraints: list) }
        for conflict in list { resolve(conflict) }
    }

    // MARK: Errors

    static func error(versions list: [NSMergeConflict]) -> CocoaError {
        CocoaError(
            .managedObjectMerge,
            userInfo: [
                NSLocalizedDescriptionKey: "Could not merge changes.", NSPersistentStoreSaveConflictsErrorKey: list,
                "NSExceptionOmitCallstacks": true,
            ])
    }

    static func error(constraints list: [NSConstraintConflict]) -> CocoaError {
        let names = list.map { "\($0.constraint.joined(separator: ", ")) = \($0.valuesText)" }
        return CocoaError(
            .managedObjectConstraintMerge,
            userInfo: [
                NSLocalizedDescriptionKey:
                    "Could not merge changes: a uniqueness constraint is violated (\(names.joined(separator: "; "))).",
                NSPersistentStoreSaveConflictsErrorKey: list,
            ])
    }

    // MARK: Versions

    private func resolve(_ conflict: NSMergeConflict) {
        let object = conflict.sourceObject
        guard let context = object.managedObjectContext else { return }
        let isStoreTrump =
            mergeType == .mergeByPropertyStoreTrumpMergePolicyType || mergeType == .rollbackMergePolicyType
        guard conflict.newVersionNumber != 0 else {
            // The row was deleted. The object goes too, or is written anew.
            if isStoreTrump || object.isDeleted { context.dropAsDeleted(object) }
            return
        }
        if object.isDeleted {
            if isStoreTrump { context.cancelDeletion(object) }
            return
        }
        guard let new = conflict.newRow, let old = object.row else { return }
        switch mergeType {
        case .errorMergePolicyType, .overwriteMergePolicyType: break
        case .rollbackMergePolicyType: context.dropChanges(of: object, for: new)
        case .mergeByPropertyStoreTrumpMergePolicyType: object.merge(old, new, storeWins: true)
        case .mergeByPropertyObjectTrumpMergePolicyType: object.merge(old, new, storeWins: false)
        }
    }

    // MARK: Uniqueness

    /// The object that has the row, or else the first, survives; the others are folded into it.
    private func resolve(_ conflict: NSConstraintConflict) {
        // One that another conflict has already resolved is no longer here.
        let objects = conflict.conflictingObjects.filter { $0.managedObjectContext != nil && !$0.isDeleted }
        guard let survivor = conflict.databaseObject ?? objects.first, let context = survivor.managedObjectContext
        else { return }
        let storeWins =
            mergeType == .mergeByPropertyStoreTrumpMergePolicyType || mergeType == .rollbackMergePolicyType
        for object in objects where object !== survivor {
            guard object.isInserted || !storeWins else {
                // A saved object that has taken a value of another gets its own back.
                object.restore(conflict.constraint)
                continue
            }
            survivor.takeOver(object, keepsOwnValues: storeWins)
            for other in context.inserted.objects + context.updated.objects { other.replace(object, by: survivor) }
            context.discard(object)
        }
        survivor.awake(fromSnapshotEvents: .mergePolicy)
    }
}

extension NSConstraintConflict {
    fileprivate var valuesText: String { constraint.map { "\(constraintValues[$0] ?? "")" }.joined(separator: ", ") }
}

/// The policy that resolves nothing.
public var NSErrorMergePolicy: AnyObject { NSMergePolicy.error }
/// The policy by which the store's value stays where both sides have changed a property.
public var NSMergeByPropertyStoreTrumpMergePolicy: AnyObject { NSMergePolicy.mergeByPropertyStoreTrump }
/// The policy by which the object's value stays where both sides have changed a property.
public var NSMergeByPropertyObjectTrumpMergePolicy: AnyObject { NSMergePolicy.mergeByPropertyObjectTrump }
/// The policy by which the whole object is written.
public var NSOverwriteMergePolicy: AnyObject { NSMergePolicy.overwrite }
/// The policy by which the object's changes are dropped.
public var NSRollbackMergePolicy: AnyObject { NSMergePolicy.rollback }
