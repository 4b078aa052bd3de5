/// A place in a source of data: a line and column where the format has them, else a record number and key.
public struct SourcePosition: Sendable, Hashable, CustomStringConvertible {
    /// The name of the file, as it is shown to a person.
    public var file: String
    /// The line, counted from 1; `nil` for formats without lines.
    public var line: Int?
    /// The character (Unicode scalar) in the line, counted from 1.
    public var column: Int?
    /// The record, counted from 1, for formats without lines.
    public var record: Int?
    /// The column or key of the field, if the place is a field.
    public var field: String?

    /// A place in the source named `file`.
    public init(file: String, line: Int? = nil, column: Int? = nil, record: Int? = nil, field: String? = nil) {
        self.file = file
        self.line = line
        self.column = column
        self.record = record
        self.field = field
    }

    /// `cities.csv:12:5`, or `cities.plist: record 3, key population` for formats without lines.
    public var description: String {
        if let line {
            return column.map { "\(file):\(line):\($0)" } ?? "\(file):\(line)"
        }
        let parts = [record.map { "record \($0)" }, field.map { "key \($0)" }].compactMap { $0 }
        return parts.isEmpty ? file : "\(file): " + parts.joined(separator: ", ")
    }
}
