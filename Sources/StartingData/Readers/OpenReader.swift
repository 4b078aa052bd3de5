import Foundation

/// Opens a file of records.
///
/// - Parameters:
///   - url: A file.
///   - name: The name for messages; the last component of the path if it isn't given.
///   - format: The format; told from the extension of the file's name if it isn't given.
/// - Throws: `SourceError` if the file is missing, a directory, empty, of an unknown extension or not in its format.
package func openReader(_ url: URL, name: String? = nil, format: SourceFormat? = nil) throws -> any RecordReader {
    let file = try SourceFile(url, name: name)
    return try openReader(file, format: format ?? inferredFormat(of: url, named: file.name))
}

/// Opens records that are in memory: what was downloaded or read from standard input. `name` is used in messages.
package func openReader(_ data: Data, name: String, format: SourceFormat) throws -> any RecordReader {
    try openReader(SourceFile(data, name: name), format: format)
}

private func openReader(_ file: SourceFile, format: SourceFormat) throws -> any RecordReader {
    switch format {
    case .delimited(let format):
        return try DelimitedReader(file, format: format)
    case .json:
        return try JSONReader(file)
    case .ndjson:
        return try NDJSONReader(file)
    case .propertyList:
        return try PropertyListReader(file)
    }
}

private func inferredFormat(of url: URL, named name: String) throws -> SourceFormat {
    if let format = SourceFormat(pathExtension: url.pathExtension) { return format }
    let known = SourceFormat.pathExtensions.map { ".\($0)" }.joined(separator: ", ")
    let found = url.pathExtension.isEmpty ? "the name has no extension" : "unknown extension .\(url.pathExtension)"
    throw SourceError(
        position: SourcePosition(file: name), message: "\(found); the format is known for \(known)", endsSource: true)
}
