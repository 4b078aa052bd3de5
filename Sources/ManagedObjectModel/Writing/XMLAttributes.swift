/// The attributes of an XML element.
struct XMLAttributes {
    private var values: [String: String] = [:]

    subscript(name: String) -> String? {
        get { values[name] }
        set { values[name] = newValue }
    }

    /// Sets an attribute that is there only where something is the case.
    mutating func set(_ name: String, _ condition: Bool) {
        if condition { values[name] = "YES" }
    }

    /// The attributes, in no promised order.
    var pairs: [String: String] { values }

    /// The attributes in a given order, and the others behind them by name.
    func inOrder(_ names: [String]) -> [(name: String, value: String)] {
        let known = names.compactMap { name in values[name].map { (name: name, value: $0) } }
        guard known.count < values.count else { return known }
        let listed = Set(names)
        return known + values.filter { !listed.contains($0.key) }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
