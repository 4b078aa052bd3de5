import CoreData
import Testing

@testable import StartingData

/// One attribute of every type that files can hold.
private func allTypes() throws -> ImportCase {
    try ImportCase(
        entity(
            "Thing", attribute("i16", "Integer 16"), attribute("i32", "Integer 32"), attribute("i64", "Integer 64"),
            attribute("flag", "Boolean"), attribute("double", "Double"), attribute("float", "Float"),
            attribute("decimal", "Decimal"), attribute("date", "Date"), attribute("uuid", "UUID"),
            attribute("uri", "URI"),
            attribute("data", "Binary"), attribute("text")))
}

private let allColumns =
    "ZI16, ZI32, ZI64, ZFLAG, ZDOUBLE, ZFLOAT, ZDECIMAL, ZDATE, hex(ZUUID), ZURI, hex(ZDATA), ZTEXT"
private let allValues =
    "-32768|2147483647|-9223372036854775808|1|0.1|1.5|10.11|-1.5|00112233445566778899AABBCCDDEEFF"
    + "|https://example.com/a?b=c|000102FF|Þór, \"x\""
private let header = ["i16", "i32", "i64", "flag", "double", "float", "decimal", "date", "uuid", "uri", "data", "text"]
private let cells = [
    "-32768", "2147483647", "-9223372036854775808", "true", "0.1", "1.5", "10.11", "2000-12-31T23:59:58.5Z",
    "00112233-4455-6677-8899-aabbccddeeff", "https://example.com/a?b=c", "AAEC/w==",
]

@Suite("Values of every type")
struct AttributeTypeTests {
    @Test("come from CSV")
    func csv() throws {
        let thing = try allTypes()
        try thing.run([
            "Thing.csv": header.joined(separator: ",") + "\n" + cells.joined(separator: ",") + ",\"Þór, \"\"x\"\"\"\n"
        ])
        #expect(try thing.query("SELECT \(allColumns) FROM ZTHING") == [allValues])
        try thing.expectOneSoundFile()
    }

    @Test("come from TSV")
    func tsv() throws {
        let thing = try allTypes()
        try thing.run([
            "Thing.tsv": header.joined(separator: "\t") + "\n" + cells.joined(separator: "\t") + "\tÞór, \"x\"\n"
        ])
        #expect(try thing.query("SELECT \(allColumns) FROM ZTHING") == [allValues])
    }

    @Test("come from JSON and NDJSON, numbers as numbers or as text")
    func json() throws {
        let object = """
            {"i16": -32768, "i32": 2147483647, "i64": -9223372036854775808, "flag": true, "double": 1e-1, "float": "1.5", \
            "decimal": 10.11, "date": "2001-01-01T00:59:58.5+01:00", "uuid": "00112233-4455-6677-8899-AABBCCDDEEFF", \
            "uri": "https://example.com/a?b=c", "data": "AAEC/w==", "text": "Þór, \\"x\\""}
            """
        for (name, text) in [("Thing.json", "[\(object)]"), ("Thing.ndjson", object)] {
            let thing = try allTypes()
            try thing.run([name: text])
            #expect(try thing.query("SELECT \(allColumns) FROM ZTHING") == [allValues], "\(name)")
        }
    }

    @Test(
        "come from property lists, XML and binary",
        arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func plist(_ format: PropertyListSerialization.PropertyListFormat) throws {
        let record: [String: Any] = [
            "i16": -32768, "i32": 2_147_483_647, "i64": Int64.min, "flag": true, "double": 0.1, "float": 1.5,
            "decimal": 10.11,
            "date": Date(timeIntervalSinceReferenceDate: -2), "uuid": "00112233-4455-6677-8899-AABBCCDDEEFF",
            "uri": "https://example.com/a?b=c", "data": Data([0, 1, 2, 255]), "text": "Þór, \"x\"",
        ]
        let thing = try allTypes()
        let file = thing.folder.file("Thing.plist")
        try PropertyListSerialization.data(fromPropertyList: [record], format: format, options: 0).write(to: file)
        try thing.run([file])
        // XML property lists have whole seconds.
        #expect(
            try thing.query("SELECT \(allColumns) FROM ZTHING") == [
                allValues.replacingOccurrences(of: "|-1.5|", with: "|-2|")
            ])
    }

