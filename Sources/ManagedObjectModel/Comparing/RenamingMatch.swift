/// Which entity or property of a source model is which of a destination model.
///
/// A renaming identifier is a canonical name: two versions are the same where their identifiers are equal (the own name
/// where none is set), else where the destination's identifier is the source's name, else where the names are equal.
/// Explicit identifiers go before names, so that a new property may take the name of one that was renamed.
package struct RenamingMatch<Item> {
    /// Source and destination, in the destination's order.
    package private(set) var pairs: [(source: Item, destination: Item)] = []
    package private(set) var removed: [Item]
    package private(set) var added: [Item]

    init(
        _ source: [Item], _ destination: [Item], name: @escaping (Item) -> String,
        identifier: @escaping (Item) -> String
    ) {
        var old: [Item?] = source
        var partners = [Item?](repeating: nil, count: destination.count)
        let explicitFirst =
            destination.indices.filter { identifier(destination[$0]) != name(destination[$0]) }
            + destination.indices.filter { identifier(destination[$0]) == name(destination[$0]) }
        let rules: [(Item, Item) -> Bool] = [
            { identifier($0) == identifier($1) }, { name($0) == identifier($1) }, { name($0) == name($1) },
        ]
        for rule in rules {
            for index in explicitFirst where partners[index] == nil {
                let found = old.firstIndex { candidate in candidate.map { rule($0, destination[index]) } ?? false }
                guard let found else { continue }
                partners[index] = old[found]
                old[found] = nil
            }
        }
        removed = old.compactMap(\.self)
        added = []
        for (item, partner) in zip(destination, partners) {
            if let partner { pairs.append((partner, item)) } else { added.append(item) }
        }
    }
}

extension RenamingMatch<NSEntityDescription> {
    init(_ source: [NSEntityDescription], _ destination: [NSEntityDescription]) {
        self.init(source, destination, name: { $0.name ?? "" }, identifier: { $0.renamingIdentifier ?? "" })
    }
}

extension RenamingMatch<NSPropertyDescription> {
    init(_ source: [NSPropertyDescription], _ destination: [NSPropertyDescription]) {
        self.init(source, destination, name: \.name, identifier: { $0.renamingIdentifier ?? "" })
    }
}
