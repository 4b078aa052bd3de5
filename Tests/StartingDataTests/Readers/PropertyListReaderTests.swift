import Foundation
import Testing

@testable import StartingData

private let bothFormats: [PropertyListSerialization.PropertyListFormat] = [.xml, .binary]

private func propertyList(_ root: Any, _ format: PropertyListSerialization.PropertyListFormat = .xml) throws -> Data {
    try PropertyListSerialization.data(fromPropertyList: root, format: format, options: 0)
}

@Suite("Property lists")
struct PropertyListReaderTests {
    @Test("Values have the types of the property list, fields come in the order of their keys", arguments: bothFormats)
    func values(format: PropertyListSerialization.PropertyListFormat) throws {
        let record: [String: Any] = [
            "name": "Reykjavík", "population": 139_875, "area": 1.0, "capital": true, "one": 1, "zero": 0, "not": false,
            "founded": Date(timeIntervalSinceReferenceDate: 0), "flag": Data([1, 2]), "least": Int64.min,
            "most": UInt64.max, "tags": ["a", 1, false, ["k": 2.5]] as [Any], "empty": "", "none": [String: Any](),
            "country": ["isoCode": "IS", "currency": ["code": "ISK"]] as [String: Any],
        ]
        let found = try #require(try records("x.plist", try propertyList([record], format)).first)
        let expected: [(String, OwnedValue)] = [
            ("area", .real(1)), ("capital", .boolean(true)), ("country.currency.code", .text("ISK")),
            ("country.isoCode", .text("IS")), ("empty", .text("")), ("flag", .data(Data([1, 2]))),
            ("founded", .date(Date(timeIntervalSinceReferenceDate: 0))), ("least", .integer(.min)),
            ("most", .number("18446744073709551615")), ("name", .text("Reykjavík")), ("none", .object([])),
            ("not", .boolean(false)), ("one", .integer(1)), ("population", .integer(139_875)),
            (
                "tags",
                .list([.text("a"), .integer(1), .boolean(false), .object([OwnedField(key: "k", value: .real(2.5))])])
            ),
            ("zero", .integer(0)),
        ]
        #expect(found == ReadRecord(fields: expected.map { OwnedField(key: $0.0, value: $0.1) }))
    }

    @Test("A dictionary of arrays names the entity of each record, entities in the order of their names")
    func entities() throws {
        let root = ["Country": [["isoCode": "NO"], ["isoCode": "IS"]], "City": [["name": "Oslo"]], "Empty": []]
        let found = try records("x.plist", try propertyList(root))
        #expect(found.map(\.entity) == ["City", "Country", "Country"])
        #expect(found.map { $0.fields.map(\.value) } == [[.text("Oslo")], [.text("NO")], [.text("IS")]])
    }

    @Test("Records and fields have places by the number of the record and the key")
    func positions() throws {
        let file = try TemporaryFile("x.plist", try propertyList([["a": 1], ["b": 2]]))
        let reader = try openReader(file.url)
        #expect(try reader.next())
        #expect(try reader.next())
        #expect(reader.recordPosition.description == "x.plist: record 2")
        #expect(reader.position(ofFieldAt: 0).description == "x.plist: record 2, key b")
        #expect(reader.columns == ["a", "b"])
        #expect(reader.bytesRead == reader.bytesTotal)
    }

    @Test("A record that isn't a dictionary is a fault, and the next record can be read")
    func faultyRecord() throws {
        let file = try TemporaryFile(
            "x.plist", try propertyList([1, ["a.b": 1, "a": ["b": 2]], ["": 1], ["a": 3]] as [Any]))
        let reader = try openReader(file.url)
        var error = try #require(throws: SourceError.self) { try reader.next() }
        #expect(error.description == "x.plist: record 1: expected a dictionary, but found a number")
        error = try #require(throws: SourceError.self) { try reader.next() }
        #expect(error.description == "x.plist: record 2, key a.b: the key occurs twice in one record")
        error = try #require(throws: SourceError.self) { try reader.next() }
        #expect(error.description == "x.plist: record 3, key : an empty key")
        #expect(try reader.remainingRows() == [[.integer(3)]])
    }

    @Test("A property list of another shape is a fault that says what is expected")
    func shape() throws {
        let shape = "an array of dictionaries, or a dictionary of such arrays by entity"
        let version = try propertyList(["version": 1])
        #expect(
            try complaint("x.plist", version)
                == "x.plist: key version: expected an array of dictionaries, but found a number (a property list is \(shape))"
        )
        #expect(try complaint("x.plist", try propertyList("text")) == "x.plist: expected \(shape), but found a string")
    }

    @Test(
        "Property lists in XML form may be UTF-8 with a mark or UTF-16",
        arguments: [String.Encoding.utf8, .utf16LittleEndian, .utf16BigEndian])
    func encodings(encoding: String.Encoding) throws {
        let text = "\u{FEFF}<plist><array><dict><key>a</key><string>é</string></dict></array></plist>"
        let data = try #require(text.data(using: encoding))
        #expect(try openReader(data, name: "x", format: .propertyList).remainingRows() == [[.text("é")]])
    }

    @Test("A file that isn't a property list is a fault")
    func notPropertyList() throws {
        let message = "x.plist: not a property list in XML or binary form"
        #expect(try complaint("x.plist", "name,population").hasPrefix(message))
        #expect(try complaint("x.plist", "hello") == message)
        #expect(try complaint("x.plist", "[{\"a\": 1}]").hasPrefix(message))
        let wrong = "<plist><array><dict></array></plist>"
        #expect(try complaint("x.plist", wrong) == message + ": Close tag on line 1 does not match open tag dict")
    }

    @Test("A keyed archive isn't a source")
    func archive() throws {
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: NSArray(array: ["a"]), requiringSecureCoding: false)
        #expect(try complaint("x.plist", archive).contains("expected an array of dictionaries, but found a string"))
    }
}

