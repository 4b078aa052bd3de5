import Foundation

/// Reads a text with a JSON object on each line (NDJSON, JSON Lines). Blank lines are skipped. What `JSONReader` says of
/// objects, columns and values holds here too; after a fault the next line can be read.
package final class NDJSONReader: RecordReader {
    /// Always `nil`.
    package var entityName: String? { nil }
    private let file: SourceFile
    private var cursor: JSONCursor
    private var record = JSONRecord()
    private var recordStart = 0
    private var locator: TextLocator

    /// Opens a file.
    package convenience init(_ url: URL, name: String? = nil) throws {
        try self.init(SourceFile(url, name: name))
    }

    init(_ file: SourceFile) throws {
        guard let base = file.bytes.baseAddress else { preconditionFailure("a source file is never empty") }
        self.file = file
        let start = try file.lengthOfByteOrderMark()
        // The cursor never sees more than one line.
        cursor = JSONCursor(base: base, end: start, offset: start, nameOfEnd: "line")
        locator = TextLocator(file.bytes, from: start)
    }

    /// The paths of all fields so far.
    package var columns: [String] { record.columns }
    /// The number of fields in the current record.
    package var count: Int { record.count }
    /// How many bytes have been read.
    package var bytesRead: Int { cursor.end }
    /// The size of the file.
    package var bytesTotal: Int? { file.bytes.count }

    /// Moves to the next line that isn't blank.
    package func next() throws -> Bool {
        guard enterLine() else {
            record.clear()
            return false
        }
        do {
            return try readLine()
        } catch {
            record.clear()
            cursor.offset = cursor.end
            throw locator.error(error, in: file, endsSource: false)
        }
    }

    /// The index in `columns` of a field.
    package func column(at index: Int) -> Int {
        record.column(at: index)
    }

    /// The value of a field.
    package func value(at index: Int) -> FieldValue {
        record.value(at: index, in: cursor.base)
    }

    /// The line and column where the object begins.
    package var recordPosition: SourcePosition {
        locator.position(of: recordStart, in: file)
    }

    /// The offset of the object.
    package var recordMark: Int { recordStart }

    /// Reads a line again.
    package func goBack(toRecordAt mark: Int) throws {
        (cursor.offset, cursor.end) = (mark, mark)
        _ = try next()
    }

    /// The line and column where the value begins.
    package func position(ofFieldAt index: Int) -> SourcePosition {
        _ = locator.place(of: recordStart)
        var ahead = locator
        return ahead.position(of: record.origin(at: index), in: file, field: columns[column(at: index)])
    }

    /// Moves the cursor to the first character of the next line that isn't blank.
    private func enterLine() -> Bool {
        while cursor.end < file.bytes.count {
            let start = cursor.base + cursor.end
            let rest = file.bytes.count - cursor.end
            let lineFeed = memchr(start, Int32(UInt8(ascii: "\n")), rest)
            cursor.end += lineFeed.map { UnsafeRawPointer($0) - start + 1 } ?? rest
            cursor.skipSpace()
            if cursor.byte != nil { return true }
        }
        return false
    }

    private func readLine() throws(JSONFault) -> Bool {
        recordStart = cursor.offset
        try cursor.require("{", "an object on the line")
        try record.read(&cursor, depth: 1)
        cursor.skipSpace()
        guard cursor.byte == nil else { throw cursor.unexpected("the end of the line behind the object") }
        return true
    }
}
