/// A subcommand: what it takes, and what it does.
protocol Command: SendableMetatype {
    /// What it takes and what its help page says.
    static var specification: CommandSpecification { get }
    /// Takes over the values that were given; throws `UsageError` where they don't go together.
    init(_ arguments: ParsedArguments) throws
    /// Does it.
    func run() throws
}

/// What a command takes and what its help page says.
struct CommandSpecification: Sendable {
    /// What it does, in a sentence.
    var overview: String
    /// Its positional parameters, in order; only the last may be repeated.
    var positionals: [any Parameter] = []
    /// Its options and flags.
    var options: [any Parameter] = []
    /// Command lines that work.
    var examples: [String] = []
    /// More to know, as paragraphs.
    var discussion = ""
}

/// A word of the command line that names a command, or a group of them.
struct CommandNode: Sendable {
    /// What a node stands for.
    enum Content: Sendable {
        case command(any Command.Type)
        case group(String, [CommandNode])
    }

    /// The word.
    var name: String
    /// What it stands for.
    var content: Content

    /// A command.
    static func command(_ name: String, _ type: any Command.Type) -> CommandNode {
        CommandNode(name: name, content: .command(type))
    }

    /// A group of commands, and what they have in common.
    static func group(_ name: String, _ overview: String, _ members: [CommandNode]) -> CommandNode {
        CommandNode(name: name, content: .group(overview, members))
    }

    /// What it does, in a sentence.
    var overview: String {
        switch content {
        case .command(let type): type.specification.overview
        case .group(let overview, _): overview
        }
    }
}
