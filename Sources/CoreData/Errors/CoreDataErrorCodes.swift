import FoundationSupplement

// The codes as numbers, for programs that compare `NSError.code`.
/// A value doesn't fulfil a rule of the model, without a more precise code.
public let NSManagedObjectValidationError = 1550
/// A uniqueness constraint is violated by the values of objects.
public let NSManagedObjectConstraintValidationError = 1551
/// Several rules were broken: `NSDetailedErrorsKey` holds an error for each.
public let NSValidationMultipleErrorsError = 1560
/// A mandatory property is nil.
public let NSValidationMissingMandatoryPropertyError = 1570
/// A relationship has too few objects.
public let NSValidationRelationshipLacksMinimumCountError = 1580
/// A relationship has too many objects.
public let NSValidationRelationshipExceedsMaximumCountError = 1590
/// A relationship's delete rule is deny, and it has objects.
public let NSValidationRelationshipDeniedDeleteError = 1600
/// A number is larger than allowed.
public let NSValidationNumberTooLargeError = 1610
/// A number is smaller than allowed.
public let NSValidationNumberTooSmallError = 1620
/// A date is later than allowed.
public let NSValidationDateTooLateError = 1630
/// A date is earlier than allowed.
public let NSValidationDateTooSoonError = 1640
/// A date is not one.
public let NSValidationInvalidDateError = 1650
/// A string is longer than allowed.
public let NSValidationStringTooLongError = 1660
/// A string is shorter than allowed.
public let NSValidationStringTooShortError = 1670
/// A string doesn't match its pattern.
public let NSValidationStringPatternMatchingError = 1680
/// A URI is not one.
public let NSValidationInvalidURIError = 1690
/// The lock of a context can't be had.
public let NSManagedObjectContextLockingError = 132000
/// The lock of a coordinator can't be had.
public let NSPersistentStoreCoordinatorLockingError = 132010
/// The object's row is gone.
public let NSManagedObjectReferentialIntegrityError = 133000
/// Two objects are related that live in different stores.
public let NSManagedObjectExternalRelationshipError = 133010
/// A row was changed by someone else since it was read.
public let NSManagedObjectMergeError = 133020
/// A uniqueness constraint is violated.
public let NSManagedObjectConstraintMergeError = 133021
/// The store's type is unknown.
public let NSPersistentStoreInvalidTypeError = 134000
/// The file is a store of another type.
public let NSPersistentStoreTypeMismatchError = 134010
/// The store's tables don't fit the model.
public let NSPersistentStoreIncompatibleSchemaError = 134020
/// Saving failed.
public let NSPersistentStoreSaveError = 134030
/// Some stores were saved, others not.
public let NSPersistentStoreIncompleteSaveError = 134040
/// Rows were changed by someone else since they were read.
public let NSPersistentStoreSaveConflictsError = 134050
/// Something went wrong in Core Data: a predicate, sort descriptor or request that can't be carried out.
public let NSCoreDataError = 134060
/// An operation of a store failed.
public let NSPersistentStoreOperationError = 134070
/// The store can't be opened.
public let NSPersistentStoreOpenError = 134080
/// The store didn't answer in time.
public let NSPersistentStoreTimeoutError = 134090
/// The store doesn't know this kind of request.
public let NSPersistentStoreUnsupportedRequestTypeError = 134091
/// The store was made with another version of the model.
public let NSPersistentStoreIncompatibleVersionHashError = 134100
/// Migrating a store failed.
public let NSMigrationError = 134110
/// Migrating a store failed, since its rows violate a uniqueness constraint.
public let NSMigrationConstraintViolationError = 134111
/// Migrating a store was cancelled.
public let NSMigrationCancelledError = 134120
/// Migrating a store failed, since the model that it was made with can't be found.
public let NSMigrationMissingSourceModelError = 134130
/// Migrating a store failed, since there is no mapping model between its model and the new one.
public let NSMigrationMissingMappingModelError = 134140
/// Migrating a store failed, since it can't be read.
public let NSMigrationManagerSourceStoreError = 134150
/// Migrating a store failed, since the new store can't be written.
public let NSMigrationManagerDestinationStoreError = 134160
/// Migrating a store failed in an entity's migration policy.
public let NSEntityMigrationPolicyError = 134170
/// SQLite reported an error: see `NSSQLiteErrorDomain` in the user info.
public let NSSQLiteError = 134180
/// A mapping model can't be inferred.
public let NSInferredMappingModelError = 134190
/// Importing external records failed.
public let NSExternalRecordImportError = 134200
/// The history that a token refers to is gone.
public let NSPersistentHistoryTokenExpiredError = 134301
/// A model reference of a staged migration leads to no model.
public let NSManagedObjectModelReferenceNotFoundError = 134504
/// The stages of a migration don't fit the framework's version.
public let NSStagedMigrationFrameworkVersionMismatchError = 134505
/// A staged migration would lead to an older model.
public let NSStagedMigrationBackwardMigrationError = 134506
