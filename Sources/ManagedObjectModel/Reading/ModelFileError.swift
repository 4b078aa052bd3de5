import FoundationSupplement

/// Why a file is not a model that can be read: the file, the place in it where one is known, and what is wrong.
public struct ModelFileError: LocalizedError, CustomStringConvertible, Sendable {
    /// The file's path.
    public let path: String
    /// The line, from 1, in an XML file.
    public let line: Int?
    /// What is wrong, with the name and value concerned.
    public let reason: String

    package init(path: String, line: Int? = nil, reason: String) {
        self.path = path
        self.line = line
        self.reason = reason
    }

    /// The place and the reason, as in `World.xcdatamodel/contents:12: unknown attribute type 'Integer 128'`.
    public var description: String {
        "\(path)\(line.map { ":\($0)" } ?? ""): \(reason)"
    }

    /// The same as `description`.
    public var errorDescription: String? { description }
}
