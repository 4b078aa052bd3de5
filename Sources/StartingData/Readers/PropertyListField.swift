/// A field of the current record of a property list.
struct PropertyListField {
    /// The index of the column.
    var column: Int
    /// The value.
    var value: OwnedValue
    /// Where the text of a text or number is in the reader's memory.
    var text: Range<Int>?
}
