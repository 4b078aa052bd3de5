import CoreData

/// What `coredata inspect` says of a store.
struct StoreInspection {
    /// What it says of an entity.
    struct Entity {
        let name: String
        let superentity: String?
        let isAbstract: Bool
        /// The entity's own rows, without those of sub-entities.
        let rows: Int
        let versionHash: String
    }

    let path: String
    let size: Int
    let pageSize: Int
    let journalMode: String
    let identifier: String
    let frameworkVersion: Int?
    let versionIdentifiers: [String]
    let checksum: String
    let digest: String
    let entities: [Entity]

    /// Looks at a store that is open.
    init(_ reader: StoreReader, path: String) throws {
        self.path = path
        size = try FileManager.default.attributesOfItem(atPath: reader.url.path)[.size] as? Int ?? 0
        let (metadata, model) = (reader.metadata, reader.model)
        identifier = metadata[NSStoreUUIDKey] as? String ?? ""
        frameworkVersion = metadata["NSPersistenceFrameworkVersion"] as? Int
        versionIdentifiers = (metadata[NSStoreModelVersionIdentifiersKey] as? [String] ?? []).filter { !$0.isEmpty }
            .sorted()
        // Stores of older systems have neither; both follow from the hashes.
        checksum = metadata[NSPersistentStoreModelVersionChecksumKey] as? String ?? model.versionChecksum
        digest = metadata["NSStoreModelVersionHashesDigest"] as? String ?? model.versionHashesDigest
        let connection = (reader.context.persistentStoreCoordinator?.persistentStores.first as? SQLiteStore)?.connection
        pageSize = try (connection?.int("PRAGMA page_size")).map { Int($0) } ?? 0
        journalMode = try connection?.text("PRAGMA journal_mode") ?? ""
        let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
        // A store for a configuration has no others.
        entities = try model.entitiesInStoreOrder.filter { hashes[$0.name ?? ""] != nil || hashes.isEmpty }
            .map { try Self.inspect($0, reader.context, hashes) }
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
            ("checksum", .string(checksum)), ("digest", .string(digest)), ("rows", .int(totalRows)),
            (
                "entities",
                .array(
                    entities.map { entity in
                        .object([
                            ("name", .string(entity.name)), ("superentity", .text(entity.superentity)),
                            ("isAbstract", .bool(entity.isAbstract)), ("rows", .int(entity.rows)),
                            ("versionHash", .string(entity.versionHash)),
                        ])
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
            ["Checksum", checksum], ["Digest", digest],
        ]
        let list = facts.map { "\($0[0].padded(to: 19))\(singleLine($0[1]))" }
        return (list + [""] + table).joined(separator: "\n")
    }

    private var table: [String] {
        let columns: [Table.Column] = [
            .init(title: "Entity"), .init(title: "Super-entity"), .init(title: "Abstract"),
            .init(title: "Rows", isNumeric: true), .init(title: "Version hash"),
        ]
        let rows = entities.map { entity in
            [
                entity.name, entity.superentity ?? "", entity.isAbstract ? "yes" : "",
                entity.isAbstract && entity.rows == 0 ? "" : Amounts.grouped(entity.rows), entity.versionHash,
            ]
        }
        let total = ["Total", "", "", Amounts.grouped(totalRows), ""]
        let table = Table(columns, sample: rows + [total])
        return table.header + (rows + [total]).map(table.line)
    }
}
