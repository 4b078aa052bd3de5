import CoreData

/// What commands on models have in common in their help and results.
enum ModelWords {
    /// How one of several versions is named.
    static let versions = """
        One version of a bundle is named by its path, App.xcdatamodeld/V2.xcdatamodel or App.momd/V2.mom; the bundle
        itself stands for its current version.
        """
}

extension ModelChange {
    /// The keys are documented in `docs/JSON.md`.
    var json: JSON {
        .object([
            ("aspect", .string(aspect.rawValue)), ("key", .text(key)), ("from", .text(old)), ("to", .text(new)),
            ("altersVersionHash", .bool(altersVersionHash)), ("text", .string(words)),
        ])
    }
}

extension PropertyComparison {
    /// What became of the property, in a word.
    var outcome: String {
        if source == nil { return "added" }
        if destination == nil { return "removed" }
        return formerName == nil ? "changed" : "renamed"
    }

    /// The keys are documented in `docs/JSON.md`.
    var json: JSON {
        .object([
            ("name", .string(name)), ("formerName", .text(formerName)), ("kind", .string(kindName)),
            ("change", .string(outcome)), ("altersVersionHash", .bool(altersVersionHash)),
            ("summary", .string(summary)), ("changes", .array(changes.map(\.json))),
        ])
    }
}

extension EntityComparison {
    /// What became of the entity, in a word.
    var outcome: String {
        if source == nil { return "added" }
        if destination == nil { return "removed" }
        return formerName == nil ? "changed" : "renamed"
    }
}
