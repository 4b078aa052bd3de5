import Foundation
import Testing

@testable import StartingData

@Suite("Delimited text")
struct DelimitedReaderTests {
    @Test("The header names the columns and every other row is a record")
    func header() throws {
        let file = try TemporaryFile("cities.csv", "name,population\nReykjavík,139875\nOslo,717710\n")
        let reader = try openReader(file.url)
        #expect(reader.columns == ["name", "population"])
        #expect(reader.entityName == nil)
        #expect(
            try reader.remainingRows() == [
                [.text("Reykjavík"), .text("139875")], [.text("Oslo"), .text("717710")],
            ])
        #expect(try !reader.next())
        #expect(reader.bytesRead == reader.bytesTotal)
    }

    @Test(
        "Rows end with LF, CRLF or a lone CR, and the last one needs no end",
        arguments: ["\n", "\r\n", "\r"], ["", "\n", "\r\n", "\r"])
    func lineBreaks(lineBreak: String, last: String) throws {
        let text = ["a,b", "1,2", "3,4"].joined(separator: lineBreak) + last
        #expect(try rows("x.csv", text) == [[.text("1"), .text("2")], [.text("3"), .text("4")]])
    }

    @Test("A file with a header only has no records")
    func headerOnly() throws {
        #expect(try rows("x.csv", "a,b") == [])
        #expect(try rows("x.csv", "a,b\n") == [])
    }

    @Test("A byte order mark isn't part of the first name")
    func byteOrderMark() throws {
        let file = try TemporaryFile("x.csv", "\u{FEFF}a,b\n1,2\n")
        #expect(try openReader(file.url).columns == ["a", "b"])
    }

    @Test("An empty cell is no value, an empty quoted cell is empty text")
    func empty() throws {
        #expect(try rows("x.csv", "a,b,c\n,\"\",\n") == [[.null, .text(""), .null]])
        #expect(try rows("x.tsv", "a\tb\tc\n\t\"\"\t") == [[.null, .text(""), .null]])
    }

    @Test("A quoted field may hold delimiters, line breaks and doubled quotation marks")
    func quoted() throws {
        let text = "a,b\n\"1,5\",\"two\nlines\"\n\"say \"\"hi\"\"\",\"\"\"\"\n"
        #expect(try rows("x.csv", text) == [[.text("1,5"), .text("two\nlines")], [.text("say \"hi\""), .text("\"")]])
    }

    @Test("A quotation mark inside an unquoted field is a character like others")
    func bareQuotationMark() throws {
        #expect(try rows("x.csv", "a,b\n5\" disk,\"x\"\n") == [[.text("5\" disk"), .text("x")]])
    }

    @Test("Spaces belong to the text")
    func spaces() throws {
        #expect(try rows("x.csv", "a,b\n x , \n") == [[.text(" x "), .text(" ")]])
    }

    @Test("A wholly blank line is skipped")
    func blankLines() throws {
        let text = "\n\r\na,b\n\n1,2\n\r\n\r\n3,4\n\n"
        #expect(try rows("x.csv", text) == [[.text("1"), .text("2")], [.text("3"), .text("4")]])
    }

    @Test("Tab-separated text quotes as CSV does, commas are text")
    func tabs() throws {
        #expect(try rows("x.tsv", "a\tb\n1,5\t\"x\ty\"\n") == [[.text("1,5"), .text("x\ty")]])
        #expect(try rows("x.txt", "a\tb\n1\t2\n") == [[.text("1"), .text("2")]])
        #expect(try rows("x.TAB", "a\tb\n1\t2\n") == [[.text("1"), .text("2")]])
    }

    @Test("Without quoting, quotation marks are text")
    func unquoted() throws {
        let file = try TemporaryFile("x.txt", "a\tb\n\"A\" hill\t\"\n")
        let reader = try openReader(file.url, format: .delimited(.unquotedTSV))
        #expect(try reader.remainingRows() == [[.text("\"A\" hill"), .text("\"")]])
    }

    @Test("Another delimiter can be asked for, if it is one ASCII character that means nothing else")
    func otherDelimiter() throws {
        let format = try #require(DelimitedFormat(delimiter: ";"))
        let file = try TemporaryFile("x.csv", "a;b\n1,5;\"x;y\"\n")
        #expect(try openReader(file.url, format: .delimited(format)).remainingRows() == [[.text("1,5"), .text("x;y")]])
        for character: Character in ["\"", "\n", "\r", "\r\n", "\0", "é"] {
            #expect(DelimitedFormat(delimiter: character) == nil)
        }
    }

    @Test("A header wider than the reader's first guess is read whole")
    func wide() throws {
        let names = (0..<1000).map { "c\($0)" }
        let cells = (0..<1000).map { $0 % 7 == 0 ? "\"\($0)\"\"\"" : "\($0)" }
        let file = try TemporaryFile("x.csv", names.joined(separator: ",") + "\n" + cells.joined(separator: ","))
        let reader = try openReader(file.url)
        #expect(reader.columns == names)
        #expect(try reader.next())
        #expect(reader.value(at: 994).owned == .text("994\""))
        #expect(reader.value(at: 999).owned == .text("999"))
    }

    @Test("A path in the header is a name like others")
    func paths() throws {
        let file = try TemporaryFile("x.csv", "name,country.isoCode\nOslo,NO\n")
        #expect(try openReader(file.url).columns == ["name", "country.isoCode"])
    }
}

