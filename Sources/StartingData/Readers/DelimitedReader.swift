import Foundation

/// Reads delimited text (CSV, TSV): a header with the names of the columns, then one record a row.
///
/// - Rows end with LF, CRLF or a lone CR; a wholly blank line is skipped, also before the header. A byte order mark is
///   skipped.
/// - A field that begins with a quotation mark is quoted, if the format has quotes: it may hold delimiters, line breaks
///   and doubled quotation marks. A quotation mark further on in an unquoted field is a character like others.
/// - An empty unquoted field is `.null`, a quoted empty field is empty text. Spaces belong to the text.
/// - The text must be UTF-8 without NUL.
///
/// Fields are scanned in place: no field costs an allocation. A row of the wrong width or with bad characters can be
/// skipped by calling `next()` again; a fault in the quotes ends the source.
package final class DelimitedReader: RecordReader {
    /// The names in the header.
    package private(set) var columns: [String] = []
    /// Always `nil`.
    package var entityName: String? { nil }
    /// The number of fields in the current row: as many as there are columns.
    package private(set) var count = 0

    /// Where the names in the header are.
    private var nameOrigins: [Int] = []
    let file: SourceFile
    let format: DelimitedFormat
    let base: UnsafeRawPointer
    let end: Int
    /// Where the next row begins.
    var offset = 0
    /// Where the current row begins.
    var rowStart = 0
    /// The fields of the current row; those beyond the capacity are only counted.
    var fields: UnsafeMutablePointer<DelimitedField>
    var capacity = 64
    /// Fields with doubled quotation marks, decoded.
    private var decoded = ByteBuffer()
    private var locator: TextLocator

    /// Reads the header of a file.
    package convenience init(_ url: URL, name: String? = nil, format: DelimitedFormat = .csv) throws {
        try self.init(SourceFile(url, name: name), format: format)
    }

    init(_ file: SourceFile, format: DelimitedFormat) throws {
        self.file = file
        self.format = format
        guard let base = file.bytes.baseAddress else { preconditionFailure("a source file is never empty") }
        self.base = base
        end = file.bytes.count
        offset = try file.lengthOfByteOrderMark()
        locator = TextLocator(file.bytes, from: offset)
        fields = .allocate(capacity: capacity)
        try readHeader()
    }

    deinit {
        fields.deallocate()
    }

    /// Moves to the next row.
    package func next() throws -> Bool {
        count = 0
        let found = try scanRow(isHeader: false)
        guard found > 0 else { return false }
        guard found == columns.count else { throw wrongWidth(found) }
        count = found
        return true
    }

    /// The fields are in the order of the columns.
    package func column(at index: Int) -> Int {
        index
    }

    /// The value of a field: `.null` or `.text`.
    package func value(at index: Int) -> FieldValue {
        text(at: index).map { .text($0) } ?? .null
    }

    /// The text of a field, `nil` for no value; the quick way to what `value(at:)` returns.
    @inline(__always)
    package func text(at index: Int) -> UnsafeRawBufferPointer? {
        precondition(index >= 0 && index < count, "no such field in this row")
        let field = fields[index]
        switch field.form {
        case .bare where field.start == field.end:
            return nil
        case .bare, .quoted:
            return UnsafeRawBufferPointer(start: base + field.start, count: field.end &- field.start)
        case .escaped, .decoded:
            return UnsafeRawBufferPointer(rebasing: decoded.bytes[field.start..<field.end])
        }
    }

    /// The line and column where the row begins.
    package var recordPosition: SourcePosition {
        position(of: rowStart)
    }

    /// The line and column where the field begins; for a quoted field those of the quotation mark.
    package func position(ofFieldAt index: Int) -> SourcePosition {
        precondition(index >= 0 && index < count, "no such field in this row")
        return position(of: fields[index].origin, field: columns[index])
    }

    /// The line and column of a name in the header.
    package func positionOfName(ofColumn column: Int) -> SourcePosition? {
        nameOrigins.indices.contains(column) ? position(of: nameOrigins[column], field: columns[column]) : nil
    }

    /// The offset of the row.
    package var recordMark: Int { rowStart }

    /// Reads a row again.
    package func goBack(toRecordAt mark: Int) throws {
        offset = mark
        _ = try next()
    }

    /// How many bytes have been read.
    package var bytesRead: Int { offset }
    /// The size of the file.
    package var bytesTotal: Int? { end }
}

extension DelimitedReader {
    private func readHeader() throws {
        let found = try scanRow(isHeader: true)
        guard found > 0 else { throw error(at: offset, "no header: the file holds only blank lines", endsSource: true) }
        count = found
        var known: Set<String> = []
        for index in 0..<found {
            let name = text(at: index).map { String(decoding: $0, as: UTF8.self) } ?? ""
            let origin = fields[index].origin
            guard !name.allSatisfy(\.isWhitespace) else {
                throw error(at: origin, "column \(index + 1) has no name in the header", endsSource: true)
            }
            guard known.insert(name).inserted else {
                throw error(at: origin, "two columns are named \(name)", value: name, endsSource: true)
            }
            columns.append(name)
            nameOrigins.append(origin)
        }
        count = 0
    }

    private func wrongWidth(_ found: Int) -> SourceError {
        let expected = columns.count == 1 ? "1 field" : "\(columns.count) fields"
        return error(at: rowStart, "expected \(expected), as in the header, but found \(found)")
    }

    /// Decodes the fields of the current row that hold doubled quotation marks.
    func decodeEscapedFields(_ found: Int) {
        decoded.removeAll()
        for index in 0..<min(found, capacity) where fields[index].form == .escaped {
            let field = fields[index]
            let start = decoded.count
            var cursor = field.start
            while cursor < field.end {
                let rest = base + cursor
                guard let quote = memchr(rest, 0x22, field.end - cursor) else {
                    decoded.append(rest, field.end - cursor)
                    break
                }
                // The first of the two quotation marks is part of the text, the second is not.
                let length = UnsafeRawPointer(quote) - rest + 1
                decoded.append(rest, length)
                cursor += length + 1
            }
            fields[index].form = .decoded
            fields[index].start = start
            fields[index].end = decoded.count
        }
    }

    /// An error at an offset of the file.
    func error(at offset: Int, _ message: String, value: String? = nil, endsSource: Bool = false) -> SourceError {
        SourceError(position: position(of: offset), message: message, value: value, endsSource: endsSource)
    }

    private func position(of offset: Int, field: String? = nil) -> SourcePosition {
        // The locator stays at the row: it goes on from there for each of its fields.
        _ = locator.place(of: rowStart)
        var ahead = locator
        return ahead.position(of: offset, in: file, field: field)
    }
}
