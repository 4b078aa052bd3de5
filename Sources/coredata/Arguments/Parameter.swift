/// A thing that a command takes: what the parser and the help page need to know of it.
protocol Parameter: Sendable {
    /// What is typed, as in `--into`; empty for a positional parameter.
    var names: [String] { get }
    /// What the value is called, as in `store`; nil for a flag.
    var valueName: String? { get }
    /// What it is for.
    var help: String { get }
    /// Whether it must be given.
    var isRequired: Bool { get }
    /// Whether it may be given more than once.
    var isRepeated: Bool { get }
    /// Throws `InvalidValue` for a text that is not a value of this parameter.
    func check(_ text: String) throws
}

extension Parameter {
    /// `--into <store>`, `--json` or `<file> ...`, as usage lines, help pages and messages show it.
    var label: String {
        let value = valueName.map { "<\($0)>" }
        return (names + [value].compactMap { $0 }).joined(separator: names.count > 1 ? ", " : " ")
    }

    /// The label in a usage line: brackets around what may be left out, dots behind what may be repeated.
    var usage: String {
        let repeated = label + (isRepeated && valueName != nil ? " ..." : "")
        return isRequired ? repeated : "[\(repeated)]"
    }
}

/// Why a text is not a value of a parameter: a clause that is added to the message, or nothing.
struct InvalidValue: Error {
    /// What would be a value, as a sentence.
    var hint: String?
}

/// A parameter that is there or not: `--json`.
struct Flag: Parameter {
    let names: [String]
    let help: String
    var valueName: String? { nil }
    var isRequired: Bool { false }
    var isRepeated: Bool { true }

    /// A flag of that name.
    init(_ name: String, help: String) {
        self.names = [name]
        self.help = help
    }

    func check(_ text: String) throws { throw InvalidValue() }
}

/// A parameter with a value: `--into <store>`, `--into=<store>`, or positional.
struct Option<Value>: Parameter {
    let names: [String]
    let valueName: String?
    let help: String
    let isRequired: Bool
    let isRepeated: Bool
    /// Makes the value of the text; throws `InvalidValue`.
    let parse: @Sendable (String) throws -> Value

    /// An option of that name, or a positional parameter where there is none.
    init(
        _ name: String? = nil, _ valueName: String, help: String, isRequired: Bool = false, isRepeated: Bool = false,
        parse: @escaping @Sendable (String) throws -> Value
    ) {
        self.names = name.map { [$0] } ?? []
        self.valueName = valueName
        self.help = help
        self.isRequired = isRequired
        self.isRepeated = isRepeated
        self.parse = parse
    }

    func check(_ text: String) throws { _ = try parse(text) }
}

extension Option where Value == String {
    /// An option whose value is any text but none at all.
    init(
        _ name: String? = nil, _ valueName: String, help: String, isRequired: Bool = false, isRepeated: Bool = false
    ) {
        self.init(name, valueName, help: help, isRequired: isRequired, isRepeated: isRepeated) { text in
            guard !text.isEmpty else { throw InvalidValue(hint: "It must not be empty.") }
            return text
        }
    }
}

extension Option where Value == Int {
    /// An option whose value is a whole number in a range.
    init(_ name: String, _ valueName: String, help: String, in range: ClosedRange<Int>) {
        self.init(name, valueName, help: help) { text in
            guard let number = Int(text), range.contains(number) else {
                let bounds = range.upperBound == .max ? "from \(range.lowerBound)" : "in \(range)"
                throw InvalidValue(hint: "Please provide a whole number \(bounds).")
            }
            return number
        }
    }
}

extension Option where Value: CaseIterable & RawRepresentable & SendableMetatype, Value.RawValue == String {
    /// An option whose value is one of a few words.
    init(oneOf name: String, _ valueName: String, help: String) {
        let words = Value.allCases.map(\.rawValue)
        self.init(name, valueName, help: "\(help) (values: \(words.joined(separator: ", ")))") { text in
            guard let value = Value(rawValue: text) else {
                let suggestion = nearest(to: text, among: words).map { " Did you mean '\($0)'?" } ?? ""
                let listed = words.map { "'\($0)'" }
                let all = listed.dropLast().joined(separator: ", ") + " or \(listed.last ?? "")"
                throw InvalidValue(hint: "Please provide one of \(all).\(suggestion)")
            }
            return value
        }
    }
}
