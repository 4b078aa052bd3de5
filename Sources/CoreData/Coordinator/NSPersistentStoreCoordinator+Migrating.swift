import FoundationSupplement
import ManagedObjectModel

extension NSPersistentStoreCoordinator {
    /// Copies a store and puts the copy in its place. The notifications and their order are Apple's.
    func migrate(
        _ old: NSPersistentStore, to url: URL, _ options: [AnyHashable: Any]?, _ storeType: String
    ) throws -> NSPersistentStore {
        guard persistentStores.contains(where: { $0 === old }) else {
            throw CocoaError.request("\(old) is not one of the coordinator's stores and can't be migrated")
        }
        let isFile = try Self.storeClass(forType: storeType, at: url).isFile && !url.isInMemory
        if isFile, try url.hasContent {
            throw CocoaError.store(.fileWriteFileExists, url, "there is a file already, which migrating would replace")
        }
        let configuration =
            old.configurationName == NSManagedObjectModel.defaultConfigurationName ? nil : old.configurationName
        let new: NSPersistentStore
        let identifiers: [NSManagedObjectID]
        do {
            new = try makeStore(type: storeType, configuration: configuration, url: url, options: options)
            identifiers = try StoreCopy(from: old, to: new, coordinator: self).run()
        } catch {
            // Nothing was there before; what is there now is of no use to anybody.
            if isFile { try StoreFiles(type: storeType, options: StoreOptions(options)).remove(url) }
            throw error
        }
        exchange(old, for: new, identifiers)
        return new
    }

    private func exchange(_ old: NSPersistentStore, for new: NSPersistentStore, _ identifiers: [NSManagedObjectID]) {
        func announce(_ store: NSPersistentStore) {
            NotificationCenter.default.post(name: .NSPersistentStoreCoordinatorWillRemoveStore, object: store)
        }
        attach(new)
        post(.NSPersistentStoreCoordinatorStoresDidChange, [NSAddedPersistentStoresKey: [new]])
        announce(old)
        announce(new)
        post(
            .NSPersistentStoreCoordinatorStoresDidChange,
            [NSUUIDChangedPersistentStoresKey: [old, new, identifiers] as [Any]])
        announceRemoval(of: old)
        detach(old)
        post(.NSPersistentStoreCoordinatorStoresDidChange, [NSRemovedPersistentStoresKey: [old]])
    }
}

extension URL {
    /// Whether there is a file with something in it, or a folder.
    var hasContent: Bool {
        get throws {
            guard FileManager.default.fileExists(atPath: path) else { return false }
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            return attributes[.type] as? FileAttributeType != .typeRegular || (attributes[.size] as? Int ?? 0) > 0
        }
    }
}
