import FoundationSupplement
import ManagedObjectModel

extension NSManagedObjectContext {
    /// Finds objects, in the stores and among the unsaved changes.
    ///
    /// - Throws: an error with code 134060 for a predicate, sort descriptor or request that can't be carried out.
    public func fetch<T: NSFetchRequestResult>(_ request: NSFetchRequest<T>) throws -> [T] {
        switch request.resultType {
        case .managedObjectResultType: return try cast(objects(request))
        case .managedObjectIDResultType: return try cast(identifiers(request))
        case .countResultType: return try cast([NSNumber(value: count(for: request))])
        default: throw CocoaError.unsupported("the result type 'dictionary' of a fetch request")
        }
    }

    private func cast<A: AnyObject, T: NSFetchRequestResult>(_ results: [A]) throws -> [T] {
        if A.self == T.self { return unsafeBitCast(results, to: [T].self) }
        guard let cast = results as? [T] else {
            throw CocoaError.request("the results are not of type \(T.self)")
        }
        return cast
    }

    /// The number of objects that a request would find.
    public func count<T: NSFetchRequestResult>(for request: NSFetchRequest<T>) throws -> Int {
        let fetch = try storeFetch(request)
        if request.includesPendingChanges, hasPendingChanges(fetch.entity) { return try objects(request).count }
        let coordinator = try coordinator()
        return try coordinator.exclusively {
            try coordinator.stores(for: fetch.entity).reduce(0) { $0 + (try $1.count(fetch)) }
        }
    }

    // MARK: Reading

    private func storeFetch<T>(_ request: NSFetchRequest<T>) throws -> StoreFetch {
        let model = try coordinator().managedObjectModel
        let named = request.entityName.flatMap { model.entitiesByName[$0] }
        guard let entity = named ?? request.entity else {
            throw CocoaError.request(
                request.entityName.map { "there is no entity named '\($0)' in the model" }
                    ?? "executeFetchRequest:error: A fetch request must have an entity.")
        }
        var fetch = StoreFetch(entity: entity)
        fetch.includesSubentities = request.includesSubentities
        fetch.predicate = request.predicate
        fetch.sortDescriptors = request.sortDescriptors ?? []
        fetch.limit = max(0, request.fetchLimit)
        fetch.offset = max(0, request.fetchOffset)
        fetch.includesValues = request.includesPropertyValues
        return fetch
    }

    private func objects<T>(_ request: NSFetchRequest<T>) throws -> [NSManagedObject] {
        var fetch = try storeFetch(request)
        let coordinator = try coordinator()
        let stores = coordinator.stores(for: fetch.entity)
        let merges = request.includesPendingChanges && hasPendingChanges(fetch.entity)
        let window = (fetch.offset, fetch.limit)
        if merges || stores.count > 1 { (fetch.offset, fetch.limit) = (0, 0) }
        var found: [NSManagedObject] = []
        let fills = !request.returnsObjectsAsFaults
        try coordinator.exclusively {
            for store in stores {
                // The space is the same for all rows of a tree.
                let space = store.space(of: fetch.entity)
                try store.fetch(fetch) { layout, key, row in
                    found.append(materialise(layout, key, space, row: row, fills: fills))
                }
            }
        }
        guard merges || stores.count > 1 else { return found }
        if merges { found = try mergePendingChanges(into: found, fetch) }
        if !fetch.sortDescriptors.isEmpty { found = try sorted(found, fetch.sortDescriptors) }
        return Array(found.dropFirst(window.0).prefix(window.1 == 0 ? Int.max : window.1))
    }

    private func identifiers<T>(_ request: NSFetchRequest<T>) throws -> [NSManagedObjectID] {
        var fetch = try storeFetch(request)
        if request.includesPendingChanges, hasPendingChanges(fetch.entity) { return try objects(request).map(\.objectID) }
        fetch.includesValues = false
        let coordinator = try coordinator()
        var found: [NSManagedObjectID] = []
        try coordinator.exclusively {
            for store in coordinator.stores(for: fetch.entity) {
                let space = store.space(of: fetch.entity)
                try store.fetch(fetch) { layout, key, _ in
                    found.append(NSManagedObjectID(layout, primaryKey: key, space: space))
                }
            }
        }
        return found
    }

    // MARK: Unsaved changes

    /// Whether an unsaved change may change what a fetch finds. A predicate may look at other entities, so with one
    /// any change counts.
    private func hasPendingChanges(_ entity: NSEntityDescription) -> Bool { hasChanges }

    /// Takes out what no longer matches and adds what now does.
    private func mergePendingChanges(into found: [NSManagedObject], _ fetch: StoreFetch) throws -> [NSManagedObject] {
        func matches(_ object: NSManagedObject) throws -> Bool {
            try fetch.predicate?.evaluateThrowing(with: object, variables: [:]) ?? true
        }
        func isMember(_ object: NSManagedObject) -> Bool {
            fetch.includesSubentities ? object.entity.isKindOf(entity: fetch.entity) : object.entity === fetch.entity
        }
        var result = try found.filter { object in
            if object.isDeleted { return false }
            return object.isUpdated ? try matches(object) : true
        }
        let known = Set(result.map(ObjectIdentifier.init))
        for object in updated.objects + inserted.objects
        where isMember(object) && !object.isDeleted && !known.contains(ObjectIdentifier(object)) {
            if try matches(object) { result.append(object) }
        }
        return result
    }

    private func sorted(_ objects: [NSManagedObject], _ descriptors: [NSSortDescriptor]) throws -> [NSManagedObject] {
        try objects.enumerated().sorted { a, b in
            for descriptor in descriptors {
                let order = try (descriptor as? KeyedSortDescriptor)?.compareThrowing(a.element, b.element)
                switch order ?? descriptor.compare(a.element, to: b.element) {
                case .orderedAscending: return true
                case .orderedDescending: return false
                case .orderedSame: continue
                }
            }
            return a.offset < b.offset
        }.map(\.element)
    }
}
