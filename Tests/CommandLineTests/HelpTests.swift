import Testing

@Suite("coredata: help")
struct HelpTests {
    @Test("The tool alone prints its help")
    func alone() throws {
        let run = try runTool([])
        #expect(run.status == 0)
        #expect(run.output.hasPrefix("OVERVIEW: "))
        #expect(run.output.contains("USAGE: coredata <subcommand>"))
        for command in ["import", "inspect", "query", "model"] { #expect(run.output.contains("\n  \(command) ")) }
        #expect(run.error.isEmpty)
        #expect(try runTool(["--help"]).output == run.output)
        #expect(try runTool(["-h"]).output == run.output)
        #expect(try runTool(["help"]).output == run.output)
    }

    @Test(
        "Each command has a help page",
        arguments: [
            ["import"], ["inspect"], ["query"], ["model", "describe"], ["model", "diagram"], ["model", "hashes"],
            ["model", "schema"],
        ])
    func pages(command: [String]) throws {
        let run = try runTool(command + ["--help"])
        let name = command.joined(separator: " ")
        #expect(run.status == 0)
        #expect(run.lines.first?.hasPrefix("OVERVIEW: ") == true)
        #expect(run.output.contains("\nUSAGE: coredata \(name) <"))
        #expect(run.output.contains("\n  -h, --help              Show help information.\n"))
        #expect(run.output.contains("\nEXAMPLES:\n  coredata \(name) "))
        #expect(try runTool(["help"] + command).output == run.output)
        #expect(try runTool(command + ["--nonsense", "-h"]).output == run.output)
    }

    @Test("Texts of options begin in the same column")
    func alignment() throws {
        let run = try runTool(["query", "--help"])
        let options = run.lines.drop { $0 != "OPTIONS:" }.dropFirst().prefix { !$0.isEmpty }
        #expect(options.count == 10)
        for line in options {
            let characters = Array(line)
            #expect(characters[25] == " " && characters[26] != " ", "\(line)")
        }
    }

    @Test("--version prints a version")
    func version() throws {
        let run = try runTool(["--version"])
        #expect(run.status == 0)
        #expect(run.lines.count == 1 && run.lines[0].split(separator: ".").count == 3)
    }
}
