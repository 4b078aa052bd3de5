import CoreData
import StartingData

/// `coredata import`: fills a store from files.
struct ImportCommand: Command {
    private static let model = Option<String>(
        "--model", "model", help: "The model (.xcdatamodeld, .xcdatamodel, .momd, .mom).", isRequired: true)
    private static let store = Option<String>(
        "--into", "store", help: "The store; made if it isn't there.", isRequired: true)
    private static let files = Option<String>(
        nil, "file", help: "Files of records (CSV, TSV, JSON, NDJSON, property list), one entity each.",
        isRequired: true, isRepeated: true)
    private static let quiet = Flag("--quiet", help: "Show no progress and no report.")

    static let specification = CommandSpecification(
        overview: "Fill a store from files, all or nothing.",
        positionals: [files], options: [model, store, CommonParameters.json, quiet],
        examples: ["coredata import --model World.xcdatamodeld --into World.sqlite Country.csv City.tsv"],
        discussion: """
            A file is named after its entity, its columns or keys after attributes. A column 'country.isoCode' relates
            the record to the country whose isoCode is the value; the files may come in any order. If anything in
            them is wrong, nothing is written.
            """)

    private let modelPath: String
    private let storePath: String
    private let paths: [String]
    private let printsJSON: Bool
    private let isQuiet: Bool

    init(_ arguments: ParsedArguments) throws {
        modelPath = try arguments.required(Self.model)
        storePath = try arguments.required(Self.store)
        paths = try arguments.values(Self.files)
        printsJSON = arguments.has(CommonParameters.json)
        isQuiet = arguments.has(Self.quiet)
    }

    func run() throws {
        let model = try loadModel(modelPath)
        for path in paths { try InputError.requireFile(path, what: "file") }
        try InputError.requireWritable(storePath, what: "store")
        let report = try importFiles(model)
        if !isQuiet { for warning in report.warnings { writeToStandardError("Warning: \(singleLine(warning))") } }
        if printsJSON {
            try printResult(json(report).pretty)
        } else if !isQuiet {
            try printResult(text(report))
        }
    }

    private func importFiles(_ model: NSManagedObjectModel) throws -> ImportReport {
        let bar = ProgressBar(isQuiet: isQuiet)
        let interruption = Interruption()
        defer {
            interruption.end()
            bar.erase()
        }
        let importer = Importer(model: model, storeURL: URL(fileURLWithPath: storePath))
        return try importer.run(paths.map { URL(fileURLWithPath: $0) }) { done, total in
            if interruption.isRequested { throw Interrupted() }
            bar.update(done, of: total)
        }
    }

    /// The keys are documented in `docs/JSON.md`.
    private func json(_ report: ImportReport) -> JSON {
        .object([
            ("store", .string(storePath)), ("storeBytes", .int(report.storeBytes)),
            ("inserted", .int(total(report))), ("files", .int(report.files)), ("bytes", .int(report.bytes)),
            ("warnings", .array(report.warnings.map(JSON.string))),
            ("seconds", .literal(Amounts.fixed(report.seconds, 3))),
            (
                "entities",
                .array(
                    report.entities.map { .object([("name", .string($0.name)), ("inserted", .int($0.inserted))]) })
            ),
        ])
    }

    private func text(_ report: ImportReport) -> String {
        var rows = report.entities.map { [$0.name, Amounts.grouped($0.inserted)] }
        rows.append(["Total", Amounts.grouped(total(report))])
        let table = Table([.init(title: "Entity"), .init(title: "Inserted", isNumeric: true)], sample: rows)
        let summary =
            "\(Amounts.counted(report.files, "file")), \(Amounts.bytes(report.bytes)), read in "
            + "\(Amounts.seconds(report.seconds)); \(storePath) has \(Amounts.bytes(report.storeBytes))"
        return (table.header + rows.map(table.line) + ["", summary]).joined(separator: "\n")
    }

    private func total(_ report: ImportReport) -> Int { report.entities.reduce(0) { $0 + $1.inserted } }
}
