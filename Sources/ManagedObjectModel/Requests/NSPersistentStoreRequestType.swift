/// What a request asks of a store.
public enum NSPersistentStoreRequestType: UInt, Sendable {
    /// Fetching.
    case fetchRequestType = 1
    /// Saving a context's changes.
    case saveRequestType = 2
    /// Inserting without objects.
    case batchInsertRequestType = 5
    /// Updating without objects.
    case batchUpdateRequestType = 6
    /// Deleting without objects.
    case batchDeleteRequestType = 7
}
