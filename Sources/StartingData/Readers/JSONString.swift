/// A string in a JSON text: what is between the quotation marks, undecoded.
struct JSONString {
    /// The offset behind the opening quotation mark.
    var start: Int
    /// The offset of the closing quotation mark.
    var end: Int
    /// Whether there are escapes to decode.
    var hasEscapes: Bool
}
