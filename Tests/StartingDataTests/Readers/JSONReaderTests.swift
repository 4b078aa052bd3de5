import Foundation
import Testing

@testable import StartingData

private func field(_ key: String, _ value: OwnedValue) -> OwnedField {
    OwnedField(key: key, value: value)
}

@Suite("JSON")
struct JSONReaderTests {
    @Test("An array of objects is a source of records without an entity")
    func array() throws {
        let text = #" [ {"name": "Oslo", "population": 717710, "capital": true, "mayor": null, "old": false}, {} ] "#
        #expect(
            try records("x.json", text) == [
                ReadRecord(
                    fields: [
                        field("name", .text("Oslo")), field("population", .number("717710")),
                        field("capital", .boolean(true)), field("mayor", .null), field("old", .boolean(false)),
                    ]), ReadRecord(fields: []),
            ])
        #expect(try records("x.json", "[]") == [])
    }

    @Test("An object of arrays names the entity of each record")
    func entities() throws {
        let text = #"{"Country": [{"isoCode": "NO"}, {"isoCode": "IS"}], "Empty": [], "City": [{"name": "Oslo"}]}"#
        let file = try TemporaryFile("x.json", text)
        let reader = try openReader(file.url)
        #expect(
            try reader.remainingRecords() == [
                ReadRecord(entity: "Country", fields: [field("isoCode", .text("NO"))]),
                ReadRecord(entity: "Country", fields: [field("isoCode", .text("IS"))]),
                ReadRecord(entity: "City", fields: [field("name", .text("Oslo"))]),
            ])
        #expect(reader.columns == ["isoCode", "name"])
        #expect(try !reader.next())
        #expect(reader.count == 0)
        #expect(try records("x.json", "{}") == [])
    }

    @Test("Columns are found by their names, in whatever order and number they come")
    func columns() throws {
        let text = #"[{"a":1,"b":2,"c":3},{"c":4,"a":5},{"b":6,"d":7},{"a":8,"b":9,"c":10}]"#
        let file = try TemporaryFile("x.json", text)
        let reader = try openReader(file.url)
        var found: [[Int]] = []
        while try reader.next() { found.append((0..<reader.count).map { reader.column(at: $0) }) }
        #expect(found == [[0, 1, 2], [2, 0], [1, 3], [0, 1, 2]])
        #expect(reader.columns == ["a", "b", "c", "d"])
        #expect(reader.bytesRead == reader.bytesTotal)
    }

    @Test("A column whose name begins with the name of another is a column of its own")
    func commonBeginnings() throws {
        let found = try records("x.json", #"[{"a":1},{"ab":2},{"a":3},{"abc":4,"a":5}]"#).map { $0.fields.map(\.key) }
        #expect(found == [["a"], ["ab"], ["a"], ["abc", "a"]])
    }

    @Test("Numbers keep their literal text")
    func numbers() throws {
        let literals = [
            "0", "-0", "12345678901234567890123456789", "0.1", "-1.50", "1e5", "1E+05", "2.5e-300",
            "79228162514264337593.5",
        ]
        let text = "[{\"n\":" + literals.joined(separator: "},{\"n\":") + "}]"
        #expect(try rows("x.json", text) == literals.map { [.number($0)] })
    }

    @Test("Every escape of strings is decoded, in values and keys")
    func escapes() throws {
        let text = #"[{"k\u00e9y": "\"\\\/\b\f\n\r\t\u00E9\u65e5\ud83d\ude00 end", "plain": "日本😀"}]"#
        #expect(
            try records("x.json", text) == [
                ReadRecord(fields: [
                    field("kéy", .text("\"\\/\u{8}\u{C}\n\r\té日😀 end")), field("plain", .text("日本😀")),
                ])
            ])
    }

    @Test("Nested objects are flattened to paths, arrays and empty objects are values")
    func nested() throws {
        let text = #"""
            [{"country": {"isoCode": "IS", "currency": {"code": "ISK"}}, "name": "Reykjavík", "settings": {},
              "tags": ["a", 1, null, true, ["b"], {"k": "v", "o": {}}]}]
            """#
        #expect(
            try records("x.json", text) == [
                ReadRecord(fields: [
                    field("country.isoCode", .text("IS")), field("country.currency.code", .text("ISK")),
                    field("name", .text("Reykjavík")), field("settings", .object([])),
                    field(
                        "tags",
                        .list([
                            .text("a"), .number("1"), .null, .boolean(true), .list([.text("b")]),
                            .object([field("k", .text("v")), field("o", .object([]))]),
                        ])),
                ])
            ])
    }

    @Test("Objects that end at different depths don't confuse the paths")
    func pathsAfterNesting() throws {
        let text = #"[{"a":{"b":{"c":1},"d":2},"e":3},{"e":4,"a":null}]"#
        let found = try records("x.json", text).map { $0.fields.map(\.key) }
        #expect(found == [["a.b.c", "a.d", "e"], ["e", "a"]])
    }

    @Test("Values nested 512 deep are read, deeper ones are a fault")
    func depth() throws {
        func text(_ depth: Int) -> String {
            "[{\"a\":" + String(repeating: "[", count: depth - 2) + String(repeating: "]", count: depth - 2) + "}]"
        }
        #expect(try records("x.json", text(512)).count == 1)
        #expect(try complaint("x.json", text(513)).hasSuffix(": nested more than 512 deep"))
        #expect(try complaint("x.json", text(100_000)).hasSuffix(": nested more than 512 deep"))
        let objects = String(repeating: "{\"a\":", count: 100_000)
        #expect(try complaint("x.json", "[" + objects).hasSuffix(": nested more than 512 deep"))
        #expect(try complaint("x.json", "[{\"a\":[" + objects).hasSuffix(": nested more than 512 deep"))
    }

    @Test("A byte order mark is skipped")
    func byteOrderMark() throws {
        #expect(try rows("x.json", "\u{FEFF}[{\"a\":1}]") == [[.number("1")]])
    }

    @Test("Records and fields have places by line and column")
    func positions() throws {
        let file = try TemporaryFile("x.json", "[{\"é\": \"日本\", \"b\": 1},\r\n  {\"b\":\n [2]}]")
        let reader = try openReader(file.url)
        #expect(try reader.next())
        #expect(reader.recordPosition == SourcePosition(file: "x.json", line: 1, column: 2))
        #expect(reader.position(ofFieldAt: 1) == SourcePosition(file: "x.json", line: 1, column: 19, field: "b"))
        #expect(reader.position(ofFieldAt: 0) == SourcePosition(file: "x.json", line: 1, column: 8, field: "é"))
        #expect(try reader.next())
        #expect(reader.position(ofFieldAt: 0) == SourcePosition(file: "x.json", line: 3, column: 2, field: "b"))
        #expect(reader.recordPosition.description == "x.json:2:3")
    }
}

@Suite("Faults in JSON")
struct JSONFaultTests {
    private static let shape = "an array of objects, or an object of such arrays by entity"
    private static let control = "a control character in a string, which must be written as an escape"

    @Test(
        "What RFC 8259 doesn't have is named with its place",
        arguments: [
            ("", "x.json: the file is empty"),
            (" \n ", "x.json:2:2: expected \(shape), but found the end of the file"),
            ("42", "x.json:1:1: expected \(shape), but found a number"),
            ("\"a\"", "x.json:1:1: expected \(shape), but found a string"),
            ("[1]", "x.json:1:2: expected an object, but found a number"),
            ("[[]]", "x.json:1:2: expected an object, but found an array"),
            (
                "{\"v\": 1}",
                "x.json:1:7: expected an array of objects for the entity v (a JSON source is \(shape)), but found a number"
            ),
            ("{\"v\": [], \"v\": []}", "x.json:1:11: the key v occurs twice in one object"),
            ("{\"v\": [],}", "x.json:1:10: expected the name of an entity in quotation marks, but found }"),
            ("[{}", "x.json:1:4: expected a comma or ] after the object, but found the end of the file"),
            ("[{},]", "x.json:1:5: expected an object, but found ]"),
            ("[,{}]", "x.json:1:2: expected an object, but found ,"),
            ("[{} {}]", "x.json:1:5: expected a comma or ] after the object, but found an object"),
            ("[{}] x", "x.json:1:6: expected the end of the file, but found x"),
            ("[{}][]", "x.json:1:5: expected the end of the file, but found an array"),
            ("{\"A\": []} {}", "x.json:1:11: expected the end of the file, but found an object"),
            ("[{\"a\":1,}]", "x.json:1:9: expected a key in quotation marks, but found }"),
            ("[{a:1}]", "x.json:1:3: expected a key in quotation marks, but found a"),
            ("[{\"a\" 1}]", "x.json:1:7: expected a colon after the key, but found a number"),
            ("[{\"a\":[1,]}]", "x.json:1:10: expected a value, but found ]"),
            ("[{\"a\":[1 2]}]", "x.json:1:10: expected a comma or ] after the value, but found a number"),
            ("[{\"a\":1 \"b\":2}]", "x.json:1:9: expected a comma or } after the value, but found a string"),
            ("[{\"a\":}]", "x.json:1:7: expected a value, but found }"),
            ("[{\"a\":NaN}]", "x.json:1:7: expected a value, but found NaN"),
            ("[{\"a\":True}]", "x.json:1:7: expected a value, but found True"),
            ("[{\"a\":truer}]", "x.json:1:11: expected a comma or } after the value, but found r"),
            ("[{\"a\":'b'}]", "x.json:1:7: expected a value, but found '"),
            ("[/* no */]", "x.json:1:2: expected an object, but found /"),
            ("[{\"a\":01}]", "x.json:1:7: a number can't begin with 0"),
            ("[{\"a\":-}]", "x.json:1:8: expected a digit, but found }"),
            ("[{\"a\":+1}]", "x.json:1:7: expected a value, but found +"),
            ("[{\"a\":1.}]", "x.json:1:9: expected a digit, but found }"),
            ("[{\"a\":.5}]", "x.json:1:7: expected a value, but found ."),
            ("[{\"a\":1e}]", "x.json:1:9: expected a digit, but found }"),
            ("[{\"a\":\"b}]", "x.json:1:7: the string that begins here is never closed"),
            ("[{\"a\":\"b\\", "x.json:1:9: no such escape in a string"),
            ("[{\"a\":\"\\x\"}]", "x.json:1:8: no such escape in a string"),
            ("[{\"a\":\"\\u12G4\"}]", "x.json:1:8: an escape \\u needs four hexadecimal digits"),
            ("[{\"a\":\"\\u12", "x.json:1:8: an escape \\u needs four hexadecimal digits"),
            ("[{\"a\":\"\\ud83d\"}]", "x.json:1:8: half of a surrogate pair in a string"),
            ("[{\"a\":\"\\ud83d\\u0041\"}]", "x.json:1:8: half of a surrogate pair in a string"),
            ("[{\"a\":\"\\ude00\"}]", "x.json:1:8: half of a surrogate pair in a string"),
            ("[{\"a\":\"b\nc\"}]", "x.json:1:9: \(control)"),
            ("[{\"a\":\"some longer text b\0c\"}]", "x.json:1:26: \(control)"),
            ("[{\"a\":1,\"b\":2,\"a\":3}]", "x.json:1:15: the key a occurs twice in one object"),
            ("[{\"a\":{\"b\":1},\"a\":2}]", "x.json:1:15: the key a occurs twice in one object"),
            ("[{\"a\":{\"b\":1},\"a.b\":2}]", "x.json:1:15: the key a.b occurs twice in one object"),
            ("[{\"a\":[{\"b\":1,\"\\u0062\":2}]}]", "x.json:1:15: the key b occurs twice in one object"),
            ("[{\"\":1}]", "x.json:1:3: an empty key"),
            ("[{\"\(String(repeating: "k", count: 4097))\":1}]", "x.json:1:3: a path of more than 4096 bytes"),
        ])
    func faults(text: String, message: String) throws {
        #expect(try complaint("x.json", text) == message)
    }

    @Test("Bytes that aren't UTF-8 are named with their place")
    func notUTF8() throws {
        let head = Data("[{\"a\":\"é".utf8)
        for fault: [UInt8] in [
            [0xFF], [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xC3],
        ] {
            #expect(try complaint("x.json", head + fault + Data("\"}]".utf8)) == "x.json:1:9: not UTF-8")
        }
    }

    @Test("After a fault there is nothing more to read")
    func afterFault() throws {
        let file = try TemporaryFile("x.json", "[{\"a\":1},{\"a\":2,}]")
        let reader = try openReader(file.url)
        #expect(try reader.next())
        let error = try #require(throws: SourceError.self) { try reader.next() }
        #expect(error.endsSource)
        #expect(reader.count == 0)
        #expect(try !reader.next())
    }
}

@Suite("NDJSON")
struct NDJSONReaderTests {
    @Test("Each line is a record, blank lines are skipped")
    func lines() throws {
        let text = "{\"a\":1}\n\n  {\"b\":{\"c\":\"x\"}} \r\n \t\n{}\n{\"a\":2}"
        for name in ["x.ndjson", "x.jsonl"] {
            #expect(
                try records(name, text) == [
                    ReadRecord(fields: [field("a", .number("1"))]), ReadRecord(fields: [field("b.c", .text("x"))]),
                    ReadRecord(fields: []), ReadRecord(fields: [field("a", .number("2"))]),
                ])
        }
        #expect(try records("x.ndjson", "\n") == [])
    }

    @Test("After a faulty line the next one can be read")
    func faults() throws {
        let file = try TemporaryFile("x.ndjson", "{\"a\":1\n}\n[1]\n{\"a\":\"\n{\"a\":1} 2\n{\"a\":3}\n")
        let reader = try openReader(file.url)
        var complaints: [String] = []
        var found: [ReadRecord] = []
        while true {
            do {
                guard try reader.next() else { break }
                found.append(reader.record)
            } catch let error as SourceError {
                complaints.append(error.description)
                #expect(!error.endsSource)
                #expect(reader.count == 0)
            }
        }
        #expect(found == [ReadRecord(fields: [field("a", .number("3"))])])
        #expect(
            complaints == [
                "x.ndjson:2:1: expected a comma or } after the value, but found the end of the line",
                "x.ndjson:2:1: expected an object on the line, but found }",
                "x.ndjson:3:1: expected an object on the line, but found an array",
                "x.ndjson:4:7: a control character in a string, which must be written as an escape",
                "x.ndjson:5:9: expected the end of the line behind the object, but found a number",
            ])
        #expect(reader.bytesRead == reader.bytesTotal)
    }

    @Test("Records and fields have places by line and column")
    func positions() throws {
        let file = try TemporaryFile("x.ndjson", "{\"é\":1}\n {\"é\": 2}\n")
        let reader = try openReader(file.url)
        #expect(try reader.next())
        #expect(try reader.next())
        #expect(reader.recordPosition.description == "x.ndjson:2:2")
        #expect(reader.position(ofFieldAt: 0).description == "x.ndjson:2:8")
    }
}
