import FoundationSupplement

/// The files in which new stores are being built, for a process that must end at once.
package enum UnfinishedStores {
    private static let lock = NSLock()
    nonisolated(unsafe) private static var urls: Set<URL> = []

    static func add(_ url: URL) { _ = lock.withLock { urls.insert(url) } }
    static func remove(_ url: URL) { _ = lock.withLock { urls.remove(url) } }

    /// Removes them. Nobody may go on writing them.
    package static func removeAll() {
        for url in lock.withLock({ urls }) { SQLiteStore.removeFiles(url) }
    }
}
