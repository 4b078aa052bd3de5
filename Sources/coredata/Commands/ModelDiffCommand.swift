import CoreData

/// `coredata model diff`: what is different between two models.
struct ModelDiffCommand: Command {
    private static let first = Option<String>(
        nil, "old", help: "The older model (.xcdatamodeld, .xcdatamodel, .momd, .mom), or a store.", isRequired: true)
    private static let second = Option<String>(nil, "new", help: "The newer model, or a store.", isRequired: true)

    static let specification = CommandSpecification(
        overview: "Say what is different between two models or versions.",
        positionals: [first, second], options: [CommonParameters.json],
        examples: [
            "coredata model diff App.xcdatamodeld/V1.xcdatamodel App.xcdatamodeld",
            "coredata model diff App.sqlite App.momd --json",
        ],
        discussion: """
            What was renamed is found by renaming identifiers. An asterisk marks what alters a version hash, so that
            stores have to be migrated. Ends with status 1 where there are differences. Of a store, its own model is
            taken; such models have no names of classes, which then don't count.

            \(ModelWords.versions)
            """)

    private let paths: (old: String, new: String)
    private let printsJSON: Bool

    init(_ arguments: ParsedArguments) throws {
        paths = (try arguments.required(Self.first), try arguments.required(Self.second))
        printsJSON = arguments.has(CommonParameters.json)
    }

    func run() throws {
        let (old, new) = (try ModelSource(paths.old), try ModelSource(paths.new))
        let comparison = ModelComparison(
            from: try old.requireModel(), to: try new.requireModel(),
            ignoring: ModelSource.aspectsThatStoresLack(old, new))
        try printResult(printsJSON ? json(comparison) : text(comparison))
        if !comparison.isSame { throw Findings() }
    }

    // MARK: JSON

    /// The keys are documented in `docs/JSON.md`.
    private func json(_ comparison: ModelComparison) -> String {
        JSON.object([
            ("from", .string(paths.old)), ("to", .string(paths.new)), ("same", .bool(comparison.isSame)),
            ("altersVersionHashes", .bool(comparison.altersVersionHashes)),
            ("changes", .array(comparison.changes.map(\.json))),
            ("entities", .array(comparison.differingEntities.map(json))),
        ]).pretty
    }

    private func json(_ entity: EntityComparison) -> JSON {
        .object([
            ("name", .string(entity.name)), ("formerName", .text(entity.formerName)),
            ("change", .string(entity.outcome)), ("altersVersionHash", .bool(entity.altersVersionHash)),
            ("changes", .array(entity.changes.map(\.json))),
            ("properties", .array(entity.properties.filter { !$0.isSame }.map(\.json))),
        ])
    }

    // MARK: Text

    private func text(_ comparison: ModelComparison) -> String {
        if comparison.isSame { return "The models say the same." }
        var parts = comparison.differingEntities.flatMap { lines(of: $0) + [""] }
        if !comparison.changes.isEmpty {
            parts += ["Model"] + comparison.changes.map { line($0.words, false) } + [""]
        }
        let entities = Amounts.counted(comparison.differingEntities.count, "entity", plural: "entities")
        let migration =
            comparison.altersVersionHashes
            ? "* alters a version hash: stores have to be migrated"
            : "No version hash is another: stores open without a migration"
        return (parts + ["\(entities) with differences", migration]).joined(separator: "\n")
    }

    private func lines(of entity: EntityComparison) -> [String] {
        let title =
            switch entity.outcome {
            case "renamed": "Entity '\(entity.name)', renamed from '\(entity.formerName ?? "")'"
            case "changed": "Entity '\(entity.name)'"
            default: "Entity '\(entity.name)' was \(entity.outcome)"
            }
        let mark = entity.altersVersionHash && entity.outcome != "changed" ? " *" : ""
        let isWhole = entity.source == nil || entity.destination == nil
        let properties = entity.properties.filter { !$0.isSame }.flatMap { property in
            isWhole
                ? [line("\(property.kindName) '\(property.name)': \(property.summary)", false)] : lines(of: property)
        }
        return [singleLine(title + mark)] + entity.changes.map { line($0.words, $0.altersVersionHash) } + properties
    }

    private func lines(of property: PropertyComparison) -> [String] {
        let what = "\(property.kindName) '\(property.name)'"
        switch property.outcome {
        case "added": return [line("\(what) was added: \(property.summary)", property.altersVersionHash)]
        case "removed": return [line("\(what) was removed: \(property.summary)", property.altersVersionHash)]
        default:
            let renamed = property.formerName.map {
                [line("\(what) was renamed from '\($0)'", property.altersVersionHash)]
            }
            return (renamed ?? [])
                + property.changes.map { line("\(what): \($0.words)", $0.altersVersionHash) }
        }
    }

    private func line(_ text: String, _ isMarked: Bool) -> String { "  \(isMarked ? "*" : " ") \(singleLine(text))" }
}
