import FoundationSupplement
import ManagedObjectModel

extension NSManagedObject {
    /// The errors of the object's values against the model's rules, in the order of the properties.
    package final func validationErrors() -> [CocoaError] {
        layout.properties.indices.compactMap { slot in
            switch layout.kinds[slot] {
            case .attribute(let attribute): error(of: attribute, slotValue(slot))
            case .toOne(let relationship): error(ofToOne: relationship, slot)
            case .toMany(let relationship): error(of: relationship, slot)
            case .fetched: nil
            }
        }
    }

    private func error(ofToOne relationship: NSRelationshipDescription, _ slot: Int) -> CocoaError? {
        if relationship.isTransient { return nil }
        switch slotValue(slot) {
        case .null where !relationship.isOptional:
            return failure(.validationMissingMandatoryProperty, relationship, nil, "is required")
        case .object(let object) where object.isDeleted || object.managedObjectContext == nil:
            // Where the other end's rule leaves this one alone, a key that was saved may lead nowhere.
            let rule = relationship.inverseRelationship?.deleteRule ?? .noActionDeleteRule
            if rule == .noActionDeleteRule, let row, row.values[slot].isSame(as: .object(object)) { return nil }
            return failure(
                .managedObjectValidation, relationship, object, "is a dangling reference to an invalid object")
        default: return nil
        }
    }

    private func error(of attribute: NSAttributeDescription, _ value: SlotValue) -> CocoaError? {
        if attribute is NSDerivedAttributeDescription { return nil }
        if value.isNull {
            guard !attribute.isOptional, !attribute.isTransient else { return nil }
            return failure(.validationMissingMandatoryProperty, attribute, nil, "is required")
        }
        guard !attribute.validationPredicates.isEmpty else { return nil }
        let given = value.foundationValue(of: attribute)
        return attribute.brokenRule(given).map { rule in
            failure(rule.code, attribute, given, rule.words, predicate: rule.predicate)
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
                ? nil : failure(.validationMissingMandatoryProperty, relationship, nil, "is required")
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
        predicate: NSPredicate? = nil
    ) -> CocoaError {
        var info: [String: Any] = [
            NSValidationObjectErrorKey: self, NSValidationKeyErrorKey: property.name,
            NSLocalizedDescriptionKey: "\(entity.name ?? "").\(property.name) \(words).",
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
                .validationRelationshipDeniedDelete, relationship, nil, "can't be deleted from: it still has objects")
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
                NSLocalizedDescriptionKey: "Multiple validation errors occurred: "
                    + errors.prefix(5).map(\.localizedDescription).joined(separator: " "),
            ])
    }
}

extension NSAttributeDescription {
    /// The first validation predicate that a value doesn't fulfil, with the error code and words for it.
    package func brokenRule(_ value: Any?) -> (code: CocoaError.Code, words: String, predicate: NSPredicate)? {
        for (index, predicate) in validationPredicates.enumerated() {
            if (try? predicate.evaluateThrowing(with: value, variables: [:])) == true { continue }
            let warning = index < validationWarnings.count ? validationWarnings[index] : nil
            let code = (warning as? NSNumber).map { CocoaError.Code(rawValue: $0.intValue) } ?? .managedObjectValidation
            return (code, warning as? String ?? Self.words(code), predicate)
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
