import FoundationSupplement
import ManagedObjectModel

/// The models that coordinators were made with: where a class looks for its entity.
enum LoadedModels {
    private struct Entry { weak var model: NSManagedObjectModel? }
    private static let lock = NSLock()
    nonisolated(unsafe) private static var entries: [Entry] = []  // under the lock

    static func add(_ model: NSManagedObjectModel) {
        lock.withLock {
            entries.removeAll { $0.model == nil || $0.model === model }
            entries.append(Entry(model: model))
        }
    }

    /// The entity of a class; of several models', the one in use last.
    static func entity(of objectClass: NSManagedObject.Type) -> NSEntityDescription {
        let models = lock.withLock { entries.compactMap(\.model) }
        let found = models.flatMap { $0.entities(ofClass: objectClass) }
        if let last = found.last {
            // Copies of one model say the same.
            if found.contains(where: { $0.versionHash != last.versionHash }) {
                SQLLog.warn(
                    "Multiple NSEntityDescriptions claim the NSManagedObject subclass '\(objectClass)' so +entity is unable"
                        + " to disambiguate.")
            }
            return last
        }
        misuse(
            "No NSEntityDescriptions in any model claim the NSManagedObject subclass '\(objectClass)' so +entity is"
                + " confused.  Have you loaded your NSManagedObjectModel yet ?")
        return NSEntityDescription()
    }
}
