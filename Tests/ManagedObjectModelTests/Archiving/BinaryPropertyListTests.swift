import FoundationSupplement
import Testing

@testable import ManagedObjectModel

struct BinaryPropertyListTests {
    private static let sample = PropertyListValue.dictionary([
        "numbers": .array([
            .integer(0), .integer(255), .integer(256), .integer(65_536), .integer(1 << 40), .integer(-1),
            .integer(.min), .real(0), .real(-2.5), .date(86_400),
        ]),
        "texts": .array([.string(""), .string("plain"), .string("Zürich 🏔"), .string("e\u{301}"), .string("é")]),
        "data": .data(Array(0...255)), "flags": .array([.boolean(true), .boolean(false), .null]),
        "references": .array([.uid(0), .uid(255), .uid(70_000)]), "empty": .dictionary([:]),
    ])

    @Test func readsWhatItWrites() throws {
        #expect(try BinaryPropertyList.read(BinaryPropertyList.write(Self.sample)) == Self.sample)
        let many = PropertyListValue.array((0..<70_000).map { .integer(Int64($0)) })
        #expect(try BinaryPropertyList.read(BinaryPropertyList.write(many)) == many)
    }

    @Test func keepsStringsThatOnlyLookTheSame() throws {
        let list = PropertyListValue.array([.string("e\u{301}"), .string("\u{e9}")])
        let texts = try BinaryPropertyList.read(BinaryPropertyList.write(list)).array?.compactMap(\.string)
        #expect(texts?.map { $0.unicodeScalars.count } == [2, 1])
    }

    @Test func writesEqualScalarsOnce() {
        let once = BinaryPropertyList.write(.array([.string("a long enough string"), .integer(1)]))
        let twice = BinaryPropertyList.write(
            .array([.string("a long enough string"), .string("a long enough string"), .integer(1)]))
        #expect(twice.count == once.count + 1)
    }

    @Test func agreesWithFoundation() throws {
        let list: [String: Any] = ["a": [1, -1, 2.5, true, "Zürich"], "b": Data([1, 2, 3]), "c": ["d": "e"]]
        let data = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        let expected = PropertyListValue.dictionary([
            "a": .array([.integer(1), .integer(-1), .real(2.5), .boolean(true), .string("Zürich")]),
            "b": .data([1, 2, 3]), "c": .dictionary(["d": .string("e")]),
        ])
        #expect(try BinaryPropertyList.read(data) == expected)
        let back = try PropertyListSerialization.propertyList(
            from: BinaryPropertyList.write(expected), format: nil)
        #expect((back as? [String: Any]).map { $0 as NSDictionary } == list as NSDictionary)
    }

    @Test func readsXMLWithReferences() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><dict><key>root</key><dict><key>CF$UID</key><integer>1</integer></dict>
            <key>all</key><array><string>a &amp; b</string><true/><real>0.5</real><data>AQID</data>
            <date>2001-01-02T00:00:00Z</date><integer>-7</integer></array></dict></plist>
            """
        let expected = PropertyListValue.dictionary([
            "root": .uid(1),
            "all": .array([
                .string("a & b"), .boolean(true), .real(0.5), .data([1, 2, 3]), .date(86_400), .integer(-7),
            ]),
        ])
        #expect(try XMLPropertyList.read(Data(text.utf8)) == expected)
    }

    @Test(arguments: [
        "<plist><dict><string>no key</string></dict></plist>", "<plist><dict><key>no value</key></dict></plist>",
        "<plist><integer>x</integer></plist>", "<plist><array>", "<plist><odd/></plist>", "",
        "<!DOCTYPE plist [<!ENTITY a \"aaaa\">]><plist><string>&a;</string></plist>",
        "<plist>" + String(repeating: "<array>", count: 1000) + String(repeating: "</array>", count: 1000) + "</plist>",
    ])
    func refusesDamagedXML(_ text: String) {
        #expect(throws: PropertyListError.self) { try XMLPropertyList.read(Data(text.utf8)) }
    }

    // MARK: Hostile files

    /// A file of these objects, with a table of their offsets and any trailer.
    private func file(
        _ objects: [[UInt8]], count: UInt64? = nil, top: UInt64 = 0, offsetSize: UInt8 = 1, referenceSize: UInt8 = 1,
        offsets: [UInt8]? = nil
    ) -> Data {
        var bytes = BinaryPropertyList.header
        var table: [UInt8] = []
        for object in objects {
            table.append(UInt8(bytes.count))
            bytes += object
        }
        let start = UInt64(bytes.count)
        bytes += (offsets ?? table) + [0, 0, 0, 0, 0, 0, offsetSize, referenceSize]
        for number in [count ?? UInt64(objects.count), top, start] {
            bytes += withUnsafeBytes(of: number.bigEndian) { Array($0) }
        }
        return Data(bytes)
    }

    @Test func refusesCountsBeyondTheFile() {
        for count in [2, 1 << 32, 1 << 60, UInt64.max] {
            #expect(throws: PropertyListError.self) { try BinaryPropertyList.read(file([[0x09]], count: count)) }
        }
        for size: UInt8 in [0, 9, 255] {
            #expect(throws: PropertyListError.self) { try BinaryPropertyList.read(file([[0x09]], offsetSize: size)) }
            #expect(throws: PropertyListError.self) { try BinaryPropertyList.read(file([[0xA0]], referenceSize: size)) }
        }
        #expect(throws: PropertyListError.self) { try BinaryPropertyList.read(file([[0x09]], top: .max)) }
    }

    @Test func refusesSizesBeyondTheFile() {
        let huge: [UInt8] = [0x13, 0x10, 0, 0, 0, 0, 0, 0, 0]  // 2^60
        let negative: [UInt8] = [0x13] + [UInt8](repeating: 0xff, count: 8)
        for kind: UInt8 in [0x4F, 0x5F, 0x6F, 0xAF, 0xDF] {
            for size in [huge, negative, [0x11, 0xff, 0xff], [0x09], []] {
                #expect(throws: PropertyListError.self) { try BinaryPropertyList.read(file([[kind] + size])) }
            }
        }
    }

    @Test func refusesCyclesAndDepth() {
        #expect(throws: PropertyListError.self) { try BinaryPropertyList.read(file([[0xA1, 0x00]])) }
        #expect(throws: PropertyListError.self) { try BinaryPropertyList.read(file([[0xA1, 0x01], [0xA1, 0x00]])) }
        let deep = (0..<100).map { [0xA1, UInt8($0 + 1)] } + [[0x09]]
        #expect(throws: PropertyListError.self) { try BinaryPropertyList.read(file(deep)) }
        #expect(throws: PropertyListError.self) { try BinaryPropertyList.read(file([[0xA1, 0x07]])) }
    }

    @Test func refusesOverlappingObjects() {
        // A hundred objects that are all the same long string.
        let string: [UInt8] = [0x5F, 0x10, 100] + [UInt8](repeating: 0x61, count: 100)
        let list: [UInt8] = [0xAF, 0x10, 100] + (1...100).map { UInt8($0) }
        let offsets = [8] + [UInt8](repeating: UInt8(8 + list.count), count: 100)
        let data = file([list, string], count: 101, offsets: offsets)
        #expect(throws: PropertyListError.self) { try BinaryPropertyList.read(data) }
    }

    @Test func sharesWhatIsReferredToOften() throws {
        // Forty arrays, each of two references to the next: 2^40 elements if they were copied.
        let objects = (0..<40).map { [0xA2, UInt8($0 + 1), UInt8($0 + 1)] } + [[0x09]]
        #expect(try BinaryPropertyList.read(file(objects)).array?.count == 2)
    }
}
