/// The formats of sources.
package enum SourceFormat: Sendable, Equatable {
    /// Text with a header and delimited fields.
    case delimited(DelimitedFormat)
    /// A JSON array of objects, or an object of such arrays by entity.
    case json
    /// A JSON object a line.
    case ndjson
    /// A property list: an array of dictionaries, or a dictionary of such arrays by entity.
    case propertyList

    /// The extensions of file names for which a format is known.
    package static let pathExtensions = ["csv", "tsv", "tab", "txt", "json", "ndjson", "jsonl", "plist"]

    /// The format that goes with the extension of a file's name, in upper or lower case.
    package init?(pathExtension: String) {
        switch pathExtension.lowercased() {
        case "csv": self = .delimited(.csv)
        case "tsv", "tab", "txt": self = .delimited(.tsv)
        case "json": self = .json
        case "ndjson", "jsonl": self = .ndjson
        case "plist": self = .propertyList
        default: return nil
        }
    }
}
