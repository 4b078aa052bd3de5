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
    /// How many predicates and expressions are around the one at hand.
    var depth = 0
    /// Whether the text must do without parameters in the end.
    var writesLiterals = false
    /// Whether functions like `sum:` go over the rows: outside of conditions that single rows have to meet.
    var aggregatesRows = false
    /// The columns of a result by their names, as variables of the condition for groups.
    var columnOperands: [String: Operand] = [:]

    init(_ schema: SQLSchema) { self.schema = schema }

    /// One `SELECT` under construction: a table, its alias, and the tables joined so far.
    final class Scope {
        let entity: SQLEntity
        let alias: String
        let parent: Scope?
        /// The SQL of the row's key.
        var key: String
        /// In a subquery, the names of the element.
        var variables: [String] = []
        /// Whether more of the row is needed than its key.
        var usesTable = false
        /// Whether something in the `SELECT` belongs to a row of one around it.
        private(set) var isCorrelated = false
        var joins: [(path: String, alias: String, entity: SQLEntity, sql: String)] = []

        init(_ entity: SQLEntity, alias: String, parent: Scope? = nil) {
            self.entity = entity
            self.alias = alias
            self.parent = parent
            key = alias.isEmpty ? "Z_PK" : "\(alias).Z_PK"
        }

        var joinText: String { joins.map { " " + $0.sql }.joined() }

        /// Tells this scope and those between that a row of `outer`, which may be this scope, is used here.
        func noteUse(of outer: Scope) {
            var scope: Scope? = self
            while let inner = scope, inner !== outer {
                inner.isCorrelated = true
                scope = inner.parent
            }
        }
    }

    mutating func newScope(_ entity: SQLEntity, parent: Scope? = nil) -> Scope {
        Scope(entity, alias: newAlias(), parent: parent)
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
        let names = fetch.includesValues ? entity.rowColumns : []
        let number = entity.hasSubentities || entity.root != nil ? "\(scope.alias).Z_ENT" : "\(entity.number)"
        let values = names.map { ", \(scope.alias).\($0)" }.joined()
        let text = try generator.statement(fetch, scope) {
            // A table's keys alone are read faster than its rows.
            "\(number), \($0.alias).Z_PK" + (fetch.includesValues ? ", \($0.alias).Z_OPT\(values)" : "")
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

    /// A `SELECT` of what `columns` says, with the fetch's conditions, order and window.
    mutating func statement(_ fetch: StoreFetch, _ scope: Scope, _ columns: (Scope) -> String) throws -> String {
        let condition = try condition(fetch, scope)
        let order = try order(fetch.sortDescriptors, scope)
        let source = "\(scope.entity.table.name) \(scope.alias)\(scope.joinText)"
        let text = "SELECT \(columns(scope)) FROM \(source)\(condition)\(order)"
        return text + window(fetch)
    }

    mutating func window(_ fetch: StoreFetch) -> String {
        guard fetch.limit > 0 || fetch.offset > 0 else { return "" }
        let limit = bind(.integer(fetch.limit > 0 ? Int64(fetch.limit) : -1))
        return " LIMIT \(limit) OFFSET \(bind(.integer(Int64(fetch.offset))))"
    }

    // MARK: Clauses

    mutating func condition(_ fetch: StoreFetch, _ scope: Scope) throws -> String {
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

    mutating func order(_ descriptors: [NSSortDescriptor], _ scope: Scope) throws -> String {
        let parts = try descriptors.map { descriptor -> String in
            guard let keyed = descriptor as? KeyedSortDescriptor, let key = keyed.sortKey,
                let selector = keyed.sortSelector
            else {
                throw CocoaError.request("unsupported NSSortDescriptor (comparator blocks are not supported)")
            }
            let direction = descriptor.ascending ? "ASC" : "DESC"
            guard let operand = try path(key, scope, isSort: true) else { throw missing(key, scope.entity) }
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
