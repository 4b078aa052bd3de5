import Foundation
import Testing

@testable import StartingData

@Suite("Opening a source")
struct OpenReaderTests {
    private func complaint(_ url: URL, name: String? = nil) throws -> String {
        try #require(throws: SourceError.self) { try openReader(url, name: name) }.description
    }

    @Test("The extension of the name tells the format")
    func formats() throws {
        let contents = [
            "csv": "a\n1\n", "TSV": "a\n1\n", "tab": "a\n1\n", "txt": "a\n1\n", "Json": "[{\"a\":\"1\"}]",
            "ndjson": "{\"a\":\"1\"}", "jsonl": "{\"a\":\"1\"}",
            "plist": "<plist><array><dict><key>a</key><string>1</string></dict></array></plist>",
        ]
        #expect(Set(contents.keys.map { $0.lowercased() }) == Set(SourceFormat.pathExtensions))
        for (pathExtension, content) in contents {
            #expect(try rows("x.\(pathExtension)", content) == [[.text("1")]], "\(pathExtension)")
        }
    }

    @Test("A format that is given goes before the extension, a name that is given is used in messages")
    func givenFormat() throws {
        let file = try TemporaryFile("x.data", "{\"a\":1}\n1")
        let reader = try openReader(file.url, name: "data/x.data", format: .ndjson)
        #expect(try reader.next())
        #expect(reader.recordPosition.description == "data/x.data:1:1")
    }

    @Test("A missing file, a directory, an unknown extension, an empty file and another URL are named")
    func faults() throws {
        let file = try TemporaryFile("x.csv", "")
        let directory = file.url.deletingLastPathComponent()
        #expect(try complaint(file.url) == "x.csv: the file is empty")
        #expect(try complaint(directory.appendingPathComponent("none.csv")) == "none.csv: no such file")
        #expect(try complaint(directory, name: "folder") == "folder: is a directory, not a file")
        let web = try #require(URL(string: "https://example.org/x.csv"))
        #expect(try complaint(web) == "https://example.org/x.csv: not a file")
        let known = "the format is known for .csv, .tsv, .tab, .txt, .json, .ndjson, .jsonl, .plist"
        let sheet = try TemporaryFile("x.xlsx", "PK")
        #expect(try complaint(sheet.url) == "x.xlsx: unknown extension .xlsx; \(known)")
        let bare = try TemporaryFile("data", "a,b")
        #expect(try complaint(bare.url) == "data: the name has no extension; \(known)")
    }

    @Test("A pipe is read like a file")
    func pipe() throws {
        let file = try TemporaryFile("x.csv", "")
        let url = file.url.deletingLastPathComponent().appendingPathComponent("pipe.csv")
        try #require(mkfifo(url.path, 0o600) == 0)
        let thread = Thread {
            guard let handle = FileHandle(forWritingAtPath: url.path) else { return }
            handle.write(Data("a,b\n1,2\n".utf8))
            handle.closeFile()
        }
        thread.start()
        #expect(try openReader(url).remainingRows() == [[.text("1"), .text("2")]])
    }

    @Test("Places are written as compilers write them, or by record and key")
    func descriptions() {
        #expect(SourcePosition(file: "a.csv", line: 12, column: 5, field: "b").description == "a.csv:12:5")
        #expect(SourcePosition(file: "a.csv", line: 12).description == "a.csv:12")
        #expect(SourcePosition(file: "a.plist", record: 3, field: "b").description == "a.plist: record 3, key b")
        #expect(SourcePosition(file: "a.plist", record: 3).description == "a.plist: record 3")
        #expect(SourcePosition(file: "a.plist").description == "a.plist")
    }
}
