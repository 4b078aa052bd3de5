import FoundationSupplement

/// Compares the rows of two stores that have the same primary key.
struct KeyedRowComparison {
    private(set) var differences: [StoreDifference] = []
    private(set) var rowCounts = (old: 0, new: 0)

    /// Compares what the tables have in common; what only one has is a difference of the layout.
    init(
        _ old: SQLiteConnection, _ new: SQLiteConnection, _ oldTables: [String: [StoreFacts.Column]],
        _ newTables: [String: [StoreFacts.Column]]
    ) throws {
        // The model cache is an archive that has many forms, the metadata a property list, compared by its keys.
        let tables = Set(oldTables.keys).intersection(newTables.keys).subtracting(["Z_MODELCACHE", "Z_METADATA"])
        for table in tables.sorted() {
            guard let before = oldTables[table], let after = newTables[table] else { continue }
            let names = Set(after.map(\.name))
            let columns = before.filter { names.contains($0.name) }
            try compare(table, columns, Rows(old, table, columns), Rows(new, table, columns))
        }
    }

    /// The rows of a table, one after the other, by key.
    private final class Rows {
        private let statement: SQLiteStatement
        private let keyCount: Int
        private let count: Int32
        /// The current row; nil after the last one.
        private(set) var cells: [StoredCell]?
        private(set) var read = 0

        init(_ connection: SQLiteConnection, _ table: String, _ columns: [StoreFacts.Column]) throws {
            let keys = columns.filter { $0.keyPosition > 0 }.sorted { $0.keyPosition < $1.keyPosition }
            let names = (keys + columns.filter { $0.keyPosition == 0 }).map(\.name)
            keyCount = keys.isEmpty ? names.count : keys.count
            count = Int32(names.count)
            let list = names.map(Self.quoted).joined(separator: ", ")
            let order = (keys.isEmpty ? names : keys.map(\.name)).map(Self.quoted).joined(separator: ", ")
            statement = try SQLiteStatement(
                connection.handle, "SELECT \(list) FROM \(Self.quoted(table)) ORDER BY \(order)")
            try advance()
        }

        func advance() throws {
            guard try statement.step() else { return cells = nil }
            read += 1
            cells = (0..<count).map { StoredCell(statement, $0) }
        }

        /// A name as SQL takes it, whatever it is.
        private static func quoted(_ name: String) -> String {
            "\"\(name.replacingOccurrences(of: "\"", with: "\"\""))\""
        }

        var key: ArraySlice<StoredCell>? { cells?.prefix(keyCount) }
    }

    private mutating func compare(
        _ table: String, _ columns: [StoreFacts.Column], _ old: Rows, _ new: Rows
    ) throws {
        let keys = columns.filter { $0.keyPosition > 0 }.sorted { $0.keyPosition < $1.keyPosition }
        let names = (keys + columns.filter { $0.keyPosition == 0 }).map(\.name)
        func text(_ cells: [StoredCell]) -> String {
            zip(names, cells).filter { $1 != .null }.map { "\($0) = \($1.description)" }.joined(separator: ", ")
        }
        func name(_ key: ArraySlice<StoredCell>) -> String {
            "\(table) \(key.map(\.description).joined(separator: ", "))"
        }
        while old.cells != nil || new.cells != nil {
            let order = Self.order(old.key, new.key)
            if order == 0, let before = old.cells, let after = new.cells, let key = old.key {
                for (column, (a, b)) in zip(names, zip(before, after)) where a != b {
                    note("\(name(key)) \(column)", a.description, b.description)
                }
            } else if order < 0, let before = old.cells, let key = old.key {
                note(name(key), text(before), nil)
            } else if let after = new.cells, let key = new.key {
                note(name(key), nil, text(after))
            }
            if order <= 0 { try old.advance() }
            if order >= 0 { try new.advance() }
        }
        rowCounts.old += old.read
        rowCounts.new += new.read
    }

    private mutating func note(_ name: String, _ old: String?, _ new: String?) {
        differences.append(StoreDifference(aspect: .row, name: name, old: old, new: new))
    }

    /// Which of two keys SQLite sorts first: negative for the first one. No key comes after all others.
    private static func order(_ a: ArraySlice<StoredCell>?, _ b: ArraySlice<StoredCell>?) -> Int {
        guard let a else { return b == nil ? 0 : 1 }
        guard let b else { return -1 }
        for (x, y) in zip(a, b) where x != y { return x.precedes(y) ? -1 : 1 }
        return 0
    }
}

extension StoredCell {
    /// Whether SQLite sorts the value before another one.
    fileprivate func precedes(_ other: StoredCell) -> Bool {
        switch (self, other) {
        case (.integer(let a), .integer(let b)): a < b
        case (.real(let a), .real(let b)): Double(bitPattern: a) < Double(bitPattern: b)
        case (.integer(let a), .real(let b)): Double(a) < Double(bitPattern: b)
        case (.real(let a), .integer(let b)): Double(bitPattern: a) < Double(b)
        case (.text(let a), .text(let b)), (.blob(let a), .blob(let b)): a.lexicographicallyPrecedes(b)
        default: rank < other.rank
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .integer, .real: 1
        case .text: 2
        case .blob: 3
        }
    }
}