@Suite("Places in delimited text")
struct DelimitedPositionTests {
    @Test("A field's column is counted in characters, its line across quoted line breaks")
    func positions() throws {
        let file = try TemporaryFile("x.csv", "a,b\n\"1\n\r\n\r2\",é\n\n日本,\"x\"\n")
        let reader = try openReader(file.url)
        #expect(try reader.next())
        #expect(reader.recordPosition == SourcePosition(file: "x.csv", line: 2, column: 1))
        #expect(reader.position(ofFieldAt: 0) == SourcePosition(file: "x.csv", line: 2, column: 1, field: "a"))
        #expect(reader.position(ofFieldAt: 1) == SourcePosition(file: "x.csv", line: 5, column: 4, field: "b"))
        #expect(try reader.next())
        #expect(reader.position(ofFieldAt: 1) == SourcePosition(file: "x.csv", line: 7, column: 4, field: "b"))
        #expect(reader.position(ofFieldAt: 0).description == "x.csv:7:1")
        #expect(reader.recordPosition.description == "x.csv:7:1")
    }
}

@Suite("Faults in delimited text")
struct DelimitedFaultTests {
    @Test("A row of the wrong width is named with what was expected and found, and the next row can be read")
    func width() throws {
        let file = try TemporaryFile("x.csv", "a,b\n1,2,3\n4\n5,6\n")
        let reader = try openReader(file.url)
        var error = try #require(throws: SourceError.self) { try reader.next() }
        #expect(error.description == "x.csv:2:1: expected 2 fields, as in the header, but found 3")
        #expect(error.localizedDescription == error.description)
        #expect(!error.endsSource)
        error = try #require(throws: SourceError.self) { try reader.next() }
        #expect(error.description == "x.csv:3:1: expected 2 fields, as in the header, but found 1")
        #expect(try reader.remainingRows() == [[.text("5"), .text("6")]])
    }

    @Test("A header must name every column, each differently")
    func header() throws {
        #expect(try complaint("x.csv", "a,,c\n1,2,3\n") == "x.csv:1:3: column 2 has no name in the header")
        #expect(try complaint("x.csv", "a, \n") == "x.csv:1:3: column 2 has no name in the header")
        #expect(try complaint("x.csv", "a,b,a\n") == "x.csv:1:5: two columns are named a")
        #expect(try complaint("x.csv", "\n\n") == "x.csv:3:1: no header: the file holds only blank lines")
        #expect(try complaint("x.csv", "\u{FEFF}") == "x.csv:1:1: no header: the file holds only blank lines")
    }

    @Test("A quotation mark that is never closed is named by where it opens, and ends the source")
    func unterminated() throws {
        let file = try TemporaryFile("x.csv", "a,b\n1,2\n3,\"four\n5,6\n")
        let reader = try openReader(file.url)
        #expect(try reader.next())
        let error = try #require(throws: SourceError.self) { try reader.next() }
        #expect(error.description == "x.csv:3:3: the quotation mark that opens here is never closed")
        #expect(error.endsSource)
        #expect(try !reader.next())
        #expect(try complaint("x.csv", "a\n\"") == "x.csv:2:1: the quotation mark that opens here is never closed")
    }

    @Test("Text after a closing quotation mark is a fault")
    func textAfterQuotes() throws {
        let message = "text after the closing quotation mark (inside quotes a quotation mark is written twice)"
        #expect(try complaint("x.csv", "a,b\n1,\"x\" ,\n") == "x.csv:2:6: \(message)")
    }

    @Test("Bytes that aren't UTF-8 are named by line and column, and the next row can be read")
    func notUTF8() throws {
        var content = Data("a,b\né,".utf8)
        content += [0xE9, 0x74, 0xE9]
        content += Data("\n1,2\n".utf8)
        let file = try TemporaryFile("x.csv", content)
        let reader = try openReader(file.url)
        let error = try #require(throws: SourceError.self) { try reader.next() }
        #expect(error.description == "x.csv:2:3: not UTF-8")
        #expect(error.value == "byte 0xE9")
        #expect(try reader.remainingRows() == [[.text("1"), .text("2")]])
    }

    @Test("The last bytes of a file must be UTF-8 too, in quotes and without", arguments: 0...9)
    func notUTF8AtTheEnd(length: Int) throws {
        let text = [UInt8](repeating: 0x78, count: length)
        let place = "x.csv:2:\(length + 1)"
        #expect(try complaint("x.csv", Data(Array("a\n".utf8) + text + [0xE9])) == "\(place): not UTF-8")
        let quoted = Data(Array("a\n\"".utf8) + text + [0xE9] + Array("\"".utf8))
        #expect(try complaint("x.csv", quoted) == "x.csv:2:\(length + 2): not UTF-8")
    }

    @Test("A NUL is a fault, in quotes and without")
    func nul() throws {
        #expect(try complaint("x.csv", "a,b\n1,x\0\n") == "x.csv:2:4: a NUL byte: the file isn't text")
        let quoted = "a,b\n1,\"some longer text x\0\"\n"
        #expect(try complaint("x.csv", quoted) == "x.csv:2:22: a NUL byte: the file isn't text")
    }

    @Test("UTF-16 is recognised", arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian])
    func utf16(encoding: String.Encoding) throws {
        let content = try #require("\u{FEFF}a,b\n".data(using: encoding))
        #expect(try complaint("x.csv", content) == "x.csv: the text is UTF-16; save it as UTF-8")
    }
}
