import FoundationSupplement

/// What exists in memory only (a closure, a fetch) is nothing in a model's archive.
extension ModelArchiveWriter: PredicateArchiveWriting {
    package mutating func add(_ className: String, _ fields: [String: PropertyListValue]) -> PropertyListValue {
        builder.add(className, fields)
    }

    package mutating func text(_ text: String) -> PropertyListValue { builder.string(text) }

    package mutating func constant(_ constant: Any?) -> PropertyListValue { value(constant) }

    package func checkUnarchivable(_ what: String) {}
}
