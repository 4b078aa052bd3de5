import Dispatch
import FoundationSupplement

/// The open stores of this process that were added with the option to be told of saves.
enum RemoteChanges {
    private final class Listener: @unchecked Sendable {
        weak var store: NSPersistentStore?
        let path: String
        // Read now: a store's metadata are under the lock of its coordinator, which may be busy at the time of a save.
        let identifier: String

        init(_ store: NSPersistentStore, _ path: String) {
            self.store = store
            self.path = path
            identifier = store.identifier ?? ""
        }
    }

    private static let lock = NSLock()
    nonisolated(unsafe) private static var listeners: [Listener] = []
    private static let queue = DispatchQueue(label: "NSPersistentStoreRemoteChange")

    static func add(_ store: NSPersistentStore) {
        guard let path = path(store.url) else { return }
        lock.withLock { listeners.append(Listener(store, path)) }
    }

    static func remove(_ store: NSPersistentStore) {
        lock.withLock { listeners.removeAll { $0.store == nil || $0.store === store } }
    }

    /// Tells all coordinators that listen for the file, also the one that has saved.
    static func noteSave(to url: URL?) {
        let all = lock.withLock { listeners }
        guard !all.isEmpty, let path = path(url) else { return }
        for listener in all where listener.path == path { queue.async { post(listener) } }
    }

    private static func post(_ listener: Listener) {
        guard let store = listener.store, let coordinator = store.persistentStoreCoordinator, let url = store.url else {
            return
        }
        NotificationCenter.default.post(
            name: .NSPersistentStoreRemoteChange, object: coordinator,
            userInfo: [NSStoreUUIDKey: listener.identifier, NSPersistentStoreURLKey: url])
    }

    private static func path(_ url: URL?) -> String? {
        guard let url, !url.isNullDevice else { return nil }
        return url.resolvingSymlinksInPath().standardizedFileURL.path
    }
}
