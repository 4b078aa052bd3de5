/// A field of the current JSON record: what it is and where its text is.
struct JSONField {
    /// What the field is, and how its text is stored.
    enum Form: UInt8 {
        case null
        case yes
        case no
        /// A number in the file.
        case number
        /// Text in the file.
        case text
        /// Text with escapes, decoded in the record's memory.
        case decodedText
        /// A list or an empty object in the record's memory.
        case nested
    }

    /// The index of the column.
    var column: Int
    /// What the field is.
    var form: Form
    /// The offset of the value in the file.
    var origin: Int
    /// The offset of the first byte of the text; for a nested value its index.
    var start: Int
    /// The offset behind the last byte of the text.
    var end: Int
}
