import FoundationSupplement

/// What is different between two models, whatever they were read from.
///
/// The one mechanism behind "why doesn't this store open?", the differences between versions, and what a migration has
/// to do.
package struct ModelComparison {
    /// The first model, of the older version.
    package let source: NSManagedObjectModel
    /// The second model.
    package let destination: NSManagedObjectModel
    /// What is different of the models themselves: configurations, fetch requests, version identifiers.
    package let changes: [ModelChange]
    /// The entities of either model, by name; all of them, also those that are the same.
    package let entities: [EntityComparison]

    /// Compares two models; `ignored` are aspects that don't count, such as class names where a model comes from the
    /// cache of a store, which doesn't keep them.
    package init(
        from source: NSManagedObjectModel, to destination: NSManagedObjectModel, ignoring ignored: Set<ModelAspect> = []
    ) {
        self.source = source
        self.destination = destination
        changes = ModelChange.list(from: source.facts, to: destination.facts).filter { !ignored.contains($0.aspect) }
        let (old, new) = (source.entityVersionHashesByName, destination.entityVersionHashesByName)
        let match = RenamingMatch(source.entities, destination.entities)
        let all =
            match.pairs.map { pair in
                EntityComparison(
                    pair.source, pair.destination,
                    hashes: (pair.source.name.flatMap { old[$0] }, pair.destination.name.flatMap { new[$0] }),
                    parents: (
                        pair.source.superentity?.name.flatMap { old[$0] },
                        pair.destination.superentity?.name.flatMap { new[$0] }
                    ), ignoring: ignored)
            }
            + match.added.map { EntityComparison(destination: $0) }
            + match.removed.map { EntityComparison(source: $0) }
        entities = all.sorted { VersionHash.codeUnitOrder($0.name, $1.name) }
    }

    /// The entities of which the models say something different.
    package var differingEntities: [EntityComparison] { entities.filter { !$0.isSame } }
    /// Whether the models say the same.
    package var isSame: Bool { changes.isEmpty && differingEntities.isEmpty }
    /// Whether a store of the one model opens with the other.
    package var altersVersionHashes: Bool { entities.contains(where: \.altersVersionHash) }
}
