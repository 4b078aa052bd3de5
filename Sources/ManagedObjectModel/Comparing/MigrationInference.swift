import FoundationSupplement

/// Looks for what speaks against a migration with an inferred mapping.
struct MigrationInference {
    private let comparison: ModelComparison
    private let steps: [LightweightMigration.Step]
    /// For each entity of the source, what it becomes.
    private var successors: [ObjectIdentifier: NSEntityDescription] = [:]
    private var seen: Set<String> = []
    private(set) var concerns: [LightweightMigration.Concern] = []

    init(_ comparison: ModelComparison, _ steps: [LightweightMigration.Step]) {
        self.comparison = comparison
        self.steps = steps
        for step in steps {
            if let source = step.source { successors[ObjectIdentifier(source)] = step.destination }
        }
    }

    mutating func run() {
        findAmbiguousEntities()
        findMergedHierarchies()
        for step in steps {
            guard let source = step.source, let destination = step.destination else { continue }
            findAmbiguousProperties(destination)
            findNewConstraints(source, destination)
            for pair in step.properties.pairs { compare(pair.source, pair.destination, of: destination) }
            for property in step.properties.added { judgeAdded(property, to: destination) }
        }
    }

    /// Notes a concern once: an inherited property is met in each sub-entity.
    private mutating func note(
        _ kind: LightweightMigration.Concern.Kind, _ entity: NSEntityDescription, _ property: NSPropertyDescription?,
        _ reason: String
    ) {
        let name = (property?.entity ?? entity).name ?? ""
        guard seen.insert("\(name)\u{0}\(property?.name ?? "")\u{0}\(reason)").inserted else { return }
        concerns.append(.init(kind: kind, entity: name, property: property?.name, reason: reason))
    }

    private mutating func note(
        _ kind: LightweightMigration.Concern.Kind, _ entity: NSEntityDescription, _ reason: String
    ) {
        note(kind, entity, nil, reason)
    }

    // MARK: Names

    private mutating func findAmbiguousEntities() {
        for (identifier, group) in Dictionary(grouping: comparison.destination.entities, by: { $0.renamingIdentifier })
        where group.count > 1 && comparison.source.entities.contains(where: { $0.renamingIdentifier == identifier }) {
            for entity in group where entity.renamingIdentifier != entity.name {
                note(.ambiguousName, entity, "several entities claim to be '\(identifier ?? "")' of the old model")
            }
        }
    }

    private mutating func findAmbiguousProperties(_ entity: NSEntityDescription) {
        for (identifier, group) in Dictionary(grouping: entity.properties, by: { $0.renamingIdentifier })
        where group.count > 1 {
            for property in group where property.renamingIdentifier != property.name {
                let others = group.filter { $0 !== property }.map { "'\($0.name)'" }.sorted().joined(separator: ", ")
                note(
                    .ambiguousName, entity, property,
                    "has the renaming identifier '\(identifier ?? "")', which is also that of \(others)")
            }
        }
    }

    // MARK: Entities

    /// Entities that had no common parent can't get one.
    private mutating func findMergedHierarchies() {
        var roots: [ObjectIdentifier: [NSEntityDescription]] = [:]
        for step in steps {
            guard let source = step.source, let destination = step.destination else { continue }
            let (old, new) = (source.rootEntity, destination.rootEntity)
            let known = roots[ObjectIdentifier(new), default: []]
            if let first = known.first, !known.contains(where: { $0 === old }) {
                note(
                    .mergedHierarchies, destination,
                    "'\(source.name ?? "")' and '\(first.name ?? "")' had no common super-entity, and now share "
                        + "'\(new.name ?? "")'")
            }
            if !known.contains(where: { $0 === old }) { roots[ObjectIdentifier(new), default: []].append(old) }
        }
    }

    private mutating func findNewConstraints(_ source: NSEntityDescription, _ destination: NSEntityDescription) {
        let formerNames = Dictionary(
            RenamingMatch(source.properties, destination.properties).pairs
                .map { ($0.destination.name, $0.source.name) }, uniquingKeysWith: { first, _ in first })
        let known = Set(source.uniquenessConstraintNames.map { Set($0) })
        for constraint in destination.uniquenessConstraintNames {
            guard !known.contains(Set(constraint.map { formerNames[$0] ?? $0 })) else { continue }
            let names = constraint.map { "'\($0)'" }.joined(separator: ", ")
            note(
                .newConstraint, destination,
                "the uniqueness constraint on \(names) is new: the migration fails if rows have equal values")
        }
    }

