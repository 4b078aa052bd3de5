import FoundationSupplement

/// What two models say of one property of an entity.
package struct PropertyComparison {
    /// The property in the first model; nil where the second added it.
    package let source: NSPropertyDescription?
    /// The property in the second model; nil where it was removed.
    package let destination: NSPropertyDescription?
    /// What is different, if both have it.
    package let changes: [ModelChange]
    /// Whether the entity's version hash depends on the difference.
    package let altersVersionHash: Bool

    init(_ source: NSPropertyDescription, _ destination: NSPropertyDescription, ignoring ignored: Set<ModelAspect>) {
        self.source = source
        self.destination = destination
        changes = ModelChange.list(from: source.facts, to: destination.facts).filter { !ignored.contains($0.aspect) }
        altersVersionHash = source.hashContribution != destination.hashContribution
    }

    /// A property that only one model has; `other` is what the other model's entity has of that name, by inheritance.
    init(source: NSPropertyDescription? = nil, destination: NSPropertyDescription? = nil, other: NSPropertyDescription?)
    {
        self.source = source
        self.destination = destination
        changes = []
        altersVersionHash = (source ?? destination)?.hashContribution != other?.hashContribution
    }

    /// The name, in the second model where it has the property.
    package var name: String { (destination ?? source)?.name ?? "" }
    /// The name in the first model, where it is another.
    package var formerName: String? {
        guard let source, let destination, source.name != destination.name else { return nil }
        return source.name
    }
    /// Whether the models say the same.
    package var isSame: Bool { source != nil && destination != nil && changes.isEmpty && formerName == nil }

    /// The property in a few words, as the second model has it, if it has.
    package var summary: String { (destination ?? source)?.summary ?? "" }
    /// What kind of property it is, in words.
    package var kindName: String { (destination ?? source)?.kindName ?? "property" }
}
