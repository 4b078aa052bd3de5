import Foundation
import Testing

@testable import StartingData

/// A record as a test compares it: its fields by name, in order.
struct ReadRecord: Equatable {
    var entity: String?
    var fields: [OwnedField]
}

extension RecordReader {
    /// The current record.
    var record: ReadRecord {
        let fields = (0..<count).map { OwnedField(key: columns[column(at: $0)], value: value(at: $0).owned) }
        return ReadRecord(entity: entityName, fields: fields)
    }

    /// All records that are left.
    func remainingRecords() throws -> [ReadRecord] {
        var records: [ReadRecord] = []
        while try next() { records.append(record) }
        return records
    }

    /// The values of all records that are left, without their names.
    func remainingRows() throws -> [[OwnedValue]] {
        try remainingRecords().map { $0.fields.map(\.value) }
    }
}

/// All records of a file with a name and bytes.
func records(_ name: String, _ content: Data) throws -> [ReadRecord] {
    let file = try TemporaryFile(name, content)
    return try openReader(file.url).remainingRecords()
}

/// All records of a file with a name and a text.
func records(_ name: String, _ text: String) throws -> [ReadRecord] {
    try records(name, Data(text.utf8))
}

/// The values of all records of a file, without their names.
func rows(_ name: String, _ text: String) throws -> [[OwnedValue]] {
    try records(name, text).map { $0.fields.map(\.value) }
}

/// The error that reading a file ends with, as a person sees it.
func complaint(_ name: String, _ text: String) throws -> String {
    try complaint(name, Data(text.utf8))
}

/// The error that reading a file ends with, as a person sees it.
func complaint(_ name: String, _ content: Data) throws -> String {
    let error = try #require(throws: SourceError.self) { try records(name, content) }
    return error.description
}
