/// A source of records, read one after the other.
///
///     let reader = try openReader(url)
///     while try reader.next() {
///         for index in 0..<reader.count {
///             use(reader.columns[reader.column(at: index)], reader.value(at: index))
///         }
///     }
///
/// When `next()` throws, calling it again goes on with the record after the faulty one; after an error whose `endsSource`
/// is true it returns false for ever.
package protocol RecordReader: AnyObject {
    /// The names of the columns seen so far. The list may grow with each `next()` and never shrinks or changes order,
    /// also when the entity changes: an index stays good for the life of the reader.
    var columns: [String] { get }
    /// The entity of the current record, for sources which hold several entities.
    var entityName: String? { get }
    /// The number of fields in the current record.
    var count: Int { get }
    /// The place of the current record.
    var recordPosition: SourcePosition { get }
    /// Where the current record is, for going back to it: a number that rises from record to record. Costs nothing.
    var recordMark: Int { get }
    /// How many bytes have been read, for showing progress.
    var bytesRead: Int { get }
    /// How many bytes there are to read, if that is known.
    var bytesTotal: Int? { get }

    /// Moves to the next record; false at the end.
    func next() throws -> Bool
    /// Makes a record that has been read the current one again, so that a message can tell of it. What `next()` does
    /// afterwards is not defined.
    func goBack(toRecordAt mark: Int) throws
    /// The index in `columns` of a field of the current record.
    func column(at index: Int) -> Int
    /// The value of a field of the current record.
    func value(at index: Int) -> FieldValue
    /// The place of a column's name, for formats that name the columns once, in a header.
    func positionOfName(ofColumn column: Int) -> SourcePosition?
    /// The place of a field of the current record. Costly: for messages only.
    func position(ofFieldAt index: Int) -> SourcePosition
}

extension RecordReader {
    /// Without a header each record has the names of its fields.
    package func positionOfName(ofColumn column: Int) -> SourcePosition? { nil }
}
