/// The members of `NSManagedObject` and `NSObject` without arguments, with which a property's accessor would clash.
///
/// From Apple's public headers. There are hundreds more in frameworks that an app may load; these are those that every
/// program with Core Data has.
enum ManagedObjectMembers {
    /// Methods: a property of such a name replaces the method, or is replaced by it.
    static let methods: Set<String> = [
        // NSManagedObject
        "awakeFromFetch", "awakeFromInsert", "changedValues", "changedValuesForCurrentEvent", "didSave",
        "didTurnIntoFault", "entity", "faultingState", "hasChanges", "hasPersistentChangedValues", "isDeleted",
        "isFault", "isInserted", "isUpdated", "managedObjectContext", "objectID", "objectWillChange",
        "observationInfo", "prepareForDeletion", "willSave", "willTurnIntoFault",
        // NSObject
        "attributeKeys", "autoContentAccessingProxy", "autorelease", "class", "classCode", "classDescription",
        "classForArchiver", "classForCoder", "classForKeyedArchiver", "classForPortCoder", "className", "copy",
        "dealloc", "debugDescription", "description", "exposedBindings", "finalize", "hash", "init", "isProxy",
        "mutableCopy", "objectSpecifier", "release", "retain", "retainCount", "scriptingProperties", "self",
        "superclass", "toManyRelationshipKeys", "toOneRelationshipKeys", "zone",
    ]

    /// Properties whose getters have other names, as `isDeleted`: the names are taken in Objective-C, and key-value
    /// coding looks there too.
    static let properties: Set<String> = ["deleted", "fault", "inserted", "updated"]
}
