import FoundationSupplement

/// The folder with the material that the project's repositories share. It isn't part of this one.
enum SharedMaterial {
    static let folder: URL? = {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let places = [
            ProcessInfo.processInfo.environment["COREDATA_SHARED"].map { URL(fileURLWithPath: $0) },
            package.deletingLastPathComponent().appendingPathComponent("shared"),
        ]
        return places.compactMap { $0 }.first { FileManager.default.fileExists(atPath: $0.path) }
    }()

    static var isPresent: Bool { folder != nil }

    /// The rows of a table, without its heading, as columns.
    static func rows(_ path: String) throws -> [[String]] {
        guard let folder else { return [] }
        let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
        return text.split(separator: "\n").dropFirst().map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }
}
