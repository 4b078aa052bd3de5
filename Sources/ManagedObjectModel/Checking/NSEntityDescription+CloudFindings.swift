import FoundationSupplement

extension NSEntityDescription {
    /// What CloudKit doesn't take, by Apple's documentation of models for CloudKit.
    var cloudFindings: [ModelFinding] {
        var findings = uniquenessConstraintNames.map { names in
            let listed = names.map { "'\($0)'" }.joined(separator: ", ")
            return finding(
                .cloudConstraint, "CloudKit has no uniqueness constraints; '\(name ?? "")' has one on \(listed)")
        }
        for property in declaredProperties where !property.isTransient {
            switch property {
            case let attribute as NSAttributeDescription: findings += cloudFindings(attribute)
            case let relationship as NSRelationshipDescription: findings += cloudFindings(relationship)
            default: break
            }
        }
        return findings
    }

    private func cloudFindings(_ attribute: NSAttributeDescription) -> [ModelFinding] {
        if attribute is NSDerivedAttributeDescription || attribute is NSCompositeAttributeDescription { return [] }
        if [.undefinedAttributeType, .objectIDAttributeType].contains(attribute.attributeType) {
            let type = attribute.attributeType.displayName
            return [finding(.cloudType, attribute, "CloudKit has no type \(type), which \(subject(attribute)) has")]
        }
        guard !attribute.isOptional, !attribute.hasDefault else { return [] }
        return [
            finding(
                .cloudMandatory, attribute,
                "CloudKit needs \(subject(attribute)) to be optional or to have a default value")
        ]
    }

    private func cloudFindings(_ relationship: NSRelationshipDescription) -> [ModelFinding] {
        let what = subject(relationship)
        var findings: [ModelFinding] = []
        if !relationship.isOptional {
            findings.append(finding(.cloudMandatory, relationship, "CloudKit needs \(what) to be optional"))
        }
        if relationship.inverseRelationship == nil {
            findings.append(finding(.cloudInverse, relationship, "CloudKit needs \(what) to have an inverse"))
        }
        if relationship.deleteRule == .denyDeleteRule {
            findings.append(finding(.cloudDeny, relationship, "CloudKit has no delete rule Deny, which \(what) has"))
        }
        if relationship.isOrdered {
            findings.append(finding(.cloudOrdered, relationship, "CloudKit keeps no order, but \(what) is ordered"))
        }
        return findings
    }
}
