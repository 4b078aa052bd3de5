import FoundationSupplement
import ManagedObjectModel

/// The check that a store was made with the model that it is opened with.
struct StoreCompatibility {
    let model: NSManagedObjectModel
    let configuration: String
    let options: StoreOptions
    let url: URL?

    /// Checks a store's metadata; one that doesn't say which model made it fits any.
    ///
    /// - Parameter storedModel: the model that the store was made with, where it keeps one.
    /// - Throws: `persistentStoreIncompatibleVersionHash` (134100) with the metadata and the reason, or, where migration
    ///   is asked for but no mapping may be inferred, `migrationMissingMappingModel` (134140).
    func check(_ metadata: [String: Any], storedModel: () -> NSManagedObjectModel? = { nil }) throws {
        guard let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data],
            !options.isOn(NSIgnorePersistentStoreVersioningOption)
        else { return }
        // A store that was made without a configuration keeps all entities, and serves each configuration.
        let isCompatible = [configuration, nil].contains {
            model.isConfiguration(withName: $0, compatibleWithStoreMetadata: metadata)
        }
        guard !isCompatible else { return }
        let difference = Self.difference(stored, model.entityVersionHashesByName)
        guard options.isOn(NSMigratePersistentStoresAutomaticallyOption) else {
            throw error(.persistentStoreIncompatibleVersionHash, Self.reason, difference, ["metadata": metadata])
        }
        guard options.isOn(NSInferMappingModelAutomaticallyOption) else {
            var info: [String: Any] = ["destinationModel": model, "metadata": metadata]
            info["sourceModel"] = storedModel()
            throw error(
                .migrationMissingMappingModel, "Can't find mapping model for migration",
                "\(Self.noMigration) \(difference)", info)
        }
        throw error(
            .persistentStoreIncompatibleVersionHash, Self.reason, "\(Self.noMigration) \(difference)",
            ["metadata": metadata])
    }

    private static let reason =
        "The model used to open the store is incompatible with the one used to create the store"
    private static let noMigration = "Migrating stores is not supported yet."

    private func error(
        _ code: CocoaError.Code, _ reason: String, _ details: String, _ more: [String: Any]
    ) -> CocoaError {
        var info = more
        info["reason"] = reason
        info[NSLocalizedDescriptionKey] = "\(reason). \(details)"
        if let url { info[NSFilePathErrorKey] = url.path }
        return CocoaError(code, userInfo: info)
    }

    private static func difference(_ stored: [String: Data], _ model: [String: Data]) -> String {
        let missing = stored.keys.filter { model[$0] == nil }.sorted()
        let added = model.keys.filter { stored[$0] == nil }.sorted()
        let changed = stored.keys.filter { model[$0] != nil && model[$0] != stored[$0] }.sorted()
        return [("only in the store", missing), ("only in the model", added), ("different", changed)]
            .filter { !$0.1.isEmpty }.map { "\($0.0): \($0.1.joined(separator: ", "))" }.joined(separator: "; ")
    }
}
