import FoundationSupplement

extension CocoaError {
    /// A value doesn't fulfil a rule of the model, without a more precise code.
    public static var managedObjectValidation: CocoaError.Code { .managedObjectValidation }
    /// Several rules were broken: `NSDetailedErrorsKey` holds an error for each.
    public static var validationMultipleErrors: CocoaError.Code { .validationMultipleErrors }
    /// A mandatory property is nil.
    public static var validationMissingMandatoryProperty: CocoaError.Code { .validationMissingMandatoryProperty }
    /// A relationship has too few objects.
    public static var validationRelationshipLacksMinimumCount: CocoaError.Code {
        .validationRelationshipLacksMinimumCount
    }
    /// A relationship has too many objects.
    public static var validationRelationshipExceedsMaximumCount: CocoaError.Code {
        .validationRelationshipExceedsMaximumCount
    }
    /// A relationship's delete rule is deny, and it has objects.
    public static var validationRelationshipDeniedDelete: CocoaError.Code { .validationRelationshipDeniedDelete }
    /// A number is larger than allowed.
    public static var validationNumberTooLarge: CocoaError.Code { .validationNumberTooLarge }
    /// A number is smaller than allowed.
    public static var validationNumberTooSmall: CocoaError.Code { .validationNumberTooSmall }
    /// A date is later than allowed.
    public static var validationDateTooLate: CocoaError.Code { .validationDateTooLate }
    /// A date is earlier than allowed.
    public static var validationDateTooSoon: CocoaError.Code { .validationDateTooSoon }
    /// A date is not one.
    public static var validationInvalidDate: CocoaError.Code { .validationInvalidDate }
    /// A string is longer than allowed.
    public static var validationStringTooLong: CocoaError.Code { .validationStringTooLong }
    /// A string is shorter than allowed.
    public static var validationStringTooShort: CocoaError.Code { .validationStringTooShort }
    /// A string doesn't match its pattern.
    public static var validationStringPatternMatching: CocoaError.Code { .validationStringPatternMatching }
    /// The lock of a context can't be had.
    public static var managedObjectContextLocking: CocoaError.Code { .managedObjectContextLocking }
    /// The lock of a coordinator can't be had.
    public static var persistentStoreCoordinatorLocking: CocoaError.Code { .persistentStoreCoordinatorLocking }
    /// The object's row is gone.
    public static var managedObjectReferentialIntegrity: CocoaError.Code { .managedObjectReferentialIntegrity }
    /// Two objects are related that live in different stores.
    public static var managedObjectExternalRelationship: CocoaError.Code { .managedObjectExternalRelationship }
    /// A row was changed by someone else since it was read.
    public static var managedObjectMerge: CocoaError.Code { .managedObjectMerge }
    /// A uniqueness constraint is violated.
    public static var managedObjectConstraintMerge: CocoaError.Code { .managedObjectConstraintMerge }
    /// The store's type is unknown.
    public static var persistentStoreInvalidType: CocoaError.Code { .persistentStoreInvalidType }
    /// The file is a store of another type.
    public static var persistentStoreTypeMismatch: CocoaError.Code { .persistentStoreTypeMismatch }
    /// The store's tables don't fit the model.
    public static var persistentStoreIncompatibleSchema: CocoaError.Code { .persistentStoreIncompatibleSchema }
    /// Saving failed.
    public static var persistentStoreSave: CocoaError.Code { .persistentStoreSave }
    /// Some stores were saved, others not.
    public static var persistentStoreIncompleteSave: CocoaError.Code { .persistentStoreIncompleteSave }
    /// Rows were changed by someone else since they were read.
    public static var persistentStoreSaveConflicts: CocoaError.Code { .persistentStoreSaveConflicts }
    /// Something went wrong in Core Data: a predicate, sort descriptor or request that can't be carried out.
    public static var coreData: CocoaError.Code { .coreData }
    /// An operation of a store failed.
    public static var persistentStoreOperation: CocoaError.Code { .persistentStoreOperation }
    /// The store can't be opened.
    public static var persistentStoreOpen: CocoaError.Code { .persistentStoreOpen }
    /// The store didn't answer in time.
    public static var persistentStoreTimeout: CocoaError.Code { .persistentStoreTimeout }
    /// The store doesn't know this kind of request.
    public static var persistentStoreUnsupportedRequestType: CocoaError.Code { .persistentStoreUnsupportedRequestType }
    /// The store was made with another version of the model.
    public static var persistentStoreIncompatibleVersionHash: CocoaError.Code {
        .persistentStoreIncompatibleVersionHash
    }
    /// Migrating a store failed.
    public static var migration: CocoaError.Code { .migration }
    /// Migrating a store was cancelled.
    public static var migrationCancelled: CocoaError.Code { .migrationCancelled }
    /// Migrating a store failed, since the model that it was made with can't be found.
    public static var migrationMissingSourceModel: CocoaError.Code { .migrationMissingSourceModel }
    /// Migrating a store failed, since there is no mapping model between its model and the new one.
    public static var migrationMissingMappingModel: CocoaError.Code { .migrationMissingMappingModel }
    /// Migrating a store failed, since it can't be read.
    public static var migrationManagerSourceStore: CocoaError.Code { .migrationManagerSourceStore }
    /// Migrating a store failed, since the new store can't be written.
    public static var migrationManagerDestinationStore: CocoaError.Code { .migrationManagerDestinationStore }
    /// Migrating a store failed in an entity's migration policy.
    public static var entityMigrationPolicy: CocoaError.Code { .entityMigrationPolicy }
    /// SQLite reported an error: see `NSSQLiteErrorDomain` in the user info.
    public static var sqlite: CocoaError.Code { .sqlite }
    /// A mapping model can't be inferred.
    public static var inferredMappingModel: CocoaError.Code { .inferredMappingModel }
    /// Importing external records failed.
    public static var externalRecordImport: CocoaError.Code { .externalRecordImport }
}
