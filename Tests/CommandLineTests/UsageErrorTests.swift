import Testing

/// A command line that is wrong, and the first line of what the tool says.
struct WrongCommandLine: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    let message: String

    init(_ arguments: String..., says message: String) {
        self.arguments = arguments
        self.message = message
    }

    var testDescription: String { "coredata " + arguments.joined(separator: " ") }
}

@Suite("coredata: wrong command lines")
struct UsageErrorTests {
    static let lines = [
        WrongCommandLine("--foo", says: "Error: Unknown option '--foo'"),
        WrongCommandLine("imprt", says: "Error: Unknown command 'imprt'; did you mean 'import'?"),
        WrongCommandLine("model", "hashs", says: "Error: Unknown command 'hashs'; did you mean 'hashes'?"),
        WrongCommandLine(
            "query", "a", "b", "--fromat", "csv", says: "Error: Unknown option '--fromat'; did you mean '--format'?"),
        WrongCommandLine("query", "a", says: "Error: Missing expected argument '<entity>'"),
        WrongCommandLine("query", "a", "b", "c", says: "Error: Unexpected argument 'c'"),
        WrongCommandLine("query", "--", "a", "--count", "c", says: "Error: Unexpected argument 'c'"),
        WrongCommandLine(
            "query", "a", "b", "--limit", "x",
            says: "Error: The value 'x' is invalid for '--limit <n>'. Please provide a whole number from 0."),
        WrongCommandLine(
            "query", "a", "b", "--limit=-1",
            says: "Error: The value '-1' is invalid for '--limit <n>'. Please provide a whole number from 0."),
        WrongCommandLine("query", "a", "b", "--limit", "--count", says: "Error: Missing value for '--limit <n>'"),
        WrongCommandLine("query", "a", "b", "--where", says: "Error: Missing value for '--where <predicate>'"),
        WrongCommandLine(
            "query", "a", "b", "--limit", "1", "--limit", "2",
            says: "Error: The option '--limit' may be given once only"),
        WrongCommandLine(
            "query", "a", "b", "--format", "jsn",
            says: "Error: The value 'jsn' is invalid for '--format <format>'. Please provide one of 'table', 'json', "
                + "'tsv' or 'csv'. Did you mean 'json'?"),
        WrongCommandLine(
            "query", "a", "b", "--sort", "name:up",
            says: "Error: The value 'name:up' is invalid for '--sort <keys>'. 'up' is no direction: please write "
                + "':asc' or ':desc'."),
        WrongCommandLine(
            "query", "a", "b", "--json", "--format", "csv",
            says: "Error: '--json' and '--format csv' exclude each other"),
        WrongCommandLine("inspect", "a", "--json=yes", says: "Error: '--json' takes no value"),
        WrongCommandLine("import", "--model", "m", "f", says: "Error: Missing expected argument '--into <store>'"),
        WrongCommandLine("import", "--into", "s", "f", says: "Error: Missing expected argument '--model <model>'"),
        WrongCommandLine(
            "import", "--model", "m", "--into", "s", says: "Error: Missing expected argument '<file>'"),
    ]

    @Test("The message, the usage and status 64", arguments: lines)
    func message(_ line: WrongCommandLine) throws {
        let run = try runTool(line.arguments)
        #expect(run.status == 64)
        #expect(run.output.isEmpty)
        #expect(run.firstErrorLine == line.message)
        #expect(run.error.split(separator: "\n").last?.hasPrefix("Usage: coredata ") == true)
    }
}
