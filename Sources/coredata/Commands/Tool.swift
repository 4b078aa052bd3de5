import CoreData

/// The tool: its commands, and how it runs one.
enum Tool {
    /// The version of the package.
    static let version = "0.1.0"

    /// All commands.
    static let root = CommandNode.group(
        "coredata", "Work with Core Data stores and models, without a Mac.",
        [
            .command("import", ImportCommand.self),
            .command("diff", DiffCommand.self),
            .command("inspect", InspectCommand.self),
            .command("query", QueryCommand.self),
            .group(
                "model", "Work with models.",
                [
                    .command("check", ModelCheckCommand.self),
                    .command("compile", ModelCompileCommand.self),
                    .command("convert", ModelConvertCommand.self),
                    .command("describe", ModelDescribeCommand.self),
                    .command("diagram", ModelDiagramCommand.self),
                    .command("diff", ModelDiffCommand.self),
                    .command("hashes", ModelHashesCommand.self),
                    .command("schema", ModelSchemaCommand.self),
                ]),
        ])

    /// Runs a command line, given without the tool's own name, and says how to exit.
    static func run(_ arguments: [String]) -> ExitStatus {
        // A reader that goes away is noticed when writing.
        signal(SIGPIPE, SIG_IGN)
        do {
            // Better said before anything is written than after.
            if fcntl(STDOUT_FILENO, F_GETFD) == -1 { throw OutputError(number: errno) }
            switch try ArgumentParser(tool: root, version: version).parse(arguments) {
            case .text(let text): try printResult(text)
            case .command(let type, let parsed, let usage): try run(type, parsed, usage)
            }
            return .done
        } catch {
            let status = ExitStatus(for: error)
            if !(error is BrokenPipe), !(error is Findings) { writeToStandardError(errorMessage(error)) }
            return status
        }
    }

    private static func run(_ type: any Command.Type, _ parsed: ParsedArguments, _ usage: String) throws {
        let command: any Command
        do {
            command = try type.init(parsed)
        } catch var error as UsageError {
            error.usage = error.usage ?? usage
            throw error
        }
        try command.run()
    }
}

/// Writes a result, with a line break behind it, to standard output.
func printResult(_ text: String) throws {
    let output = BufferedOutput()
    try output.line(text)
    try output.flush()
}

/// What several commands take.
enum CommonParameters {
    /// The result as JSON.
    static let json = Flag("--json", help: "Print the result as JSON.")
    /// A store to read.
    static let store = Option<String>(nil, "store", help: "The store: a SQLite file of Core Data.", isRequired: true)
    /// A model, or a store for its model.
    static let modelOrStore = Option<String>(
        nil, "model", help: "A model (.xcdatamodeld, .xcdatamodel, .momd, .mom), or a store, whose own model is taken.",
        isRequired: true)
    /// A model in place of the store's own.
    static let model = Option<String>(
        "--model", "model",
        help: "The model, if not the one that the store keeps (.xcdatamodeld, .xcdatamodel, .momd, .mom).")
}
