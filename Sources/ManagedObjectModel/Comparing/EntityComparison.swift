import FoundationSupplement

/// What two models say of one entity.
package struct EntityComparison {
    /// The entity in the first model; nil where the second added it.
    package let source: NSEntityDescription?
    /// The entity in the second model; nil where it was removed.
    package let destination: NSEntityDescription?
    /// What is different of the entity itself, if both have it.
    package let changes: [ModelChange]
    /// The properties that the entity declares in either model, by name; all of them, also those that are the same.
    package let properties: [PropertyComparison]
    /// Whether the version hash is another, so that stores made with the one model don't open with the other.
    package let altersVersionHash: Bool
    /// Whether the super-entity's version hash is another, which enters this one's.
    package let inheritsAlteration: Bool

    init(source: NSEntityDescription? = nil, destination: NSEntityDescription? = nil) {
        self.source = source
        self.destination = destination
        changes = []
        let removed = source?.declaredProperties.map { PropertyComparison(source: $0, other: nil) }
        let added = destination?.declaredProperties.map { PropertyComparison(destination: $0, other: nil) }
        properties = (removed ?? added ?? []).sorted { VersionHash.codeUnitOrder($0.name, $1.name) }
        altersVersionHash = true
        inheritsAlteration = false
    }

    /// Compares an entity that both models have; `hashes` are its version hashes, `parents` those of its super-entities.
    init(
        _ source: NSEntityDescription, _ destination: NSEntityDescription, hashes: (Data?, Data?),
        parents: (Data?, Data?), ignoring ignored: Set<ModelAspect>
    ) {
        self.source = source
        self.destination = destination
        changes = ModelChange.list(from: source.facts, to: destination.facts).filter { !ignored.contains($0.aspect) }
        altersVersionHash = hashes.0 != hashes.1
        inheritsAlteration = parents.0 != parents.1
        let match = RenamingMatch(source.declaredProperties, destination.declaredProperties)
        let (old, new) = (source.propertiesByName, destination.propertiesByName)
        let all =
            match.pairs.map { PropertyComparison($0.source, $0.destination, ignoring: ignored) }
            + match.added.map { PropertyComparison(destination: $0, other: old[$0.name]) }
            + match.removed.map { PropertyComparison(source: $0, other: new[$0.name]) }
        properties = all.sorted { VersionHash.codeUnitOrder($0.name, $1.name) }
    }

    /// The name, in the second model where it has the entity.
    package var name: String { (destination ?? source)?.name ?? "" }
    /// The name in the first model, where it is another.
    package var formerName: String? {
        guard let source, let destination, source.name != destination.name else { return nil }
        return source.name
    }
    /// Whether the models say the same, inherited differences aside.
    package var isSame: Bool {
        source != nil && destination != nil && formerName == nil && changes.isEmpty && properties.allSatisfy(\.isSame)
    }

    /// The changes, of the entity or a property, that are the reason for another version hash. Empty where the hash is
    /// the same, or is another only because of the name or the super-entity.
    package var alterations: (changes: [ModelChange], properties: [PropertyComparison]) {
        guard altersVersionHash else { return ([], []) }
        let changes = changes.filter(\.altersVersionHash)
        let altered = properties.filter(\.altersVersionHash)
        if !changes.isEmpty || !altered.isEmpty || formerName != nil || inheritsAlteration { return (changes, altered) }
        // The names of derived and composite attributes are in no hash, but properties enter in the order of names.
        return ([], properties.filter { $0.formerName != nil })
    }
}
