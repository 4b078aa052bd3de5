import CoreData

/// `coredata model check`: what is wrong with a model, and what bites later.
struct ModelCheckCommand: Command {
    private static let model = Option<String>(
        nil, "model", help: "The model (.xcdatamodeld, .xcdatamodel, .momd, .mom), or a store.", isRequired: true)
    private static let since = Option<String>(
        "--since", "old", help: "An older model, or a store: also check the migration from it.")
    private static let ignored = Option<ModelRule>(
        "--ignore", "rule", help: "A rule whose findings don't count.", isRepeated: true, parse: { try rule($0) })
    private static let configurations = Option<String>(
        "--configuration", "name", help: "Check only the entities of this configuration.", isRepeated: true)
    private static let cloud = Flag(
        "--cloudkit", help: "Check for what CloudKit doesn't take, also where the model doesn't say that it is used.")

    static let specification = CommandSpecification(
        overview: "Find what is wrong with a model, and what bites later.",
        positionals: [model], options: [since, ignored, configurations, cloud, CommonParameters.json],
        examples: [
            "coredata model check App.xcdatamodeld",
            "coredata model check App.xcdatamodeld --since App.xcdatamodeld/V1.xcdatamodel --ignore no-inverse",
        ],
        discussion: """
            Ends with status 1 where there are findings, which are printed with the names of their rules.

            \(ModelWords.versions)

            Errors:
            \(rules(.error))

            Warnings:
            \(rules(.warning))
            """)

    private let path: String
    private let oldPath: String?
    private let ignoredRules: Set<ModelRule>
    private let configurationNames: [String]
    private let checksForCloud: Bool
    private let printsJSON: Bool

    init(_ arguments: ParsedArguments) throws {
        path = try arguments.required(Self.model)
        oldPath = try arguments.value(Self.since)
        ignoredRules = Set(try arguments.values(Self.ignored))
        configurationNames = try arguments.values(Self.configurations)
        checksForCloud = arguments.has(Self.cloud)
        printsJSON = arguments.has(CommonParameters.json)
    }

    private static func rule(_ name: String) throws -> ModelRule {
        if let rule = ModelRule(rawValue: name) { return rule }
        let near = nearest(to: name, among: ModelRule.allCases.map(\.rawValue)).map { " Did you mean '\($0)'?" }
        throw InvalidValue(hint: "There is no such rule.\(near ?? " See 'coredata help model check'.")")
    }

    private static func rules(_ severity: ModelFinding.Severity) -> String {
        ModelRule.allCases.filter { $0.severity == severity }
            .map { "  \($0.rawValue.padded(to: 24))\($0.summary)" }.joined(separator: "\n")
    }

    func run() throws {
        let check = try makeCheck()
        for name in configurationNames where check.model?.configurations.contains(name) == false {
            throw UsageError(message: "The model has no configuration '\(name)'")
        }
        let old = try oldPath.map { try ModelSource($0).requireModel() }
        let all = check.findings(configurations: configurationNames, cloud: checksForCloud, since: old)
        let findings = all.filter { !ignoredRules.contains($0.rule) }
        var migration: LightweightMigration?
        if let old, let model = check.model { migration = LightweightMigration(from: old, to: model) }
        let report = Report(
            path: path, file: check.path, findings: findings, ignored: all.count - findings.count, oldPath: oldPath,
            migration: migration)
        try printResult(printsJSON ? report.json.pretty : report.text)
        if !findings.isEmpty { throw Findings() }
    }

    private func makeCheck() throws -> ModelCheck {
        try InputError.requireReadable(path, what: "model or store")
        if isSQLite(path) { return ModelCheck(try ModelSource(path).requireModel()) }
        return try ModelCheck(contentsOf: URL(fileURLWithPath: path))
    }
}

/// What a check has to say.
private struct Report {
    let path: String
    /// The file that lines count in.
    let file: String?
    let findings: [ModelFinding]
    let ignored: Int
    let oldPath: String?
    let migration: LightweightMigration?

    private func count(_ severity: ModelFinding.Severity) -> Int { findings.count { $0.severity == severity } }

    /// The keys are documented in `docs/JSON.md`.
    var json: JSON {
        .object([
            ("model", .string(path)), ("file", .text(file)), ("errors", .int(count(.error))),
            ("warnings", .int(count(.warning))), ("ignored", .int(ignored)), ("since", .text(oldPath)),
            ("lightweightMigration", migration.map { .bool($0.isInferable) } ?? .null),
            ("findings", .array(findings.map(json))),
        ])
    }

    private func json(_ finding: ModelFinding) -> JSON {
        .object([
            ("rule", .string(finding.rule.rawValue)), ("severity", .string(finding.severity.rawValue)),
            ("entity", .text(finding.entity)), ("property", .text(finding.property)),
            ("line", finding.line.map(JSON.int) ?? .null), ("message", .string(finding.message)),
        ])
    }

    /// In the form of compilers, which editors know.
    var text: String {
        let lines = findings.map { finding in
            let place = finding.line.map { "\(shownFile):\($0)" } ?? shownFile
            return singleLine(
                "\(place): \(finding.severity.rawValue): \(finding.message) [\(finding.rule.rawValue)]")
        }
        let found =
            findings.isEmpty
            ? "Nothing was found"
            : "\(Amounts.counted(count(.error), "error")), \(Amounts.counted(count(.warning), "warning"))"
        let counts = found + (ignored > 0 ? " (\(ignored) ignored)" : "")
        let inferable = migration.map { migration in
            migration.isInferable
                ? "A lightweight migration from \(oldPath ?? "") can be inferred."
                : "A lightweight migration from \(oldPath ?? "") can't be inferred."
        }
        return (lines + [inferable, counts].compactMap(\.self)).joined(separator: "\n")
    }

    /// The file as the user named it, as far as that is the one: a bundle stands for a file inside.
    private var shownFile: String {
        guard let file else { return path }
        let folder = FileManager.default.currentDirectoryPath + "/"
        return !path.hasPrefix("/") && file.hasPrefix(folder) ? String(file.dropFirst(folder.count)) : file
    }
}
