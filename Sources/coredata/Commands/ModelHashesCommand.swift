import CoreData

/// `coredata model hashes`: the hashes by which a store and a model are known to fit.
struct ModelHashesCommand: Command {
    private static let model = Option<String>(
        nil, "model", help: "A model, or a store, whose own model is taken.", isRequired: true)

    static let specification = CommandSpecification(
        overview: "Print the version hashes of a model's entities.",
        positionals: [model], options: [CommonParameters.json],
        examples: ["coredata model hashes World.xcdatamodeld", "coredata model hashes World.sqlite --json"])

    private let path: String
    private let printsJSON: Bool

    init(_ arguments: ParsedArguments) throws {
        path = try arguments.required(Self.model)
        printsJSON = arguments.has(CommonParameters.json)
    }

    func run() throws {
        try InputError.requireReadable(path, what: "model or store")
        let model = try isSQLite(path) ? StoreReader.model(ofStoreAt: path) : loadModel(path)
        let hashes = model.entityVersionHashesByName.mapValues(\.hexadecimal).sorted { $0.key < $1.key }
        try printResult(printsJSON ? json(model, hashes) : text(model, hashes))
    }

    private func json(_ model: NSManagedObjectModel, _ hashes: [(key: String, value: String)]) -> String {
        JSON.object([
            ("checksum", .string(model.versionChecksum)), ("digest", .string(model.versionHashesDigest)),
            (
                "entities",
                .array(hashes.map { .object([("name", .string($0.key)), ("versionHash", .string($0.value))]) })
            ),
        ]).pretty
    }

    private func text(_ model: NSManagedObjectModel, _ hashes: [(key: String, value: String)]) -> String {
        let rows = hashes.map { [$0.key, $0.value] }
        let table = Table([.init(title: "Entity"), .init(title: "Version hash")], sample: rows)
        let facts = ["", "Checksum  \(model.versionChecksum)", "Digest    \(model.versionHashesDigest)"]
        return (table.header + rows.map(table.line) + facts).joined(separator: "\n")
    }
}

/// Whether a file begins as SQLite files do.
func isSQLite(_ path: String) -> Bool {
    guard let file = FileHandle(forReadingAtPath: path) else { return false }
    defer { try? file.close() }
    return (try? file.read(upToCount: 16)) == Data("SQLite format 3\0".utf8)
}
