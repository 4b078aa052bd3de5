import CoreData

extension ModelDescription {
    /// The keys are documented in `docs/JSON.md`.
    var json: JSON {
        let facts: [(String, JSON)] = [
            ("model", .string(path)), ("versionIdentifiers", .array(versionIdentifiers.map(JSON.string))),
            ("checksum", .string(model.versionChecksum)), ("digest", .string(model.versionHashesDigest)),
            ("entities", .array(entities.map(entity))),
        ]
        guard isWhole else { return .object(facts) }
        let configurations = model.configurations.map { name in
            JSON.object([("name", .string(name)), ("entities", .array(members(of: name).map(JSON.string)))])
        }
        let templates = requests.map { name, request in JSON.object([("name", .string(name))] + self.request(request)) }
        let names = model.localizationDictionary.map { $0.sorted { $0.key < $1.key } }
        return .object(
            facts + [
                ("configurations", .array(configurations)), ("fetchRequestTemplates", .array(templates)),
                ("localization", names.map { .object($0.map { ($0.key, .string($0.value)) }) } ?? .null),
            ])
    }

    private func entity(_ entity: NSEntityDescription) -> JSON {
        .object([
            ("name", .text(entity.name)), ("superentity", .text(entity.superentity?.name)),
            ("subentities", .array(entity.subentities.compactMap(\.name).sorted().map(JSON.string))),
            ("isAbstract", .bool(entity.isAbstract)), ("className", .text(entity.managedObjectClassName)),
            ("versionHash", .string(entity.versionHash.hexadecimal)),
            ("versionHashModifier", .text(entity.versionHashModifier)),
            ("renamingIdentifier", .text(entity.otherRenamingIdentifier)),
            ("uniquenessConstraints", tuples(entity.uniquenessConstraintNames)),
            ("indexes", .array(entity.indexes.map(index))),
            ("compoundIndexes", tuples(entity.compoundIndexNames)),
            ("userInfo", userInfo(entity.userInfo)),
            ("attributes", .array(entity.sortedAttributes.map(attribute))),
            ("relationships", .array(entity.sortedRelationships.map(relationship))),
            ("fetchedProperties", .array(entity.sortedFetchedProperties.map(fetchedProperty))),
        ])
    }

    // MARK: Properties

    private func attribute(_ attribute: NSAttributeDescription) -> JSON {
        var facts: [(String, JSON)] = [
            ("type", .string(attribute.attributeType.displayName)),
            ("defaultValue", attribute.defaultCell.map { .literal($0.json) } ?? .null),
            ("className", .text(attribute.attributeValueClassName)),
            ("valueTransformer", .text(attribute.valueTransformerName)),
            ("allowsExternalStorage", .bool(attribute.allowsExternalBinaryDataStorage)),
            ("preservesValueInHistory", .bool(attribute.preservesValueInHistoryOnDeletion)),
            ("allowsCloudEncryption", .bool(attribute.allowsCloudEncryption)),
        ]
        if let derived = attribute as? NSDerivedAttributeDescription {
            facts.append(("derivation", .text(derived.derivationExpression?.formatText)))
            facts.append(("derivationFilter", .text(derived.filteringPredicate?.formatText)))
        }
        if let composite = attribute as? NSCompositeAttributeDescription {
            facts.append(("elements", .array(composite.elements.map(self.attribute))))
        }
        return property(attribute, facts)
    }

    private func relationship(_ relationship: NSRelationshipDescription) -> JSON {
        property(
            relationship,
            [
                ("destination", .text(relationship.destinationName)), ("inverse", .text(relationship.inverseName)),
                ("isToMany", .bool(relationship.isToMany)), ("isOrdered", .bool(relationship.isOrdered)),
                ("minCount", .int(relationship.minCount)), ("maxCount", .int(relationship.maxCount)),
                ("deleteRule", .string(relationship.deleteRule.word)),
            ])
    }

    private func fetchedProperty(_ fetched: NSFetchedPropertyDescription) -> JSON {
        property(fetched, [("fetchRequest", fetched.fetchRequest.map { .object(request($0)) } ?? .null)])
    }

    /// A property, with what is said of its kind alone between what is said of each.
    private func property(_ property: NSPropertyDescription, _ facts: [(String, JSON)]) -> JSON {
        let first: [(String, JSON)] = [("name", .string(property.name))]
        let rules = property.validationRules.map { rule in
            JSON.object([("predicate", .string(rule.predicate)), ("failure", .literal(rule.failure.json))])
        }
        let last: [(String, JSON)] = [
            ("isOptional", .bool(property.isOptional)), ("isTransient", .bool(property.isTransient)),
            ("isIndexed", .bool(property.isIndexedByAttribute)),
            ("isIndexedBySpotlight", .bool(property.isIndexedBySpotlight)), ("validation", .array(rules)),
            ("versionHash", .string(property.versionHash.hexadecimal)),
            ("versionHashModifier", .text(property.versionHashModifier)),
            ("renamingIdentifier", .text(property.otherRenamingIdentifier)), ("userInfo", userInfo(property.userInfo)),
        ]
        return .object(first + facts + last)
    }

    // MARK: Parts

    private func index(_ index: NSFetchIndexDescription) -> JSON {
        let elements = index.elements.map { element in
            JSON.object([
                ("element", .string(element.subject)),
                ("isExpression", .bool(element.property is NSExpressionDescription)),
                ("type", .string(element.collationType == .rTree ? "rTree" : "binary")),
                ("ascending", .bool(element.isAscending)),
            ])
        }
        return .object([
            ("name", .string(index.name)), ("elements", .array(elements)),
            ("predicate", .text(index.partialIndexPredicate?.formatText)),
        ])
    }

    private func request(_ request: NSFetchRequest<any NSFetchRequestResult>) -> [(String, JSON)] {
        let sorts = (request.sortDescriptors ?? []).map { sort in
            JSON.object([
                ("key", .text(sort.key)), ("ascending", .bool(sort.ascending)), ("selector", .text(sort.selectorName)),
            ])
        }
        return [
            ("entity", .text(request.entityName)), ("predicate", .text(request.predicate?.formatText)),
            ("sortDescriptors", .array(sorts)), ("fetchLimit", .int(request.fetchLimit)),
            ("fetchOffset", .int(request.fetchOffset)), ("fetchBatchSize", .int(request.fetchBatchSize)),
            ("resultType", .string(request.resultType.word)),
            ("propertiesToFetch", .array(propertyNames(request.propertiesToFetch).map(JSON.string))),
            ("propertiesToGroupBy", .array(propertyNames(request.propertiesToGroupBy).map(JSON.string))),
            ("havingPredicate", .text(request.havingPredicate?.formatText)),
            ("prefetchedKeyPaths", .array((request.relationshipKeyPathsForPrefetching ?? []).map(JSON.string))),
            ("includesSubentities", .bool(request.includesSubentities)),
            ("includesPropertyValues", .bool(request.includesPropertyValues)),
            ("includesPendingChanges", .bool(request.includesPendingChanges)),
            ("returnsObjectsAsFaults", .bool(request.returnsObjectsAsFaults)),
            ("returnsDistinctResults", .bool(request.returnsDistinctResults)),
            ("refreshesRefetchedObjects", .bool(request.shouldRefreshRefetchedObjects)),
        ]
    }

    private func tuples(_ names: [[String]]) -> JSON {
        .array(names.map { .array($0.map(JSON.string)) })
    }

    private func userInfo(_ info: [AnyHashable: Any]?) -> JSON {
        .object(sortedPairs(info).map { ($0.key, .string($0.value)) })
    }
}
