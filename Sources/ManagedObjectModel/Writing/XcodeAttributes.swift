import FoundationSupplement

/// The XML attributes with which Xcode's files describe a model: their order, and their values for descriptions that
/// come from elsewhere.
enum XcodeAttributes {
    /// In which order Xcode writes the attributes of an element.
    static let order: [String: [String]] = [
        "model": """
        type documentVersion lastSavedToolsVersion systemVersion minimumToolsVersion sourceLanguage usedWithCloudKit
        usedWithSwiftData macOSVersion iOSVersion userDefinedModelVersionIdentifier
        """,
        "entity": """
        name representedClassName parentEntity elementID versionHashModifier isAbstract syncable codeGenerationType
        coreSpotlightDisplayNameExpression
        """,
        "attribute": """
        name optional transient attributeType minValueString maxValueString minDateTimeInterval maxDateTimeInterval
        regularExpressionString defaultValueString defaultDateTimeInterval derived derivationExpression
        usesScalarValueType valueTransformerName customClassName composite allowsExternalBinaryDataStorage
        allowsCloudEncryption preserveAfterDeletion storedInTruthFile indexed spotlightIndexingEnabled elementID
        versionHashModifier syncable
        """,
        "relationship": """
        name optional transient toMany minCount maxCount deletionRule ordered destinationEntity inverseName
        inverseEntity indexed spotlightIndexingEnabled elementID versionHashModifier syncable
        """,
        "fetchedProperty": "name optional elementID versionHashModifier syncable",
        "fetchRequest": """
        name entity predicateString fetchLimit fetchBatchSize resultType includeSubentities includePropertyValues
        includesPendingChanges returnObjectsAsFaults returnDistinctResults
        """,
        "fetchIndex": "name partialIndexPredicate",
        "fetchIndexElement": "property expression type order",
        "configuration": "name usedWithCloudKit",
        "entry": "key value",
    ].mapValues { $0.split(whereSeparator: \.isWhitespace).map(String.init) }

    /// Those of the root element. A file that no tool saved has the versions with which Xcode's templates begin.
    static func of(_ model: NSManagedObjectModel) -> XMLAttributes {
        var attributes = XMLAttributes()
        attributes["type"] = "com.apple.IDECoreDataModeler.DataModel"
        attributes["documentVersion"] = "1.0"
        attributes["lastSavedToolsVersion"] = "1"
        attributes["systemVersion"] = "11A491"
        attributes["minimumToolsVersion"] = "Automatic"
        attributes["sourceLanguage"] = "Swift"
        attributes["userDefinedModelVersionIdentifier"] =
            model.versionIdentifiers.compactMap { $0.base as? String }.min() ?? ""
        return attributes
    }

    static func of(_ entity: NSEntityDescription) -> XMLAttributes {
        var attributes = XMLAttributes()
        attributes["name"] = entity.name ?? ""
        let className = entity.managedObjectClassName ?? "NSManagedObject"
        if className != "NSManagedObject" { attributes["representedClassName"] = className }
        attributes["parentEntity"] = entity.superentity?.name
        if entity.renamingIdentifier != entity.name { attributes["elementID"] = entity.renamingIdentifier }
        attributes["versionHashModifier"] = entity.versionHashModifier
        attributes.set("isAbstract", entity.isAbstract)
        attributes["syncable"] = "YES"
        return attributes
    }

    // MARK: Properties

    static func of(_ property: NSPropertyDescription) -> XMLAttributes {
        var attributes = XMLAttributes()
        attributes["name"] = property.name
        attributes.set("optional", property.isOptional)
        if !(property is NSFetchedPropertyDescription) { attributes.set("transient", property.isTransient) }
        attributes.set("indexed", property.isIndexedByAttribute && !hasOwnIndex(property))
        attributes.set("spotlightIndexingEnabled", property.isIndexedBySpotlight)
        if property.renamingIdentifier != property.name { attributes["elementID"] = property.renamingIdentifier }
        attributes["versionHashModifier"] = property.versionHashModifier
        switch property {
        case let attribute as NSAttributeDescription: add(attribute, to: &attributes)
        case let relationship as NSRelationshipDescription: add(relationship, to: &attributes)
        default: break
        }
        return attributes
    }

