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

    init(_ source: [Item], _ destination: [Item], name: (Item) -> String, identifier: (Item) -> String) {
        let (old, new) = (source.map { (identifier($0), name($0)) }, destination.map { (identifier($0), name($0)) })
        let explicitFirst =
            new.indices.filter { new[$0].0 != new[$0].1 } + new.indices.filter { new[$0].0 == new[$0].1 }
        var partners = [Int?](repeating: nil, count: new.count)
        var free = Set(old.indices)
        func match(_ key: ((String, String)) -> String, with newKey: ((String, String)) -> String) {
            var byKey = Dictionary(grouping: free.sorted(by: >)) { key(old[$0]) }
            for index in explicitFirst where partners[index] == nil {
                guard let found = byKey[newKey(new[index])]?.popLast() else { continue }
                partners[index] = found
                free.remove(found)
            }
        }
        match(\.0, with: \.0)
        match(\.1, with: \.0)
        match(\.1, with: \.1)
        removed = free.sorted().map { source[$0] }
        added = []
        for (item, partner) in zip(destination, partners) {
            if let partner { pairs.append((source[partner], item)) } else { added.append(item) }
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
