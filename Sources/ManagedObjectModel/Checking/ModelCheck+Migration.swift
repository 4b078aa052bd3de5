import FoundationSupplement

extension ModelCheck {
    /// What migrating stores of an older model meets.
    static func findings(
        from old: NSManagedObjectModel, to model: NSManagedObjectModel, _ entities: [NSEntityDescription]
    ) -> [ModelFinding] {
        let comparison = ModelComparison(from: old, to: model)
        let names = Set(entities.compactMap(\.name))
        let concerns = LightweightMigration(comparison).concerns.map { concern in
            let subject = concern.property.map { "'\(concern.entity).\($0)' " } ?? "'\(concern.entity)': "
            return ModelFinding(
                rule(for: concern.kind), entity: concern.entity, property: concern.property,
                "\(subject)\(concern.reason)")
        }
        return (concerns + possibleRenames(comparison) + unseenIndexes(comparison))
            .filter { $0.entity.map(names.contains) ?? true }
    }

    private static func rule(for kind: LightweightMigration.Concern.Kind) -> ModelRule {
        switch kind {
        case _ where kind.preventsInference: .notInferable
        case .mandatoryAttributeAdded: .newMandatory
        case .newConstraint: .newConstraint
        case .relatedDestination: .relatedDestination
        default: .nowMandatory
        }
    }

    // MARK: Renaming

    /// What went and what came, where there is one of each that are otherwise the same.
    private static func possibleRenames(_ comparison: ModelComparison) -> [ModelFinding] {
        let added = comparison.entities.filter { $0.source == nil }.compactMap(\.destination)
        let removed = comparison.entities.filter { $0.destination == nil }.compactMap(\.source)
        let entities = pairs(removed, added, by: shape).map { old, new in
            new.finding(
                .possibleRename,
                "'\(new.name ?? "")' is new and '\(old.name ?? "")' is gone; if it is the same entity, it needs the renaming "
                    + "identifier '\(old.name ?? "")', or its objects are lost")
        }
        let properties = comparison.entities.flatMap { pair in
            let added = pair.properties.filter { $0.source == nil }.compactMap(\.destination)
            let removed = pair.properties.filter { $0.destination == nil }.compactMap(\.source)
            return pairs(removed, added, by: shape).compactMap { old, new in
                pair.destination?.finding(
                    .possibleRename, new,
                    "'\(pair.name).\(new.name)' is new and '\(old.name)' is gone; if it is the same property, it needs the renaming "
                        + "identifier '\(old.name)', or its values are lost")
            }
        }
        return entities + properties
    }

    /// The pairs whose shape nothing else has that went or came.
    private static func pairs<Item>(_ old: [Item], _ new: [Item], by shape: (Item) -> String?) -> [(Item, Item)] {
        let (old, new) = (Dictionary(grouping: old, by: shape), Dictionary(grouping: new, by: shape))
        return old.compactMap { key, items in
            guard key != nil, items.count == 1, let other = new[key], other.count == 1 else { return nil }
            return (items[0], other[0])
        }
    }

    /// What an entity looks like under any name: the names of its properties; nil if it has none.
    private static func shape(_ entity: NSEntityDescription) -> String? {
        let names = entity.propertiesByName.keys.sorted()
        return names.isEmpty ? nil : names.joined(separator: ",")
    }

    /// What a property looks like under any name; nil for what is not stored.
    private static func shape(_ property: NSPropertyDescription) -> String? {
        guard property.isStored else { return nil }
        switch property {
        case let attribute as NSAttributeDescription: return attribute.attributeType.displayName
        case let relationship as NSRelationshipDescription:
            return "\(relationship.cardinality) \(relationship.destinationName ?? "")"
        default: return nil
        }
    }

    // MARK: Indexes

    /// Where no version hash is another, existing stores are opened as they are.
    private static func unseenIndexes(_ comparison: ModelComparison) -> [ModelFinding] {
        guard !comparison.altersVersionHashes else { return [] }
        return comparison.entities.flatMap { pair -> [ModelFinding] in
            guard let entity = pair.destination else { return [] }
            let consequence =
                "existing stores stay as they are, since no version hash is another; a version hash "
                + "modifier would make them migrate"
            let own = pair.changes.filter { [.fetchIndex, .compoundIndex].contains($0.aspect) }
                .map { entity.finding(.unseenIndex, "'\(pair.name)': \($0.words), but \(consequence)") }
            let marks = pair.properties.filter { $0.changes.contains { $0.aspect == .indexed } }
                .map {
                    entity.finding(
                        .unseenIndex, $0.destination,
                        "the index on '\(pair.name).\($0.name)' changed, but \(consequence)")
                }
            return own + marks
        }
    }
}
