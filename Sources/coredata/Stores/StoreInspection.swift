import CoreData

/// What `coredata inspect` says of a store.
struct StoreInspection {
    /// What it says of an entity.
    struct Entity {
        let name: String
        let superentity: String?
        /// Nil where there is no model that would say so.
        let isAbstract: Bool?
        /// The entity's own rows, without those of sub-entities.
        let rows: Int
        let versionHash: String
        /// The names of the table's columns, where there is no model that would say what is in them.
        var columns: [String] = []
    }

    let path: String
    let size: Int
    let pageSize: Int
    let journalMode: String
    let identifier: String
    let frameworkVersion: Int?
    let versionIdentifiers: [String]
    let checksum: String?
    let digest: String?
    let entities: [Entity]
    private let hasModel: Bool

    /// Looks at a store that is open.
    init(_ reader: StoreReader, path: String) throws {
        let store = reader.context.persistentStoreCoordinator?.persistentStores.first as? SQLiteStore
        let hashes = reader.metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
        try self.init(
            path, reader.metadata, store?.connection, reader.model,
            // A store for a configuration has no others.
            reader.model.entitiesInStoreOrder.filter { hashes[$0.name ?? ""] != nil || hashes.isEmpty }
                .map { try Self.inspect($0, reader.context, hashes) })
    }

    /// Looks at a store that keeps no model: what its tables say by themselves.
    init(_ connection: SQLiteConnection, path: String) throws {
        let metadata = try SQLStoreFile.metadata(on: connection)
        try self.init(path, metadata, connection, nil, Self.entities(of: connection, metadata))
    }

    private init(
        _ path: String, _ metadata: [String: Any], _ connection: SQLiteConnection?, _ model: NSManagedObjectModel?,
        _ entities: [Entity]
    ) throws {
        self.path = path
        self.entities = entities
        hasModel = model != nil
        size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        identifier = metadata[NSStoreUUIDKey] as? String ?? ""
        frameworkVersion = metadata["NSPersistenceFrameworkVersion"] as? Int
        versionIdentifiers = (metadata[NSStoreModelVersionIdentifiersKey] as? [String] ?? []).filter { !$0.isEmpty }
            .sorted()
        // Stores of older systems have neither; both follow from the hashes.
        checksum = metadata[NSPersistentStoreModelVersionChecksumKey] as? String ?? model?.versionChecksum
        digest = metadata["NSStoreModelVersionHashesDigest"] as? String ?? model?.versionHashesDigest
        pageSize = try (connection?.int("PRAGMA page_size")).map { Int($0) } ?? 0
        journalMode = try connection?.text("PRAGMA journal_mode") ?? ""
    }

    /// The entities that a file tells of: by number, each with the rows of its root's table that are its own.
    private static func entities(of connection: SQLiteConnection, _ metadata: [String: Any]) throws -> [Entity] {
        let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
        let tables = try connection.tables()
        var parents: [Int64: (name: String, parent: Int64)] = [:]
        let all = try connection.statement("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY")
        defer { all.reset() }
        while try all.step() { parents[all.int(0)] = (all.string(1), all.int(2)) }
        // Beyond 16000 are the tables of persistent history.
        return try parents.filter { $0.key < 16_000 }.sorted { $0.key < $1.key }.map { number, entity in
            var root = entity
            // A file may say that an entity is its own ancestor; no model is that deep.
            for _ in 0..<64 { root = parents[root.parent] ?? root }
            let table = "Z" + root.name.uppercased()
            var rows = 0
            if tables.contains(table) {
                let name = table.replacingOccurrences(of: "\"", with: "\"\"")
                rows = Int(try connection.int("SELECT COUNT(*) FROM \"\(name)\" WHERE Z_ENT = \(number)") ?? 0)
            }
            return Entity(
                name: entity.name, superentity: parents[entity.parent]?.name, isAbstract: nil, rows: rows,
                versionHash: hashes[entity.name]?.hexadecimal ?? "", columns: try connection.columns(of: table))
        }
    }

    private static func inspect(
        _ entity: NSEntityDescription, _ context: NSManagedObjectContext, _ hashes: [String: Data]
    ) throws -> Entity {
        let name = entity.name ?? ""
        let request = NSFetchRequest<NSManagedObject>(entityName: name)
        request.includesSubentities = false
        return Entity(
            name: name, superentity: entity.superentity?.name, isAbstract: entity.isAbstract,
            rows: try context.count(for: request),
            versionHash: (hashes[name] ?? entity.versionHash).hexadecimal)
    }

    /// The rows of all entities.
    var totalRows: Int { entities.reduce(0) { $0 + $1.rows } }

    /// The keys are documented in `docs/JSON.md`.
    var json: JSON {
        .object([
            ("file", .string(path)), ("size", .int(size)), ("pageSize", .int(pageSize)),
            ("journalMode", .string(journalMode)), ("uuid", .string(identifier)),
            ("frameworkVersion", frameworkVersion.map(JSON.int) ?? .null),
            ("versionIdentifiers", .array(versionIdentifiers.map(JSON.string))),
            ("checksum", .text(checksum)), ("digest", .text(digest)), ("rows", .int(totalRows)),
            (
                "entities",
                .array(
                    entities.map { entity in
                        .object(
                            [
                                ("name", .string(entity.name)), ("superentity", .text(entity.superentity)),
                                ("isAbstract", entity.isAbstract.map(JSON.bool) ?? .null),
                                ("rows", .int(entity.rows)), ("versionHash", .string(entity.versionHash)),
                            ]
                                + (hasModel ? [] : [("columns", .array(entity.columns.map(JSON.string)))]))
                    })
            ),
        ])
    }

    /// For people.
    var text: String {
        let facts = [
            ["File", path], ["Size", Amounts.counted(size, "byte")], ["Page size", Amounts.counted(pageSize, "byte")],
            ["Journal mode", journalMode], ["UUID", identifier],
            ["Framework version", frameworkVersion.map(String.init) ?? "not given"],
            ["Model versions", versionIdentifiers.isEmpty ? "none" : versionIdentifiers.joined(separator: ", ")],
            ["Checksum", checksum ?? "not given"], ["Digest", digest ?? "not given"],
        ]
        let list = facts.map { "\($0[0].padded(to: 19))\(singleLine($0[1]))" }
        return (list + [""] + table + (hasModel ? [] : [""] + columns)).joined(separator: "\n")
    }

    private var columns: [String] {
        ["The store keeps no model. The columns of its tables:"]
            + entities.filter { $0.superentity == nil }.map { entity in
                "\(singleLine(entity.name)): \(singleLine(entity.columns.joined(separator: ", ")))"
            }
    }

    private var table: [String] {
        let columns: [Table.Column] = [
            .init(title: "Entity"), .init(title: "Super-entity"), .init(title: "Abstract"),
            .init(title: "Rows", isNumeric: true), .init(title: "Version hash"),
        ]
        let rows = entities.map { entity in
            [
                entity.name, entity.superentity ?? "", entity.isAbstract == true ? "yes" : "",
                entity.isAbstract == true && entity.rows == 0 ? "" : Amounts.grouped(entity.rows), entity.versionHash,
            ]
        }
        let total = ["Total", "", "", Amounts.grouped(totalRows), ""]
        let table = Table(columns, sample: rows + [total])
        return table.header + (rows + [total]).map(table.line)
    }
}
