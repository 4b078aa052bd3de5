import FoundationSupplement
import ManagedObjectModel

/// Says in SQL what a fetch asks for.
///
/// The fetched entity's table is `t0`; each to-one step of a key path joins a table, once per path. Conditions over a
/// to-many step become `EXISTS`, so that no row comes twice and no `DISTINCT` is needed.
package struct SQLGenerator {
    let schema: SQLSchema
    var bindings: [SlotValue] = []
    private var aliasCount = 0
    /// How many predicates are around the one at hand.
    var depth = 0

    init(_ schema: SQLSchema) { self.schema = schema }

    /// One `SELECT` under construction: a table, its alias, and the tables joined so far.
    final class Scope {
        let entity: SQLEntity
        let alias: String
        let parent: Scope?
        /// In a subquery, the name of the element.
        let variable: String?
        var joins: [(path: String, alias: String, entity: SQLEntity, sql: String)] = []

        init(_ entity: SQLEntity, alias: String, parent: Scope? = nil, variable: String? = nil) {
            self.entity = entity
            self.alias = alias
            self.parent = parent
            self.variable = variable
        }

        var joinText: String { joins.map { " " + $0.sql }.joined() }
    }

    mutating func newScope(_ entity: SQLEntity, parent: Scope? = nil, variable: String? = nil) -> Scope {
        Scope(entity, alias: newAlias(), parent: parent, variable: variable)
    }

    mutating func newAlias() -> String {
        defer { aliasCount += 1 }
        return "t\(aliasCount)"
    }

    // MARK: Whole statements

    /// `SELECT` of the rows, or of their keys alone.
    static func select(_ fetch: StoreFetch, _ entity: SQLEntity, _ schema: SQLSchema) throws -> (
        SQLQuery, SQLResultColumns
    ) {
        var generator = SQLGenerator(schema)
        let scope = generator.newScope(entity)
        let names = fetch.includesValues ? columnNames(entity, schema) : []
        let number = entity.hasSubentities || entity.root != nil ? "\(scope.alias).Z_ENT" : "\(entity.number)"
        let values = names.map { ", \(scope.alias).\($0)" }.joined()
        let condition = try generator.condition(fetch, scope)
        let order = try generator.order(fetch.sortDescriptors, scope)
        var text = "SELECT \(number), \(scope.alias).Z_PK, \(scope.alias).Z_OPT\(values)"
        text += " FROM \(entity.table.name) \(scope.alias)\(scope.joinText)\(condition)\(order)"
        if fetch.limit > 0 || fetch.offset > 0 {
            text += " LIMIT ? OFFSET ?"
            generator.bindings += [.integer(fetch.limit > 0 ? Int64(fetch.limit) : -1), .integer(Int64(fetch.offset))]
        }
        return (SQLQuery(text: text, bindings: generator.bindings), SQLResultColumns(names: names))
    }

    static func count(_ fetch: StoreFetch, _ entity: SQLEntity, _ schema: SQLSchema) throws -> SQLQuery {
        guard fetch.limit == 0, fetch.offset == 0 else {
            var keysOnly = fetch
            keysOnly.includesValues = false
            let (query, _) = try select(keysOnly, entity, schema)
            return SQLQuery(text: "SELECT COUNT(*) FROM (\(query.text))", bindings: query.bindings)
        }
        var generator = SQLGenerator(schema)
        let scope = generator.newScope(entity)
        let condition = try generator.condition(fetch, scope)
        let text = "SELECT COUNT(*) FROM \(entity.table.name) \(scope.alias)\(scope.joinText)\(condition)"
        return SQLQuery(text: text, bindings: generator.bindings)
    }

    /// The columns of an entity and of all that inherit from it, in the table's order.
    static func columnNames(_ entity: SQLEntity, _ schema: SQLSchema) -> [String] {
        var wanted: Set<String> = []
        for number in entity.numbers {
            for storage in schema.entities[number - 1].storage { wanted.formUnion(storage.columns.map(\.name)) }
        }
        return entity.table.columns.map(\.name).filter { wanted.contains($0) }
    }

    // MARK: Clauses

    private mutating func condition(_ fetch: StoreFetch, _ scope: Scope) throws -> String {
        var parts: [String] = []
        if let restriction = restriction(scope, includesSubentities: fetch.includesSubentities) {
            parts.append(restriction)
        }
        if let predicate = fetch.predicate { parts.append(try self.predicate(predicate, scope)) }
        return parts.isEmpty ? "" : " WHERE " + parts.joined(separator: " AND ")
    }

    /// Which of the rows of a tree's table belong to the entity; nil for all of them.
    func restriction(_ scope: Scope, includesSubentities: Bool = true) -> String? {
        let entity = scope.entity
        let column = scope.alias.isEmpty ? "Z_ENT" : "\(scope.alias).Z_ENT"
        if !includesSubentities || !entity.hasSubentities {
            return entity.hasSubentities || entity.root != nil ? "\(column) = \(entity.number)" : nil
        }
        guard entity.root != nil else { return nil }
        return "\(column) IN (\(entity.numbers.map(String.init).joined(separator: ", ")))"
    }

    private mutating func order(_ descriptors: [NSSortDescriptor], _ scope: Scope) throws -> String {
        let parts = try descriptors.map { descriptor -> String in
            guard let keyed = descriptor as? KeyedSortDescriptor, let key = keyed.sortKey,
                let selector = keyed.sortSelector
            else {
                throw CocoaError.request("unsupported NSSortDescriptor (comparator blocks are not supported)")
            }
            let direction = descriptor.ascending ? "ASC" : "DESC"
            if key == "self" || key == "objectID" { return "\(scope.alias).Z_PK \(direction)" }
            guard let operand = try path(key, scope, isSort: true) else {
                throw CocoaError.request("keypath \(key) not found in entity \(scope.entity.name)")
            }
            return operand.sql + collation(selector) + " \(direction)"
        }
        return parts.isEmpty ? "" : " ORDER BY " + parts.joined(separator: ", ")
    }

    private func collation(_ selector: SortSelector) -> String {
        switch selector {
        case .compare: ""
        case .caseInsensitiveCompare: " COLLATE NSCollateNoCase"
        case .localizedCompare: " COLLATE NSCollateLocaleSensitive"
        case .localizedCaseInsensitiveCompare: " COLLATE NSCollateLocaleInsensitive"
        case .localizedStandardCompare: " COLLATE NSCollateFinderlike"
        }
    }
}