@Suite("Damaged binary property lists")
struct BinaryPropertyListTests {
    /// A binary property list of objects; the first is the root.
    private func binary(_ objects: [[UInt8]]) -> Data {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets.append(UInt8(bytes.count))
            bytes += object
        }
        let table = UInt8(bytes.count)
        bytes += offsets + [0, 0, 0, 0, 0, 0, 1, 1]
        for number in [UInt8(objects.count), 0, table] { bytes += [0, 0, 0, 0, 0, 0, 0, number] }
        return Data(bytes)
    }

    @Test("Objects that Foundation doesn't write are read: floats, null, negative numbers of 16 bytes, UTF-8 strings")
    func rareObjects() throws {
        let negative: [UInt8] = [0x14] + [UInt8](repeating: 0xFF, count: 15) + [0xFE]
        let list = binary([
            [0xA1, 1], [0xD4, 2, 3, 4, 5, 6, 7, 8, 9], [0x51, 0x61], [0x51, 0x62], [0x51, 0x63], [0x51, 0x64],
            [0x22, 0x3F, 0xC0, 0, 0], [0x00], negative, [0x72, 0xC3, 0xA9],
        ])
        #expect(
            try openReader(list, name: "x", format: .propertyList).remainingRows() == [
                [.real(1.5), .null, .integer(-2), .text("é")]
            ])
    }

    @Test(
        "Damage is named and ends the source",
        arguments: [
            ([[0xA1, 0]], "nested more than 512 deep"),
            ([[0xA1, 1], [0xD1, 2, 1], [0x51, 0x61]], "nested more than 512 deep"),
            ([[0xA1, 9]], "a reference to an object that isn't there"),
            ([[0xA1, 1], [0xD1, 2, 2], [0x09]], "a key isn't a string"),
            ([[0xA1, 1], [0xD2, 2, 2, 2, 2], [0x51, 0x61]], "the key a occurs twice in one dictionary"),
            (
                [[0xA1, 1], [0xD1, 2, 3], [0x51, 0x61], [0x80, 1]],
                "a reference of a keyed archive, which no record can hold"
            ),
            ([[0xA1, 1], [0xD1, 2, 3], [0x51, 0x61], [0x61, 0xD8, 0]], "a string that isn't Unicode"),
            ([[0xA1, 1], [0xD1, 2, 3], [0x51, 0x61], [0x51, 0xE9]], "a string that isn't Unicode"),
            ([[0xA1, 1], [0xD1, 2, 3], [0x51, 0x61], [0x5F, 0x10, 0xFF]], "an object that is too long"),
            ([[0xA1, 1], [0xD1, 2, 3], [0x51, 0x61], [0x5F, 0x51]], "an object without a length"),
            (
                [[0xA1, 1], [0xD1, 2, 3], [0x51, 0x61], [0x33, 0x7F, 0xF8, 0, 0, 0, 0, 0, 0]], "a date that isn't one"
            ),
            (
                [[0xA1, 1], [0xD1, 2, 3], [0x51, 0x61], [0x14, 1] + [UInt8](repeating: 0, count: 15)],
                "a whole number beyond 64 bits"
            ),
            ([[0xA1, 1], [0xD1, 2, 3], [0x51, 0x61], [0x70 + 0x80, 1]], "an object of an unknown kind"),
        ] as [([[UInt8]], String)])
    func damage(objects: [[UInt8]], message: String) throws {
        let reader = try openReader(binary(objects), name: "x", format: .propertyList)
        let error = try #require(throws: SourceError.self) { try reader.next() }
        #expect(error.description == "x: record 1: the property list is damaged: \(message)")
        #expect(error.endsSource)
        #expect(try !reader.next())
    }

    @Test("A small file that stands for endless values is refused")
    func sharedObjects() throws {
        var objects: [[UInt8]] = [[0xA1, 1], [0xD1, 2, 3], [0x51, 0x61]]
        for number in 3..<40 { objects.append([0xA2, UInt8(number + 1), UInt8(number + 1)]) }
        objects.append([0x09])
        let reader = try openReader(binary(objects), name: "x", format: .propertyList)
        let error = try #require(throws: SourceError.self) { try reader.next() }
        #expect(error.message == "the property list is damaged: more than 100000 values in one record")
    }

    @Test("A file that is cut off is refused")
    func cutOff() throws {
        let data = try propertyList([["a": 1]], .binary)
        for count in 8..<data.count {
            #expect(try complaint("x.plist", data.prefix(count)).hasPrefix("x.plist: the property list is damaged: "))
        }
    }
}
