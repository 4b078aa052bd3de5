import FoundationSupplement
import ManagedObjectModel

extension NSPersistentStoreCoordinator {
    /// Adds the store that a description describes; the error if that fails.
    func add(_ description: NSPersistentStoreDescription) -> (any Error)? {
        do {
            if let url = description.url, url.isFileURL, !url.isInMemory, !description.isReadOnly {
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            }
            try addPersistentStore(
                ofType: description.type, configurationName: description.configuration, at: description.url,
                options: description.options)
            return nil
        } catch {
            return error
        }
    }
}
