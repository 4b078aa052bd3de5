import FoundationSupplement
import ManagedObjectModel

extension CocoaError.Code {
    /// A value doesn't fulfil a rule of the model, without a more precise code.
    public static let managedObjectValidation = CocoaError.Code(rawValue: 1550)
    /// Several rules were broken: `NSDetailedErrorsKey` holds an error for each.
    public static let validationMultipleErrors = CocoaError.Code(rawValue: 1560)
    /// A mandatory property is nil.
    public static let validationMissingMandatoryProperty = CocoaError.Code(rawValue: 1570)
    /// A relationship has too few objects.
    public static let validationRelationshipLacksMinimumCount = CocoaError.Code(rawValue: 1580)
    /// A relationship has too many objects.
    public static let validationRelationshipExceedsMaximumCount = CocoaError.Code(rawValue: 1590)
    /// A relationship's delete rule is deny, and it has objects.
    public static let validationRelationshipDeniedDelete = CocoaError.Code(rawValue: 1600)
    /// A number is larger than allowed.
    public static let validationNumberTooLarge = CocoaError.Code(rawValue: 1610)
    /// A number is smaller than allowed.
    public static let validationNumberTooSmall = CocoaError.Code(rawValue: 1620)
    /// A date is later than allowed.
    public static let validationDateTooLate = CocoaError.Code(rawValue: 1630)
    /// A date is earlier than allowed.
    public static let validationDateTooSoon = CocoaError.Code(rawValue: 1640)
    /// A date is not one.
    public static let validationInvalidDate = CocoaError.Code(rawValue: 1650)
    /// A string is longer than allowed.
    public static let validationStringTooLong = CocoaError.Code(rawValue: 1660)
    /// A string is shorter than allowed.
    public static let validationStringTooShort = CocoaError.Code(rawValue: 1670)
    /// A string doesn't match its pattern.
    public static let validationStringPatternMatching = CocoaError.Code(rawValue: 1680)
    /// The object's row is gone.
    public static let managedObjectReferentialIntegrity = CocoaError.Code(rawValue: 133000)
    /// Two objects are related that live in different stores.
    public static let managedObjectExternalRelationship = CocoaError.Code(rawValue: 133010)
    /// A row was changed by someone else since it was read.
    public static let managedObjectMerge = CocoaError.Code(rawValue: 133020)
    /// A uniqueness constraint is violated.
    public static let managedObjectConstraintMerge = CocoaError.Code(rawValue: 133021)
    /// The store's type is unknown.
    public static let persistentStoreInvalidType = CocoaError.Code(rawValue: 134000)
    /// The file is a store of another type.
    public static let persistentStoreTypeMismatch = CocoaError.Code(rawValue: 134010)
    /// The store's tables don't fit the model.
    public static let persistentStoreIncompatibleSchema = CocoaError.Code(rawValue: 134020)
    /// Saving failed.
    public static let persistentStoreSave = CocoaError.Code(rawValue: 134030)
    /// Some stores were saved, others not.
    public static let persistentStoreIncompleteSave = CocoaError.Code(rawValue: 134040)
    /// Rows were changed by someone else since they were read.
    public static let persistentStoreSaveConflicts = CocoaError.Code(rawValue: 134050)
    /// Something went wrong in Core Data: a predicate, sort descriptor or request that can't be carried out.
    public static let coreData = CocoaError.Code(rawValue: 134060)
    /// An operation of a store failed.
    public static let persistentStoreOperation = CocoaError.Code(rawValue: 134070)
    /// The store can't be opened.
    public static let persistentStoreOpen = CocoaError.Code(rawValue: 134080)
    /// The store didn't answer in time.
    public static let persistentStoreTimeout = CocoaError.Code(rawValue: 134090)
    /// The store doesn't know this kind of request.
    public static let persistentStoreUnsupportedRequestType = CocoaError.Code(rawValue: 134091)
    /// The store was made with another version of the model.
    public static let persistentStoreIncompatibleVersionHash = CocoaError.Code(rawValue: 134100)
    /// The lock of a context can't be had.
    public static let managedObjectContextLocking = CocoaError.Code(rawValue: 132000)
    /// The lock of a coordinator can't be had.
    public static let persistentStoreCoordinatorLocking = CocoaError.Code(rawValue: 132010)
    /// Migrating a store failed.
    public static let migration = CocoaError.Code(rawValue: 134110)
    /// Migrating a store was cancelled.
    public static let migrationCancelled = CocoaError.Code(rawValue: 134120)
    /// Migrating a store failed, since the model that it was made with can't be found.
    public static let migrationMissingSourceModel = CocoaError.Code(rawValue: 134130)
    /// Migrating a store failed, since there is no mapping model between its model and the new one.
    public static let migrationMissingMappingModel = CocoaError.Code(rawValue: 134140)
    /// Migrating a store failed, since it can't be read.
    public static let migrationManagerSourceStore = CocoaError.Code(rawValue: 134150)
    /// Migrating a store failed, since the new store can't be written.
    public static let migrationManagerDestinationStore = CocoaError.Code(rawValue: 134160)
    /// Migrating a store failed in an entity's migration policy.
    public static let entityMigrationPolicy = CocoaError.Code(rawValue: 134170)
    /// A mapping model can't be inferred.
    public static let inferredMappingModel = CocoaError.Code(rawValue: 134190)
    /// Importing external records failed.
    public static let externalRecordImport = CocoaError.Code(rawValue: 134200)
    /// SQLite reported an error: see `NSSQLiteErrorDomain` in the user info.
    public static let sqlite = CocoaError.Code(rawValue: 134180)
}

extension CocoaError.Code {
    /// A store is open in the coordinator already. Apple's number; it has no name in the API.
    package static let persistentStoreAddedTwice = CocoaError.Code(rawValue: 134081)
}

extension CocoaError {
    /// An error with Core Data's code for what a request can't do, and the reason in words.
    package static func request(_ reason: String) -> CocoaError {
        CocoaError(.coreData, userInfo: [NSLocalizedDescriptionKey: reason, "reason": reason])
    }

    /// Something that is a part of Core Data but not done yet. Says so, instead of doing something else.
    package static func unsupported(_ what: String) -> CocoaError {
        request("not supported: \(what)")
    }

    package static func store(_ code: CocoaError.Code, _ url: URL?, _ reason: String) -> CocoaError {
        var info: [String: Any] = [
            NSLocalizedDescriptionKey: url.map { "\($0.path): \(reason)" } ?? reason, "reason": reason,
        ]
        if let url { info[NSFilePathErrorKey] = url.path }
        return CocoaError(code, userInfo: info)
    }
}
