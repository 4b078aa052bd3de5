import Dispatch
import FoundationSupplement

/// The open stores of this process that were added with the option to be told of saves.
enum RemoteChanges {
    private final class Listener: @unchecked Sendable {
        weak var store: NSPersistentStore?
        let path: String
        // Read now: what a store says of itself is under the lock of its coordinator, which may be busy later.
        let userInfo: [AnyHashable: Any]

        init(_ store: NSPersistentStore, _ url: URL, _ path: String) {
            self.store = store
            self.path = path
            userInfo = [NSStoreUUIDKey: store.identifier ?? "", NSPersistentStoreURLKey: url]
        }
    }

    private static let lock = NSLock()
    nonisolated(unsafe) private static var listeners: [Listener] = []
    private static let queue = DispatchQueue(label: "NSPersistentStoreRemoteChange")

    static func add(_ store: NSPersistentStore) {
        guard let url = store.url, let path = path(url) else { return }
        lock.withLock { listeners.append(Listener(store, url, path)) }
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
        guard let coordinator = listener.store?.persistentStoreCoordinator else { return }
        NotificationCenter.default.post(
            name: .NSPersistentStoreRemoteChange, object: coordinator, userInfo: listener.userInfo)
    }

    private static func path(_ url: URL?) -> String? {
        guard let url, !url.isNullDevice else { return nil }
        return url.resolvingSymlinksInPath().standardizedFileURL.path
    }
}
