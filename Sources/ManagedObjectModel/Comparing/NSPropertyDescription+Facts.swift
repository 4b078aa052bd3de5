import FoundationSupplement

extension NSPropertyDescription {
    /// What kind of property it is, in a word or two.
    package var kindName: String {
        switch self {
        case is NSDerivedAttributeDescription: "derived attribute"
        case is NSCompositeAttributeDescription: "composite attribute"
        case is NSAttributeDescription: "attribute"
        case is NSRelationshipDescription: "relationship"
        case is NSFetchedPropertyDescription: "fetched property"
        default: "property"
        }
    }

    /// Whether stores keep the property, so that it enters the hash of its entity.
    var isStored: Bool { !isTransient && (self is NSAttributeDescription || self is NSRelationshipDescription) }

    /// What the property adds to the hash of its entity; nil for what is never stored.
    var hashContribution: Data? { isStored ? versionHash : nil }

    /// Whether flags and the modifier enter the hash: those of derived and composite attributes don't.
    private var hashesItsBase: Bool {
        guard isStored else { return false }
        return !(self is NSDerivedAttributeDescription) && !(self is NSCompositeAttributeDescription)
    }

    /// Everything that the model says of the property but its name.
    var facts: [ModelFact] {
        let isHashed = hashesItsBase
        var facts: [ModelFact] = [
            ModelFact(.kind, kindName, hashed: isStored ? kindName : nil),
            .either(.optional, isOptional, "optional", "mandatory", isHashed: isHashed),
        ]
        if !(self is NSFetchedPropertyDescription) {
            let text = isTransient ? "transient" : "stored"
            facts.append(ModelFact(.transient, text, hashed: text))
        }
        facts.append(.either(.spotlight, isIndexedBySpotlight, "yes", "no"))
        facts += ModelFact.list(.versionHashModifier, versionHashModifier.map { "'\($0)'" }, isHashed: isHashed)
        if let old = renamingIdentifier, old != name { facts.append(ModelFact(.renamingIdentifier, "'\(old)'")) }
        facts += ModelFact.userInfo(userInfo)
        facts += ModelFact.list(.validation, validationText)
        switch self {
        case let attribute as NSAttributeDescription: facts += attribute.attributeFacts(isHashed: isHashed)
        case let relationship as NSRelationshipDescription: facts += relationship.relationshipFacts(isHashed: isHashed)
        case let fetched as NSFetchedPropertyDescription:
            facts += ModelFact.list(.request, fetched.fetchRequest?.summary)
        default: break
        }
        return facts
    }

    private var validationText: String {
        validationPredicates.enumerated().map { index, predicate in
            let message = index < validationWarnings.count ? validationWarnings[index] as? String : nil
            return predicate.formatText + (message.map { " (\($0))" } ?? "")
        }.sorted().joined(separator: ", ")
    }

    /// The property in a few words: `String, optional`, `to-many City, inverse 'country'`.
    package var summary: String {
        var parts: [String] = []
        switch self {
        case let derived as NSDerivedAttributeDescription:
            parts.append("derived \(derived.attributeType.displayName): \(derived.derivationText ?? "nothing")")
        case let attribute as NSAttributeDescription: parts.append(attribute.attributeType.displayName)
        case let relationship as NSRelationshipDescription:
            parts.append("\(relationship.cardinality) \(relationship.destinationName ?? "nothing")")
            if let inverse = relationship.inverseName { parts.append("inverse '\(inverse)'") }
        case let fetched as NSFetchedPropertyDescription: parts.append(fetched.fetchRequest?.summary ?? "no request")
        default: break
        }
        parts.append(isOptional ? "optional" : "mandatory")
        if isTransient, !(self is NSFetchedPropertyDescription) { parts.append("transient") }
        if let text = (self as? NSAttributeDescription)?.defaultText { parts.append("default \(text)") }
        return parts.joined(separator: ", ")
    }
}

extension NSAttributeDescription {
    fileprivate func attributeFacts(isHashed: Bool) -> [ModelFact] {
        var facts: [ModelFact] = [
            ModelFact(
                .type, attributeType.displayName, hashed: isHashed ? attributeType.displayName : nil),
            .either(.externalStorage, allowsExternalBinaryDataStorage, "allowed", "not allowed", isHashed: isHashed),
            .either(.preservedAfterDeletion, preservesValueInHistoryOnDeletion, "yes", "no", isHashed: isHashed),
            .either(.cloudEncryption, allowsCloudEncryption, "yes", "no"),
            .either(.indexed, hasIndexOfOlderKind, "yes", "no"),
        ]
        facts += ModelFact.list(.defaultValue, defaultText)
        facts += ModelFact.list(.transformer, valueTransformerName.map { "'\($0)'" })
        if attributeValueClassName != attributeType.valueClassName {
            facts += ModelFact.list(.valueClass, attributeValueClassName)
        }
        if let derived = self as? NSDerivedAttributeDescription {
            facts += ModelFact.list(.derivation, derived.derivationText, isHashed: !isTransient)
            facts += ModelFact.list(.derivationFilter, derived.filteringPredicate?.formatText)
        }
        if let composite = self as? NSCompositeAttributeDescription {
            facts += composite.elements.map { element in
                let hash = VersionHash.hash(of: element).map { String($0) }.joined(separator: " ")
                return ModelFact(.element, element.summary, key: element.name, hashed: isTransient ? nil : hash)
            }
        }
        return facts
    }

