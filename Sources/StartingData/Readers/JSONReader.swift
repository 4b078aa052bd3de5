import Foundation

/// Reads a JSON text (RFC 8259) that is an array of objects, or an object of such arrays by entity:
///
///     [{"name": "Oslo", "country": {"isoCode": "NO"}}]
///     {"Country": [{"isoCode": "NO"}], "City": [{"name": "Oslo"}]}
///
/// Objects in a record are flattened: the first example has the columns `name` and `country.isoCode`. A key with a point
/// in it means the same as nested objects. An empty object and an array are values.
///
/// The text is read as it lies in the file, one record at a time; numbers keep their literal text. Every fault ends the
/// source.
package final class JSONReader: RecordReader {
    private enum State {
        /// Behind the `{` of the whole text, or behind an array in it.
        case betweenEntities(isFirst: Bool)
        /// Behind the `[` of an array of records, or behind a record in it.
        case betweenRecords(isFirst: Bool)
        /// Behind the end.
        case finished
    }

    /// The entity whose array the current record is in; `nil` if the text is one array.
    package private(set) var entityName: String?
    private let file: SourceFile
    private var cursor: JSONCursor
    private var record = JSONRecord()
    private var recordStart = 0
    private var locator: TextLocator
    private var state: State
    private let hasEntities: Bool
    private var entityNames: Set<String> = []

    /// Opens a file.
    package convenience init(_ url: URL, name: String? = nil) throws {
        try self.init(SourceFile(url, name: name))
    }

    init(_ file: SourceFile) throws {
        guard let base = file.bytes.baseAddress else { preconditionFailure("a source file is never empty") }
        self.file = file
        let start = try file.lengthOfByteOrderMark()
        var cursor = JSONCursor(base: base, end: file.bytes.count, offset: start)
        var locator = TextLocator(file.bytes, from: start)
        hasEntities = cursor.skip("{")
        guard hasEntities || cursor.skip("[") else {
            throw locator.error(cursor.unexpected(Self.shape), in: file, endsSource: true)
        }
        state = hasEntities ? .betweenEntities(isFirst: true) : .betweenRecords(isFirst: true)
        self.cursor = cursor
        self.locator = locator
    }

    /// The paths of all fields so far, those of all entities together.
    package var columns: [String] { record.columns }
    /// The number of fields in the current record.
    package var count: Int { record.count }
    /// How many bytes have been read.
    package var bytesRead: Int { cursor.offset }
    /// The size of the file.
    package var bytesTotal: Int? { cursor.end }

    /// Moves to the next object.
    package func next() throws -> Bool {
        do {
            return try advance()
        } catch {
            record.clear()
            state = .finished
            throw locator.error(error, in: file, endsSource: true)
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

    /// Reads an object again.
    package func goBack(toRecordAt mark: Int) throws {
        cursor.offset = mark
        state = .betweenRecords(isFirst: true)
        _ = try next()
    }

    /// The line and column where the value begins.
    package func position(ofFieldAt index: Int) -> SourcePosition {
        _ = locator.place(of: recordStart)
        var ahead = locator
        return ahead.position(of: record.origin(at: index), in: file, field: columns[column(at: index)])
    }
}

extension JSONReader {
    private static let shape = "an array of objects, or an object of such arrays by entity"

    private func advance() throws(JSONFault) -> Bool {
        while true {
            switch state {
            case .betweenEntities(let isFirst): try enterEntity(isFirst: isFirst)
            case .betweenRecords(let isFirst):
                if try enterRecord(isFirst: isFirst) { return true }
            case .finished:
                record.clear()
                return false
            }
        }
    }

    private func enterRecord(isFirst: Bool) throws(JSONFault) -> Bool {
        if isFirst ? cursor.skip("]") : !cursor.skip(",") {
            if !isFirst { try cursor.require("]", "a comma or ] after the object") }
            if hasEntities { state = .betweenEntities(isFirst: false) } else { try finish() }
            return false
        }
        try cursor.require("{", "an object")
        recordStart = cursor.offset - 1
        try record.read(&cursor, depth: hasEntities ? 3 : 2)
        state = .betweenRecords(isFirst: false)
        return true
    }

    private func enterEntity(isFirst: Bool) throws(JSONFault) {
        if isFirst ? cursor.skip("}") : !cursor.skip(",") {
            if !isFirst { try cursor.require("}", "a comma or } after the array") }
            return try finish()
        }
        let key = try cursor.readString("the name of an entity in quotation marks")
        let name = cursor.text(of: key)
        guard entityNames.insert(name).inserted else {
            throw JSONFault(offset: key.start - 1, message: "the key \(name) occurs twice in one object", value: name)
        }
        try cursor.require(":", "a colon after the name of the entity")
        try cursor.require("[", "an array of objects for the entity \(name) (a JSON source is \(Self.shape))")
        entityName = name
        state = .betweenRecords(isFirst: true)
    }

    private func finish() throws(JSONFault) {
        cursor.skipSpace()
        guard cursor.byte == nil else { throw cursor.unexpected("the end of the file") }
        state = .finished
    }
}
