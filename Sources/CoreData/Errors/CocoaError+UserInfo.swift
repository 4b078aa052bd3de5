import FoundationSupplement
import ManagedObjectModel

// What Core Data's errors carry in their user info, under names.
extension CocoaError {
    /// The objects that the error is about.
    public var affectedObjects: [AnyObject]? { userInfo[NSAffectedObjectsErrorKey] as? [AnyObject] }
    /// The stores that the error is about.
    public var affectedStores: [AnyObject]? { userInfo[NSAffectedStoresErrorKey] as? [AnyObject] }
    /// Of a save error: what is in conflict.
    public var persistentStoreSaveConflicts: [NSMergeConflict]? {
        userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
    }
    /// Of a validation error: the object that was refused.
    public var validationObject: Any? { userInfo[NSValidationObjectErrorKey] }
    /// Of a validation error: the name of the property.
    public var validationKey: String? { userInfo[NSValidationKeyErrorKey] as? String }
    /// Of a validation error: the predicate that was not fulfilled.
    public var validationPredicate: NSPredicate? { userInfo[NSValidationPredicateErrorKey] as? NSPredicate }
    /// Of a validation error: the value that was refused.
    public var validationValue: Any? { userInfo[NSValidationValueErrorKey] }
}
