import FoundationSupplement
import ManagedObjectModel

extension NSManagedObjectContext {
    /// Finds objects, in the stores and among the unsaved changes.
    ///
    /// - Throws: an error with code 134060 for a predicate, sort descriptor or request that can't be carried out.
    public func fetch<T: NSFetchRequestResult>(_ request: NSFetchRequest<T>) throws -> [T] {
        checkQueue()
        adoptPermanentIDs()
        return try Self.reporting {
            switch request.resultType {
            case .managedObjectResultType: return try cast(objects(request))
            case .managedObjectIDResultType: return try cast(identifiers(request))
            case .countResultType: return try cast([NSNumber(value: count(for: request))])
            default: throw CocoaError.unsupported("the result type 'dictionary' of a fetch request")
            }
        }
    }

    /// Runs `body`; what evaluating a predicate in memory says becomes Core Data's error.
    private static func reporting<R>(_ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch let error as PredicateEvaluationError {
            throw CocoaError.request("\(error)")
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
        checkQueue()
        return try Self.reporting {
            if parent != nil { return try objects(request).count }
            var fetch = try storeFetch(request)
            if request.includesPendingChanges, hasPendingChanges(fetch.entity) { return try objects(request).count }
            let coordinator = try coordinator()
            let stores = coordinator.stores(for: fetch.entity)
            let window = (fetch.offset, fetch.limit)
            if stores.count > 1 { (fetch.offset, fetch.limit) = (0, 0) }
            let count = try reading(coordinator, stores) {
                try stores.reduce(0) { $0 + (try $1.count(fetch, in: self)) }
            }
            guard stores.count > 1 else { return count }
            let rest = max(0, count - window.0)
            return window.1 > 0 ? min(rest, window.1) : rest
        }
    }

    // MARK: Reading

    private func storeFetch<T>(_ request: NSFetchRequest<T>) throws -> StoreFetch {
        // By name also where the request has an entity: it may be of an equal model that isn't the coordinator's.
        let model = try coordinator().managedObjectModel
        guard let entity = request.entityName.flatMap({ model.entitiesByName[$0] }) else {
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
        if let parent {
            found = try objects(of: parent, request, fetch)
        } else {
            try reading(coordinator, stores) {
                for store in stores {
                    // The space is the same for all rows of a tree.
                    let space = store.space(of: fetch.entity)
                    try store.fetch(fetch, in: self) { layout, key, row in
                        found.append(materialise(layout, key, space, row: row))
                    }
                }
            }
        }
        // Only now: `awakeFromFetch` may fetch in turn.
        if !request.returnsObjectsAsFaults { for object in found { object.willAccessValue(forKey: nil) } }
        guard merges || stores.count > 1 && parent == nil else { return found }
        if merges { found = try mergePendingChanges(into: found, fetch) }
        if !fetch.sortDescriptors.isEmpty { found = try sorted(found, fetch.sortDescriptors) }
        return Array(found.dropFirst(window.0).prefix(window.1 == 0 ? Int.max : window.1))
    }

    /// What the parent context finds, among its unsaved changes too, as this context's objects.
    private func objects<T>(
        of parent: NSManagedObjectContext, _ request: NSFetchRequest<T>, _ fetch: StoreFetch
    ) throws -> [NSManagedObject] {
        let copy = NSFetchRequest<NSManagedObject>()
        copy.entity = fetch.entity
        copy.predicate = fetch.predicate
        copy.sortDescriptors = fetch.sortDescriptors
        (copy.fetchLimit, copy.fetchOffset) = (fetch.limit, fetch.offset)
        copy.includesSubentities = fetch.includesSubentities
        copy.includesPropertyValues = fetch.includesValues
        // This context waits meanwhile.
        nonisolated(unsafe) let wanted = copy
        nonisolated(unsafe) var found: [(NSManagedObjectID, Row?)] = []
        try parent.performAndWait {
            found = try parent.objects(wanted).map { object in
                (object.objectID, object.isFault ? object.row : object.currentSnapshot)
            }
        }
        return found.map { id, row in materialise(id.layout, id.primaryKey, id.space, row: row) }
    }

    private func identifiers<T>(_ request: NSFetchRequest<T>) throws -> [NSManagedObjectID] {
        var fetch = try storeFetch(request)
        let coordinator = try coordinator()
        let merges = request.includesPendingChanges && hasPendingChanges(fetch.entity)
        if merges || parent != nil || coordinator.stores(for: fetch.entity).count > 1 {
            return try objects(request).map(\.objectID)
        }
        fetch.includesValues = false
        var found: [NSManagedObjectID] = []
        let stores = coordinator.stores(for: fetch.entity)
        try reading(coordinator, stores) {
            for store in stores {
                let space = store.space(of: fetch.entity)
                try store.fetch(fetch, in: self) { layout, key, _ in
                    found.append(NSManagedObjectID(layout, primaryKey: key, space: space))
                }
            }
        }
        return found
    }

    // MARK: Unsaved changes

    /// Whether an unsaved change may change what a fetch finds: one of an object of the entity's own tree.
    private func hasPendingChanges(_ entity: NSEntityDescription) -> Bool {
        func isRelated(_ object: NSManagedObject) -> Bool {
            object.entity === entity || object.entity.isKindOf(entity: entity)
        }
        return hasChanges
            && (inserted.contains(where: isRelated) || updated.contains(where: isRelated)
                || deleted.contains(where: isRelated))
    }

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
        // In a store objects sort by their keys; in memory they have no order of their own.
        let isByKey = descriptors.map { descriptor in
            (descriptor as? KeyedSortDescriptor)?.sortKey.map { $0 == "self" || $0 == "objectID" } ?? false
        }
        guard isByKey.contains(true) else { return try objects.sortedThrowing(using: descriptors) }
        return try objects.sorted { a, b in
            for (descriptor, isByKey) in zip(descriptors, isByKey) {
                switch isByKey ? Self.keyOrder(a, b, descriptor) : try Self.order(a, b, descriptor) {
                case .orderedAscending: return true
                case .orderedDescending: return false
                case .orderedSame: continue
                }
            }
            return false
        }
    }

    /// The order of the objects' keys, with objects that have none yet at the end.
    private static func keyOrder(
        _ a: NSManagedObject, _ b: NSManagedObject, _ descriptor: NSSortDescriptor
    ) -> ComparisonResult {
        func rank(_ object: NSManagedObject) -> UInt64 { UInt64(bitPattern: object.primaryKey) }
        if rank(a) == rank(b) { return .orderedSame }
        return (rank(a) < rank(b)) == descriptor.ascending ? .orderedAscending : .orderedDescending
    }

    private static func order(
        _ a: NSManagedObject, _ b: NSManagedObject, _ descriptor: NSSortDescriptor
    ) throws -> ComparisonResult {
        try (descriptor as? KeyedSortDescriptor)?.compareThrowing(a, b) ?? descriptor.compare(a, to: b)
    }
}
