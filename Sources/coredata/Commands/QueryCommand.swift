import CoreData

/// `coredata query`: prints objects of a store.
struct QueryCommand: Command {
    private static let entity = Option<String>(nil, "entity", help: "The entity to search.", isRequired: true)
    private static let condition = Option<String>(
        "--where", "predicate", help: "Which objects to print, as a predicate in Apple's format.")
    private static let sort = Option<SortKeys>(
        "--sort", "keys", help: "Key paths to sort by, with commas; '-key' or 'key:desc' for descending.",
        isRepeated: true, parse: { try SortKeys($0) })
    private static let limit = Option<Int>("--limit", "n", help: "The most objects to print.", in: 0...Int.max)
    private static let offset = Option<Int>("--offset", "n", help: "How many to leave out first.", in: 0...Int.max)
    private static let columns = Option<String>(
        "--columns", "keys", help: "Key paths to print, with commas, through to-one relationships only.",
        isRepeated: true)
    private static let count = Flag("--count", help: "Print the number of objects only.")
    private static let format = Option<QueryFormat>(oneOf: "--format", "format", help: "How to print them.")

    static let specification = CommandSpecification(
        overview: "Print the objects of an entity that a predicate chooses.",
        positionals: [CommonParameters.store, entity],
        options: [
            condition, sort, limit, offset, columns, count, format, CommonParameters.json, CommonParameters.model,
        ],
        examples: [
            "coredata query World.sqlite City --where 'population > 1000000' --sort -population --limit 10",
            "coredata query World.sqlite City --columns name,country.isoCode --format csv",
        ],
        discussion: "The store is only read. Without --columns, all attributes and to-one relationships are printed.")

    private let storePath: String
    private let modelPath: String?
    private let entityName: String
    private let predicateText: String?
    private let sortKeys: [SortKeys]
    private let window: (offset: Int, limit: Int?)
    private let columnPaths: [String]
    private let isCount: Bool
    private let format: QueryFormat

    init(_ arguments: ParsedArguments) throws {
        storePath = try arguments.required(CommonParameters.store)
        modelPath = try arguments.value(CommonParameters.model)
        entityName = try arguments.required(Self.entity)
        predicateText = try arguments.value(Self.condition)
        sortKeys = try arguments.values(Self.sort)
        window = (try arguments.value(Self.offset) ?? 0, try arguments.value(Self.limit))
        columnPaths = try arguments.values(Self.columns)
            .flatMap { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
        isCount = arguments.has(Self.count)
        let given = try arguments.value(Self.format)
        if arguments.has(CommonParameters.json), let given, given != .json {
            throw UsageError(message: "'--json' and '--format \(given.rawValue)' exclude each other")
        }
        format = arguments.has(CommonParameters.json) ? .json : given ?? .table
    }

    func run() throws {
        // Before the store is opened: a wrong predicate is wrong for every store.
        let predicate = try predicateText.map(parsePredicate)
        try StoreReader.read(storePath, modelPath: modelPath) { reader in
            let entity = try reader.model.requireEntity(entityName)
            let columns = try self.columns(of: entity)
            let request = NSFetchRequest<NSManagedObject>(entityName: entityName)
            request.predicate = predicate
            request.sortDescriptors = try sortKeys.flatMap { try $0.descriptors(for: entity) }
            request.fetchOffset = window.offset
            request.fetchLimit = window.limit ?? 0
            if isCount { return try printResult(String(count(request, reader.context))) }
            try write(request, columns, reader.context)
        }
    }

    private func columns(of entity: NSEntityDescription) throws -> [QueryColumn] {
        var seen: Set<String> = []
        for path in columnPaths where !seen.insert(path).inserted {
            throw UsageError(message: "The column '\(path)' is named twice")
        }
        guard columnPaths.isEmpty else { return try columnPaths.map { try QueryColumn($0, of: entity) } }
        return QueryColumn.defaults(for: entity)
    }

    /// A request with the limit 0 has no limit; ours finds nothing.
    private func count(_ request: NSFetchRequest<NSManagedObject>, _ context: NSManagedObjectContext) throws -> Int {
        let count = try context.count(for: request)
        return window.limit == 0 ? 0 : count
    }

    private func write(
        _ request: NSFetchRequest<NSManagedObject>, _ columns: [QueryColumn], _ context: NSManagedObjectContext
    ) throws {
        let output = BufferedOutput()
        var writer = format.writer(columns, output)
        if window.limit == 0 {
            _ = try context.count(for: request)  // so that what is wrong with the request is found all the same
        } else {
            try ObjectBatches(request, for: columns, in: context).forEach { object in
                try writer.write(columns.map { $0.cell(object) })
            }
        }
        try writer.finish()
        try output.flush()
    }
}

/// A predicate from its text.
///
/// - Throws: `UsageError` with the text and a caret under the place where it is wrong.
private func parsePredicate(_ text: String) throws -> NSPredicate {
    do {
        return try NSPredicate(validating: text)
    } catch let error as PredicateFormatError {
        let before = singleLine(String(text.prefix(error.position)))
        throw UsageError(
            message: "The predicate can't be understood: \(error.reason)",
            details: ["  \(singleLine(text))", "  " + String(repeating: " ", count: before.displayWidth) + "^"])
    }
}
