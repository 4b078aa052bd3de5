import CoreData

/// What an import keeps while it runs: the writer, the tables by which references are found, and where each row came
/// from.
final class ImportSession {
    let writer: SQLiteBulkWriter
    let references: References
    private let readers: [any RecordReader]
    /// For each entity's number how many rows were inserted.
    private(set) var counts: [Int]
    private(set) var warnings: [String] = []
    /// By the number of the root entity.
    private var origins: [RowOrigins]

    init(_ writer: SQLiteBulkWriter, _ readers: [any RecordReader]) {
        self.writer = writer
        self.readers = readers
        references = References(writer)
        counts = Array(repeating: 0, count: writer.schema.entities.count + 1)
        origins =
            [RowOrigins(firstKey: 0)] + writer.schema.entities.map { RowOrigins(firstKey: writer.firstNewKey($0)) }
    }

    var schema: SQLSchema { writer.schema }

    /// Writes a row; it takes the key that was promised to it, if one was.
    func insert(_ entity: SQLEntity, _ values: [SlotValue], from origin: RowOrigin) throws {
        let key = try references.settleKey(entity, values)
        origins[entity.root?.number ?? entity.number].note(key, origin)
        try writer.insert(entity, primaryKey: key, values)
        counts[entity.number] += 1
    }

    /// Keeps a message for the report, unless there are many already.
    func warn(_ message: @autoclosure () -> String) {
        if warnings.count < 20 { warnings.append(message()) }
    }

    /// Ties the rows together, checks them and makes them the store.
    func finish() throws {
        try refuseMissing()
        try RelationshipEnds(self).tie()
        try UniquenessCheck(self).refuseDuplicates()
        try writer.finish()
    }

    private func refuseMissing() throws {
        guard let (table, key, place, others) = references.firstMissing() else { return }
        let more = others > 0 ? " (and \(others) more such references)" : ""
        let reader = try goBack(to: place.origin)
        let index = (0..<reader.count).first { reader.column(at: $0) == place.column }
        throw SourceError(
            position: index.map(reader.position(ofFieldAt:)) ?? reader.recordPosition,
            message: "there is no \(table.entity.name) with the \(table.attributeName) '\(key)'\(more)", value: "\(key)"
        )
    }

    // MARK: Places

    /// Where a row came from; nil for one that the store had before.
    func origin(_ entity: SQLEntity, _ primaryKey: Int64) -> RowOrigin? {
        origins[entity.root?.number ?? entity.number][primaryKey]
    }

    /// Makes the record that a row came from the current one of its reader.
    private func goBack(to origin: RowOrigin) throws -> any RecordReader {
        let reader = readers[origin.file]
        try reader.goBack(toRecordAt: origin.mark)
        return reader
    }

    /// The place of a property's field in the record that a row came from, or of the record where it has none.
    func position(of origin: RowOrigin, _ property: String) throws -> (position: SourcePosition, text: String?) {
        let reader = try goBack(to: origin)
        guard let index = reader.indexOfField(property) else { return (reader.recordPosition, nil) }
        return (reader.position(ofFieldAt: index), AttributeConverter.text(reader.value(at: index)))
    }
}

extension RecordReader {
    /// The field of the current record that gives a property: `country` or `country.isoCode`.
    func indexOfField(_ property: String) -> Int? {
        (0..<count).first { index in
            let name = columns[column(at: index)]
            return name == property || name.hasPrefix(property + ".")
        }
    }
}
