import CoreData

/// `coredata model diagram`: a picture of a model's entities and relationships.
struct ModelDiagramCommand: Command {
    private static let output = Option<String>("--output", "file", help: "The file to write; standard output without.")
    private static let format = Option<DiagramFormat>(
        oneOf: "--format", "format", help: "What to write; without, what the file's name says, or svg")
    private static let entity = Option<String>(
        "--entity", "entity", help: "Show only this entity and those near it.", isRepeated: true)
    private static let depth = Option<Int>(
        "--depth", "n", help: "How many relationships away 'near' is. Default: 1.", in: 0...1000)
    private static let withoutAttributes = Flag("--without-attributes", help: "Show names and relationships only.")

    static let specification = CommandSpecification(
        overview: "Draw a model's entities, attributes and relationships.",
        positionals: [CommonParameters.modelOrStore], options: [output, format, entity, depth, withoutAttributes],
        examples: [
            "coredata model diagram World.xcdatamodeld --output World.svg",
            "coredata model diagram World.sqlite --entity City --depth 2 --format mermaid",
        ],
        discussion: """
            Pictures are laid out by Graphviz's program 'dot' (apt-get install graphviz); the formats dot and mermaid need
            no program. A relationship and its inverse are one line, with a crow's foot for to-many.
            """)

    private let path: String
    private let outputPath: String?
    private let format: DiagramFormat
    private let entityNames: [String]
    private let depth: Int
    private let showsAttributes: Bool

    init(_ arguments: ParsedArguments) throws {
        path = try arguments.required(CommonParameters.modelOrStore)
        outputPath = try arguments.value(Self.output)
        format = try arguments.value(Self.format) ?? outputPath.flatMap(DiagramFormat.init(path:)) ?? .svg
        entityNames = try arguments.values(Self.entity)
        if arguments.has(Self.depth), entityNames.isEmpty {
            throw UsageError(message: "'--depth' says how far from an entity; please name one with '--entity'")
        }
        depth = try arguments.value(Self.depth) ?? 1
        showsAttributes = !arguments.has(Self.withoutAttributes)
    }

    func run() throws {
        let model = try ModelSource(path).requireModel()
        if let outputPath { try InputError.requireWritable(outputPath, what: "picture") }
        if format == .png, outputPath == nil, Terminal.isTerminal(STDOUT_FILENO) {
            throw UsageError(message: "A PNG can't be shown on a terminal; please give a file with '--output'")
        }
        try write(format.picture(diagram(model)))
    }

    private func diagram(_ model: NSManagedObjectModel) throws -> ModelDiagram {
        let title = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
        guard !entityNames.isEmpty else { return ModelDiagram(model, title: title, attributes: showsAttributes) }
        for name in entityNames { _ = try model.requireEntity(name) }
        let near = ModelDiagram(model, title: title).names(within: depth, of: Set(entityNames))
        return ModelDiagram(model, title: title, entities: near, attributes: showsAttributes)
    }

    private func write(_ picture: Data) throws {
        guard let outputPath else {
            let output = BufferedOutput()
            try output.write(picture)
            return try output.flush()
        }
        var status = stat()
        // A device can't be replaced; a file is, so that no half of a picture is ever in its place.
        let isDevice = stat(outputPath, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
        try picture.write(to: URL(fileURLWithPath: outputPath), options: isDevice ? [] : .atomic)
    }
}

/// What a picture is written as.
enum DiagramFormat: String, CaseIterable {
    /// A drawing for browsers and documents.
    case svg
    /// An image.
    case png
    /// The text that Graphviz draws from.
    case dot
    /// The text that Mermaid draws from.
    case mermaid

    /// The format that a file's name asks for, if any.
    init?(path: String) {
        switch URL(fileURLWithPath: path).pathExtension.lowercased() {
        case "svg": self = .svg
        case "png": self = .png
        case "dot", "gv": self = .dot
        case "mmd", "mermaid": self = .mermaid
        default: return nil
        }
    }

    /// The file's contents.
    func picture(_ diagram: ModelDiagram) throws -> Data {
        switch self {
        case .svg: try diagram.svg()
        case .png: try diagram.png()
        case .dot: Data(diagram.dot.utf8)
        case .mermaid: Data(diagram.mermaid.utf8)
        }
    }
}
