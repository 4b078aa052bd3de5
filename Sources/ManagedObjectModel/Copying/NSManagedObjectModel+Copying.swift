import FoundationSupplement

extension NSManagedObjectModel {
    /// Fills an empty model with copies of what is in other models. Entities of the same name must say the same; of
    /// configurations of the same name the entities are put together, and of other things the first one counts.
    ///
    /// - Parameter chosen: the entities to copy; nil for all.
    func takeCopies(of models: [NSManagedObjectModel], only chosen: [NSEntityDescription]? = nil) {
        let models =
            chosen.map { chosen in
                models.filter { model in chosen.contains { $0.managedObjectModel === model } }
            } ?? models
        let copier = EntityCopier(chosen ?? models.flatMap(\.entities))
        entities = copier.copies
        versionIdentifiers = models.reduce(into: []) { $0.formUnion($1.versionIdentifiers) }
        for model in models {
            for name in model.configurations { addMembers(of: name, in: model, copier) }
            for (name, request) in model.fetchRequestTemplatesByName where fetchRequestTemplate(forName: name) == nil {
                if request.entity != nil, copier.copy(of: request.entity) == nil { continue }
                setFetchRequestTemplate(copier.copy(of: request), forName: name)
            }
        }
        let dictionaries = models.compactMap(\.localizationDictionary)
        if !dictionaries.isEmpty {
            localizationDictionary = dictionaries.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
        }
        if let first = models.first { source = first.source }
    }

    private func addMembers(of configuration: String, in model: NSManagedObjectModel, _ copier: EntityCopier) {
        let known = entities(forConfigurationName: configuration) ?? []
        let more = (model.entities(forConfigurationName: configuration) ?? []).compactMap { copier.copy(of: $0) }
        setEntities(
            known + more.filter { entity in !known.contains { $0 === entity } }, forConfigurationName: configuration)
    }
}
