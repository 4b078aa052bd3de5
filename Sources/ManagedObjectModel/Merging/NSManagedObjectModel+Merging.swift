import FoundationSupplement

extension NSManagedObjectModel {
    /// Creates a model of copies of everything in other models.
    ///
    /// Entities of the same name must say the same, that is, have the same version hash: they become one. Different
    /// ones are the program's mistake: debug builds stop with Apple's words, others log them and return nil. Of
    /// configurations of the same name the entities are put together; of templates of the same name the first counts.
    ///
    /// ```swift
    /// let model = NSManagedObjectModel(byMerging: [addresses, invoices])
    /// ```
    /// - Parameter models: the models; nil for none.
    public convenience init?(byMerging models: [NSManagedObjectModel]?) {
        self.init()
        let models = models ?? []
        if let name = Self.conflict(among: models.flatMap(\.entities)) {
            misuse("Can't merge models with two different entities named '\(name)'")
            return nil
        }
        takeCopies(of: models)
    }

    /// Creates the model that a store was made with, of copies of entities in other models.
    ///
    /// For each entity that the store has, by name and version hash, some model must have an equal one; with it come
    /// the entities that it inherits from, those that inherit from it, and those that its relationships lead to.
    ///
    /// - Parameters:
    ///   - models: the models to search, for example all versions of one.
    ///   - metadata: the store's, as `metadataForPersistentStore(ofType:at:)` gives it.
    /// - Returns: nil if some entity of the store is in none of the models.
    public convenience init?(byMerging models: [NSManagedObjectModel], forStoreMetadata metadata: [String: Any]) {
        guard let wanted = metadata["NSStoreModelVersionHashes"] as? [String: Data],
            let entities = StoreModelSearch(wanted: wanted).entities(in: models)
        else { return nil }
        self.init()
        takeCopies(of: models, only: entities)
    }

    /// The merged model of all models in bundles: `.momd`, `.mom`, and what Xcode's projects have.
    ///
    /// - Parameter bundles: the bundles; nil for the program's own. Of a model with several versions, the current one
    ///   is taken. A model that can't be read is logged and left out.
    /// - Returns: a model without entities if there are no models; nil, as with `init(byMerging:)`, if they contradict
    ///   each other.
    public class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
        NSManagedObjectModel(byMerging: versions(in: bundles) { [try NSManagedObjectModel(validatingContentsOf: $0)] })
    }

    /// The model that a store was made with, found among all versions of all models in bundles.
    ///
    /// - Parameters:
    ///   - bundles: the bundles; nil for the program's own.
    ///   - metadata: the store's.
    /// - Returns: nil if the bundles don't have all of the store's entities.
    public class func mergedModel(
        from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any]
    ) -> NSManagedObjectModel? {
        let models = versions(in: bundles) { try ModelBundle(contentsOf: $0).versions.map(\.model) }
        return NSManagedObjectModel(byMerging: models, forStoreMetadata: metadata)
    }

    /// The models in bundles. One that can't be read is logged and left out: others may be enough.
    private static func versions(
        in bundles: [Bundle]?, _ read: (URL) throws -> [NSManagedObjectModel]
    ) -> [NSManagedObjectModel] {
        (bundles ?? [.main]).flatMap { ModelBundle.locations(in: $0) }.flatMap { url in
            do {
                return try read(url)
            } catch {
                FileHandle.standardError.write(Data("CoreData: warning: \(error)\n".utf8))
                return []
            }
        }
    }

    /// The name of two entities that say different things.
    private static func conflict(among entities: [NSEntityDescription]) -> String? {
        var known: [String: NSEntityDescription] = [:]
        for entity in entities {
            guard let name = entity.name else { continue }
            if let other = known[name], other !== entity, other.versionHash != entity.versionHash { return name }
            known[name] = known[name] ?? entity
        }
        return nil
    }
}
