import CoreData

/// `coredata model describe`: all that a model says.
struct ModelDescribeCommand: Command {
    private static let entities = Option<String>(
        nil, "entity", help: "The entities to describe; all without.", isRepeated: true)

    static let specification = CommandSpecification(
        overview: "Show all that a model says of its entities and their properties.",
        positionals: [CommonParameters.modelOrStore, entities], options: [CommonParameters.json],
        examples: [
            "coredata model describe World.xcdatamodeld City",
            "coredata model describe App.xcdatamodeld/V2.xcdatamodel --json",
        ],
        discussion: "What a sub-entity inherits is said of the entity that it inherits from.")

    private let path: String
    private let entityNames: [String]
    private let printsJSON: Bool

    init(_ arguments: ParsedArguments) throws {
        path = try arguments.required(CommonParameters.modelOrStore)
        entityNames = try arguments.values(Self.entities)
        printsJSON = arguments.has(CommonParameters.json)
    }

    func run() throws {
        let description = try ModelDescription(ModelSource(path).requireModel(), path: path, entities: entityNames)
        try printResult(printsJSON ? description.json.pretty : description.text)
    }
}
