import FoundationSupplement
import ManagedObjectModel

extension NSAtomicStore {
    /// The nodes that a fetch asks for, in its order; by their keys where it asks for none.
    func find(_ fetch: StoreFetch) throws -> [NSAtomicStoreCacheNode] {
        let members = tree(of: fetch.entity).values.filter { node in
            let entity = node.objectID.entity
            return fetch.includesSubentities ? entity.isKindOf(entity: fetch.entity) : entity === fetch.entity
        }
        // First the order, as predicates with side effects of their own, and errors, are to be the same at every run.
        var found = members.sorted { $0.objectID.primaryKey < $1.objectID.primaryKey }
        if let predicate = fetch.predicate { found = try found.filter { try predicate.evaluateThrowing(with: $0) } }
        if !fetch.sortDescriptors.isEmpty {
            found = try found.sortedThrowing(using: fetch.sortDescriptors.map(Self.byKey))
        }
        guard fetch.offset > 0 || fetch.limit > 0 else { return found }
        return Array(found.dropFirst(fetch.offset).prefix(fetch.limit > 0 ? fetch.limit : .max))
    }

    /// Objects themselves sort by their keys, as in SQL.
    private static func byKey(_ descriptor: NSSortDescriptor) -> NSSortDescriptor {
        guard let key = (descriptor as? KeyedSortDescriptor)?.sortKey, key == "self" || key == "objectID" else {
            return descriptor
        }
        return NSSortDescriptor(key: "objectID", ascending: descriptor.ascending) { left, right in
            guard let left = left as? NSManagedObjectID, let right = right as? NSManagedObjectID,
                left.primaryKey != right.primaryKey
            else { return .orderedSame }
            return left.primaryKey < right.primaryKey ? .orderedAscending : .orderedDescending
        }
    }
}
