/// A field of the current row: where its text is.
struct DelimitedField {
    /// How the text is stored.
    enum Form: UInt8 {
        /// In the file as it is.
        case bare
        /// In the file between quotation marks.
        case quoted
        /// In the file between quotation marks, with doubled quotation marks inside.
        case escaped
        /// In the reader's memory, decoded.
        case decoded
    }

    /// The offset of the first byte of the text.
    var start: Int
    /// The offset behind the last byte of the text.
    var end: Int
    /// The offset of the field in the file.
    var origin: Int
    /// How the text is stored.
    var form: Form
}
