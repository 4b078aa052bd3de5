import FoundationSupplement
import ManagedObjectModel

extension NSManagedObjectContext {
    /// Whether an unsaved change may change what a fetch finds: one of an object of the entity's own tree.
    func hasPendingChanges(_ entity: NSEntityDescription) -> Bool {
        func isRelated(_ object: NSManagedObject) -> Bool {
            object.entity === entity || object.entity.isKindOf(entity: entity)
        }
        return hasChanges
            && (inserted.contains(where: isRelated) || updated.contains(where: isRelated)
                || deleted.contains(where: isRelated))
    }

    /// Takes out what no longer matches and adds what now does.
    func mergePendingChanges(into found: [NSManagedObject], _ fetch: StoreFetch) throws -> [NSManagedObject] {
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

    func sorted(_ objects: [NSManagedObject], _ descriptors: [NSSortDescriptor]) throws -> [NSManagedObject] {
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
