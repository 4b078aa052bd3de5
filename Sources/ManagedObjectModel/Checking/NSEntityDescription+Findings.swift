import FoundationSupplement

extension NSEntityDescription {
    /// A finding about the entity.
    func finding(_ rule: ModelRule, _ message: String) -> ModelFinding { finding(rule, nil, message) }

    /// A finding about one of the entity's properties.
    func finding(
        _ rule: ModelRule, _ property: NSPropertyDescription?, severity: ModelFinding.Severity? = nil,
        _ message: String
    ) -> ModelFinding {
        ModelFinding(rule, severity: severity, entity: name, property: property?.name, message)
    }

    /// A property in messages: `'City.name'`.
    func subject(_ property: NSPropertyDescription) -> String { "'\(name ?? "").\(property.name)'" }

    // MARK: Names

    var nameFindings: [ModelFinding] {
        var findings: [ModelFinding] = []
        if !Self.isValid(name: name ?? "") {
            findings.append(finding(.invalidName, "'\(name ?? "")' is no name for an entity: \(Self.nameForm)"))
        }
        let inherited = superentity?.propertiesByName ?? [:]
        var seen: Set<String> = []
        for property in declaredProperties {
            let name = property.name
            if !Self.isValid(name: name) {
                findings.append(
                    finding(.invalidName, property, "\(subject(property)) is no name for a property: \(Self.nameForm)"))
            }
            if !seen.insert(name).inserted {
                findings.append(
                    finding(.duplicateProperty, property, "'\(self.name ?? "")' has two properties named '\(name)'"))
            }
            if let other = inherited[name] {
                let owner = other.entity?.name ?? ""
                findings.append(
                    finding(
                        .duplicateProperty, property,
                        "\(subject(property)) is also declared by the super-entity '\(owner)'"))
            }
            findings += memberFindings(property)
        }
        return findings
    }

    private func memberFindings(_ property: NSPropertyDescription) -> [ModelFinding] {
        let name = property.name
        if ManagedObjectMembers.methods.contains(name) {
            return [
                finding(
                    .memberClash, property,
                    "\(subject(property)) has the name of a member of every managed object, and clashes with it")
            ]
        }
        if ManagedObjectMembers.properties.contains(name) {
            let getter = "is\(name.prefix(1).uppercased())\(name.dropFirst())"
            return [
                finding(
                    .memberClash, property, severity: .warning,
                    "\(subject(property)) has the name that '\(getter)' of every managed object has in Objective-C")
            ]
        }
        guard isKeyword(name) else { return [] }
        return [
            finding(
                .predicateWord, property,
                "\(subject(property)) has the name of a keyword of predicates, which have to say '#\(name)'")
        ]
    }

    /// Whether predicates understand the name as something else than a key.
    private func isKeyword(_ name: String) -> Bool {
        guard ReservedWords.needsEscape(name) else { return false }
        let predicate = try? NSPredicate(validating: "\(name) == 1")  // an error is what is looked for
        let left = (predicate as? FoundationSupplement.NSComparisonPredicate)?.leftExpression
        return left?.plainKeyPath != name
    }

    private static func isValid(name: String) -> Bool {
        guard let first = name.unicodeScalars.first, first.properties.isAlphabetic else { return false }
        return name.unicodeScalars.allSatisfy { $0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "_" }
    }

    private static let nameForm = "it must be a letter, and after it letters, digits and underscores"

    // MARK: Inheritance

    var inheritanceFindings: [ModelFinding] {
        guard isAbstract, selfAndDescendants.allSatisfy(\.isAbstract) else { return [] }
        return [
            finding(.abstractLeaf, "'\(name ?? "")' is abstract and has no sub-entity that isn't: it has no objects")
        ]
    }

    // MARK: Indexes and constraints

    var indexFindings: [ModelFinding] {
        indexes.flatMap { index in
            index.elements.compactMap { element -> ModelFinding? in
                let what = "the index '\(index.name)' of '\(name ?? "")'"
                guard let property = element.property, !(property is NSExpressionDescription) else {
                    return element.property == nil
                        ? finding(.indexProperty, "\(what) has an element without a property") : nil
                }
                guard let own = propertiesByName[property.name] else {
                    return finding(
                        .indexProperty, "\(what) is on '\(property.name)', which is not one of its properties")
                }
                return own.reasonWithoutColumn.map { reason in
                    finding(
                        .indexProperty, own, severity: .warning,
                        "\(what) is on '\(own.name)', which \(reason) and has no column")
                }
            }
        }
    }

    var constraintFindings: [ModelFinding] {
        let constraints = uniquenessConstraintNames
        return constraints.enumerated().flatMap { number, names -> [ModelFinding] in
            let listed = names.map { "'\($0)'" }.joined(separator: ", ")
            let what = "the uniqueness constraint of '\(name ?? "")'"
            var findings = names.compactMap { constraintFinding($0) }
            let attributes = names.compactMap { attributesByName[$0] }
            if !names.isEmpty, attributes.count == names.count,
                attributes.allSatisfy({ $0.attributeType == .booleanAttributeType })
            {
                findings.append(
                    finding(
                        .broadConstraint,
                        "\(what) on \(listed) is on truth values alone: there can be hardly any objects"))
            }
            let narrower = constraints.enumerated().first { other, candidate in
                other != number && Set(candidate).isSubset(of: names)
                    && (candidate.count < names.count || other < number)
            }
            if let narrower {
                let other = narrower.element.map { "'\($0)'" }.joined(separator: ", ")
                findings.append(
                    finding(
                        .broadConstraint, "\(what) on \(listed) follows from the one on \(other)"))
            }
            return findings
        }
    }

    private func constraintFinding(_ name: String) -> ModelFinding? {
        guard let property = propertiesByName[name] else {
            return finding(
                .constraintProperty,
                "a uniqueness constraint of '\(self.name ?? "")' is on '\(name)', which is not one of its properties")
        }
        if let reason = property.reasonWithoutColumn {
            return finding(
                .constraintProperty, property,
                "a uniqueness constraint is on \(subject(property)), which \(reason) and has no column")
        }
        guard property is NSRelationshipDescription else { return nil }
        return finding(
            .constraintProperty, property, severity: .warning,
            "a uniqueness constraint is on the relationship \(subject(property)); constraints are made of attributes")
    }
}

extension NSPropertyDescription {
    /// Why a table has no column for the property; nil if it has one.
    fileprivate var reasonWithoutColumn: String? {
        switch self {
        case is NSFetchedPropertyDescription: "is a fetched property"
        case _ where isTransient: "is transient"
        case is NSCompositeAttributeDescription: "is a composite attribute"
        case let relationship as NSRelationshipDescription where relationship.isToMany: "is a to-many relationship"
        default: nil
        }
    }
}
