import Foundation

/// A file in a temporary directory of its own, which goes when this object goes.
final class TemporaryFile {
    let url: URL
    private let directory: URL

    init(_ name: String, _ content: Data) throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("readers-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        url = directory.appendingPathComponent(name)
        try content.write(to: url)
    }

    convenience init(_ name: String, _ text: String) throws {
        try self.init(name, Data(text.utf8))
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }
}
