import CoreData

extension ModelDescription {
    /// For people: the model, then a section for each entity, each request and each configuration.
    var text: String {
        var sections = [head] + entities.map { EntitySection($0).lines }
        if isWhole {
            sections += requests.map { requestSection($0.name, $0.request) }
            if !model.configurations.isEmpty { sections.append(configurations) }
            if let names = model.localizationDictionary, !names.isEmpty {
                sections.append(["Localization"] + names.sorted { $0.key < $1.key }.map { fact($0.key, $0.value) })
            }
        }
        return sections.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
    }

    private var head: [String] {
        let versions = versionIdentifiers.isEmpty ? "none" : versionIdentifiers.joined(separator: ", ")
        let facts = [
            ["Model", path], ["Versions", versions], ["Checksum", model.versionChecksum],
            ["Digest", model.versionHashesDigest], ["Entities", entityCount],
        ]
        return facts.map { "\($0[0].padded(to: 10))\(singleLine($0[1]))" }
    }

    private var entityCount: String {
        let all = Amounts.grouped(model.entities.count)
        return isWhole ? all : "\(Amounts.grouped(entities.count)) of \(all)"
    }

    private var configurations: [String] {
        ["Configurations"] + model.configurations.map { fact($0, members(of: $0).joined(separator: ", ")) }
    }

    private func requestSection(
        _ name: String, _ request: NSFetchRequest<any NSFetchRequestResult>
    ) -> [String] {
        ["Fetch request \(singleLine(name))"] + requestFacts(request).map { fact($0.0, $0.1) }
    }
}

/// A line about a section's subject.
private func fact(_ name: String, _ value: String) -> String {
    "  \(singleLine(name).padded(to: 22)) \(singleLine(value))"
}

/// What a request says beyond the defaults.
private func requestFacts(_ request: NSFetchRequest<any NSFetchRequestResult>) -> [(String, String)] {
    let sorts = (request.sortDescriptors ?? []).map { "\($0.ascending ? "" : "-")\($0.key ?? "self")" }
    let list = { (names: [String]) in names.isEmpty ? nil : names.joined(separator: ", ") }
    let facts: [(String, String?)] = [
        ("Entity", request.entityName ?? "none"), ("Predicate", request.predicate?.formatText),
        ("Sorted by", list(sorts)),
        ("Limit", request.fetchLimit == 0 ? nil : String(request.fetchLimit)),
        ("Offset", request.fetchOffset == 0 ? nil : String(request.fetchOffset)),
        ("Batch size", request.fetchBatchSize == 0 ? nil : String(request.fetchBatchSize)),
        ("Result", request.resultType == .managedObjectResultType ? nil : request.resultType.word),
        ("Properties", list(propertyNames(request.propertiesToFetch))),
        ("Grouped by", list(propertyNames(request.propertiesToGroupBy))),
        ("Having", request.havingPredicate?.formatText),
        ("Prefetched", list(request.relationshipKeyPathsForPrefetching ?? [])),
        ("Sub-entities", request.includesSubentities ? nil : "left out"),
        ("Property values", request.includesPropertyValues ? nil : "not read along"),
        ("Pending changes", request.includesPendingChanges ? nil : "left out"),
        ("Objects", request.returnsObjectsAsFaults ? nil : "filled"),
        ("Distinct", request.returnsDistinctResults ? "yes" : nil),
        ("Refetched objects", request.shouldRefreshRefetchedObjects ? "refreshed" : nil),
    ]
    return facts.compactMap { name, value in value.map { (name, $0) } }
}

/// What the text says of an entity.
private struct EntitySection {
    let entity: NSEntityDescription

    init(_ entity: NSEntityDescription) { self.entity = entity }

    var lines: [String] {
        let parts = [facts, attributes, relationships, fetchedProperties, details].filter { !$0.isEmpty }
        return [title] + parts.joined(separator: [""])
    }

    private var title: String {
        let parent = entity.superentity?.name.map { ": \($0)" } ?? ""
        return singleLine("Entity \(entity.name ?? "?")\(parent)\(entity.isAbstract ? " (abstract)" : "")")
    }

    private var facts: [String] {
        let children = entity.subentities.compactMap(\.name).sorted()
        let facts: [(String, String?)] = [
            ("Class", entity.managedObjectClassName), ("Version hash", entity.versionHash.hexadecimal),
            ("Hash modifier", entity.versionHashModifier), ("Renamed from", entity.otherRenamingIdentifier),
            ("Sub-entities", children.isEmpty ? nil : children.joined(separator: ", ")),
        ]
        return facts.compactMap { name, value in value.map { fact(name, $0) } }
            + entity.uniquenessConstraintNames.map { fact("Unique", $0.joined(separator: ", ")) }
            + entity.indexes.map { fact("Index \($0.name)", text($0)) }
            + entity.compoundIndexNames
            .map { fact("Compound index", $0.joined(separator: ", ")) }
            + sortedPairs(entity.userInfo).map { fact("User info \($0.key)", $0.value) }
    }

