import Foundation

/// Reads a property list, XML or binary, that is an array of dictionaries, or a dictionary of such arrays by entity.
///
/// Dictionaries in a record are flattened as `JSONReader` flattens objects: `country` with the key `isoCode` is the column
/// `country.isoCode`. The values have the types of the property list. A property list has no order of keys: entities and
/// fields come in the order of the names (by Unicode scalars), so that reading the same file gives the same records.
///
/// A list in binary form is decoded a record at a time; one in XML form is held in memory, by Foundation's objects. A
/// record that isn't a dictionary can be skipped by calling `next()` again; a damaged one ends the source.
package final class PropertyListReader: RecordReader {
    /// The paths of all fields so far, those of all entities together.
    package var columns: [String] { paths.columns }
    /// The entity whose array the current record is in; `nil` if the property list is one array.
    package private(set) var entityName: String?
    /// The number of fields in the current record.
    package var count: Int { fields.count }

    private let fileName: String
    private let size: Int
    private let groups: [PropertyListGroup]
    private let recordCount: Int
    private var group = 0
    private var nextRecord = 0
    /// The number of the current record in its array.
    private var number = 0
    /// The number of the current record in the file.
    private var total = 0
    /// How many records have been read, those read again included: the mark for paths.
    private var reads = 0
    private var paths = FieldPaths()
    private var previousPath = -1
    private var fields: [PropertyListField] = []
    /// The texts of the current record.
    private var texts = ByteBuffer()

    /// Opens a file.
    package convenience init(_ url: URL, name: String? = nil) throws {
        try self.init(SourceFile(url, name: name))
    }

    init(_ file: SourceFile) throws {
        fileName = file.name
        size = file.bytes.count
        groups = try PropertyListGroup.groups(in: file)
        recordCount = groups.reduce(0) { $0 + $1.records.count }
    }

    /// As much of the file as records have been read: where they lie in it isn't known.
    package var bytesRead: Int {
        recordCount == 0 ? size : Int(Double(size) * Double(total) / Double(recordCount))
    }
    /// The size of the file.
    package var bytesTotal: Int? { size }

    /// Moves to the next dictionary.
    package func next() throws -> Bool {
        clear()
        while group < groups.count, nextRecord == groups[group].records.count {
            (group, nextRecord, number) = (group + 1, 0, 0)
        }
        guard group < groups.count else { return false }
        let records = groups[group].records
        entityName = groups[group].entity
        let index = nextRecord
        nextRecord += 1
        number += 1
        total += 1
        reads += 1
        do {
            let record = try records.record(at: index)
            guard case .object(let members) = record else {
                throw SourceError(
                    position: recordPosition, message: "expected a dictionary, but found \(record.kind)")
            }
            try flatten(members, prefix: "")
            return true
        } catch let fault as BinaryPropertyList.Fault {
            clear()
            group = groups.count
            let message = "the property list is damaged: \(fault.message)"
            throw SourceError(position: recordPosition, message: message, endsSource: true)
        } catch {
            clear()
            throw error
        }
    }

    /// The index in `columns` of a field.
    package func column(at index: Int) -> Int {
        fields[index].column
    }

    /// The value of a field.
    package func value(at index: Int) -> FieldValue {
        let field = fields[index]
        let bytes = UnsafeRawBufferPointer(rebasing: texts.bytes[field.text ?? 0..<0])
        switch field.value {
        case .null: return .null
        case .text: return .text(bytes)
        case .number: return .number(bytes)
        case .integer(let number): return .integer(number)
        case .real(let number): return .real(number)
        case .boolean(let flag): return .boolean(flag)
        case .date(let date): return .date(date)
        case .data(let data): return .data(data)
        case .list(let values): return .list(values)
        case .object(let fields): return .object(fields)
        }
    }

    /// The number of the record in its array.
    package var recordPosition: SourcePosition {
        SourcePosition(file: fileName, record: number)
    }

    /// The number of the record in the file.
    package var recordMark: Int { total }

    /// Reads a record again.
    package func goBack(toRecordAt mark: Int) throws {
        (group, nextRecord, total) = (0, mark - 1, mark - 1)
        while group < groups.count, nextRecord >= groups[group].records.count {
            nextRecord -= groups[group].records.count
            group += 1
        }
        number = nextRecord
        _ = try next()
    }

    /// The number of the record in its array, and the key.
    package func position(ofFieldAt index: Int) -> SourcePosition {
        SourcePosition(file: fileName, record: number, field: columns[column(at: index)])
    }
}

extension PropertyListReader {
    private func clear() {
        fields.removeAll(keepingCapacity: true)
        texts.removeAll()
        previousPath = -1
    }

    private func flatten(_ members: [OwnedField], prefix: String) throws {
        for member in members {
            var name = prefix + member.key
            guard !member.key.isEmpty else { throw error("an empty key", name) }
            guard name.utf8.count <= FieldPaths.lengthLimit else {
                throw error("a path of more than \(FieldPaths.lengthLimit) bytes", String(name.prefix(40)))
            }
            let path = name.withUTF8 { paths.index(of: UnsafeRawBufferPointer($0), after: previousPath) }
            previousPath = path
            guard paths.mark(path, in: reads) else { throw error("the key occurs twice in one record", name) }
            if case .object(let nested) = member.value, !nested.isEmpty {
                try flatten(nested, prefix: name + ".")
            } else {
                add(member.value, path)
            }
        }
    }

    private func add(_ value: OwnedValue, _ path: Int) {
        var field = PropertyListField(column: paths.column(of: path), value: value)
        switch value {
        case .text(var string), .number(var string):
            let start = texts.count
            string.withUTF8 { bytes in
                if let base = bytes.baseAddress { texts.append(base, bytes.count) }
            }
            field.text = start..<texts.count
        default: break
        }
        fields.append(field)
    }

    private func error(_ message: String, _ name: String) -> SourceError {
        SourceError(position: SourcePosition(file: fileName, record: number, field: name), message: message)
    }
}
