import FoundationSupplement

extension NSRelationshipDescription {
    /// What is wrong with the relationship.
    var findings: [ModelFinding] {
        guard let destinationEntity else {
            let missing = destinationEntityName.map { "the destination '\($0)', which is not in the model" }
            return [finding(.missingDestination, "\(subject) has \(missing ?? "no destination")")]
        }
        var findings = inverseFindings(destinationEntity)
        if maxCount > 0, minCount > maxCount {
            findings.append(
                finding(.countRange, "\(subject) must have at least \(minCount) objects and at most \(maxCount)"))
        }
        if let inverseRelationship {
            findings += deleteFindings(inverseRelationship, destinationEntity)
            findings += uniquenessFindings(inverseRelationship, destinationEntity)
        }
        return findings
    }

    private func finding(_ rule: ModelRule, _ message: String) -> ModelFinding {
        ModelFinding(rule, entity: entity?.name, property: name, message)
    }

    private var owner: String { entity?.name ?? "" }
    private var subject: String { "'\(owner).\(name)'" }

    // MARK: Inverses

    private func inverseFindings(_ destination: NSEntityDescription) -> [ModelFinding] {
        let destinationName = destination.name ?? ""
        guard let inverse = inverseRelationship else {
            if let missing = inverseRelationshipName {
                return [
                    finding(
                        .unknownInverse,
                        "\(subject) has the inverse '\(missing)', which is not a relationship of '\(destinationName)'")
                ]
            }
            return [
                finding(
                    .noInverse,
                    "\(subject) has no inverse, so that it still refers to a '\(destinationName)' that was deleted")
            ]
        }
        if inverse.inverseRelationship !== self {
            let other = inverse.inverseName.map { "has the inverse '\($0)'" } ?? "has no inverse"
            return [
                finding(
                    .inverseMismatch,
                    "\(subject) has the inverse '\(destinationName).\(inverse.name)', which doesn't lead back: it \(other)"
                )
            ]
        }
        guard let entity, let back = inverse.destinationEntity, !entity.isKindOf(entity: back) else { return [] }
        return [
            finding(
                .inverseMismatch,
                "\(subject) has the inverse '\(destinationName).\(inverse.name)', which doesn't lead back: it leads to "
                    + "'\(back.name ?? "")'")
        ]
    }

    // MARK: Delete rules

    private func deleteFindings(
        _ inverse: NSRelationshipDescription, _ destination: NSEntityDescription
    ) -> [ModelFinding] {
        let back = "'\(destination.name ?? "").\(inverse.name)'"
        switch deleteRule {
        case .noActionDeleteRule:
            return [
                finding(.noAction, "\(subject) does nothing when a '\(owner)' is deleted: \(back) still refers to it")
            ]
        case .nullifyDeleteRule where !inverse.isOptional && !inverse.isToMany:
            return [
                finding(
                    .nullifyMandatory,
                    "\(subject) empties the mandatory \(back) when a '\(owner)' is deleted, so that saving fails; Cascade "
                        + "or Deny says what is meant")
            ]
        case .cascadeDeleteRule where inverse.isToMany:
            let rest =
                inverse.deleteRule == .cascadeDeleteRule
                ? "and with it all others, as \(back) cascades too" : "also where other objects are in its \(back)"
            return [
                finding(
                    .cascadeShared,
                    "\(subject) deletes the '\(destination.name ?? "")' of a '\(owner)' that is deleted, \(rest)")
            ]
        case .denyDeleteRule where inverse.deleteRule == .denyDeleteRule && isFirst(of: inverse):
            return [
                finding(.denyBoth, "\(subject) and \(back) both deny: neither of two related objects can be deleted")
            ]
        default: return []
        }
    }

    /// Whether a finding about both directions is reported for this one.
    private func isFirst(of inverse: NSRelationshipDescription) -> Bool {
        (owner, name) <= (inverse.entity?.name ?? "", inverse.name)
    }

    // MARK: Uniqueness

    private func uniquenessFindings(
        _ inverse: NSRelationshipDescription, _ destination: NSEntityDescription
    ) -> [ModelFinding] {
        guard !inverse.isToMany, !inverse.isOptional, let entity,
            sequence(first: entity, next: \.superentity).contains(where: { !$0.uniquenessConstraintNames.isEmpty })
        else { return [] }
        return [
            finding(
                .uniqueInverse,
                "'\(owner)' is unique, and '\(destination.name ?? "").\(inverse.name)' is mandatory: where a merge "
                    + "policy deletes a duplicate, what refers to it can't be saved")
        ]
    }
}
