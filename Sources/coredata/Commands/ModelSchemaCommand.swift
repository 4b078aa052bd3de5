import CoreData

/// `coredata model schema`: the SQL that makes a model's stores.
struct ModelSchemaCommand: Command {
    private static let configuration = Option<String>(
        "--configuration", "name", help: "Show only the tables that keep this configuration's entities.")

    static let specification = CommandSpecification(
        overview: "Print the SQL that makes an empty store's tables, triggers and indexes.",
        positionals: [CommonParameters.modelOrStore], options: [configuration, CommonParameters.json],
        examples: [
            "coredata model schema World.xcdatamodeld",
            "coredata model schema World.xcdatamodeld --configuration Public",
        ],
        discussion: """
            The statements are those, word for word and in order, that make a new store, or one for a configuration.
            """)

    private let path: String
    private let configuration: String?
    private let printsJSON: Bool

    init(_ arguments: ParsedArguments) throws {
        path = try arguments.required(CommonParameters.modelOrStore)
        configuration = try arguments.value(Self.configuration)
        printsJSON = arguments.has(CommonParameters.json)
    }

    func run() throws {
        let model = try ModelSource(path).requireModel()
        try requireConfiguration(in: model)
        let statements = try SQLSchema(model, configurationName: configuration).creationStatements()
        try printResult(printsJSON ? json(statements) : statements.map { "\($0);" }.joined(separator: "\n\n"))
    }

    private func json(_ statements: [String]) -> String {
        JSON.object([
            ("configuration", .text(configuration)), ("statements", .array(statements.map(JSON.string))),
        ]).pretty
    }

    private func requireConfiguration(in model: NSManagedObjectModel) throws {
        guard let configuration, model.entities(forConfigurationName: configuration) == nil else { return }
        let known = model.configurations
        let suggestion = nearest(to: configuration, among: known).map { "; did you mean '\($0)'?" } ?? ""
        let list = known.isEmpty ? "The model has none" : "The model's: \(known.joined(separator: ", "))"
        throw UsageError(message: "There is no configuration '\(configuration)'\(suggestion)", details: [list])
    }
}
