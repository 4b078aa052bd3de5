import FoundationSupplement

extension NSEntityDescription {
    /// Everything that the model says of the entity but its name and properties.
    var facts: [ModelFact] {
        var facts: [ModelFact] = [
            .either(.abstract, isAbstract, "abstract", "not abstract", isHashed: true),
            ModelFact(.className, managedObjectClassName ?? "NSManagedObject"),
        ]
        // The super-entity enters the hash with its own hash, which its own comparison is about.
        facts += ModelFact.list(.superentity, superentity?.name, isHashed: true)
        facts += ModelFact.list(.versionHashModifier, versionHashModifier.map { "'\($0)'" }, isHashed: true)
        if let old = renamingIdentifier, old != name { facts.append(ModelFact(.renamingIdentifier, "'\(old)'")) }
        facts += ModelFact.userInfo(userInfo)
        for names in uniquenessConstraintNames {
            facts.append(
                ModelFact(
                    .uniquenessConstraint, "unique", key: names.joined(separator: ", "),
                    hashed: names.joined(separator: ".")))
        }
        for index in indexes where !ArchivedIndexes.isImplied(index, in: self) {
            facts.append(ModelFact(.fetchIndex, index.summary, key: index.name))
        }
        let repeated = ArchivedIndexes.compounds(of: indexes)
        for names in compoundIndexNames where !repeated.contains(names) {
            facts.append(ModelFact(.compoundIndex, "present", key: names.joined(separator: ", ")))
        }
        return facts
    }
}

extension NSFetchIndexDescription {
    /// The index in a few words.
    package var summary: String {
        let parts = elements.map { element in
            let kind = element.collationType == .rTree ? ", R-tree" : ""
            return "\(element.propertyName ?? "nothing") (\(element.isAscending ? "ascending" : "descending")\(kind))"
        }
        return parts.joined(separator: ", ") + (partialIndexPredicate.map { " where \($0.formatText)" } ?? "")
    }
}

extension NSManagedObjectModel {
    /// What the model says besides its entities.
    var facts: [ModelFact] {
        let identifiers = versionIdentifiers.map { "\($0)" }.filter { !$0.isEmpty }.sorted()
        var facts = ModelFact.list(.versionIdentifiers, identifiers.joined(separator: ", "))
        for name in configurations {
            let members = (entities(forConfigurationName: name) ?? []).compactMap(\.name).sorted()
            facts.append(
                ModelFact(.configuration, members.isEmpty ? "no entities" : members.joined(separator: ", "), key: name))
        }
        for (name, request) in fetchRequestTemplatesByName {
            facts.append(ModelFact(.fetchRequest, request.summary, key: name))
        }
        return facts
    }
}
