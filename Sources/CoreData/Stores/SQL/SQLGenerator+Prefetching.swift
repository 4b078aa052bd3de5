import FoundationSupplement
import ManagedObjectModel

extension SQLGenerator {
    /// The rows of a tree of entities whose keys are in a list, which is the only parameter.
    static func rows(_ entity: SQLEntity, _ schema: SQLSchema) -> (text: String, SQLResultColumns) {
        let (values, columns) = values(entity, schema)
        return (
            "SELECT \(values) FROM \(entity.table.name) t0 WHERE t0.Z_PK IN (SELECT value FROM json_each(?))", columns
        )
    }

    /// The rows at the other ends of a to-many relationship, each with the key at this end as its last column; the keys
    /// of this end are the only parameter. Nil for what is no to-many relationship.
    static func related(
        _ storage: SQLStorage, _ schema: SQLSchema
    ) -> (text: String, SQLResultColumns, destination: SQLEntity)? {
        let source: (destination: SQLEntity, key: String, from: String, order: String?)
        switch storage {
        case .toMany(let key, _, let order, let destination):
            source = (
                destination, "t0.\(key.name)", "\(destination.table.name) t0", order.map { "t0.\($0.name)" }
            )
        case .join(let table, let own, let other, _, let order, let destination):
            source = (
                destination, "t1.\(own)",
                "\(table.name) t1 JOIN \(destination.table.name) t0 ON t0.Z_PK = t1.\(other)", order.map { "t1.\($0)" }
            )
        case .none, .column, .composite, .toOne: return nil
        }
        let (values, columns) = values(source.destination, schema)
        let order = [source.key, source.order, "t0.Z_PK"].compactMap(\.self).joined(separator: ", ")
        return (
            "SELECT \(values), \(source.key) FROM \(source.from)"
                + " WHERE \(source.key) IN (SELECT value FROM json_each(?)) ORDER BY \(order)",
            columns, source.destination
        )
    }

    private static func values(_ entity: SQLEntity, _ schema: SQLSchema) -> (String, SQLResultColumns) {
        let names = columnNames(entity, schema)
        let number = entity.hasSubentities || entity.root != nil ? "t0.Z_ENT" : "\(entity.number)"
        return ("\(number), t0.Z_PK, t0.Z_OPT" + names.map { ", t0.\($0)" }.joined(), SQLResultColumns(names: names))
    }
}
