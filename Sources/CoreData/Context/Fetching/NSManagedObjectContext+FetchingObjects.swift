import FoundationSupplement
import ManagedObjectModel

extension NSManagedObjectContext {
    /// Gives rows to whom it is called with: what finds objects.
    typealias RowSource = (_ visit: (EntityLayout, Int64, ObjectIDSpace, Row?) throws -> Void) throws -> Void

    /// The objects that a request finds.
    ///
    /// - Parameter source: what has the rows, where they were read before.
    func objects(_ plan: FetchPlan, from source: RowSource? = nil) throws -> [NSManagedObject] {
        let merges = plan.includesPendingChanges && hasPendingChanges(plan.fetch.entity)
        let isMerged = merges || parent == nil && plan.stores.count > 1
        var found: [NSManagedObject]
        if let parent {
            found = try objects(of: parent, plan, isMerged ? searched(plan.fetch) : plan.fetch)
        } else if source == nil, !isMerged, let store = plan.batchedStore {
            return try batchedFaults(plan, store)
        } else {
            let fetch = isMerged ? searched(plan.fetch) : plan.fetch
            found = try storedObjects(plan, source ?? { try self.rows(fetch, plan.stores, $0) })
        }
        // Only now: `awakeFromFetch` may fetch in turn.
        if plan.fillsObjects { for object in found { object.fill(isFetched: plan.fetch.includesValues) } }
        if isMerged {
            if merges { found = try mergePendingChanges(into: found, plan.fetch) }
            if !plan.fetch.sortDescriptors.isEmpty { found = try sorted(found, plan.fetch.sortDescriptors) }
            found = plan.fetch.window(of: found)
        }
        if !plan.prefetching.isEmpty { try prefetch(plan.prefetching, for: found) }
        return found
    }

    /// The part of the results to look for where unsaved changes, or other stores, have a part in what the window is:
    /// each change takes one object out at the most.
    func searched(_ fetch: StoreFetch) -> StoreFetch {
        var fetch = fetch
        let (most, isEndless) = fetch.limit.addingReportingOverflow(updated.count + deleted.count)
        let (end, isBeyond) = most.addingReportingOverflow(fetch.offset)
        fetch.limit = fetch.limit > 0 && !isEndless && !isBeyond ? end : 0
        fetch.offset = 0
        return fetch
    }

    /// Gives the rows that a fetch finds in stores.
    func rows(
        _ fetch: StoreFetch, _ stores: [NSPersistentStore],
        _ visit: (EntityLayout, Int64, ObjectIDSpace, Row?) throws -> Void
    ) throws {
        try read(stores) {
            for store in stores {
                // The space is the same for all rows of a tree.
                let space = store.space(of: fetch.entity)
                try store.loggedFetch(fetch, in: self) { try visit($0, $1, space, $2) }
            }
        }
    }

    private func storedObjects(_ plan: FetchPlan, _ source: RowSource) throws -> [NSManagedObject] {
        var found: [NSManagedObject] = []
        var renewed: [(object: NSManagedObject, row: Row)] = []
        try source { layout, key, space, row in
            let object = materialise(layout, key, space, row: row)
            found.append(object)
            if plan.refreshesObjects, let row, !object.isFault, !object.hasChanges { renewed.append((object, row)) }
        }
        for (object, row) in renewed { renew(object, row) }
        return found
    }

    /// Gives an object the values of a newer row.
    private func renew(_ object: NSManagedObject, _ row: Row) {
        if let old = object.row, old === row || old.isSame(as: row) { return }
        object.rebase(on: object.space.rows.row(object.primaryKey) ?? row)
        event.refreshed.append(object)
        scheduleProcessing()
    }

    /// What the parent context finds, among its unsaved changes too, as this context's objects.
    private func objects(
        of parent: NSManagedObjectContext, _ plan: FetchPlan, _ fetch: StoreFetch
    ) throws -> [NSManagedObject] {
        var wanted = plan
        wanted.fetch = fetch
        wanted.includesPendingChanges = true
        // This context waits meanwhile.
        nonisolated(unsafe) let plan = wanted
        nonisolated(unsafe) var found: [NSManagedObject] = []
        try parent.performAndWait {
            let theirs = try parent.objects(plan)
            for object in theirs {
                let id = object.objectID
                let row = object.isFault ? object.row : object.currentSnapshot
                found.append(materialise(id.layout, id.primaryKey, id.space, row: row))
            }
            // While the parent's objects, with what it has prefetched, are in memory.
            if !plan.prefetching.isEmpty { try prefetch(plan.prefetching, for: found) }
            withExtendedLifetime(theirs) {}
        }
        return found
    }
}
