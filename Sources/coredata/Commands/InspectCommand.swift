import CoreData

/// `coredata inspect`: what is in a store.
struct InspectCommand: Command {
    static let specification = CommandSpecification(
        overview: "Show what is in a store: its file, versions, entities and numbers of rows.",
        positionals: [CommonParameters.store], options: [CommonParameters.model, CommonParameters.json],
        examples: ["coredata inspect World.sqlite", "coredata inspect World.sqlite --json"],
        discussion:
            "The store is only read. Rows of sub-entities count for the sub-entity alone. Of a store that keeps no"
            + " model, and without --model, the columns of the tables are shown.")

    private let path: String
    private let modelPath: String?
    private let printsJSON: Bool

    init(_ arguments: ParsedArguments) throws {
        path = try arguments.required(CommonParameters.store)
        modelPath = try arguments.value(CommonParameters.model)
        printsJSON = arguments.has(CommonParameters.json)
    }

    func run() throws {
        let inspection = try inspection()
        try printResult(printsJSON ? inspection.json.pretty : inspection.text)
    }

    private func inspection() throws -> StoreInspection {
        try InputError.requireFile(path, what: "store")
        if modelPath == nil, try StoreReader.cachedModel(ofStoreAt: path).0 == nil {
            return try StoreReader.readFile(path) { try StoreInspection($0, path: path) }
        }
        return try StoreReader.read(path, modelPath: modelPath) { try StoreInspection($0, path: path) }
    }
}
