import FoundationSupplement

/// The type of stores kept in a SQLite file.
public let NSSQLiteStoreType = "SQLite"
/// The domain of SQLite's own codes, and the key under which an error's user info has them.
public let NSSQLiteErrorDomain = "NSSQLiteErrorDomain"
/// In an error's user info: the objects that it is about.
public let NSAffectedObjectsErrorKey = "NSAffectedObjectsErrorKey"
/// In an error's user info: the stores that it is about.
public let NSAffectedStoresErrorKey = "NSAffectedStoresErrorKey"
/// In an error's user info: the errors that it stands for.
public let NSDetailedErrorsKey = "NSDetailedErrors"
/// In a validation error's user info: the object.
public let NSValidationObjectErrorKey = "NSValidationErrorObject"
/// In a validation error's user info: the property's name.
public let NSValidationKeyErrorKey = "NSValidationErrorKey"
/// In a validation error's user info: the predicate that was not fulfilled.
public let NSValidationPredicateErrorKey = "NSValidationErrorPredicate"
/// In a validation error's user info: the value.
public let NSValidationValueErrorKey = "NSValidationErrorValue"
/// In a save error's user info: the conflicts.
public let NSPersistentStoreSaveConflictsErrorKey = "conflictList"

/// In a store's metadata: its type.
public let NSStoreTypeKey = "NSStoreType"
/// In a store's metadata: its UUID, a string.
public let NSStoreUUIDKey = "NSStoreUUID"
/// In a store's metadata: the hashes of the entities by name.
public let NSStoreModelVersionHashesKey = "NSStoreModelVersionHashes"
/// In a store's metadata: the model's version identifiers.
public let NSStoreModelVersionIdentifiersKey = "NSStoreModelVersionIdentifiers"
/// In a store's metadata: one hash over all entities.
public let NSPersistentStoreModelVersionChecksumKey = "NSStoreModelVersionChecksumKey"

/// Option for adding a store: whether it may not be changed.
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// Option for adding a SQLite store: a dictionary of pragmas and their values.
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"
/// Option for adding a store: whether it may be migrated to the model.
public let NSMigratePersistentStoresAutomaticallyOption = "NSMigratePersistentStoresAutomaticallyOption"
/// Option for adding a store: whether the way to migrate it may be inferred.
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"
/// Option for adding a store: whether differences between its model and the coordinator's are overlooked.
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"
/// Option for adding a store: how many seconds to wait for another program that has it locked. Default: 240.
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
/// Option for adding a SQLite store: whether to gather the statistics by which SQLite chooses indexes.
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"
/// Option for adding a SQLite store: whether to write its file anew, without holes.
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"
/// Option for destroying a store: whether to do so even while others have it locked.
public let NSPersistentStoreForceDestroyOption = "NSPersistentStoreForceDestroyOption"
/// Option for adding a store: how many connections to it there may be. Accepted; there is always one.
public let NSPersistentStoreConnectionPoolMaxSizeKey = "NSPersistentStoreConnectionPoolMaxSize"
/// Option for adding a store: the protection of its file. Accepted; Linux has no such protection.
public let NSPersistentStoreFileProtectionKey = "NSPersistentStoreFileProtectionKey"
/// Option for adding a store: whether changes are recorded in its history. Kept, but no history is written yet.
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"
/// Option for adding a store: whether each save to it is told by `NSPersistentStoreRemoteChange`.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey = "NSPersistentStoreRemoteChangeNotificationOptionKey"
/// Option for adding a store: whether parts of a migration may be put off.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
    "NSPersistentStoreDeferredLightweightMigrationOptionKey"

/// In a notification of a coordinator: the stores that were added, an array.
public let NSAddedPersistentStoresKey = "added"
/// In a notification of a coordinator: the stores that were removed, an array.
public let NSRemovedPersistentStoresKey = "removed"
/// In a notification of a coordinator: an array of the old store, the new one, and the IDs of the objects, each old ID
/// followed by its new one.
public let NSUUIDChangedPersistentStoresKey = "changed"
/// In a remote change's user info: the store's address. Also in errors.
public let NSPersistentStoreURLKey = "storeURL"
/// In a remote change's user info: the place in the store's history.
public let NSPersistentHistoryTokenKey = "historyToken"

/// In a notification's user info: the inserted objects.
public let NSInsertedObjectsKey = "inserted"
/// In a notification's user info: the updated objects.
public let NSUpdatedObjectsKey = "updated"
/// In a notification's user info: the deleted objects.
public let NSDeletedObjectsKey = "deleted"
/// In a notification's user info: the refreshed objects.
public let NSRefreshedObjectsKey = "refreshed"
/// In a notification's user info: the objects that became invalid.
public let NSInvalidatedObjectsKey = "invalidated"
/// In a notification's user info: the IDs of the inserted objects.
public let NSInsertedObjectIDsKey = "inserted_objectIDs"
/// In a notification's user info: the IDs of the updated objects.
public let NSUpdatedObjectIDsKey = "updated_objectIDs"
/// In a notification's user info: the IDs of the deleted objects.
public let NSDeletedObjectIDsKey = "deleted_objectIDs"
/// In a notification's user info: the IDs of the refreshed objects.
public let NSRefreshedObjectIDsKey = "refreshed_objectIDs"
/// In a notification's user info: the IDs of the objects that became invalid.
public let NSInvalidatedObjectIDsKey = "invalidated_objectIDs"
/// In a notification's user info, when all objects of a context became invalid: their IDs.
public let NSInvalidatedAllObjectsKey = "invalidatedAll"
/// In a notification's user info: the generation of a store's data that a context is pinned to. No store here keeps
/// generations.
public let NSManagedObjectContextQueryGenerationKey = "newQueryGeneration"
