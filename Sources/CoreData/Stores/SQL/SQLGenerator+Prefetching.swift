import FoundationSupplement
import ManagedObjectModel

extension SQLGenerator {
    /// The rows of a tree of entities whose keys are in a list, which is the only parameter.
    static func rows(_ entity: SQLEntity) -> (text: String, SQLResultColumns) {
        let (values, columns) = values(entity)
        return (
            "SELECT \(values) FROM \(entity.table.name) t0 WHERE t0.Z_PK IN (SELECT value FROM json_each(?))", columns
        )
    }

    /// The rows at the other ends of a to-many relationship, each with the key at this end as its last column; the keys
    /// of this end are the only parameter. Nil for what is no to-many relationship.
    static func related(_ storage: SQLStorage) -> (text: String, SQLResultColumns, destination: SQLEntity)? {
        guard let ends = Ends(storage) else { return nil }
        let (values, columns) = values(ends.destination)
        return (
            "SELECT \(values), \(ends.key) FROM \(ends.source)"
                + " WHERE \(ends.key) IN (SELECT value FROM json_each(?)) ORDER BY \(ends.key), \(ends.order)",
            columns, ends.destination
        )
    }

    /// The numbers and keys at the other end of a to-many relationship of one object, whose key is the parameter. Nil for
    /// what is no to-many relationship.
    static func relatedKeys(_ storage: SQLStorage) -> String? {
        Ends(storage).map {
            "SELECT t0.Z_ENT, t0.Z_PK FROM \($0.source) WHERE \($0.key) = ? ORDER BY \($0.order)"
        }
    }

    /// Where the other ends of a to-many relationship are found: their rows are `t0`.
    private struct Ends {
        let destination: SQLEntity
        /// The column with the key of this end.
        let key: String
        let source: String
        let order: String

        init?(_ storage: SQLStorage) {
            let position: String?
            switch storage {
            case .toMany(let column, _, let order, let destination):
                (self.destination, key) = (destination, "t0.\(column.name)")
                source = "\(destination.table.name) t0"
                position = order.map { "t0.\($0.name)" }
            case .join(let table, let own, let other, _, let order, let destination):
                (self.destination, key) = (destination, "t1.\(own)")
                source = "\(table.name) t1 JOIN \(destination.table.name) t0 ON t0.Z_PK = t1.\(other)"
                position = order.map { "t1.\($0)" }
            case .none, .column, .composite, .toOne: return nil
            }
            order = [position, "t0.Z_PK"].compactMap(\.self).joined(separator: ", ")
        }
    }

    private static func values(_ entity: SQLEntity) -> (String, SQLResultColumns) {
        let names = entity.rowColumns
        let number = entity.hasSubentities || entity.root != nil ? "t0.Z_ENT" : "\(entity.number)"
        return ("\(number), t0.Z_PK, t0.Z_OPT" + names.map { ", t0.\($0)" }.joined(), SQLResultColumns(names: names))
    }
}