    @Test("have the storage classes that Apple's stores have")
    func storageClasses() throws {
        let thing = try allTypes()
        try thing.run(["Thing.csv": header.joined(separator: ",") + "\n" + cells.joined(separator: ",") + ",x\n"])
        let columns = [
            "ZI16", "ZFLAG", "ZDOUBLE", "ZFLOAT", "ZDECIMAL", "ZDATE", "ZUUID", "ZURI", "ZDATA", "ZTEXT", "Z_ENT",
            "Z_OPT",
        ]
        let types = columns.map { "typeof(\($0))" }.joined(separator: ", ")
        #expect(
            try thing.query("SELECT \(types) FROM ZTHING")
                == ["integer|integer|real|real|real|real|blob|text|blob|text|integer|integer"])
    }

    @Test("read back through a context")
    func readBack() throws {
        let thing = try allTypes()
        try thing.run(["Thing.csv": header.joined(separator: ",") + "\n" + cells.joined(separator: ",") + ",x\n"])
        let context = try thing.context()
        try context.performAndWait {
            let object = try #require(try thing.objects("Thing", by: "i16", in: context).first)
            #expect(object.value(forKey: "decimal") as? NSDecimalNumber == NSDecimalNumber(string: "10.11"))
            #expect(object.value(forKey: "date") as? Date == Date(timeIntervalSinceReferenceDate: -1.5))
            #expect(object.value(forKey: "uuid") as? UUID == UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
            #expect(object.value(forKey: "uri") as? URL == URL(string: "https://example.com/a?b=c"))
            #expect(object.value(forKey: "data") as? Data == Data([0, 1, 2, 255]))
            #expect(object.value(forKey: "flag") as? Bool == true)
        }
    }

    @Test(
        "at and beyond the limits of their types",
        arguments: [
            ("i16", "32767", "32767"), ("i16", "32768", ""), ("i16", "-32769", ""),
            ("i32", "-2147483648", "-2147483648"),
            ("i32", "2147483648", ""), ("i64", "9223372036854775807", "9223372036854775807"),
            ("i64", "9223372036854775808", ""),
            ("i64", "-9223372036854775809", ""), ("i64", "99999999999999999999999", ""), ("i16", "+7", "7"),
            ("i16", "-0", "0"),
            ("i32", "000012", "12"), ("float", "1e300", ""), ("float", "16777217", "16777216.0"),
            ("double", "1e400", ""),
            ("double", "1.7976931348623157e308", "1.79769313486232e+308"),
            ("double", "5e-324", "4.94065645841247e-324"),
            ("double", "1e-400", "0.0"), ("decimal", "1e200", ""), ("decimal", "123456789012345", "123456789012345"),
        ])
    func limits(_ key: String, _ text: String, _ expected: String) throws {
        for (name, content) in [("Thing.csv", "\(key)\n\(text)\n"), ("Thing.json", "[{\"\(key)\": \"\(text)\"}]")] {
            let thing = try allTypes()
            if expected.isEmpty {
                let place = name == "Thing.csv" ? "Thing.csv:2:1" : "Thing.json:1:\(key.count + 7)"
                let message = try thing.complaint([name: content])
                #expect(
                    message.hasPrefix("\(place): the value is out of the range of Thing.\(key), which is "),
                    "\(message)")
                #expect(message.hasSuffix(": '\(text)'"), "\(message)")
            } else {
                try thing.run([name: content])
                #expect(try thing.query("SELECT Z\(key.uppercased()) FROM ZTHING") == [expected])
            }
        }
    }

    @Test("that property lists hold as numbers, at the limits", arguments: [("i16", 32768), ("i32", 2_147_483_648)])
    func nativeLimits(_ key: String, _ number: Int) throws {
        let thing = try allTypes()
        let file = thing.folder.file("Thing.plist")
        try PropertyListSerialization.data(fromPropertyList: [[key: number]], format: .binary, options: 0).write(
            to: file)
        let message = try thing.complaint([file])
        #expect(
            message.hasPrefix("Thing.plist: record 1, key \(key): the value is out of the range of Thing.\(key)"),
            "\(message)")
    }

    @Test("that are not a number are never stored as one", arguments: [Double.nan, .infinity, -.infinity])
    func notFinite(_ number: Double) throws {
        for key in ["double", "float", "decimal"] {
            let thing = try allTypes()
            let file = thing.folder.file("Thing.plist")
            try PropertyListSerialization.data(fromPropertyList: [[key: number]], format: .binary, options: 0).write(
                to: file)
            #expect(try thing.complaint([file]).hasPrefix("Thing.plist: record 1, key \(key): "), "\(key)")
        }
    }

    @Test(
        "which are none of the type are refused with place and text",
        arguments: [
            ("i16", "12x"), ("i16", "1.5"), ("i16", "-"), ("i32", " 1"), ("i64", "0x10"), ("flag", "maybe"),
            ("flag", "2"), ("double", "nan"),
            ("double", "inf"), ("double", "0x1p3"), ("double", "1e"), ("double", "."), ("double", "1,5"),
            ("float", "--1"), ("decimal", "1.2.3"),
            ("date", "yesterday"), ("date", "2023-02-29"), ("uuid", "00112233-4455-6677-8899-aabbccddeef"),
            ("uuid", "00112233-4455-6677-8899-aabbccddeeff0"), ("uri", "a b"), ("data", "A"), ("data", "AAEC/w=!"),
        ])
    func refused(_ key: String, _ text: String) throws {
        let thing = try allTypes()
        let message = try thing.complaint(["Thing.tsv": "text\t\(key)\nfirst\t\nx\t\(text)\n"])
        #expect(message.hasPrefix("Thing.tsv:3:3: Thing.\(key) is "), "\(message)")
        #expect(message.hasSuffix(": '\(text)'"), "\(message)")
    }

    @Test(
        "of a JSON file are not taken for what they are not",
        arguments: [
            ("text", "1"), ("text", "true"), ("data", "1234"), ("uri", "42"), ("uuid", "1"), ("date", "0"),
            ("i16", "true"), ("double", "false"),
            ("flag", "2"), ("text", "[1]"), ("i16", "{}"), ("i16", "[]"),
        ])
    func wrongJSON(_ key: String, _ value: String) throws {
        let thing = try allTypes()
        let message = try thing.complaint(["Thing.json": "[{\"\(key)\": \(value)}]"])
        #expect(message.hasPrefix("Thing.json:1:\(key.count + 7): Thing.\(key) is "), "\(message)")
    }

    @Test(
        "are Booleans in these spellings",
        arguments: [
            "true", "True", "TRUE", "yes", "YES", "y", "t", "1", "false", "False", "FALSE", "no", "NO", "n", "f", "0",
        ])
    func booleans(_ text: String) throws {
        let thing = try allTypes()
        try thing.run(["Thing.csv": "flag\n\(text)\n"])
        let isTrue = ["t", "y", "1"].contains(text.lowercased().prefix(1))
        #expect(try thing.query("SELECT ZFLAG FROM ZTHING") == [isTrue ? "1" : "0"])
    }

    @Test("are Booleans where JSON has 0 or 1")
    func jsonBooleans() throws {
        let thing = try allTypes()
        try thing.run(["Thing.json": "[{\"flag\": 1}, {\"flag\": 0}, {\"flag\": true}]"])
        #expect(try thing.query("SELECT ZFLAG FROM ZTHING ORDER BY Z_PK") == ["1", "0", "1"])
    }

    @Test("that text holds exactly: empty text, NUL, line breaks, emoji, decomposed letters")
    func texts() throws {
        let thing = try allTypes()
        let texts = [
            "", "a\u{0}b", "line\nbreak\r\n", "👩‍👩‍👧‍👦", "e\u{301}", "\u{e9}", String(repeating: "x", count: 100_000),
        ]
        let json = try JSONSerialization.data(withJSONObject: texts.map { ["text": $0] })
        let file = thing.folder.file("Thing.json")
        try json.write(to: file)
        try thing.run([file])
        let hexes = texts.map { $0.utf8.map { String(format: "%02X", $0) }.joined() }
        #expect(try thing.query("SELECT hex(ZTEXT) FROM ZTHING ORDER BY Z_PK") == hexes)
    }

    @Test("of decimals with up to 15 digits come back exactly, from a new seed each run")
    func decimals() throws {
        var random = SeededGenerator("decimals")
        let thing = try allTypes()
        let texts = (0..<500).map { _ -> String in
            let digits = (0..<Int.random(in: 1...15, using: &random)).map { _ in
                String(Int.random(in: 0...9, using: &random))
            }.joined()
            let point = Int.random(in: 0...digits.count, using: &random)
            let text = "\(digits.prefix(point))" + (point == digits.count ? "" : ".\(digits.dropFirst(point))")
            return (Bool.random(using: &random) ? "-" : "") + (text.hasPrefix(".") ? "0" + text : text)
        }
        try thing.run(["Thing.csv": "i32,decimal\n" + texts.enumerated().map { "\($0),\($1)\n" }.joined()])
        let context = try thing.context()
        try context.performAndWait {
            for (text, object) in zip(texts, try thing.objects("Thing", by: "i32", in: context)) {
                let decimal = (object.value(forKey: "decimal") as? NSDecimalNumber)?.decimalValue
                #expect(decimal == Decimal(string: text), "\(text)")
            }
        }
    }

    @Test("of doubles come back as Swift reads them, from a new seed each run")
    func doubles() throws {
        var random = SeededGenerator("doubles")
        for _ in 0..<20_000 {
            let number = Double(bitPattern: random.next())
            guard number.isFinite else { continue }
            for text in [
                "\(number)", String(format: "%.\(Int.random(in: 0...12, using: &random))g", number),
                String(format: "%.6f", number.truncatingRemainder(dividingBy: 1e9)),
            ] {
                guard let expected = Double(text), expected.isFinite else { continue }
                guard case .value(let read) = Array(text.utf8).withUnsafeBytes({ TextValue.double($0) }) else {
                    Issue.record("\(text) is none")
                    continue
                }
                #expect(read == expected, "\(text)")
            }
        }
    }

    @Test("of decimals with more digits than a store keeps are reported")
    func precision() throws {
        let thing = try allTypes()
        let report = try thing.run([
            "Thing.csv": "text,decimal\na,1.234567890123456789\nb,0.000123456789012345\nc,1000000000000000000000\n"
        ])
        #expect(
            report.warnings == [
                "Thing.csv:2:3: '1.234567890123456789' has more digits than a store keeps (Thing.decimal)"
            ])
    }
}
