import FoundationSupplement
import ManagedObjectModel

extension SQLSchema {
    /// The statements that make an empty store's tables, triggers and indexes, word for word as Apple's stores have
    /// them. The bookkeeping tables come last, as in Apple's stores.
    package func creationStatements() throws -> [String] {
        tableStatements() + (try rTreeStatements()) + (try triggerStatements()) + bookkeeping
            + (try indexStatements())
    }

    /// The tables alone, for stores that are filled before they are indexed.
    package func tableStatements() -> [String] {
        tables.flatMap { table in
            let owned = joinTables.filter { $0.owner.table === table }
            return [statement(table)] + owned.map(statement)
        }
    }

    /// The tables that every store has.
    package var bookkeeping: [String] {
        [
            "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
            "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
        ] + (era.keepsModel ? ["CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)"] : [])
    }

    /// What follows when a store's tables were filled without its R-tree indexes and triggers: the statements that make
    /// these, and bring to date what they would have kept.
    package func lateStatements() throws -> [String] {
        let derived = try derivations()
        return try rTreeStatements() + (try rTrees().map(\.filling)) + derived.map(\.filling)
            + derived.flatMap(\.triggers)
    }

    private func statement(_ table: SQLTable) -> String {
        let columns =
            ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"]
            + table.columns.map { "\($0.name) \($0.type)" }
        let constraints = era.namesIndexesByEntity ? [] : uniqueColumns(of: table)
        guard !constraints.isEmpty else { return "CREATE TABLE \(table.name) ( \(columns.joined(separator: ", ")) )" }
        let texts = constraints.map {
            "CONSTRAINT \($0.joined(separator: "_")) UNIQUE (\($0.joined(separator: ", ")))"
        }
        return "CREATE TABLE \(table.name) ( \((columns + texts).joined(separator: ", ")))"
    }

    /// The columns of each uniqueness constraint of a table's entities.
    private func uniqueColumns(of table: SQLTable) -> [[String]] {
        entities.filter { $0.table === table }.flatMap { entity in
            entity.description.uniquenessConstraintNames.compactMap { self.columns($0, entity) }
        }
    }

    private func statement(_ table: SQLJoinTable) -> String {
        let columns = (table.columns + table.orderColumns).map { "\($0) INTEGER" }
        let key = "PRIMARY KEY (\(table.columns.joined(separator: ", ")))"
        return "CREATE TABLE \(table.name) ( \((columns + [key]).joined(separator: ", ")) )"
    }

    /// The column of an attribute, of an element of a composite attribute (`place.latitude`), or of a to-one
    /// relationship's key.
    package func column(of property: String, in entity: SQLEntity) -> String? {
        let path = property.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let slot = entity.layout.slot(path[0]) else { return nil }
        if path.count > 1 {
            guard case .column(let column)? = entity.storage[slot].element(path.dropFirst())?.storage else {
                return nil
            }
            return column.name
        }
        switch entity.storage[slot] {
        case .column(let column), .toOne(let column, _, _): return column.name
        case .none, .composite, .toMany, .join: return nil
        }
    }

    /// An attribute of an entity, or an element of a composite attribute.
    func attribute(at path: String, in entity: SQLEntity) -> NSAttributeDescription? {
        let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let slot = entity.layout.slot(names[0]), case .attribute(let attribute) = entity.layout.kinds[slot] else {
            return nil
        }
        return names.count == 1 ? attribute : entity.storage[slot].element(names.dropFirst())?.attribute
    }

    /// What tells an entity's rows from others of the same table, as a condition; nil where all rows are the entity's.
    func restriction(to entity: SQLEntity, _ column: String = "Z_ENT") -> String? {
        guard entity.root != nil else { return nil }
        guard entity.hasSubentities else { return "\(column) = \(entity.number)" }
        return "\(column) IN (\(entity.numbers.map(String.init).joined(separator: ", ")))"
    }

    // MARK: R-trees and triggers

    private func rTrees() throws -> [SQLRTree] {
        try entities.flatMap { entity in
            try entity.description.indexes.filter(SQLRTree.isOne).map { try SQLRTree($0, of: entity, self) }
        }
    }

    private func rTreeStatements() throws -> [String] { try rTrees().flatMap(\.statements) }

    private func triggerStatements() throws -> [String] { try derivations().flatMap(\.triggers) }

    private func derivations() throws -> [SQLDerivation] {
        try entities.flatMap { entity in
            try entity.description.declaredProperties.compactMap { $0 as? NSDerivedAttributeDescription }
                .filter { !$0.isTransient }.map { try SQLDerivation($0, of: entity, self) }
        }
    }
}
