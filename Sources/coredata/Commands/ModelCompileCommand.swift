import CoreData

/// `coredata model compile`: what Xcode's build does with a model.
struct ModelCompileCommand: Command {
    private static let model = Option<String>(
        nil, "model", help: "The model as Xcode's project has it (.xcdatamodeld, .xcdatamodel).", isRequired: true)
    private static let output = Option<String>(
        "--output", "path",
        help: "Where to put the compiled model: a .momd of all versions, or a .mom of the current one.",
        isRequired: true)

    static let specification = CommandSpecification(
        overview: "Compile a model: the .momd or .mom that an app ships with.",
        positionals: [model], options: [output, CommonParameters.json],
        examples: [
            "coredata model compile World.xcdatamodeld --output World.momd",
            "coredata model compile World.xcdatamodel --output World.mom",
        ],
        discussion: """
            The compiled model has the versions, classes, keys and hashes that Xcode gives it. The optimised copy of the
            current version (.omo), which only Apple's framework reads and can do without, is not made. An older output
            is replaced only when everything has been compiled.
            """)

    private let path: String
    private let output: String
    private let printsJSON: Bool

    init(_ arguments: ParsedArguments) throws {
        path = try arguments.required(Self.model)
        output = try arguments.required(Self.output)
        printsJSON = arguments.has(CommonParameters.json)
        guard ModelOutput.form(of: path)?.isSource ?? true else {
            throw UsageError(message: "'\(path)' is compiled already; use 'coredata model convert' to change its form")
        }
        guard ModelOutput.form(of: output)?.isSource == false else {
            throw UsageError(message: "The output '\(output)' must end in .momd or .mom")
        }
    }

    func run() throws {
        try InputError.requireReadable(path, what: "model")
        let bundle = try ModelBundle(contentsOf: URL(fileURLWithPath: path))
        let result = try ModelOutput(bundle, output)
        try printResult(printsJSON ? result.json.pretty : result.text)
    }
}
