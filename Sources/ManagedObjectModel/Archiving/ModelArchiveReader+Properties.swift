import FoundationSupplement

extension ModelArchiveReader {
    /// Makes a property of any class, not yet tied to others.
    mutating func property(_ object: ArchivedObject, of entity: String) throws -> NSPropertyDescription {
        let name = try archive.requiredString(object["NSPropertyName"], "the name of a property of '\(entity)'")
        let what = "property '\(name)' of entity '\(entity)'"
        let property: NSPropertyDescription
        switch object.className {
        case "NSAttributeDescription", "NSDerivedAttributeDescription", "NSCompositeAttributeDescription":
            property = try attribute(object, what, depth: 0)
        case "NSRelationshipDescription": property = try relationship(object, what)
        case "NSFetchedPropertyDescription":
            let fetched = NSFetchedPropertyDescription()
            fetched.fetchRequest = try fetchRequest(object["NSFetchRequest"])
            property = fetched
        case "NSExpressionDescription": property = try expressionDescription(object, what)
        default: throw archive.unknown(object, what)
        }
        property.name = name
        try setCommon(property, object, what)
        return property
    }

    private mutating func setCommon(
        _ property: NSPropertyDescription, _ object: ArchivedObject, _ what: String
    ) throws {
        property.isOptional = try archive.flag(object["NSIsOptional"])
        property.isTransient = try archive.flag(object["NSIsTransient"])
        property.isIndexedByAttribute = try archive.flag(object["NSIsIndexed"])
        property.isIndexedBySpotlight = try archive.flag(object["NSIndexedBySpotlight"])
        property.versionHashModifier = try archive.string(object["NSVersionHashModifier"], "the modifier of \(what)")
        let renaming = try archive.string(object["NSRenamingIdentifier"], "the renaming identifier of \(what)")
        if renaming != property.name { property.renamingIdentifier = renaming }
        if try archive.object(object["NSUserInfo"]) != nil {
            property.userInfo = try dictionary(object["NSUserInfo"], "the user info of \(what)")
        }
        let predicates = try archive.elements(object["NSValidationPredicates"], "the validation of \(what)")
            .compactMap { try predicate($0, "the validation of \(what)") }
        let warnings = try archive.elements(object["NSValidationWarnings"], "the validation warnings of \(what)")
            .compactMap { try value($0, "a validation warning of \(what)") }
        if !predicates.isEmpty { property.setValidation(predicates, warnings: warnings) }
    }

    // MARK: Attributes

    private mutating func attribute(
        _ object: ArchivedObject, _ what: String, depth: Int
    ) throws -> NSAttributeDescription {
        let attribute: NSAttributeDescription
        switch object.className {
        case "NSDerivedAttributeDescription":
            let derived = NSDerivedAttributeDescription()
            derived.derivationExpression = try expression(object["NSDerivationExpression"], "the derivation of \(what)")
            derived.filteringPredicate = try predicate(object["NSFilteringPredicate"], "the filter of \(what)")
            attribute = derived
        case "NSCompositeAttributeDescription":
            let composite = NSCompositeAttributeDescription()
            composite.elements = try elements(object, what, depth: depth)
            attribute = composite
        case "NSAttributeDescription": attribute = NSAttributeDescription()
        default: throw archive.unknown(object, what)
        }
        let type = try archive.integer(object["NSAttributeType"], "the type of \(what)")
        guard let known = UInt(exactly: type).flatMap(NSAttributeType.init) else {
            throw failure("has \(what) of the unknown type \(type)")
        }
        attribute.attributeType = known
        let className = try archive.string(object["NSAttributeValueClassName"], "the class of \(what)")
        if className != known.valueClassName { attribute.attributeValueClassName = className }
        attribute.valueTransformerName = try archive.string(
            object["NSValueTransformerName"], "the transformer of \(what)")
        let flags = NSAttributeDescription.Flags(
            rawValue: try archive.integer(object["NSFlagsKey"], "the flags of \(what)"))
        attribute.allowsExternalBinaryDataStorage = flags.contains(.externalStorage)
        attribute.preservesValueInHistoryOnDeletion = flags.contains(.preservedAfterDeletion)
        attribute.allowsCloudEncryption = try archive.flag(object["NSAllowsCloudEncryption"])
        try setDefault(of: attribute, object["NSDefaultValue"], what)
        return attribute
    }

    private mutating func elements(
        _ object: ArchivedObject, _ what: String, depth: Int
    ) throws -> [NSAttributeDescription] {
        guard depth < 16 else { throw failure("has composites that are nested too deeply in \(what)") }
        return try archive.elements(object["NSCompositeElements"], "the elements of \(what)").compactMap { value in
            guard let object = try archive.object(value) else { return nil }
            try spend("the elements of \(what)")
            let name = try archive.requiredString(object["NSPropertyName"], "the name of an element of \(what)")
            let element = try attribute(object, "element '\(name)' of \(what)", depth: depth + 1)
            element.name = name
            try setCommon(element, object, "element '\(name)' of \(what)")
            return element
        }
    }

    private mutating func setDefault(
        of attribute: NSAttributeDescription, _ value: PropertyListValue?, _ what: String
    ) throws {
        // Transformable attributes may have an object of the app's own class; it is kept for writing.
        if attribute.attributeType == .transformableAttributeType,
            let foreign = try ForeignArchivedValue(value, in: archive)
        {
            budget -= foreign.objects.count
            try spend("the default value of \(what)")
            attribute.foreignDefaultValue = foreign
            return
        }
        guard let found = try self.value(value, "the default value of \(what)") else { return }
        if attribute.attributeType == .floatAttributeType, let number = found as? NSNumber,
            !(number is NSDecimalNumber), case .real(let real)? = try archive.resolve(value)
        {
            attribute.defaultValue = NSNumber(value: Float(real))
        } else {
            attribute.defaultValue = found
        }
    }

    // MARK: Relationships and expressions

    private func relationship(_ object: ArchivedObject, _ what: String) throws -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.maxCount = try archive.integer(object["NSMaxCount"], "the maximum of \(what)")
        relationship.minCount = try archive.integer(object["NSMinCount"], "the minimum of \(what)")
        relationship.isOrdered = try archive.flag(object["NSIsOrdered"])
        let rule = try archive.integer(object["NSDeleteRule"], "the delete rule of \(what)")
        guard let known = UInt(exactly: rule).flatMap(NSDeleteRule.init) else {
            throw failure("has the unknown delete rule \(rule) in \(what)")
        }
        relationship.deleteRule = known
        // Names and objects say the same; old archives have the objects alone.
        relationship.destinationEntityName =
            try entity(object["NSDestinationEntity"])?.name
            ?? archive.string(object["_NSDestinationEntityName"], "the destination of \(what)")
        let inverse = try archive.object(object["NSInverseRelationship"])?["NSPropertyName"]
        relationship.inverseRelationshipName = try archive.string(
            inverse ?? object["_NSInverseRelationshipName"], "the inverse of \(what)")
        return relationship
    }

    mutating func expressionDescription(
        _ object: ArchivedObject, _ what: String
    ) throws -> NSExpressionDescription {
        let description = NSExpressionDescription()
        description.expression = try expression(object["NSExpression"], "the expression of \(what)")
        let type = try archive.integer(object["NSExpressionType"], "the type of \(what)")
        guard let known = UInt(exactly: type).flatMap(NSAttributeType.init) else {
            throw failure("has \(what) of the unknown type \(type)")
        }
        description.expressionResultType = known
        return description
    }
}
