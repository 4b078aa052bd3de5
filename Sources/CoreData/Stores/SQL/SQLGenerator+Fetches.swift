import FoundationSupplement
import ManagedObjectModel

/// A fetch request, whatever its results are: generic classes have no common type.
private protocol AnyFetchRequest {
    /// What a store is asked for, of the entity of that name in a model.
    func storeFetch(in model: NSManagedObjectModel) -> StoreFetch?
}

extension NSFetchRequest: AnyFetchRequest {
    fileprivate func storeFetch(in model: NSManagedObjectModel) -> StoreFetch? {
        guard let entity = entityName.flatMap({ model.entitiesByName[$0] }) else { return nil }
        var fetch = StoreFetch(entity: entity)
        fetch.includesSubentities = includesSubentities
        fetch.predicate = predicate
        fetch.sortDescriptors = sortDescriptors ?? []
        (fetch.limit, fetch.offset) = (max(0, fetchLimit), max(0, fetchOffset))
        return fetch
    }
}

extension SQLGenerator {
    /// `FETCH(request, context, countOnly)`: the keys, or their number, as a `SELECT` of its own.
    mutating func fetched(_ expression: Expression, countsOnly: Bool) throws -> Operand {
        let request = isConstant(expression) ? try constant(expression) : nil
        guard let fetch = (request as? any AnyFetchRequest)?.storeFetch(in: schema.model),
            let entity = schema.entity(fetch.entity)
        else { throw CocoaError.request("FETCH needs a fetch request for an entity of the model: \(expression)") }
        let select = try statement(fetch, newScope(entity)) { $0.key }
        if countsOnly { return .value(sql: "(SELECT COUNT(*) FROM (\(select)))", type: .integer64AttributeType) }
        return .fetched(sql: select, entity)
    }
}
