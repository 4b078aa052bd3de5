/// Turns offsets in UTF-8 text into lines and columns.
///
/// Nothing is counted until a place is asked for, so that reading pays nothing. A place that was asked for is
/// remembered: asking for places in rising order reads the text once in all.
struct TextLocator {
    private let text: UnsafeRawBufferPointer
    private let start: Int
    private var offset: Int
    private var line = 1
    private var column = 1

    /// Counts from `start`, behind a byte order mark.
    init(_ text: UnsafeRawBufferPointer, from start: Int) {
        self.text = text
        self.start = start
        offset = start
    }

    /// The line and the column, counted from 1, of the character at `target`. Lines end with LF, CRLF or a lone CR;
    /// columns count Unicode scalars.
    mutating func place(of target: Int) -> (line: Int, column: Int) {
        if target < offset {
            (offset, line, column) = (start, 1, 1)
        }
        let target = min(target, text.count)
        while offset < target {
            let byte = text[offset]
            offset += 1
            switch byte {
            case UInt8(ascii: "\n"):
                (line, column) = (line + 1, 1)
            case UInt8(ascii: "\r"):
                if offset == text.count || text[offset] != UInt8(ascii: "\n") {
                    (line, column) = (line + 1, 1)
                }
            default:
                if byte & 0xC0 != 0x80 { column += 1 }
            }
        }
        return (line, column)
    }

    /// The place of an offset as it is shown to a person.
    mutating func position(of offset: Int, in file: SourceFile, field: String? = nil) -> SourcePosition {
        let place = place(of: offset)
        return SourcePosition(file: file.name, line: place.line, column: place.column, field: field)
    }

    /// The error for a fault in a JSON text.
    mutating func error(_ fault: JSONFault, in file: SourceFile, endsSource: Bool) -> SourceError {
        let position = position(of: fault.offset, in: file)
        return SourceError(position: position, message: fault.message, value: fault.value, endsSource: endsSource)
    }
}
