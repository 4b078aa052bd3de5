import CoreData

/// `coredata diff`: what is different between two stores.
struct DiffCommand: Command {
    private static let first = Option<String>(nil, "old", help: "A store.", isRequired: true)
    private static let second = Option<String>(nil, "new", help: "The store to compare it with.", isRequired: true)
    private static let rows = Flag("--rows", help: "Compare rows too: those with the same primary key.")
    private static let byContent = Flag(
        "--by-content", help: "Compare rows by what they hold and are related to, whatever their keys.")
    private static let ignoringHistory = Flag(
        "--ignore-history", help: "Leave out what persistent history adds to a store.")

    static let specification = CommandSpecification(
        overview: "Say what is different between two stores.",
        positionals: [first, second],
        options: [rows, byContent, ignoringHistory, CommonParameters.model, CommonParameters.json],
        examples: [
            "coredata diff Old.sqlite New.sqlite", "coredata diff Old.sqlite Copy.sqlite --by-content --json",
        ],
        discussion: """
            Compares tables, columns and their order, indexes, triggers, the numbers of entities and the keys of the
            metadata. Values of rows are the same when SQLite stores them as the same type with the same bytes. By
            content, positions in ordered relationships count by the order that they make, and versions of rows don't
            count; the model is the one that a store keeps. Ends with status 1 where there are differences.
            """)

    private let paths: (old: String, new: String)
    private let modelPath: String?
    private let comparesRows: Bool
    private let comparesContent: Bool
    private let ignoresHistory: Bool
    private let printsJSON: Bool

    init(_ arguments: ParsedArguments) throws {
        paths = (try arguments.required(Self.first), try arguments.required(Self.second))
        modelPath = try arguments.value(CommonParameters.model)
        comparesContent = arguments.has(Self.byContent)
        comparesRows = arguments.has(Self.rows) || comparesContent
        ignoresHistory = arguments.has(Self.ignoringHistory)
        printsJSON = arguments.has(CommonParameters.json)
        guard !(arguments.has(Self.rows) && comparesContent) else {
            throw UsageError(message: "Rows are compared either by key (--rows) or by content (--by-content)")
        }
    }

    func run() throws {
        let comparison = try StoreReader.withFile(paths.old) { old in
            try StoreReader.withFile(paths.new) { new in
                try StoreComparison(old, new, rows: rows(old, new), ignoringHistory: ignoresHistory)
            }
        }
        try printResult(printsJSON ? json(comparison) : text(comparison))
        if !comparison.isSame { throw Findings() }
    }

    private func rows(_ old: SQLiteConnection, _ new: SQLiteConnection) throws -> StoreComparison.Rows {
        guard comparesContent else { return comparesRows ? .byKey : .none }
        if let modelPath { return .byContent(try loadModel(modelPath)) }
        do {
            return .byContent(try SQLStoreFile.model(on: old))
        } catch {
            guard let model = try? SQLStoreFile.model(on: new) else { throw error }
            return .byContent(model)
        }
    }

    /// The keys are documented in `docs/JSON.md`.
    private func json(_ comparison: StoreComparison) -> String {
        var members: [(String, JSON)] = [
            ("from", .string(paths.old)), ("to", .string(paths.new)), ("same", .bool(comparison.isSame)),
        ]
        if comparesRows {
            members += [
                ("fromRows", .int(comparison.rowCounts.old)), ("toRows", .int(comparison.rowCounts.new)),
            ]
        }
        let differences = comparison.differences.map { difference in
            JSON.object([
                ("aspect", .string(difference.aspect.rawValue)), ("name", .string(difference.name)),
                ("from", .text(difference.old)), ("to", .text(difference.new)),
                ("text", .string(difference.description)),
            ])
        }
        return JSON.object(members + [("differences", .array(differences))]).pretty
    }

    private func text(_ comparison: StoreComparison) -> String {
        let counts = (old: comparison.rowCounts.old, new: comparison.rowCounts.new)
        let compared =
            comparesRows
            ? ["Rows compared: \(Amounts.grouped(counts.old)) and \(Amounts.grouped(counts.new))"] : []
        guard !comparison.isSame else {
            return (compared + ["The stores are the same."]).joined(separator: "\n")
        }
        let lines = comparison.differences.map { singleLine($0.description) }
        return (lines + [""] + compared + [Amounts.counted(lines.count, "difference")]).joined(separator: "\n")
    }
}
