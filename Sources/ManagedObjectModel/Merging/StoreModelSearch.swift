import FoundationSupplement

/// Looks in models for the entities that a store was made with.
struct StoreModelSearch {
    /// The store's entities by name, with their version hashes.
    let wanted: [String: Data]

    /// The entities, from as few models as may be, and those that they need; nil if some are missing.
    func entities(in models: [NSManagedObjectModel]) -> [NSEntityDescription]? {
        var missing = Set(wanted.keys)
        var found: [NSEntityDescription] = []
        let matches = models.map(matchingNames)
        while !missing.isEmpty {
            let counts = matches.map { $0.intersection(missing).count }
            guard let most = counts.max(), most > 0, let best = counts.firstIndex(of: most) else { return nil }
            found += needed(in: models[best], for: matches[best].intersection(missing))
            missing.subtract(matches[best])
        }
        return found
    }

    private func matchingNames(_ model: NSManagedObjectModel) -> Set<String> {
        let hashes = model.entityVersionHashesByName
        return Set(wanted.keys.filter { hashes[$0] == wanted[$0] })
    }

    /// The entities of those names, and those that they inherit from, that inherit from them, and that they lead to,
    /// unless the store has others of the same name.
    private func needed(in model: NSManagedObjectModel, for names: Set<String>) -> [NSEntityDescription] {
        var seen = names
        var queue = model.entities.filter { names.contains($0.name ?? "") }
        var next = 0
        while next < queue.count {
            let entity = queue[next]
            next += 1
            let relatives = entity.subentities + [entity.superentity].compactMap(\.self)
            for other in relatives + entity.relationshipsByName.values.compactMap(\.destinationEntity) {
                guard let name = other.name, wanted[name] == nil, seen.insert(name).inserted else { continue }
                queue.append(other)
            }
        }
        return queue
    }
}