    /// Whether there is an index of the older kind, and not only the mark that a fetch index leaves.
    private var hasIndexOfOlderKind: Bool {
        guard isIndexedByAttribute else { return false }
        let indexes = entity?.indexes ?? []
        return !indexes.contains { index in
            ArchivedIndexes.onlyAttribute(of: index) === self && index.name != name
        }
    }

    /// The default value as people would write it; nil where there is none.
    package var defaultText: String? {
        if let foreign = foreignDefaultValue { return "an object of the class \(foreign.className)" }
        guard let value = flattened(defaultValue) else { return nil }
        switch value {
        case let number as NSNumber where attributeType == .booleanAttributeType: return number.boolValue ? "YES" : "NO"
        case let number as NSNumber where attributeType == .floatAttributeType: return "\(number.floatValue)"
        case let number as NSNumber where attributeType == .doubleAttributeType: return "\(number.doubleValue)"
        case let text as String: return "'\(text)'"
        case let date as Date: return "\(date)"
        case let data as Data: return data.isEmpty ? "no bytes" : "bytes \(data.base64EncodedString())"
        default: return "\(value)"
        }
    }
}

extension NSRelationshipDescription {
    /// The name of the entity at the other end, also when that entity is missing.
    package var destinationName: String? { destinationEntity?.name ?? destinationEntityName }
    /// The name of the relationship that leads back, also when it is missing.
    package var inverseName: String? { inverseRelationship?.name ?? inverseRelationshipName }

    /// `to-one`, `to-many` or `to-many (at most 5)`, with `ordered` before it.
    package var cardinality: String {
        switch maxCount {
        case 1: "to-one"
        case 0: "to-many"
        default: "to-many (at most \(maxCount))"
        }
    }

    fileprivate func relationshipFacts(isHashed: Bool) -> [ModelFact] {
        // A relationship that is its own inverse has the hash of one without.
        let hashesInverse = isHashed && inverseRelationship !== self
        return ModelFact.list(.destination, destinationName, isHashed: isHashed)
            + ModelFact.list(.inverse, inverseName.map { "'\($0)'" }, isHashed: hashesInverse)
            + [
                ModelFact(.maximumCount, cardinality, hashed: isHashed ? cardinality : nil),
                ModelFact(.minimumCount, "\(minCount)", hashed: isHashed ? "\(minCount)" : nil),
                .either(.ordered, isOrdered, "ordered", "unordered", isHashed: isHashed),
                ModelFact(.deleteRule, deleteRule.displayName),
            ]
    }
}

extension NSDeleteRule {
    /// The name that Xcode's editor shows.
    package var displayName: String {
        switch self {
        case .noActionDeleteRule: "No Action"
        case .nullifyDeleteRule: "Nullify"
        case .cascadeDeleteRule: "Cascade"
        case .denyDeleteRule: "Deny"
        }
    }
}

extension NSFetchRequest where ResultType == any NSFetchRequestResult {
    /// The request in a few words.
    var summary: String {
        var parts = ["\(entityName ?? "no entity")"]
        if let predicate { parts.append("where \(predicate.formatText)") }
        let keys = (sortDescriptors ?? []).map { "\($0.key ?? "") \($0.ascending ? "ascending" : "descending")" }
        if !keys.isEmpty { parts.append("sorted by \(keys.joined(separator: ", "))") }
        if fetchLimit > 0 { parts.append("limit \(fetchLimit)") }
        if fetchOffset > 0 { parts.append("offset \(fetchOffset)") }
        if fetchBatchSize > 0 { parts.append("batches of \(fetchBatchSize)") }
        if resultType != .managedObjectResultType { parts.append("result type \(resultType.rawValue)") }
        if !includesSubentities { parts.append("without sub-entities") }
        if !includesPropertyValues { parts.append("without property values") }
        if !includesPendingChanges { parts.append("without pending changes") }
        if !returnsObjectsAsFaults { parts.append("no faults") }
        if returnsDistinctResults { parts.append("distinct") }
        return parts.joined(separator: ", ")
    }
}
