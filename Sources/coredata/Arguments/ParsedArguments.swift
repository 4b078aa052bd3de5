/// The values of a command line, checked.
struct ParsedArguments {
    private var texts: [String: [String]] = [:]

    /// Notes a value; flags have the value "".
    mutating func add(_ text: String, for parameter: any Parameter) {
        texts[parameter.label, default: []].append(text)
    }

    /// Whether a flag or a value was given.
    func has(_ parameter: any Parameter) -> Bool { texts[parameter.label] != nil }

    /// The value of an option, or nil if it was not given.
    func value<Value>(_ option: Option<Value>) throws -> Value? {
        try texts[option.label]?.last.map(option.parse)
    }

    /// The value of an option that the parser demands.
    func required<Value>(_ option: Option<Value>) throws -> Value {
        guard let value = try value(option) else {
            throw UsageError(message: "Missing expected argument '\(option.label)'")
        }
        return value
    }

    /// All values of an option that may be repeated.
    func values<Value>(_ option: Option<Value>) throws -> [Value] {
        try texts[option.label, default: []].map(option.parse)
    }
}
