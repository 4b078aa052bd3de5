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
    open var entity: NSEntityDescription? { didSet { if refusesChange() { entity = oldValue } } }
    private let givenName: String?
    /// Whether the request is a template of a model that is in use.
    private var isFrozen = false
    /// How the file that the request was read from spells it, where that isn't how it would be written.
    package var spelling = SourceSpelling()
    /// Which objects to return; nil for all.
    open var predicate: NSPredicate? { didSet { if refusesChange() { predicate = oldValue } } }
    /// The order of the results.
    open var sortDescriptors: [NSSortDescriptor]? { didSet { if refusesChange() { sortDescriptors = oldValue } } }
    /// The most results to return; 0 for no limit.
    open var fetchLimit = 0 { didSet { if refusesChange() { fetchLimit = oldValue } } }
    /// How many results to leave out at the start.
    open var fetchOffset = 0 { didSet { if refusesChange() { fetchOffset = oldValue } } }
    /// How many objects to bring in at a time; 0 for all at once.
    open var fetchBatchSize = 0 { didSet { if refusesChange() { fetchBatchSize = oldValue } } }
    /// Whether objects of sub-entities are found too. Default: true.
    open var includesSubentities = true { didSet { if refusesChange() { includesSubentities = oldValue } } }
    /// Whether the rows of the objects are read along. Default: true.
    open var includesPropertyValues = true { didSet { if refusesChange() { includesPropertyValues = oldValue } } }
    /// Whether unsaved changes of the context count. Default: true.
    open var includesPendingChanges = true { didSet { if refusesChange() { includesPendingChanges = oldValue } } }
    /// Whether objects come back unfilled, to be filled on first use from the row cache. Default: true.
    open var returnsObjectsAsFaults = true { didSet { if refusesChange() { returnsObjectsAsFaults = oldValue } } }
    /// Whether each dictionary comes once only.
    open var returnsDistinctResults = false { didSet { if refusesChange() { returnsDistinctResults = oldValue } } }
    /// Whether objects already in the context get the store's newest values.
    open var shouldRefreshRefetchedObjects = false {
        didSet { if refusesChange() { shouldRefreshRefetchedObjects = oldValue } }
    }
    /// The form of the results. Default: managed objects.
    open var resultType: NSFetchRequestResultType = .managedObjectResultType {
        didSet { if refusesChange() { resultType = oldValue } }
    }
    /// Names of properties or property descriptions to fetch.
    open var propertiesToFetch: [Any]? { didSet { if refusesChange() { propertiesToFetch = oldValue } } }
    /// Names of properties or property descriptions to group dictionaries by.
    open var propertiesToGroupBy: [Any]? { didSet { if refusesChange() { propertiesToGroupBy = oldValue } } }
    /// Which groups to return.
    open var havingPredicate: NSPredicate? { didSet { if refusesChange() { havingPredicate = oldValue } } }
    /// Relationships to fill along, as key paths.
    open var relationshipKeyPathsForPrefetching: [String]? {
        didSet { if refusesChange() { relationshipKeyPathsForPrefetching = oldValue } }
    }

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

    /// A copy that can be changed, also of a model's template.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = givenName.map { NSFetchRequest(entityName: $0) } ?? NSFetchRequest()
        copy.affectedStoreObjects = affectedStoreObjects
        copy.entity = entity
        copy.predicate = predicate
        copy.sortDescriptors = sortDescriptors
        copy.fetchLimit = fetchLimit
        copy.fetchOffset = fetchOffset
        copy.fetchBatchSize = fetchBatchSize
        copy.archivedFlags = archivedFlags
        copy.resultType = resultType
        copy.propertiesToFetch = propertiesToFetch
        copy.propertiesToGroupBy = propertiesToGroupBy
        copy.havingPredicate = havingPredicate
        copy.relationshipKeyPathsForPrefetching = relationshipKeyPathsForPrefetching
        copy.spelling = spelling
        return copy
    }

    /// Whether another request asks for the same.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSFetchRequest else { return false }
        if self === other { return true }
        return entityName == other.entityName && predicate == other.predicate
            && sortDescriptors ?? [] == other.sortDescriptors ?? [] && fetchLimit == other.fetchLimit
            && fetchOffset == other.fetchOffset && fetchBatchSize == other.fetchBatchSize
            && archivedFlags == other.archivedFlags && resultType == other.resultType
            && Self.isSame(propertiesToFetch, other.propertiesToFetch)
            && Self.isSame(propertiesToGroupBy, other.propertiesToGroupBy)
            && havingPredicate == other.havingPredicate
            && relationshipKeyPathsForPrefetching ?? [] == other.relationshipKeyPathsForPrefetching ?? []
            && (affectedStoreObjects ?? []).elementsEqual(other.affectedStoreObjects ?? [], by: ===)
    }

    private static func isSame(_ left: [Any]?, _ right: [Any]?) -> Bool {
        (left ?? []).elementsEqual(right ?? []) { left, right in
            if let left = left as? String { return left == right as? String }
            return (left as? NSObject)?.isEqual(right) ?? false
        }
    }

    /// Equal requests have equal hashes.
    open override var hash: Int { entityName?.hashValue ?? 0 }

    /// Makes the request immutable: its model is in use.
    func freeze() { isFrozen = true }

    private func refusesChange() -> Bool {
        if isFrozen { misuse("Can't modify a named fetch request in an immutable model.") }
        return isFrozen
    }

    /// Always a fetch.
    open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }
}
