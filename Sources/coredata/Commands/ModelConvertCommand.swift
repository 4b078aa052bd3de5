import CoreData

/// `coredata model convert`: the same model in another form.
struct ModelConvertCommand: Command {
    private static let model = Option<String>(
        nil, "model", help: "A model of any form, or a store, whose own model is taken.", isRequired: true)
    private static let output = Option<String>(
        "--output", "path", help: "Where to put it (.xcdatamodeld, .xcdatamodel, .momd, .mom).", isRequired: true)
    private static let force = Flag("--force", help: "Replace an older source (.xcdatamodeld, .xcdatamodel).")

    static let specification = CommandSpecification(
        overview: "Convert a model between source (.xcdatamodeld, .xcdatamodel) and compiled form (.momd, .mom).",
        positionals: [model], options: [output, force, CommonParameters.json],
        examples: [
            "coredata model convert World.momd --output World.xcdatamodeld",
            "coredata model convert World.sqlite --output World.xcdatamodel",
        ],
        discussion: """
            A .xcdatamodeld and a .momd take all versions, the others the current one. Source that was compiled keeps
            nothing that only the editor uses: how classes are generated, and where entities are in its diagram.
            What a model says and the editor's form can't is listed as a warning.
            """)

    private let path: String
    private let output: String
    private let replacesSource: Bool
    private let printsJSON: Bool

    init(_ arguments: ParsedArguments) throws {
        path = try arguments.required(Self.model)
        output = try arguments.required(Self.output)
        replacesSource = arguments.has(Self.force)
        printsJSON = arguments.has(CommonParameters.json)
        guard ModelOutput.form(of: output) != nil else {
            throw UsageError(message: "The output '\(output)' must end in .xcdatamodeld, .xcdatamodel, .momd or .mom")
        }
    }

    func run() throws {
        try InputError.requireReadable(path, what: "model or store")
        if ModelOutput.form(of: output)?.isSource == true, !replacesSource, access(output, F_OK) == 0 {
            throw InputError(message: "\(output): is there already; replace it with --force", status: .badData)
        }
        let result = try ModelOutput(bundle(), output)
        for omission in result.omissions {
            writeToStandardError("Warning: \(singleLine("\(output): without \(omission)"))")
        }
        try printResult(printsJSON ? result.json.pretty : result.text)
    }

    private func bundle() throws -> ModelBundle {
        guard isSQLite(path) else { return try ModelBundle(contentsOf: URL(fileURLWithPath: path)) }
        let name = URL(fileURLWithPath: output).deletingPathExtension().lastPathComponent
        return ModelBundle(name: name, model: try StoreReader.model(ofStoreAt: path))
    }
}
