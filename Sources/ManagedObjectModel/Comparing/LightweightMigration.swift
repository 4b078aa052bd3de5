import FoundationSupplement

/// What a migration has to do whose mapping is inferred from two models, and what speaks against it.
///
/// The rules are those that Apple's documentation of automatic migration lists and that stores in public show. What is
/// not listed and has not been seen is counted as not inferable.
package struct LightweightMigration {
    /// What becomes of the rows of one entity.
    package struct Step {
        /// The kinds of entity mappings that are inferred.
        package enum Kind: String, Sendable { case add, remove, copy, transform }

        /// What is done.
        package let kind: Kind
        /// The entity in the source model; nil for an added one.
        package let source: NSEntityDescription?
        /// The entity in the destination model; nil for a removed one.
        package let destination: NSEntityDescription?
        /// The properties with their inherited ones: those that are kept, in pairs; those only in one model.
        package let properties: RenamingMatch<NSPropertyDescription>

        /// The name that Apple's framework gives the mapping: `IEM_Transform_City`.
        package var mappingName: String {
            let name = (kind == .remove ? source : destination)?.name ?? ""
            return "IEM_\(kind.rawValue.capitalized)_\(name)"
        }
    }

    /// Something that keeps a migration from being inferred, or that may make it fail.
    package struct Concern: Sendable {
        /// What it is; the first group keeps a mapping from being inferred, the second depends on the rows.
        package enum Kind: Sendable {
            case ambiguousName, mergedHierarchies, changedKind, incompatibleTypes, toManyBecomesToOne, otherDestination
            case mandatoryAttributeAdded, attributeBecomesMandatory, mandatoryRelationship, newConstraint
            case relatedDestination

            /// Whether no mapping can be inferred.
            package var preventsInference: Bool {
                switch self {
                case .ambiguousName, .mergedHierarchies, .changedKind, .incompatibleTypes, .toManyBecomesToOne,
                    .otherDestination:
                    true
                default: false
                }
            }
        }

        /// What it is.
        package let kind: Kind
        /// The entity, as the destination model calls it.
        package let entity: String
        /// The property, as the destination model calls it; nil where it is about the entity.
        package let property: String?
        /// In a sentence without a full stop.
        package let reason: String
    }

    /// What becomes of each entity, by name.
    package let steps: [Step]
    /// Everything that speaks against the migration, by entity and property.
    package let concerns: [Concern]

    /// Finds out how to get from the source of a comparison to its destination.
    package init(_ comparison: ModelComparison) {
        let pairs = comparison.entities
        steps = pairs.map(Self.step)
        var inference = MigrationInference(comparison, steps)
        inference.run()
        concerns = inference.concerns.sorted {
            ($0.entity, $0.property ?? "", $0.reason) < ($1.entity, $1.property ?? "", $1.reason)
        }
    }

    /// Finds out how to get from one model to another.
    package init(from source: NSManagedObjectModel, to destination: NSManagedObjectModel) {
        self.init(ModelComparison(from: source, to: destination))
    }

    /// Why no mapping can be inferred; empty if one can.
    package var obstacles: [Concern] { concerns.filter(\.kind.preventsInference) }
    /// What may make the migration fail, or lose or break something, depending on the rows in the store.
    package var risks: [Concern] { concerns.filter { !$0.kind.preventsInference } }
    /// Whether a mapping can be inferred.
    package var isInferable: Bool { obstacles.isEmpty }

    private static func step(_ pair: EntityComparison) -> Step {
        let kind: Step.Kind =
            switch (pair.source, pair.destination) {
            case (nil, _): .add
            case (_, nil): .remove
            default: pair.altersVersionHash ? .transform : .copy
            }
        return Step(
            kind: kind, source: pair.source, destination: pair.destination,
            properties: RenamingMatch(pair.source?.properties ?? [], pair.destination?.properties ?? []))
    }
}
