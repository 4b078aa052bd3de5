import Foundation

private let tab = UInt8(ascii: "\t")
private let lineFeed = UInt8(ascii: "\n")
private let carriageReturn = UInt8(ascii: "\r")
private let quotationMark = UInt8(ascii: "\"")

extension DelimitedReader {
    /// What a scan gathers on its way through a row.
    private struct RowScan {
        var cursor: Int
        /// All bytes of the row, or-ed: tells whether any is outside ASCII.
        var gathered: UInt64 = 0
        var hasEscapes = false
        var found = 0
    }

    /// Scans the next row that isn't blank; the number of its fields, 0 at the end of the file.
    func scanRow(isHeader: Bool) throws -> Int {
        var scan = RowScan(cursor: offset)
        while scan.cursor < end, byte(scan.cursor) == lineFeed || byte(scan.cursor) == carriageReturn {
            scan.cursor &+= 1
        }
        rowStart = scan.cursor
        offset = scan.cursor
        guard scan.cursor < end else { return 0 }
        var more = true
        while more {
            var field: DelimitedField
            if format.isQuoting, scan.cursor < end, byte(scan.cursor) == quotationMark {
                field = try scanQuotedField(&scan)
            } else {
                field = try scanBareField(&scan)
            }
            if scan.found < capacity || isHeader {
                store(field, at: scan.found)
            }
            scan.found &+= 1
            more = scan.cursor < end && byte(scan.cursor) == format.delimiter
            if more { scan.cursor &+= 1 }
        }
        let rowEnd = scan.cursor
        offset = afterLineBreak(rowEnd)
        if ByteSearch.nonASCII(scan.gathered) != 0 { try validate(to: rowEnd) }
        if scan.hasEscapes { decodeEscapedFields(scan.found) }
        return scan.found
    }

    @inline(__always)
    private func byte(_ offset: Int) -> UInt8 {
        base.load(fromByteOffset: offset, as: UInt8.self)
    }

    private func afterLineBreak(_ offset: Int) -> Int {
        guard offset < end else { return offset }
        let isPair = byte(offset) == carriageReturn && offset + 1 < end && byte(offset + 1) == lineFeed
        return offset + (isPair ? 2 : 1)
    }

    @inline(__always)
    private func store(_ field: DelimitedField, at index: Int) {
        if index == capacity { growFields() }
        (fields + index).initialize(to: field)
    }

    private func growFields() {
        let larger = UnsafeMutablePointer<DelimitedField>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: fields, count: capacity)
        fields.deallocate()
        fields = larger
        capacity *= 2
    }

    /// Scans to the delimiter, the line break or the end of the file.
    @inline(__always)
    private func scanBareField(_ scan: inout RowScan) throws -> DelimitedField {
        let start = scan.cursor
        var cursor = start
        defer { scan.cursor = cursor }
        let delimiters = ByteSearch.pattern(format.delimiter)
        // Tab, LF, CR and NUL are all below 14: one test finds them, and a few rare others that are passed over.
        while cursor &+ 8 <= end {
            let word = ByteSearch.load(base, cursor)
            scan.gathered |= word
            let stops = ByteSearch.below(word, 14) | ByteSearch.equal(word, delimiters)
            if stops == 0 {
                cursor &+= 8
                continue
            }
            cursor &+= ByteSearch.first(stops)
            if try isEndOfField(cursor) { return DelimitedField(start: start, end: cursor, origin: start, form: .bare) }
            cursor &+= 1
        }
        while cursor < end, try !isEndOfField(cursor) {
            scan.gathered |= UInt64(byte(cursor))
            cursor &+= 1
        }
        return DelimitedField(start: start, end: cursor, origin: start, form: .bare)
    }

    /// Whether a field ends at an offset where the scan has stopped; throws at a NUL.
    @inline(__always)
    private func isEndOfField(_ cursor: Int) throws -> Bool {
        let byte = byte(cursor)
        if byte == format.delimiter || byte == lineFeed || byte == carriageReturn { return true }
        if byte == 0 { throw nul(at: cursor) }
        return false
    }

    /// Scans a quoted field to behind its closing quotation mark.
    private func scanQuotedField(_ scan: inout RowScan) throws -> DelimitedField {
        let origin = scan.cursor
        var field = DelimitedField(start: origin &+ 1, end: origin, origin: origin, form: .quoted)
        var cursor = origin &+ 1
        while true {
            cursor = try nextQuotationMark(from: cursor, gathering: &scan.gathered)
            guard cursor < end else {
                offset = end
                throw error(at: origin, "the quotation mark that opens here is never closed", endsSource: true)
            }
            guard cursor &+ 1 < end, byte(cursor &+ 1) == quotationMark else { break }
            field.form = .escaped
            cursor &+= 2
        }
        field.end = cursor
        scan.hasEscapes = scan.hasEscapes || field.form == .escaped
        scan.cursor = cursor &+ 1
        if scan.cursor < end, try !isEndOfField(scan.cursor) {
            offset = end
            throw error(
                at: cursor &+ 1,
                "text after the closing quotation mark (inside quotes a quotation mark is written twice)",
                endsSource: true)
        }
        return field
    }

    /// The offset of the next quotation mark, or the end of the file.
    private func nextQuotationMark(from start: Int, gathering gathered: inout UInt64) throws -> Int {
        var cursor = start
        let quotes = ByteSearch.pattern(quotationMark)
        while cursor < end {
            if cursor &+ 8 <= end {
                let word = ByteSearch.load(base, cursor)
                gathered |= word
                let stops = ByteSearch.equal(word, quotes) | ByteSearch.below(word, 1)
                if stops == 0 {
                    cursor &+= 8
                    continue
                }
                cursor &+= ByteSearch.first(stops)
            }
            let byte = byte(cursor)
            if byte == quotationMark { break }
            if byte == 0 { throw nul(at: cursor) }
            gathered |= UInt64(byte)
            cursor &+= 1
        }
        return cursor
    }

    /// Checks that the row is UTF-8.
    private func validate(to rowEnd: Int) throws {
        guard let fault = UTF8Validation.firstFault(in: base, from: rowStart, to: rowEnd) else { return }
        throw error(at: fault, "not UTF-8", value: "byte 0x" + String(byte(fault), radix: 16, uppercase: true))
    }

    /// An error at a NUL; nothing after it is worth reading.
    private func nul(at cursor: Int) -> SourceError {
        offset = end
        return error(at: cursor, "a NUL byte: the file isn't text", endsSource: true)
    }
}
