import CoreData

/// `coredata model hashes`: the hashes by which a store and a model are known to fit, and why they don't.
struct ModelHashesCommand: Command {
    private static let model = Option<String>(
        nil, "model", help: "A model, or a store, whose own model is taken.", isRequired: true)
    private static let other = Option<String>(
        nil, "other", help: "A second model, or a store, to compare the hashes with.")

    static let specification = CommandSpecification(
        overview: "Print the version hashes of a model's entities, and why those of another model or a store differ.",
        positionals: [model, other], options: [CommonParameters.json],
        examples: [
            "coredata model hashes World.xcdatamodeld", "coredata model hashes World.xcdatamodeld World.sqlite --json",
        ],
        discussion: """
            A store opens only with a model whose hashes are the store's. Ends with status 1 where they differ.

            \(ModelWords.versions)
            """)

    private let path: String
    private let otherPath: String?
    private let printsJSON: Bool

    init(_ arguments: ParsedArguments) throws {
        path = try arguments.required(Self.model)
        otherPath = try arguments.value(Self.other)
        printsJSON = arguments.has(CommonParameters.json)
    }

    func run() throws {
        let source = try ModelSource(path)
        let difference = try otherPath.map { HashDifference(source, try ModelSource($0)) }
        try printResult(printsJSON ? json(source, difference) : text(source, difference))
        if difference?.isEmpty == false { throw Findings() }
    }

    private func json(_ source: ModelSource, _ difference: HashDifference?) -> String {
        let entities = source.hashes.sorted { $0.key < $1.key }.map { name, hash in
            JSON.object([("name", .string(name)), ("versionHash", .string(hash.hexadecimal))])
        }
        var members: [(String, JSON)] = [
            ("checksum", .string(VersionHash.checksum(source.hashes))),
            ("digest", .string(VersionHash.digest(source.hashes))), ("entities", .array(entities)),
        ]
        if let difference { members += difference.json }
        return JSON.object(members).pretty
    }

    private func text(_ source: ModelSource, _ difference: HashDifference?) -> String {
        let rows = source.hashes.mapValues(\.hexadecimal).sorted { $0.key < $1.key }.map { [$0.key, $0.value] }
        let table = Table([.init(title: "Entity"), .init(title: "Version hash")], sample: rows)
        let facts = [
            "", "Checksum  \(VersionHash.checksum(source.hashes))", "Digest    \(VersionHash.digest(source.hashes))",
        ]
        let lines = difference.map { [""] + $0.lines } ?? []
        return (table.header + rows.map(table.line) + facts + lines).joined(separator: "\n")
    }
}
