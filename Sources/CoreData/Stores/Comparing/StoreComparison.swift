import FoundationSupplement
import ManagedObjectModel

/// Compares two SQLite stores: their layout, the keys of their metadata and, if asked, their rows.
///
/// ```swift
/// let comparison = try StoreComparison(old, new, rows: .byContent(model))
/// for difference in comparison.differences { print(difference) }
/// ```
package struct StoreComparison {
    /// How rows are compared.
    package enum Rows {
        case none
        /// Rows with the same primary key, column by column: value and storage class.
        case byKey
        /// Rows of entities by what they hold and what they are related to, whatever their keys and versions
        /// (`RowGraph`).
        case byContent(NSManagedObjectModel)
    }

    /// What is different, in the order of the aspects and then of names.
    package private(set) var differences: [StoreDifference] = []
    /// How many rows of each store were compared.
    package private(set) var rowCounts = (old: 0, new: 0)
    package var isSame: Bool { differences.isEmpty }

    /// - Parameter ignoringHistory: whether what persistent history adds to a store counts for nothing.
    package init(
        _ old: SQLiteConnection, _ new: SQLiteConnection, rows: Rows = .none, ignoringHistory: Bool = false
    ) throws {
        var facts = (old: try StoreFacts(old), new: try StoreFacts(new))
        if ignoringHistory {
            facts.old.removeHistory()
            facts.new.removeHistory()
        }
        compareTables(facts.old.tables, facts.new.tables)
        compare(.table, facts.old.virtualTables, facts.new.virtualTables)
        compare(.index, facts.old.indexes, facts.new.indexes)
        compare(.trigger, facts.old.triggers, facts.new.triggers)
        compare(.entity, facts.old.entities.mapValues(\.text), facts.new.entities.mapValues(\.text))
        compare(.metadata, facts.old.metadata, facts.new.metadata)
        switch rows {
        case .none: break
        case .byKey:
            let comparison = try KeyedRowComparison(old, new, facts.old.tables, facts.new.tables)
            differences += comparison.differences
            rowCounts = comparison.rowCounts
        case .byContent(let model):
            // Where the rules leave a table's name open, each store has its own.
            func graph(_ connection: SQLiteConnection, _ facts: StoreFacts) throws -> RowGraph {
                try RowGraph(connection, SQLSchema(model, existing: Set(facts.tables.keys)), facts)
            }
            let graphs = (old: try graph(old, facts.old), new: try graph(new, facts.new))
            differences += RowGraph.differences(graphs.old, graphs.new)
            rowCounts = (graphs.old.count, graphs.new.count)
        }
    }

    private mutating func compareTables(_ old: [String: [StoreFacts.Column]], _ new: [String: [StoreFacts.Column]]) {
        func text(_ columns: [StoreFacts.Column]) -> String { columns.map(\.text).joined(separator: ", ") }
        for name in Set(old.keys).union(new.keys).sorted() {
            guard let before = old[name], let after = new[name] else {
                note(.table, name, old[name].map(text), new[name].map(text))
                continue
            }
            let columns = (
                Dictionary(before.map { ($0.name, $0.text) }) { first, _ in first },
                Dictionary(after.map { ($0.name, $0.text) }) { first, _ in first }
            )
            compare(.column, columns.0, columns.1, prefix: name + ".")
            let common = (before.filter { columns.1[$0.name] != nil }, after.filter { columns.0[$0.name] != nil })
            let names = (common.0.map(\.name), common.1.map(\.name))
            if names.0 != names.1 {
                note(.columnOrder, name, names.0.joined(separator: ", "), names.1.joined(separator: ", "))
            }
        }
    }

    private mutating func compare(
        _ aspect: StoreDifference.Aspect, _ old: [String: String], _ new: [String: String], prefix: String = ""
    ) {
        for name in Set(old.keys).union(new.keys).sorted() where old[name] != new[name] {
            note(aspect, prefix + name, old[name], new[name])
        }
    }

    private mutating func note(_ aspect: StoreDifference.Aspect, _ name: String, _ old: String?, _ new: String?) {
        differences.append(StoreDifference(aspect: aspect, name: name, old: old, new: new))
    }
}
