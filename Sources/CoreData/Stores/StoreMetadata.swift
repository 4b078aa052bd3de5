import FoundationSupplement
import ManagedObjectModel

/// What a new store says of itself.
enum StoreMetadata {
    /// The metadata of a new store that keeps the entities of one of a model's configurations.
    static func new(
        type: String, identifier: String, model: NSManagedObjectModel?, configuration: String?,
        era: StoreEra = .current
    ) -> [String: Any] {
        var metadata: [String: Any] = [NSStoreTypeKey: type, NSStoreUUIDKey: identifier]
        guard let model else { return metadata }
        let names = Set(model.entities(forConfigurationName: configuration)?.compactMap(\.name) ?? [])
        let hashes = model.entityVersionHashesByName.filter { names.contains($0.key) }
        metadata["NSPersistenceFrameworkVersion"] = era.frameworkVersion
        metadata[NSStoreModelVersionHashesKey] = hashes
        metadata["NSStoreModelVersionHashesVersion"] = 3
        metadata[NSStoreModelVersionIdentifiersKey] = model.versionIdentifiers.compactMap { $0.base as? String }
            .sorted()
        metadata["NSStoreModelVersionHashesDigest"] = VersionHash.digest(hashes)
        metadata[NSPersistentStoreModelVersionChecksumKey] = VersionHash.checksum(hashes)
        if era.limitsVersions { metadata["NSPersistenceMaximumFrameworkVersion"] = era.frameworkVersion }
        for key in era.missingMetadata { metadata[key] = nil }
        return metadata
    }
}
