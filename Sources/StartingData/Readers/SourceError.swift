import Foundation

/// What is wrong in a source of data, and where.
public struct SourceError: Error, LocalizedError, CustomStringConvertible {
    /// Where the fault is.
    public var position: SourcePosition
    /// What the fault is, without the place.
    public var message: String
    /// The offending text, shortened, if there is one.
    public var value: String?
    /// Whether the reader can't go on after the fault: it can't tell where the next record begins.
    public var endsSource: Bool

    /// A fault at `position`; `endsSource` says that nothing after it can be read.
    public init(position: SourcePosition, message: String, value: String? = nil, endsSource: Bool = false) {
        self.position = position
        self.message = message
        self.value = value
        self.endsSource = endsSource
    }

    /// The place and the message: `cities.csv:12:5: expected 3 fields, as in the header, but found 4`.
    public var description: String {
        "\(position): \(message)"
    }

    /// The same as `description`.
    public var errorDescription: String? {
        description
    }
}