    // MARK: Properties

    private mutating func judgeAdded(_ property: NSPropertyDescription, to entity: NSEntityDescription) {
        guard !entity.isAbstract, !property.isTransient, !property.isOptional else { return }
        switch property {
        case is NSDerivedAttributeDescription, is NSCompositeAttributeDescription: break
        case let attribute as NSAttributeDescription where !attribute.hasDefault:
            note(
                .mandatoryAttributeAdded, entity, attribute,
                "is new, mandatory and has no default value: the migration fails if there are rows")
        case is NSRelationshipDescription:
            note(
                .mandatoryRelationship, entity, property,
                "is new and mandatory: migrated objects have nothing there, and can't be saved until they have")
        default: break
        }
    }

    private mutating func compare(
        _ source: NSPropertyDescription, _ destination: NSPropertyDescription, of entity: NSEntityDescription
    ) {
        // What was not stored is new to the store; what is no longer stored is just left out.
        if !destination.isStored || destination is NSDerivedAttributeDescription { return }
        if !source.isStored { return judgeAdded(destination, to: entity) }
        switch (source, destination) {
        case (let source as NSAttributeDescription, let destination as NSAttributeDescription):
            compareAttributes(source, destination, of: entity)
        case (let source as NSRelationshipDescription, let destination as NSRelationshipDescription):
            compareRelationships(source, destination, of: entity)
        default:
            note(
                .changedKind, entity, destination, "changed from \(source.kindName) to \(destination.kindName)")
        }
    }

    private mutating func compareAttributes(
        _ source: NSAttributeDescription, _ destination: NSAttributeDescription, of entity: NSEntityDescription
    ) {
        let (old, new) = (source.attributeType, destination.attributeType)
        if old != new, !(old.isNumeric && new.isNumeric) {
            note(
                .incompatibleTypes, entity, destination,
                "changed its type from \(old.displayName) to \(new.displayName), which can't be converted")
        }
        if source.isOptional, !destination.isOptional, !destination.hasDefault, !entity.isAbstract {
            note(
                .attributeBecomesMandatory, entity, destination,
                "becomes mandatory without a default value: the migration fails if rows have no value")
        }
    }

    private mutating func compareRelationships(
        _ source: NSRelationshipDescription, _ destination: NSRelationshipDescription, of entity: NSEntityDescription
    ) {
        if source.isToMany, !destination.isToMany {
            note(
                .toManyBecomesToOne, entity, destination, "was to-many, and a to-one relationship can't take its place")
        }
        if source.isOptional, !destination.isOptional, !entity.isAbstract {
            note(
                .mandatoryRelationship, entity, destination,
                "becomes mandatory: objects that have nothing there can't be saved until they have")
        }
        guard let old = source.destinationEntity, let new = destination.destinationEntity else { return }
        let successor = successors[ObjectIdentifier(old)]
        guard successor !== new else { return }
        let (oldName, newName) = ("'\(old.name ?? "")'", "'\(new.name ?? "")'")
        if let successor, successor.isKindOf(entity: new) || new.isKindOf(entity: successor) {
            note(
                .relatedDestination, entity, destination,
                "leads to \(newName) instead of \(oldName), which belongs to the same hierarchy: make sure that the "
                    + "objects are still found")
        } else {
            note(
                .otherDestination, entity, destination,
                "led to \(oldName), and now leads to \(newName), which is not the same entity")
        }
    }
}

extension NSAttributeDescription {
    /// Whether new objects have a value.
    var hasDefault: Bool { defaultValue != nil || foreignDefaultValue != nil }
}

extension NSAttributeType {
    /// Whether values are numbers, which an inferred mapping converts into each other.
    package var isNumeric: Bool {
        switch self {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .decimalAttributeType,
            .doubleAttributeType, .floatAttributeType, .booleanAttributeType:
            true
        default: false
        }
    }
}
