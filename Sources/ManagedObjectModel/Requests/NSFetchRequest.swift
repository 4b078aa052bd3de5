import FoundationSupplement

/// A search in a context and its stores.
///
/// ```swift
/// let request = NSFetchRequest<NSManagedObject>(entityName: "City")
/// request.predicate = NSPredicate(format: "population > %d", 1_000_000)
/// request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
/// let cities = try context.fetch(request)
/// ```
open class NSFetchRequest<ResultType: NSFetchRequestResult>: NSPersistentStoreRequest {
    /// The entity to search. Set by the context for a request made with a name.
    open var entity: NSEntityDescription?
    private let givenName: String?
    /// Which objects to return; nil for all.
    open var predicate: NSPredicate?
    /// The order of the results.
    open var sortDescriptors: [NSSortDescriptor]?
    /// The most results to return; 0 for no limit.
    open var fetchLimit = 0
    /// How many results to leave out at the start.
    open var fetchOffset = 0
    /// How many objects to bring in at a time; 0 for all at once.
    open var fetchBatchSize = 0
    /// Whether objects of sub-entities are found too. Default: true.
    open var includesSubentities = true
    /// Whether the rows of the objects are read along. Default: true.
    open var includesPropertyValues = true
    /// Whether unsaved changes of the context count. Default: true.
    open var includesPendingChanges = true
    /// Whether objects come back unfilled, to be filled on first use from the row cache. Default: true.
    open var returnsObjectsAsFaults = true
    /// Whether each dictionary comes once only.
    open var returnsDistinctResults = false
    /// Whether objects already in the context get the store's newest values.
    open var shouldRefreshRefetchedObjects = false
    /// The form of the results. Default: managed objects.
    open var resultType: NSFetchRequestResultType = .managedObjectResultType
    /// Names of properties or property descriptions to fetch.
    open var propertiesToFetch: [Any]?
    /// Names of properties or property descriptions to group dictionaries by.
    open var propertiesToGroupBy: [Any]?
    /// Which groups to return.
    open var havingPredicate: NSPredicate?
    /// Relationships to fill along, as key paths.
    open var relationshipKeyPathsForPrefetching: [String]?

    /// Creates a request without an entity.
    public override init() {
        givenName = nil
        super.init()
    }

    /// Creates a request for the entity of that name, which is looked up when the request is carried out.
    public init(entityName: String) {
        givenName = entityName
        super.init()
    }

    /// The name of the entity to search.
    open var entityName: String? { givenName ?? entity?.name }

    /// Always a fetch.
    open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }
}
