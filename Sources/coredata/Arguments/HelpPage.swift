/// The help page of a command or a group.
enum HelpPage {
    private static let help = Flag("--help", help: "Show help information.")
    private static let version = Flag("--version", help: "Show the version.")

    /// `coredata import --model <model> --into <store> <file> ...`
    static func usage(_ node: CommandNode, _ path: String) -> String {
        switch node.content {
        case .group: "\(path) <subcommand>"
        case .command(let type):
            ([path] + type.specification.positionals.map(\.usage) + type.specification.options.map(\.usage))
                .joined(separator: " ")
        }
    }

    /// The whole page.
    static func text(_ node: CommandNode, _ path: String, isRoot: Bool = false) -> String {
        var sections = ["OVERVIEW: \(node.overview)", "USAGE: \(usage(node, path))"]
        switch node.content {
        case .command(let type):
            let specification = type.specification
            if !specification.discussion.isEmpty { sections.insert(specification.discussion, at: 1) }
            sections.append(list("ARGUMENTS", specification.positionals.map { ($0.label, $0.help) }))
            sections.append(list("OPTIONS", specification.options.map { ($0.label, $0.help) } + [helpRow]))
            sections.append("EXAMPLES:\n" + specification.examples.map { "  \($0)" }.joined(separator: "\n"))
        case .group(_, let members):
            let rows = isRoot ? [(version.label, version.help), helpRow] : [helpRow]
            sections.append(list("OPTIONS", rows))
            sections.append(list("SUBCOMMANDS", members.map { ($0.name, $0.overview) }))
            sections.append("  See 'coredata help <subcommand>' for detailed help.")
        }
        return sections.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private static var helpRow: (String, String) { ("-h, \(help.label)", help.help) }

    /// A list with the texts beneath each other, as far as labels are short.
    private static func list(_ title: String, _ rows: [(String, String)]) -> String {
        guard !rows.isEmpty else { return "" }
        let column = 26
        let lines = rows.map { label, text in
            let start = "  " + label
            let indent = String(repeating: " ", count: column)
            guard start.count < column else { return "\(start)\n\(indent)\(text)" }
            return start + String(repeating: " ", count: column - start.count) + text
        }
        return "\(title):\n" + lines.joined(separator: "\n")
    }
}
