/// What a command line asks for.
enum Request {
    /// Text for standard output: a help page or the version.
    case text(String)
    /// A command with its values.
    case command(any Command.Type, ParsedArguments, usage: String)
}

/// Reads command lines, in the conventions of swift-argument-parser.
struct ArgumentParser {
    /// The tool, with all of its commands.
    let tool: CommandNode
    /// What `--version` says.
    let version: String

    /// Finds out what the arguments, without the tool's own name, ask for.
    func parse(_ arguments: [String]) throws -> Request {
        if arguments == ["--version"] { return .text(version) }
        if arguments.first == "help" { return try parse(Array(arguments.dropFirst()) + ["--help"]) }
        return try parse(arguments[...], tool, path: tool.name)
    }

    private func parse(_ arguments: ArraySlice<String>, _ node: CommandNode, path: String) throws -> Request {
        guard case .group(_, let members) = node.content else { return try parseCommand(arguments, node, path) }
        let usage = HelpPage.usage(node, path)
        guard let word = arguments.first, !["--help", "-h"].contains(word) else {
            return .text(HelpPage.text(node, path, isRoot: path == tool.name))
        }
        if let member = members.first(where: { $0.name == word }) {
            return try parse(arguments.dropFirst(), member, path: "\(path) \(word)")
        }
        if word.hasPrefix("-") {
            throw unknown("option", word, among: ["--help", "--version"], usage)
        }
        throw unknown("command", word, among: members.map(\.name), usage)
    }

    private func parseCommand(_ arguments: ArraySlice<String>, _ node: CommandNode, _ path: String) throws -> Request {
        guard case .command(let type) = node.content else { preconditionFailure("\(path) is no command") }
        let usage = HelpPage.usage(node, path)
        var scanner = ArgumentScanner(specification: type.specification, usage: usage, rest: arguments)
        let asksForHelp: Bool
        do {
            asksForHelp = try scanner.scan()
            if !asksForHelp { try scanner.checkPresence() }
        } catch {
            guard scanner.rest.prefix(while: { $0 != "--" }).contains(where: ["--help", "-h"].contains) else {
                throw error
            }
            return .text(HelpPage.text(node, path))
        }
        if asksForHelp { return .text(HelpPage.text(node, path)) }
        return .command(type, scanner.parsed, usage: usage)
    }
}

private func unknown(_ kind: String, _ word: String, among known: [String], _ usage: String) -> UsageError {
    let suggestion = nearest(to: word, among: known).map { "; did you mean '\($0)'?" } ?? ""
    return UsageError(message: "Unknown \(kind) '\(word)'\(suggestion)", usage: usage)
}

/// Goes through the arguments of one command.
private struct ArgumentScanner {
    let specification: CommandSpecification
    let usage: String
    var rest: ArraySlice<String>
    var parsed = ParsedArguments()
    private var positionals = 0

    init(specification: CommandSpecification, usage: String, rest: ArraySlice<String>) {
        self.specification = specification
        self.usage = usage
        self.rest = rest
    }

    /// Takes the arguments one by one; true when help was asked for.
    mutating func scan() throws -> Bool {
        while let word = rest.popFirst() {
            switch word {
            case "--":
                while let word = rest.popFirst() { try takePositional(word) }
            case "--help", "-h": return true
            case _ where word.hasPrefix("-") && word != "-": try takeOption(word)
            default: try takePositional(word)
            }
        }
        return false
    }

    /// Throws for what must be there and isn't.
    func checkPresence() throws {
        for parameter in specification.positionals + specification.options
        where parameter.isRequired && !parsed.has(parameter) {
            throw UsageError(message: "Missing expected argument '\(parameter.label)'", usage: usage)
        }
    }

    private mutating func takeOption(_ word: String) throws {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let parameter = option(named: parts[0]) else {
            throw unknown("option", parts[0], among: specification.options.flatMap(\.names) + ["--help"], usage)
        }
        if parsed.has(parameter), !parameter.isRepeated {
            throw UsageError(message: "The option '\(parts[0])' may be given once only", usage: usage)
        }
        guard parameter.valueName != nil else {
            guard parts.count == 1 else { throw UsageError(message: "'\(parts[0])' takes no value", usage: usage) }
            return parsed.add("", for: parameter)
        }
        if parts.count == 2 { return try take(parts[1], for: parameter) }
        // A value may begin with a dash, but what is an option of the command is one.
        guard let next = rest.first, next != "--", option(named: next.prefix { $0 != "=" }) == nil else {
            throw UsageError(message: "Missing value for '\(parameter.label)'", usage: usage)
        }
        rest.removeFirst()
        try take(next, for: parameter)
    }

    private func option(named name: some StringProtocol) -> (any Parameter)? {
        specification.options.first { $0.names.contains { $0 == name } }
    }

    private mutating func takePositional(_ word: String) throws {
        guard
            let parameter = specification.positionals.dropFirst(positionals).first
                ?? specification.positionals.last.flatMap({ $0.isRepeated ? $0 : nil })
        else {
            throw UsageError(message: "Unexpected argument '\(word)'", usage: usage)
        }
        positionals += 1
        try take(word, for: parameter)
    }

    private mutating func take(_ text: String, for parameter: any Parameter) throws {
        do {
            try parameter.check(text)
        } catch let error as InvalidValue {
            let hint = error.hint.map { ". \($0)" } ?? ""
            throw UsageError(message: "The value '\(text)' is invalid for '\(parameter.label)'\(hint)", usage: usage)
        }
        parsed.add(text, for: parameter)
    }
}
