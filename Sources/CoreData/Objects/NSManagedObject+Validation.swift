import FoundationSupplement
import ManagedObjectModel

extension NSManagedObject {
    /// The errors of the object's values against the model's rules and those of its class, in the order of the properties.
    package final func validationErrors() -> [any Error] {
        // A class of its own may have rules of its own; asking it costs an object for each value.
        let asksClass = type(of: self) != NSManagedObject.self
        return layout.properties.indices.compactMap { slot in
            asksClass && isAskedFor(slot) ? askClass(slot) : error(of: slot)
        }
    }

    /// Whether a class is asked about a property: not where that would cost reading a relationship that nobody has read.
    private func isAskedFor(_ slot: Int) -> Bool {
        switch (layout.kinds[slot], slotValue(slot)) {
        case (.attribute, _): true
        case (.toOne, .reference): false
        case (.toOne, _): true
        case (.toMany, .toMany(let relation)): relation.isLoaded && (isInserted || relation.hasChanges)
        case (.toMany, _), (.fetched, _): false
        }
    }

    private func error(of slot: Int) -> CocoaError? {
        switch layout.kinds[slot] {
        case .attribute(let attribute): error(of: attribute, slotValue(slot))
        case .toOne(let relationship): error(ofToOne: relationship, slot, slotValue(slot))
        case .toMany(let relationship): error(ofToMany: relationship, slot)
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
                converted = try SlotValue(value, for: attribute)
            } catch {
                throw failure(.managedObjectValidation, attribute, value, "is of the wrong type")
            }
            if let error = error(of: attribute, converted) { throw error }
        case .toOne(let relationship):
            let object = value as? NSManagedObject
            if let error = error(ofToOne: relationship, slot, object.map { .object($0) } ?? .null) { throw error }
        case .toMany(let relationship):
            let count: Int? =
                switch value {
                case nil: 0
                case let objects as NSOrderedSet: objects.count
                case let objects as NSSet: objects.count
                case let objects as Set<NSManagedObject>: objects.count
                default: nil
                }
            guard let count else {
                throw failure(.managedObjectValidation, relationship, value, "is of the wrong type")
            }
            if let error = error(of: relationship, count: count) { throw error }
        case .fetched: return
        }
    }

    private func error(
        ofToOne relationship: NSRelationshipDescription, _ slot: Int, _ value: SlotValue
    ) -> CocoaError? {
        switch value {
        case .null where !relationship.isOptional && isExpected(relationship):
            return failure(.validationMissingMandatoryProperty, relationship, nil, "is a required value")
        case .object(let object) where object.isDeleted || object.managedObjectContext == nil:
            // Where the other end's rule leaves this one alone, a key that was saved may lead nowhere.
            let rule = relationship.inverseRelationship?.deleteRule ?? .noActionDeleteRule
            if rule == .noActionDeleteRule, let row, row.values[slot].isSame(as: .object(object)) { return nil }
            // Of a deletion that is denied the denial is enough.
            if rule == .denyDeleteRule, object.managedObjectContext != nil { return nil }
            return dangling(relationship, [object])
        default: return nil
        }
    }

    private func dangling(_ relationship: NSRelationshipDescription, _ objects: [NSManagedObject]) -> CocoaError {
        let list = objects.map(\.description).joined(separator: ", ")
        return failure(
            .managedObjectValidation, relationship,
            "Relationship '\(relationship.name)' on managed object (\(address)) \(self) with objects {(\(list))}", "",
            text: "Dangling reference to an invalid object.")
    }

    /// A transient value is there after an insertion; the object that a store gives has none.
    private func isExpected(_ property: NSPropertyDescription) -> Bool { !property.isTransient || isInserted }

    private func error(of attribute: NSAttributeDescription, _ value: SlotValue) -> CocoaError? {
        if attribute is NSDerivedAttributeDescription { return nil }
        if value.isNull {
            guard !attribute.isOptional, isExpected(attribute) else { return nil }
            return failure(.validationMissingMandatoryProperty, attribute, nil, "is a required value")
        }
        if case .composite(let values) = value, let composite = attribute as? NSCompositeAttributeDescription {
            for (element, value) in zip(composite.elements, values) {
                if let error = error(of: element, value) { return error }
            }
        }
        guard !attribute.validationPredicates.isEmpty else { return nil }
        let given = value.foundationValue(of: attribute)
        return attribute.brokenRule(given).map { rule in
            failure(
                rule.code, attribute, given, rule.words, predicate: rule.predicate,
                text: rule.code == .managedObjectValidation && rule.hasOwnWords ? rule.words : nil)
        }
    }

    private func error(ofToMany relationship: NSRelationshipDescription, _ slot: Int) -> CocoaError? {
        if case .toMany(let relation) = slotValue(slot) {
            let lost = relation.added.objects.filter { $0.managedObjectContext == nil }
            if !lost.isEmpty { return dangling(relationship, lost) }
        }
        guard !relationship.isTransient,
            relationship.minCount > 0 || relationship.maxCount > 0 || !relationship.isOptional
        else { return nil }
        // What wasn't touched is as the store has it; of a new object everything counts.
        if !isInserted {
            guard case .toMany(let relation) = slotValue(slot), relation.hasChanges else { return nil }
        }
        return error(of: relationship, count: toMany(slot).objects.count)
    }

    private func error(of relationship: NSRelationshipDescription, count: Int) -> CocoaError? {
        if count == 0 {
            return relationship.isOptional
                ? nil : failure(.validationMissingMandatoryProperty, relationship, nil, "is a required value")
        }
        if count < relationship.minCount {
            return failure(.validationRelationshipLacksMinimumCount, relationship, nil, "has too few objects")
        }
        if relationship.maxCount > 0, count > relationship.maxCount {
            return failure(.validationRelationshipExceedsMaximumCount, relationship, nil, "has too many objects")
        }
        return nil
    }

    package final func failure(
        _ code: CocoaError.Code, _ property: NSPropertyDescription, _ value: Any?, _ words: String,
        predicate: NSPredicate? = nil, text: String? = nil, mayRecover: Bool = false
    ) -> CocoaError {
        var info: [String: Any] = [
            NSValidationObjectErrorKey: self, NSValidationKeyErrorKey: property.name,
            NSLocalizedDescriptionKey: text ?? "\(property.name) \(words).",
        ]
        info[NSValidationValueErrorKey] = value
        info[NSValidationPredicateErrorKey] = predicate
        if mayRecover { info["NSValidationErrorShouldAttemptRecoveryKey"] = true }
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
                foundationValue(slot), "", text: "Items cannot be deleted from \(relationship.name).", mayRecover: true)
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