    /// An index of its own marks an attribute as indexed, as the older attribute of the XML does.
    private static func hasOwnIndex(_ property: NSPropertyDescription) -> Bool {
        property.entity?.indexes.contains { ArchivedIndexes.onlyAttribute(of: $0) === property } ?? false
    }

    private static func add(_ attribute: NSAttributeDescription, to attributes: inout XMLAttributes) {
        let type = attribute.attributeType
        if type != .undefinedAttributeType { attributes["attributeType"] = type.displayName }
        for (name, value) in AttributeLimits(attribute).attributes { attributes[name] = value }
        let name = type == .dateAttributeType ? "defaultDateTimeInterval" : "defaultValueString"
        attributes[name] = XcodeText.defaultValue(of: attribute)
        if let derived = attribute as? NSDerivedAttributeDescription {
            attributes["derived"] = "YES"
            attributes["derivationExpression"] = derived.derivationExpression.map(XcodeText.derivation)
        }
        attributes["composite"] = (attribute as? NSCompositeAttributeDescription)?.compositeName
        attributes["valueTransformerName"] = attribute.valueTransformerName
        if attribute.attributeValueClassName != type.valueClassName {
            attributes["customClassName"] = attribute.attributeValueClassName
        }
        attributes.set("allowsExternalBinaryDataStorage", attribute.allowsExternalBinaryDataStorage)
        attributes.set("allowsCloudEncryption", attribute.allowsCloudEncryption)
        attributes.set("preserveAfterDeletion", attribute.preservesValueInHistoryOnDeletion)
    }

    private static func add(_ relationship: NSRelationshipDescription, to attributes: inout XMLAttributes) {
        attributes.set("toMany", relationship.isToMany)
        attributes["minCount"] = relationship.minCount == 0 ? nil : "\(relationship.minCount)"
        attributes["maxCount"] = relationship.maxCount == 0 ? nil : "\(relationship.maxCount)"
        attributes["deletionRule"] = XcodeText.deletionRule(relationship.deleteRule)
        attributes.set("ordered", relationship.isOrdered)
        attributes["destinationEntity"] = relationship.destinationEntityName
        attributes["inverseName"] = relationship.inverseRelationshipName
        if relationship.inverseRelationshipName != nil {
            attributes["inverseEntity"] = relationship.destinationEntityName
        }
    }

    // MARK: Requests and indexes

    static func of(_ request: NSFetchRequest<any NSFetchRequestResult>, name: String) -> XMLAttributes {
        var attributes = XMLAttributes()
        attributes["name"] = name
        attributes["entity"] = request.entityName
        attributes["predicateString"] = request.predicate?.formatText
        attributes["fetchLimit"] = request.fetchLimit == 0 ? nil : "\(request.fetchLimit)"
        attributes["fetchBatchSize"] = request.fetchBatchSize == 0 ? nil : "\(request.fetchBatchSize)"
        attributes["resultType"] = request.resultType.rawValue == 0 ? nil : "\(request.resultType.rawValue)"
        if !request.includesSubentities { attributes["includeSubentities"] = "NO" }
        if !request.includesPropertyValues { attributes["includePropertyValues"] = "NO" }
        if !request.includesPendingChanges { attributes["includesPendingChanges"] = "NO" }
        if !request.returnsObjectsAsFaults { attributes["returnObjectsAsFaults"] = "NO" }
        attributes.set("returnDistinctResults", request.returnsDistinctResults)
        return attributes
    }

    static func of(_ index: NSFetchIndexDescription) -> XMLAttributes {
        var attributes = XMLAttributes()
        attributes["name"] = index.name
        attributes["partialIndexPredicate"] = index.partialIndexPredicate?.formatText
        return attributes
    }

    static func of(_ element: NSFetchIndexElementDescription) -> XMLAttributes {
        var attributes = XMLAttributes()
        if let expression = (element.property as? NSExpressionDescription)?.expression {
            attributes["expression"] = expression.description
        } else {
            attributes["property"] = element.propertyName
        }
        attributes["type"] = element.collationType == .rTree ? "RTree" : "Binary"
        attributes["order"] = element.isAscending ? "ascending" : "descending"
        return attributes
    }

    static func ofConfiguration(_ name: String) -> XMLAttributes {
        var attributes = XMLAttributes()
        attributes["name"] = name
        return attributes
    }
}
