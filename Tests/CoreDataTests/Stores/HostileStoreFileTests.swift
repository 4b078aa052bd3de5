import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Files that somebody else has written, or a disk has damaged.
@Suite("Hostile binary and XML stores")
struct HostileStoreFileTests {
    /// An XML store with these objects.
    static func xml(_ objects: String, type: String = "", metadata: String = "") -> String {
        """
        <?xml version="1.0" standalone="yes"?>
        \(type)
        <database>
            <databaseInfo>
                <version>134481920</version>
                <UUID>C4FB3D23-093B-455B-8BB2-12E8793A4DFC</UUID>
                <nextObjectID>102</nextObjectID>
                <metadata>\(metadata)</metadata>
            </databaseInfo>
            \(objects)
        </database>
        """
    }

    private static let model = StoreCase.model()

    static let city = #"<object type="CITY" id="z102"><attribute name="name" type="string">Oslo</attribute></object>"#

    /// What opening a store with these bytes says.
    static func error(_ type: String, _ data: Data) throws -> CocoaError? {
        let folder = try TemporaryFolder()
        let url = folder.file("store")
        try data.write(to: url)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        do {
            try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url)
        } catch {
            #expect(coordinator.persistentStores.isEmpty)
            return try #require(error as? CocoaError)
        }
        let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        _ = try context.dump()
        return nil
    }

    @Test("a minimal file of the first versions, without metadata, opens")
    func minimal() throws {
        #expect(try Self.error(NSXMLStoreType, Data(Self.xml(Self.city).utf8)) == nil)
        #expect(try Self.error(NSXMLStoreType, Data(Self.xml("").utf8)) == nil)
        let type = #"<!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">"#
        #expect(try Self.error(NSXMLStoreType, Data(Self.xml(Self.city, type: type).utf8)) == nil)
    }

    @Test(
        "XML that is no store is refused, with the line where there is one",
        arguments: [
            ("", ""), ("nonsense", ""), ("<database/>", ""), ("<other></other>", ""), ("<database>", ""),
            (xml("<unknown></unknown>"), "line 10"), (xml(#"<object type="CITY"></object>"#), "line 10"),
            (xml(#"<object type="CITY" id="102"></object>"#), "line 10"),
            (xml(#"<object type="CITY" id="z-1"></object>"#), "line 10"),
            (xml(#"<object type="CITY" id="z99999999999999999999"></object>"#), "line 10"),
            (xml(#"<object type="NOTHING" id="z102"></object>"#), "line 10"),
            (xml(#"<object type="CITY" id="z102"><attribute>x</attribute></object>"#), "line 10"),
            (xml(#"<object type="CITY" id="z102"><b></b></object>"#), "line 10"),
            (
                xml(#"<object type="CITY" id="z102"><attribute name="people" type="int64">x</attribute></object>"#),
                "line 10"
            ),
            (
                xml(#"<object type="CITY" id="z102"><attribute name="isold" type="bool">2</attribute></object>"#),
                "line 10"
            ),
            (
                xml(#"<object type="CITY" id="z102"><attribute name="price" type="decimal">1x</attribute></object>"#),
                "line 10"
            ),
            (
                xml(
                    #"<object type="CITY" id="z102"><attribute name="object" type="transformable">*</attribute></object>"#
                ), "line 10"
            ),
            (
                xml(
                    #"<object type="CITY" id="z102"><relationship name="country" type="1/1" idrefs="x"></relationship></object>"#
                ), "line 10"
            ),
            (
                xml(
                    #"<object type="CITY" id="z102"><relationship name="country" type="1/1" idrefs="z102"></relationship></object>"#
                ), "line 10"
            ),
            (xml(city + city), "line 10"), (xml(city).replacingOccurrences(of: "134481920", with: "2"), "line 5"),
            (xml(city).replacingOccurrences(of: ">102<", with: ">x<"), "line 7"),
            (xml(city, metadata: "<plist><dict><key>a</key></dict></plist>"), ""),
            (xml(city, metadata: "<plist><string>a</string></plist>"), ""),
            (String(xml(city).dropLast(20)), ""), (xml(city.replacingOccurrences(of: "Oslo", with: "a<b")), "line 10"),
        ])
    func refused(_ text: String, _ place: String) throws {
        guard !text.isEmpty else { return #expect(try Self.error(NSXMLStoreType, Data()) == nil) }
        let error = try #require(try Self.error(NSXMLStoreType, Data(text.utf8)))
        #expect(error.code == .fileReadCorruptFile)
        #expect(place.isEmpty || error.localizedDescription.contains(place), "\(error)")
        #expect(error.userInfo[NSFilePathErrorKey] is String)
    }

    @Test(
        "no document type but Apple's, and no entity, is taken: nothing outside is read",
        arguments: [
            "<!DOCTYPE database [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>",
            "<!DOCTYPE database SYSTEM \"file:///x.dtd\" [<!ENTITY x \"y\">]>",
            "<!DOCTYPE database SYSTEM \"x\"><!DOCTYPE database [<!ENTITY x \"y\">]>",
            "<!DOCTYPE other SYSTEM \"x\">", "<!ENTITY x \"y\">", "<!DOCTYPE database PUBLIC \"a\" \"b\">",
        ])
    func documentTypes(_ type: String) throws {
        let text = Self.xml(Self.city.replacingOccurrences(of: "Oslo", with: "&x;"), type: type)
        #expect(try Self.error(NSXMLStoreType, Data(text.utf8))?.code == .fileReadCorruptFile)
    }

    @Test("text that isn't UTF-8 is refused")
    func encodings() throws {
        var bytes = Data(Self.xml(Self.city).utf8)
        bytes.append(0xff)
        #expect(try Self.error(NSXMLStoreType, bytes)?.code == .fileReadCorruptFile)
        #expect(try Self.error(NSXMLStoreType, Data("\u{FEFF}".utf8) + bytes)?.code == .fileReadCorruptFile)
    }

    @Test("deep nesting ends in an error, not in the stack's end")
    func depth() throws {
        let deep = String(repeating: "<a>", count: 200_000)
        let text = Self.xml(Self.city, metadata: deep)
        #expect(try Self.error(NSXMLStoreType, Data(text.utf8))?.code == .fileReadCorruptFile)
    }

    @Test("a binary property list that is none of ours is refused, and says that Apple's are")
    func otherLists() throws {
        let list = try PropertyListSerialization.data(fromPropertyList: ["a": 1], format: .binary, options: 0)
        let error = try #require(try Self.error(NSBinaryStoreType, list))
        #expect(error.code == .fileReadCorruptFile && error.localizedDescription.contains("Apple's"))
        for data in [Data("SQLite format 3\0".utf8), Data([0]), Data(Self.xml("").utf8)] {
            #expect(try Self.error(NSBinaryStoreType, data)?.code == .fileReadCorruptFile)
        }
    }

    @Test("references to objects that aren't there are read as none, and not written again")
    func danglingReferences() throws {
        let stores = try StoreCase(NSXMLStoreType)
        let text = Self.xml(
            #"<object type="CITY" id="z102"><attribute name="name" type="string">Oslo</attribute>"#
                + #"<relationship name="tags" type="0/0" idrefs="z1 z2"></relationship></object>"#)
        try Data(text.utf8).write(to: stores.url)
        let context = try stores.fresh()
        let oslo = try context.one("City", "Oslo")
        #expect(oslo.set("tags").isEmpty)
        #expect(try context.find("City", "tags.@count > 0").isEmpty)
        oslo.setValue(5, forKey: "people")
        try context.save()
        #expect(!(try String(contentsOf: stores.url, encoding: .utf8)).contains("z1 "))
    }

    @Test("damaged files give an error or a store, never a stop", arguments: AtomicFileTests.types, Randomness.seeds(1))
    func damaged(_ type: String, _ seed: UInt64) throws {
        var random = Randomness(seed)
        let stores = try StoreCase(type)
        let country = stores.insert("Country", ["name": "Norway"])
        for index in 0..<3 {
            stores.insert(
                "City", ["name": "c\(index)", "people": index, "country": country, "seller": country, "area": 0.5])
        }
        try stores.context.save()
        let good = Array(try Data(contentsOf: stores.url))
        for _ in 0..<60 {
            var bytes = good
            for _ in 0...random.next(4) {
                let at = random.next(bytes.count)
                switch random.next(4) {
                case 0: bytes[at] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.removeSubrange(at..<min(bytes.count, at + random.next(9)))
                case 2: bytes.insert(contentsOf: bytes[at..<min(bytes.count, at + random.next(40))], at: at)
                default: bytes[at] ^= UInt8(1 << random.next(8))
                }
            }
            _ = try Self.error(type, Data(bytes))
        }
    }
}
