import FoundationSupplement

/// The parts of an object ID's URI, `x-coredata://<store>/<Entity>/<key>`.
package struct ObjectURI {
    /// The store's identifier; empty for a temporary ID.
    package let store: String
    /// The entity's name.
    package let entity: String
    /// The rest as it stands in the URI, escapes and slashes included: `p12`.
    package let key: String

    package init?(_ url: URL) {
        let text = url.absoluteString
        let scheme = "x-coredata://"
        guard text.lowercased().hasPrefix(scheme) else { return nil }
        let parts = text.dropFirst(scheme.count).split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let entity = String(parts[1]).removingPercentEncoding, !entity.isEmpty else {
            return nil
        }
        store = String(parts[0]).removingPercentEncoding ?? String(parts[0])
        self.entity = entity
        key = String(parts[2])
    }
}
