import Foundation

/// A folder of a test's own, removed with the object.
public final class TemporaryFolder {
    /// The folder.
    public let url: URL

    /// Makes a folder with a unique name.
    public init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("coredata-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// A file in the folder.
    public func file(_ name: String) -> URL { url.appendingPathComponent(name) }

    /// A file in the folder with a text.
    @discardableResult
    public func write(_ text: String, to name: String) throws -> URL {
        let url = file(name)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
        return url
    }

    /// The names of the files in the folder, sorted.
    public var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
    }
}
