import Dispatch
import FoundationSupplement
import ManagedObjectModel

extension NSPersistentStoreCoordinator {
    /// Adds the store that a description describes, on this thread or in the background, as the description says.
    ///
    /// - Parameter done: gets the store, or the error.
    func add(
        _ description: NSPersistentStoreDescription, _ done: @escaping (NSPersistentStore?, (any Error)?) -> Void
    ) {
        guard description.shouldAddStoreAsynchronously else { return addNow(description, done) }
        // Caller and queue don't use the description and the block at the same time: the caller has handed them over.
        nonisolated(unsafe) let (description, done) = (description, done)
        DispatchQueue.global().async { self.addNow(description, done) }
    }

    private func addNow(
        _ description: NSPersistentStoreDescription, _ done: (NSPersistentStore?, (any Error)?) -> Void
    ) {
        do {
            if let url = description.url, url.isFileURL, !url.isInMemory, !description.isReadOnly {
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            }
            let store = try addPersistentStore(
                ofType: description.type, configurationName: description.configuration, at: description.url,
                options: description.options)
            done(store, nil)
        } catch {
            done(nil, error)
        }
    }
}