    private func text(_ index: NSFetchIndexDescription) -> String {
        let elements = index.elements.map { element in
            element.subject + (element.isAscending ? "" : " descending")
                + (element.collationType == .rTree ? " (R-tree)" : "")
        }
        let condition = index.partialIndexPredicate.map { " where \($0.formatText)" } ?? ""
        return elements.joined(separator: ", ") + condition
    }

    // MARK: Tables

    private var attributes: [String] {
        let rows = entity.sortedAttributes.flatMap { attributeRows($0, depth: 0) }
        return table(["Attribute", "Type", "Optional", "Default", "Also"], rows)
    }

    private func attributeRows(_ attribute: NSAttributeDescription, depth: Int) -> [[String]] {
        let row = [
            String(repeating: "  ", count: depth) + attribute.name, attribute.attributeType.displayName,
            attribute.isOptional ? "yes" : "no", attribute.defaultCell?.shown ?? "",
            flags(of: attribute).joined(separator: ", "),
        ]
        let elements = (attribute as? NSCompositeAttributeDescription)?.elements ?? []
        return [row] + elements.flatMap { attributeRows($0, depth: depth + 1) }
    }

    private func flags(of attribute: NSAttributeDescription) -> [String] {
        let isOwnClass = attribute.attributeValueClassName != attribute.attributeType.valueClassName
        let flags: [String?] = [
            (attribute as? NSDerivedAttributeDescription).map(derivation(of:)),
            attribute.isTransient ? "transient" : nil, attribute.isIndexedByAttribute ? "indexed" : nil,
            attribute.isIndexedBySpotlight ? "in Spotlight" : nil,
            attribute.allowsExternalBinaryDataStorage ? "external storage" : nil,
            attribute.preservesValueInHistoryOnDeletion ? "kept after deletion" : nil,
            attribute.allowsCloudEncryption ? "encrypted in the cloud" : nil,
            isOwnClass ? attribute.attributeValueClassName.map { "class \($0)" } : nil,
            attribute.valueTransformerName.map { "transformer \($0)" },
        ]
        return flags.compactMap(\.self)
    }

    private func derivation(of attribute: NSDerivedAttributeDescription) -> String {
        let filter = attribute.filteringPredicate.map { " where \($0.formatText)" } ?? ""
        return "derived from \(attribute.derivationExpression?.formatText ?? "nothing")\(filter)"
    }

    private var relationships: [String] {
        let rows = entity.sortedRelationships.map { relationship in
            let flags: [String?] = [
                relationship.isOrdered ? "ordered" : nil, relationship.isTransient ? "transient" : nil,
                relationship.isIndexedByAttribute ? "indexed" : nil,
                relationship.isIndexedBySpotlight ? "in Spotlight" : nil,
            ]
            return [
                relationship.name, relationship.destinationName ?? "none", relationship.inverseName ?? "none",
                ModelDiagram.Cardinality(relationship).range, relationship.deleteRule.word,
                flags.compactMap(\.self).joined(separator: ", "),
            ]
        }
        return table(["Relationship", "Destination", "Inverse", "Count", "Delete rule", "Also"], rows)
    }

    private var fetchedProperties: [String] {
        let rows = entity.sortedFetchedProperties.map { fetched in
            let facts = fetched.fetchRequest.map(requestFacts) ?? []
            let others = facts.dropFirst().map { "\($0.0.lowercased()) \($0.1)" }
            return [fetched.name, facts.first?.1 ?? "none", others.joined(separator: ", ")]
        }
        return table(["Fetched property", "Entity", "Also"], rows)
    }

    /// A table without the columns that say nothing.
    private func table(_ titles: [String], _ rows: [[String]]) -> [String] {
        guard !rows.isEmpty else { return [] }
        let kept = titles.indices.filter { column in rows.contains { !$0[column].isEmpty } }
        let shown = rows.map { row in kept.map { singleLine(row[$0]) } }
        let table = Table(kept.map { Table.Column(title: titles[$0]) }, sample: shown)
        return (table.header + shown.map(table.line)).map { "  \($0)" }
    }

    // MARK: What few properties have

    /// Rules, other names and free information, a line each, with the property's name.
    private var details: [String] {
        let properties: [NSPropertyDescription] =
            entity.sortedAttributes + entity.sortedRelationships + entity.sortedFetchedProperties
        return properties.flatMap { property in
            property.validationRules.map {
                fact(
                    "\(property.name) must be",
                    "\($0.predicate) (else \($0.failure.kind == .literal ? "error " : "")\($0.failure.shown))")
            }
                + named(property, "renamed from", property.otherRenamingIdentifier)
                + named(property, "hash modifier", property.versionHashModifier)
                + sortedPairs(property.userInfo).map { fact("\(property.name) \($0.key)", $0.value) }
        }
    }

    private func named(_ property: NSPropertyDescription, _ what: String, _ value: String?) -> [String] {
        value.map { [fact("\(property.name) \(what)", $0)] } ?? []
    }
}
