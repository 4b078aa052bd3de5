import FoundationSupplement
import ManagedObjectModel

/// What a fetch request asks of a context, checked, whatever the type of its results.
struct FetchPlan {
    var fetch: StoreFetch
    /// The stores to ask. A child context asks its parent instead.
    let stores: [NSPersistentStore]
    var includesPendingChanges: Bool
    let fillsObjects: Bool
    /// Whether objects that have their values, and no unsaved changes, get the store's newest.
    let refreshesObjects: Bool
    let batchSize: Int
    let prefetching: PrefetchTree
    /// For the dictionary result type, what is to be in the dictionaries.
    let dictionaries: DictionaryFetch?

    /// - Throws: 134060 for a request that can't be carried out.
    init<T>(_ request: NSFetchRequest<T>, _ context: NSManagedObjectContext, defaultBatchSize: Int = 0) throws {
        let coordinator = try context.coordinator()
        fetch = try StoreFetch(request, coordinator.managedObjectModel)
        let wanted = request.affectedStores
        stores = coordinator.stores(for: fetch.entity).filter { store in
            wanted?.contains { $0 === store } ?? true
        }
        includesPendingChanges = request.includesPendingChanges
        fillsObjects = !request.returnsObjectsAsFaults
        refreshesObjects = request.shouldRefreshRefetchedObjects
        batchSize = request.fetchBatchSize > 0 ? request.fetchBatchSize : defaultBatchSize
        prefetching = try PrefetchTree(request.relationshipKeyPathsForPrefetching ?? [], fetch.entity)
        dictionaries = try DictionaryFetch(request, fetch)
    }

    /// A plan for all objects that stores have, as they have them.
    init(storedObjectsOf fetch: StoreFetch, in stores: [NSPersistentStore]) {
        self.fetch = fetch
        self.stores = stores
        includesPendingChanges = false
        fillsObjects = false
        refreshesObjects = false
        batchSize = 0
        prefetching = PrefetchTree()
        dictionaries = nil
    }
}

extension StoreFetch {
    /// What a request asks of a store.
    ///
    /// - Throws: 134060 for a request without an entity of the model, or with a part that came from an archive and has
    ///   not been allowed.
    init<T>(_ request: NSFetchRequest<T>, _ model: NSManagedObjectModel) throws {
        // By name also where the request has an entity: it may be of an equal model that isn't the coordinator's.
        guard let entity = request.entityName.flatMap({ model.entitiesByName[$0] }) else {
            throw CocoaError.request(
                request.entityName.map { "there is no entity named '\($0)' in the model" }
                    ?? "executeFetchRequest:error: A fetch request must have an entity.")
        }
        let parts: [NSObject?] = [request.predicate, request.havingPredicate] + (request.sortDescriptors ?? [])
        for part in parts { try part?.checkIsAllowed() }
        self.init(entity: entity)
        includesSubentities = request.includesSubentities
        predicate = request.predicate
        sortDescriptors = request.sortDescriptors ?? []
        limit = max(0, request.fetchLimit)
        offset = max(0, request.fetchOffset)
        includesValues = request.includesPropertyValues
    }
}
