/// How a delimited text separates and quotes its fields.
package struct DelimitedFormat: Sendable, Equatable {
    /// The byte between two fields.
    package let delimiter: UInt8
    /// Whether a field that begins with a quotation mark is quoted.
    package let isQuoting: Bool

    /// Comma-separated values as RFC 4180 describes them.
    package static let csv = DelimitedFormat(ascii: ",", isQuoting: true)
    /// Tab-separated values with the quotes of CSV where a field begins with one: what spreadsheets, R and pandas write.
    package static let tsv = DelimitedFormat(ascii: "\t", isQuoting: true)
    /// Tab-separated values in which a quotation mark is a character like others: GeoNames, IANA's media type.
    package static let unquotedTSV = DelimitedFormat(ascii: "\t", isQuoting: false)

    /// A format with another delimiter: an ASCII character other than a quotation mark, a line break or NUL.
    package init?(delimiter: Character, isQuoting: Bool = true) {
        let reserved: [Character] = ["\"", "\n", "\r", "\r\n", "\0"]
        guard let byte = delimiter.asciiValue, !reserved.contains(delimiter) else { return nil }
        self.delimiter = byte
        self.isQuoting = isQuoting
    }

    private init(ascii: Unicode.Scalar, isQuoting: Bool) {
        delimiter = UInt8(ascii: ascii)
        self.isQuoting = isQuoting
    }
}
