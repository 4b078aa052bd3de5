import CoreData

/// The objects that a request finds, in its order, filled a batch at a time with those that columns lead to: memory
/// holds the IDs of all, but the values of one batch only.
struct ObjectBatches {
    private let request: NSFetchRequest<NSManagedObject>
    private let context: NSManagedObjectContext
    /// The relationships that columns go through, each with those before it.
    private let paths: [[String]]
    // SQLite takes no more than 1000 conditions in a row, and that is how "SELF IN" is said at present.
    private static let size = 500

    /// The objects that `request` finds, to be shown in `columns`.
    init(_ request: NSFetchRequest<NSManagedObject>, for columns: [QueryColumn], in context: NSManagedObjectContext) {
        self.request = request
        self.context = context
        paths = Set(columns.flatMap { column in column.steps.indices.map { Array(column.steps[...$0]) } })
            .sorted { $0.count < $1.count }
    }

    /// Calls `body` with each object.
    func forEach(_ body: (NSManagedObject) throws -> Void) throws {
        let ids = try identifiers()
        // A context holds its objects weakly. Those of the last batch are held, as the next may lead to them too.
        var related: [[String]: [NSManagedObject]] = [:]
        for start in stride(from: 0, to: ids.count, by: Self.size) {
            let batch = ids[start..<min(start + Self.size, ids.count)]
            let objects = try objects(batch, request.entityName)
            let next = try relatedObjects(of: Array(objects.values))
            withExtendedLifetime(related) { related = next }
            // A row that was deleted since its ID was read is left out.
            try withExtendedLifetime(related) {
                for id in batch { if let object = objects[id] { try body(object) } }
            }
        }
    }

    private func identifiers() throws -> [NSManagedObjectID] {
        let keys = NSFetchRequest<NSManagedObjectID>(entityName: request.entityName ?? "")
        keys.resultType = .managedObjectIDResultType
        keys.predicate = request.predicate
        keys.sortDescriptors = request.sortDescriptors
        keys.fetchLimit = request.fetchLimit
        keys.fetchOffset = request.fetchOffset
        return try context.fetch(keys)
    }

    private func objects(
        _ ids: ArraySlice<NSManagedObjectID>, _ entityName: String?
    ) throws -> [NSManagedObjectID: NSManagedObject] {
        let batch = NSFetchRequest<NSManagedObject>(entityName: entityName ?? "")
        batch.predicate = NSPredicate(format: "SELF IN %@", Array(ids))
        batch.returnsObjectsAsFaults = false
        return try Dictionary(context.fetch(batch).map { ($0.objectID, $0) }) { first, _ in first }
    }

    /// The objects at the ends of the paths, filled with one fetch for each path.
    private func relatedObjects(of objects: [NSManagedObject]) throws -> [[String]: [NSManagedObject]] {
        var related: [[String]: [NSManagedObject]] = [:]
        for path in paths {
            let sources = path.count == 1 ? objects : related[path.dropLast()] ?? []
            var ends: [NSManagedObjectID: NSManagedObject] = [:]
            for source in sources {
                guard let step = path.last, let slot = source.entity.layout.slot(step), let end = source.toOne(slot)
                else {
                    continue
                }
                ends[end.objectID] = end
            }
            let faults = ends.values.filter(\.isFault).map(\.objectID)
            // All ends of a relationship are of one tree of entities.
            if let root = faults.first?.entity.rootEntity { _ = try self.objects(faults[...], root.name) }
            related[path] = Array(ends.values)
        }
        return related
    }
}
