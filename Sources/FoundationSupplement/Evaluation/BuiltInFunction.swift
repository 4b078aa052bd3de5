/// The functions that the language knows by name.
enum BuiltInFunction {
    /// Every name as Apple writes it, with its colons.
    static let names: Set<String> = [
        "sum:", "count:", "min:", "max:", "average:", "median:", "mode:", "stddev:", "add:to:", "from:subtract:",
        "multiply:by:", "divide:by:", "modulus:by:", "raise:toPower:", "sqrt:", "log:", "ln:", "exp:", "abs:",
        "ceiling:", "floor:", "trunc:", "random", "random:", "randomn:", "now", "uppercase:", "lowercase:",
        "canonical:", "length:", "bitwiseAnd:with:", "bitwiseOr:with:", "bitwiseXor:with:", "leftshift:by:",
        "rightshift:by:", "onesComplement:", "noindex:", "distanceToLocation:fromLocation:", "castObject:toType:",
        "objectFrom:withIndex:",
    ]

    /// A name with its colons: a format may leave them out when there is one argument. Unknown names stay as they are.
    static func canonicalName(_ name: String) -> String {
        if names.contains(name) { return name }
        return names.contains(name + ":") ? name + ":" : name
    }
}
