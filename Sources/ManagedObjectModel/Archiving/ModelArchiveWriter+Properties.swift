import FoundationSupplement

extension ModelArchiveWriter {
    /// A property as the archive of one of its entities has it: the class and the fields.
    mutating func describe(
        _ property: NSPropertyDescription, in entity: NSEntityDescription?
    ) -> (className: String, fields: [String: PropertyListValue]) {
        var fields = common(property, in: entity)
        switch property {
        case let attribute as NSAttributeDescription:
            return (describe(attribute, &fields), fields)
        case let relationship as NSRelationshipDescription:
            describe(relationship, &fields)
            return ("NSRelationshipDescription", fields)
        case let fetched as NSFetchedPropertyDescription:
            fields["NSFetchRequest"] = fetchRequest(fetched.fetchRequest)
            fields["_NSFetchRequestEntityName"] = builder.string(fetched.fetchRequest?.entityName)
            return ("NSFetchedPropertyDescription", fields)
        case let description as NSExpressionDescription:
            fields["NSExpression"] = expression(description.expression)
            fields["NSExpressionType"] = .integer(Int64(description.expressionResultType.rawValue))
            return ("NSExpressionDescription", fields)
        default: return ("NSPropertyDescription", fields)
        }
    }

    private mutating func common(
        _ property: NSPropertyDescription, in entity: NSEntityDescription?
    ) -> [String: PropertyListValue] {
        var fields: [String: PropertyListValue] = [
            "NSPropertyName": builder.string(property.name), "NSEntity": reference(to: entity),
            "NSRenamingIdentifier": builder.string(property.renamingIdentifier), "_P": .integer(bits(of: property)),
        ]
        if property.isOptional { fields["NSIsOptional"] = .boolean(true) }
        if property.isTransient { fields["NSIsTransient"] = .boolean(true) }
        if isReadOnly(property) { fields["NSIsReadOnly"] = .boolean(true) }
        if property.isIndexedByAttribute { fields["NSIsIndexed"] = .boolean(true) }
        if property.isIndexedBySpotlight { fields["NSIndexedBySpotlight"] = .boolean(true) }
        if let info = property.userInfo { fields["NSUserInfo"] = value(info) }
        if let modifier = property.versionHashModifier { fields["NSVersionHashModifier"] = builder.string(modifier) }
        if !property.validationPredicates.isEmpty {
            let predicates = property.validationPredicates.map { predicate($0) }
            fields["NSValidationPredicates"] = builder.array("NSArray", predicates)
        }
        if !property.validationWarnings.isEmpty {
            let warnings = property.validationWarnings.map { value($0) }
            fields["NSValidationWarnings"] = builder.array("NSArray", warnings)
        }
        return fields
    }

    /// What the archive says of a property once more, as bits.
    private func bits(of property: NSPropertyDescription) -> Int64 {
        var bits: Int64 = 1
        func set(_ bit: Int64, _ condition: Bool) { if condition { bits |= bit } }
        set(2, property.isOptional)
        set(4, isReadOnly(property))
        set(8, property.isTransient)
        set(16, property.validationPredicates.isEmpty)
        set(32, property.validationWarnings.isEmpty)
        set(64, property.userInfo == nil)
        set(128, property.versionHashModifier == nil)
        set(256, property.isIndexedBySpotlight)
        set(1024, (property as? NSRelationshipDescription)?.isOrdered == true)
        set(2048, (property as? NSAttributeDescription)?.allowsCloudEncryption == true)
        return bits
    }

    private func isReadOnly(_ property: NSPropertyDescription) -> Bool {
        property is NSDerivedAttributeDescription || property is NSFetchedPropertyDescription
            || property is NSExpressionDescription
    }

    // MARK: Attributes

    private mutating func describe(
        _ attribute: NSAttributeDescription, _ fields: inout [String: PropertyListValue]
    ) -> String {
        fields["NSAttributeType"] = .integer(Int64(attribute.attributeType.rawValue))
        fields["NSAttributeValueClassName"] = builder.string(attribute.attributeValueClassName)
        fields["NSValueTransformerName"] = builder.string(attribute.valueTransformerName)
        fields["NSDefaultValue"] =
            attribute.foreignDefaultValue.map { builder.foreign($0) }
            ?? value(attribute.defaultValue)
        var flags: NSAttributeDescription.Flags = []
        if attribute.allowsExternalBinaryDataStorage { flags.insert(.externalStorage) }
        if attribute.preservesValueInHistoryOnDeletion { flags.insert(.preservedAfterDeletion) }
        fields["NSFlagsKey"] = .integer(Int64(flags.rawValue))
        if attribute.allowsCloudEncryption { fields["NSAllowsCloudEncryption"] = .boolean(true) }
        switch attribute {
        case let derived as NSDerivedAttributeDescription:
            fields["NSDerivationExpression"] = expression(derived.derivationExpression)
            fields["NSFilteringPredicate"] = predicate(derived.filteringPredicate)
            return "NSDerivedAttributeDescription"
        case let composite as NSCompositeAttributeDescription:
            let elements = composite.elements.map { element in
                let (className, content) = describe(element, in: nil)
                return builder.add(className, content)
            }
            fields["NSCompositeElements"] = builder.array("NSArray", elements)
            return "NSCompositeAttributeDescription"
        default: return "NSAttributeDescription"
        }
    }

    // MARK: Relationships

    private mutating func describe(
        _ relationship: NSRelationshipDescription, _ fields: inout [String: PropertyListValue]
    ) {
        let inverse = relationship.inverseRelationship
        fields["NSDestinationEntity"] = reference(to: relationship.destinationEntity)
        fields["_NSDestinationEntityName"] = builder.string(relationship.destinationEntityName)
        fields["NSInverseRelationship"] = inverse.map { reference(to: $0, in: $0.entity) } ?? KeyedArchiveBuilder.null
        fields["_NSInverseRelationshipName"] = builder.string(relationship.inverseRelationshipName)
        fields["NSDeleteRule"] = .integer(Int64(relationship.deleteRule.rawValue))
        fields["NSMinCount"] = .integer(Int64(relationship.minCount))
        fields["NSMaxCount"] = .integer(Int64(relationship.maxCount))
        if relationship.isOrdered { fields["NSIsOrdered"] = .boolean(true) }
    }
}
