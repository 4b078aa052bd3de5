import FoundationSupplement

extension ModelCheck {
    /// What is wrong with the model as a whole, as far as it is about some of its entities.
    static func findings(of model: NSManagedObjectModel, _ entities: [NSEntityDescription]) -> [ModelFinding] {
        sharedClasses(entities) + duplicates(model) + crossings(model, entities)
    }

    private static func duplicates(_ model: NSManagedObjectModel) -> [ModelFinding] {
        Dictionary(grouping: model.entities) { $0.name ?? "" }.filter { $0.value.count > 1 }.map { name, _ in
            ModelFinding(.duplicateEntity, entity: name, "there are two entities named '\(name)'")
        }
    }

    private static func sharedClasses(_ entities: [NSEntityDescription]) -> [ModelFinding] {
        let groups = Dictionary(grouping: entities) { $0.managedObjectClassName ?? "" }
        return groups.flatMap { className, group -> [ModelFinding] in
            guard group.count > 1, !className.isEmpty, className != "NSManagedObject" else { return [] }
            let names = group.compactMap(\.name).sorted()
            return names.dropFirst().map { name in
                ModelFinding(
                    .sharedClass, entity: name,
                    "'\(name)' and '\(names[0])' have the same class, '\(className)', so that \(className).entity() can't "
                        + "tell which is meant")
            }
        }
    }

    /// Relationships don't lead from one store into another.
    private static func crossings(_ model: NSManagedObjectModel, _ entities: [NSEntityDescription]) -> [ModelFinding] {
        let members = model.configurations.map { name in
            (name: name, entities: Set((model.entities(forConfigurationName: name) ?? []).map(ObjectIdentifier.init)))
        }
        guard members.count > 1 else { return [] }
        func configurations(_ entity: NSEntityDescription) -> [String] {
            members.filter { $0.entities.contains(ObjectIdentifier(entity)) }.map(\.name)
        }
        return entities.flatMap { entity in
            entity.declaredProperties.compactMap { property -> ModelFinding? in
                guard let relationship = property as? NSRelationshipDescription, !relationship.isTransient,
                    let destination = relationship.destinationEntity
                else { return nil }
                let (here, there) = (configurations(entity), configurations(destination))
                guard !here.isEmpty, !there.isEmpty, Set(here).isDisjoint(with: there) else { return nil }
                return entity.finding(
                    .acrossConfigurations, relationship,
                    "\(entity.subject(relationship)) leads from the configuration '\(here[0])' to '\(there[0])'; relationships "
                        + "don't lead from one store to another")
            }
        }
    }
}
