import FoundationSupplement
import ManagedObjectModel

extension NSManagedObject {
    /// The errors of the object's values against the model's rules and those of its class, in the order of the properties.
    package final func validationErrors() -> [any Error] {
        // A class of its own may have rules of its own; asking it costs an object for each value.
        let asksClass = type(of: self) != NSManagedObject.self
        return layout.properties.indices.compactMap { slot in
            if asksClass, case .attribute = layout.kinds[slot] { return askClass(slot) }
            return error(of: slot)
        }
    }

    private func error(of slot: Int) -> CocoaError? {
        switch layout.kinds[slot] {
        case .attribute(let attribute): error(of: attribute, slotValue(slot))
        case .toOne(let relationship): error(ofToOne: relationship, slot)
        case .toMany(let relationship): error(of: relationship, slot)
        case .fetched: nil
        }
    }

    /// Lets `validateValue(_:forKey:)` judge a value, and takes the one that it may have put in its place.
    private func askClass(_ slot: Int) -> (any Error)? {
        let key = layout.properties[slot].name
        let given = foundationValue(slot).map { $0 as AnyObject }
        var value = given
        do {
            try validateValue(&value, forKey: key)
        } catch {
            return error
        }
        if value !== given { setValue(value, forKey: key) }
        return nil
    }

    /// Judges a value by the model's rules for a property.
    final func check(_ value: inout AnyObject?, forKey key: String) throws {
        guard let slot = layout.slot(key) else { return }
        switch layout.kinds[slot] {
        case .attribute(let attribute):
            let converted: SlotValue
            do throws(SlotValue.Unacceptable) {
                converted = try SlotValue(value, for: attribute.attributeType)
            } catch {
                throw failure(.managedObjectValidation, attribute, value, "is of the wrong type")
            }
            if let error = error(of: attribute, converted) { throw error }
        case .toOne(let relationship):
            if value == nil, !relationship.isOptional {
                throw failure(.validationMissingMandatoryProperty, relationship, nil, "is a required value")
            }
        case .toMany, .fetched: return
        }
    }

    private func error(ofToOne relationship: NSRelationshipDescription, _ slot: Int) -> CocoaError? {
        if relationship.isTransient { return nil }
        switch slotValue(slot) {
        case .null where !relationship.isOptional:
            return failure(.validationMissingMandatoryProperty, relationship, nil, "is a required value")
        case .object(let object) where object.isDeleted || object.managedObjectContext == nil:
            // Where the other end's rule leaves this one alone, a key that was saved may lead nowhere.
            let rule = relationship.inverseRelationship?.deleteRule ?? .noActionDeleteRule
            if rule == .noActionDeleteRule, let row, row.values[slot].isSame(as: .object(object)) { return nil }
            return failure(
                .managedObjectValidation, relationship, object, "", text: "Dangling reference to an invalid object.")
        default: return nil
        }
    }

    private func error(of attribute: NSAttributeDescription, _ value: SlotValue) -> CocoaError? {
        if attribute is NSDerivedAttributeDescription { return nil }
        if value.isNull {
            guard !attribute.isOptional, !attribute.isTransient else { return nil }
            return failure(.validationMissingMandatoryProperty, attribute, nil, "is a required value")
        }
        guard !attribute.validationPredicates.isEmpty else { return nil }
        let given = value.foundationValue(attribute.attributeType)
        return attribute.brokenRule(given).map { rule in
            failure(
                rule.code, attribute, given, rule.words, predicate: rule.predicate,
                text: rule.code == .managedObjectValidation && rule.hasOwnWords ? rule.words : nil)
        }
    }

    private func error(of relationship: NSRelationshipDescription, _ slot: Int) -> CocoaError? {
        guard !relationship.isTransient,
            relationship.minCount > 0 || relationship.maxCount > 0 || !relationship.isOptional
        else { return nil }
        // What wasn't touched is as the store has it; of a new object everything counts.
        if !isInserted {
            guard case .toMany(let relation) = slotValue(slot), relation.hasChanges else { return nil }
        }
        let objects = toMany(slot).objects
        if objects.isEmpty {
            return relationship.isOptional
                ? nil : failure(.validationMissingMandatoryProperty, relationship, nil, "is a required value")
        }
        if objects.count < relationship.minCount {
            return failure(.validationRelationshipLacksMinimumCount, relationship, nil, "has too few objects")
        }
        if relationship.maxCount > 0, objects.count > relationship.maxCount {
            return failure(.validationRelationshipExceedsMaximumCount, relationship, nil, "has too many objects")
        }
        return nil
    }

    package final func failure(
        _ code: CocoaError.Code, _ property: NSPropertyDescription, _ value: Any?, _ words: String,
        predicate: NSPredicate? = nil, text: String? = nil
    ) -> CocoaError {
        var info: [String: Any] = [
            NSValidationObjectErrorKey: self, NSValidationKeyErrorKey: property.name,
            NSLocalizedDescriptionKey: text ?? "\(property.name) \(words).",
        ]
        info[NSValidationValueErrorKey] = value
        info[NSValidationPredicateErrorKey] = predicate
        return CocoaError(code, userInfo: info)
    }

    /// The relationships with rule deny that still hold objects which are not deleted too.
    package final func denials() -> [CocoaError] {
        layout.properties.indices.compactMap { slot in
            guard let relationship = layout.properties[slot] as? NSRelationshipDescription,
                relationship.deleteRule == .denyDeleteRule, related(slot).contains(where: { !$0.isDeleted })
            else { return nil }
            return failure(
                .validationRelationshipDeniedDelete, relationship,
                foundationValue(slot), "", text: "Items cannot be deleted from \(relationship.name).")
        }
    }

    /// The objects at the other end of a relationship, of either kind.
    final func related(_ slot: Int) -> [NSManagedObject] {
        if case .toMany = layout.kinds[slot] { return toMany(slot).objects }
        return toOne(slot).map { [$0] } ?? []
    }

    package static func raise(_ errors: [any Error]) throws {
        guard let first = errors.first else { return }
        guard errors.count > 1 else { throw first }
        throw CocoaError(
            .validationMultipleErrors,
            userInfo: [
                NSDetailedErrorsKey: errors,
                NSLocalizedDescriptionKey: "Multiple validation errors occurred.",
            ])
    }
}

extension NSAttributeDescription {
    /// The first validation predicate that a value doesn't fulfil, with the error code and words for it.
    package func brokenRule(_ value: Any?) -> (
        code: CocoaError.Code, words: String, hasOwnWords: Bool, predicate: NSPredicate
    )? {
        for (index, predicate) in validationPredicates.enumerated() {
            if (try? predicate.evaluateThrowing(with: value, variables: [:])) == true { continue }
            let warning = index < validationWarnings.count ? validationWarnings[index] : nil
            let code = (warning as? NSNumber).map { CocoaError.Code(rawValue: $0.intValue) } ?? .managedObjectValidation
            return (code, warning as? String ?? Self.words(code), warning is String, predicate)
        }
        return nil
    }

    private static func words(_ code: CocoaError.Code) -> String {
        switch code {
        case .validationNumberTooLarge: "is too large"
        case .validationNumberTooSmall: "is too small"
        case .validationDateTooLate: "is too late"
        case .validationDateTooSoon: "is too soon"
        case .validationStringTooLong: "is too long"
        case .validationStringTooShort: "is too short"
        case .validationStringPatternMatching: "doesn't match its pattern"
        default: "is not valid"
        }
    }
}
