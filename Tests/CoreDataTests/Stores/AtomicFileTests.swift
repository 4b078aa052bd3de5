import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("Stores in a binary or XML file")
struct AtomicFileTests {
    static let types = [NSBinaryStoreType, NSXMLStoreType]

    @Test(
        "values of every type come back from every store",
        arguments: StoreCase.types)
    func values(_ type: String) throws {
        let model = AttributeRoundTripTests.model()
        let values: [(String, [any Sendable])] = [
            ("int16", [Int16.min, Int16.max, 0]), ("int32", [Int32.min, Int32.max]), ("int64", [Int64.min, Int64.max]),
            (
                "double",
                [0.1, -Double.greatestFiniteMagnitude, Double.leastNonzeroMagnitude, Double.infinity, -0.0, 1.0 / 3]
            ),
            ("float", [Float(0.1), Float.greatestFiniteMagnitude, Float.leastNonzeroMagnitude, Float(16_777_216)]),
            (
                "string",
                ["", " ", "\n", " a\tb\r\nc ", "Þórður", "e\u{301}", "👩‍👩‍👧", "<a b=\"c\">&amp;]]></a>", "\u{FFFD}"]
            ),
            ("flag", [true, false]),
            (
                "date",
                [
                    Date(timeIntervalSinceReferenceDate: 0.1), Date(timeIntervalSinceReferenceDate: -63_114_076_800),
                    Date(timeIntervalSinceReferenceDate: 1e-30), Date(timeIntervalSinceReferenceDate: 1e300),
                ]
            ),
            ("data", [Data(), Data([0, 1, 255]), Data(repeating: 7, count: 100_000)]),
            ("external", [Data([1, 2])]), ("uuid", [UUID()]),
        ]
        let stores = try StoreCase(type, model)
        for (key, list) in values {
            for (index, value) in list.enumerated() { stores.insert("Thing", ["name": "\(key)\(index)", key: value]) }
        }
        stores.insert("Thing", ["name": "uri0", "uri": URL(string: "https://example.org/a%20b?q=1#f")])
        stores.insert("Thing", ["name": "decimal0", "decimal": Decimal(string: "-10.11")])
        stores.insert("Thing", ["name": "object0", "object": NSArray(array: [1, "two"])])
        let isOwn = ![TableStore.typeName, ServiceStore.typeName].contains(type)
        stores.insert("Thing", ["name": "nan", "double": isOwn ? Double.nan : nil])
        try stores.context.save()
        let context = try stores.fresh()
        for (key, list) in values {
            for (index, value) in list.enumerated() {
                let thing = try context.one("Thing", "\(key)\(index)")
                #expect(Self.isSame(thing.value(forKey: key), value), "\(key) \(value)")
                for (other, _) in values where other != key { #expect(thing.value(forKey: other) == nil) }
            }
        }
        #expect(
            try context.one("Thing", "uri0").value(forKey: "uri") as? URL
                == URL(string: "https://example.org/a%20b?q=1#f"))
        #expect(
            (try context.one("Thing", "decimal0").value(forKey: "decimal") as? NSDecimalNumber)?.decimalValue
                == Decimal(string: "-10.11"))
        #expect((try context.one("Thing", "object0").value(forKey: "object") as? NSArray)?.isEqual([1, "two"]) == true)
        #expect(try context.one("Thing", "nan").value(forKey: "double") == nil)
    }

    private static func isSame(_ found: Any?, _ value: any Sendable) -> Bool {
        switch value {
        case let text as String: (found as? String).map { Array($0.utf8) } == Array(text.utf8)
        case let flag as Bool: found as? Bool == flag
        case let real as Double: (found as? NSNumber)?.doubleValue == real
        case let real as Float: (found as? NSNumber)?.floatValue == real
        case let date as Date: found as? Date == date
        case let data as Data: found as? Data == data
        case let uuid as UUID: found as? UUID == uuid
        case let number as any BinaryInteger: (found as? NSNumber)?.int64Value == Int64(number)
        default: false
        }
    }

    @Test("decimals keep all their digits", arguments: types + [NSInMemoryStoreType])
    func decimals(_ type: String) throws {
        let stores = try StoreCase(type)
        let digits = "1234567890123456789012345678.901234567"
        stores.insert("City", ["name": "a", "price": Decimal(string: digits)])
        try stores.context.save()
        let found = try stores.fresh().one("City", "a").value(forKey: "price") as? NSDecimalNumber
        #expect(found?.decimalValue == Decimal(string: digits))
    }

    // MARK: Files

    @Test("an XML store's file has Apple's layout")
    func layout() throws {
        let stores = try StoreCase(NSXMLStoreType)
        stores.store.identifier = "C4FB3D23-093B-455B-8BB2-12E8793A4DFC"
        let norway = stores.insert("Country", ["name": "Norway"])
        try stores.context.save()
        let oslo = stores.insert("Capital", ["name": "Oslo & <co>", "isOld": true, "since": 1814, "country": norway])
        oslo.setValue(Date(timeIntervalSinceReferenceDate: 0.5), forKey: "founded")
        try stores.context.save()
        norway.setValue(NSOrderedSet(array: [stores.insert("City", ["name": "B"]), oslo]), forKey: "shop")
        try stores.context.save()
        let text = try String(contentsOf: stores.url, encoding: .utf8)
        let start = """
            <?xml version="1.0" standalone="yes"?>
            <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

            <database>
                <databaseInfo>
                    <version>134481920</version>
                    <UUID>C4FB3D23-093B-455B-8BB2-12E8793A4DFC</UUID>
                    <nextObjectID>104</nextObjectID>
                    <metadata>
                        <plist version="1.0">
                            <dict>
                                <key>NSPersistenceFrameworkVersion</key>
                                <integer>1344</integer>
                                <key>NSStoreModelVersionChecksumKey</key>

            """
        let objects = """
                </databaseInfo>
                <object type="COUNTRY" id="z102">
                    <attribute name="name" type="string">Norway</attribute>
                    <relationship name="cities" type="0/0" destination="CITY" idrefs="z103"></relationship>
                    <relationship name="shop" type="0/0" destination="CITY" idrefs="z104 z103"></relationship>
                </object>
                <object type="CAPITAL" id="z103">
                    <attribute name="founded" type="date">0.50000000000000000000</attribute>
                    <attribute name="isold" type="bool">1</attribute>
                    <attribute name="name" type="string">Oslo &amp; &lt;co&gt;</attribute>
                    <attribute name="since" type="int32">1814</attribute>
                    <relationship name="country" type="1/1" destination="COUNTRY" idrefs="z102"></relationship>
                    <relationship name="seller" type="1/1" destination="COUNTRY" idrefs="z102"></relationship>
                    <relationship name="tags" type="0/0" destination="TAG"></relationship>
                    <relationship name="twin" type="1/1" destination="CITY"></relationship>
                    <relationship name="twinback" type="1/1" destination="CITY"></relationship>
                </object>
                <object type="CITY" id="z104">
                    <attribute name="name" type="string">B</attribute>
                    <relationship name="country" type="1/1" destination="COUNTRY"></relationship>
                    <relationship name="seller" type="1/1" destination="COUNTRY" idrefs="z102"></relationship>
                    <relationship name="tags" type="0/0" destination="TAG"></relationship>
                    <relationship name="twin" type="1/1" destination="CITY"></relationship>
                    <relationship name="twinback" type="1/1" destination="CITY"></relationship>
                </object>
            </database>
            """
        #expect(text.hasPrefix(start))
        #expect(!text.contains("NSStoreType<") && !text.contains("NSStoreUUID"))
        #expect(text[try #require(text.range(of: "    </databaseInfo>")).lowerBound...] == objects)
    }

    @Test(
        "Apple's XML files are read, and written as they were", .enabled(if: Corpus.root != nil, "\(Corpus.absence)"))
    func appleFiles() throws {
        let files = Corpus.entries("mapping-model")
        #expect(files.count > 10)
        for name in files {
            let data = try Data(contentsOf: try #require(name.url))
            let document = try XMLStoreDocument(data)
            #expect(document.lastKey == document.objects.map(\.key).max(), "\(name)")
            #expect(document.metadata[NSStoreModelVersionHashesKey] is [String: Data], "\(name)")
            #expect(document.metadata[NSStoreTypeKey] as? String == NSXMLStoreType)
            var written = String(decoding: try document.encoded(), as: UTF8.self)
            let original = String(decoding: data, as: UTF8.self)
            if original.hasPrefix("<?xml version=\"1.0\" standalone=\"no\"?>") {
                written = written.replacingOccurrences(of: "standalone=\"yes\"", with: "standalone=\"no\"")
            }
            #expect(written == original, "\(name)")
        }
    }

    @Test(
        "a character that XML can't hold makes the save fail, and the file stays",
        arguments: ["\0", "\u{1}", "\u{FFFE}", "a\u{FFFF}"])
    func unwritableCharacters(_ text: String) throws {
        let stores = try StoreCase(NSXMLStoreType)
        let oslo = stores.insert("City", ["name": "Oslo"])
        try stores.context.save()
        let before = try Data(contentsOf: stores.url)
        oslo.setValue(text, forKey: "name")
        #expect(errorCode { try stores.context.save() } == .persistentStoreSave)
        #expect(oslo.isUpdated)
        #expect(try Data(contentsOf: stores.url) == before)
        #expect(try stores.second().names("City") == ["Oslo"])
        let binary = try StoreCase(NSBinaryStoreType)
        binary.insert("City", ["name": text])
        try binary.context.save()
        #expect(try binary.fresh().names("City") == [text])
    }

    @Test("XML files and values of more than ten megabytes are read again, which parsers don't take at once")
    func large() throws {
        let stores = try StoreCase(NSXMLStoreType)
        let text = String(repeating: "0123456789abcde\n", count: 656_000)
        stores.insert("City", ["name": text])
        stores.insert("Tag", ["name": "after"])
        try stores.context.save()
        let context = try stores.fresh()
        #expect(try context.find("City").first?.name == text && context.names("Tag") == ["after"])
    }

    @Test("more relations of an object than XML can hold are refused")
    func longReferences() throws {
        var object = StoredObject(entity: "A", key: 102)
        let keys = Array(repeating: Int64(1_000_000_000_000_000_000), count: 500_000)
        object.relationships = [.init(name: "b", isToMany: true, destination: "B", keys: keys)]
        let document = XMLStoreDocument(metadata: [:], lastKey: 102, objects: [object])
        #expect(throws: StoreFileFault.self) { try document.encoded() }
    }

    @Test("keys are never given twice, also after the last object is gone", arguments: types)
    func keys(_ type: String) throws {
        let stores = try StoreCase(type)
        let first = stores.insert("City", ["name": "a"])
        try stores.context.save()
        #expect(first.objectID.uriRepresentation().absoluteString.hasSuffix("/City/p102"))
        stores.context.delete(first)
        try stores.context.save()
        let context = try stores.fresh()
        let next = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
        try context.save()
        #expect(next.objectID.uriRepresentation().absoluteString.hasSuffix("/Tag/p103"))
    }

    @Test(
        "the first save makes the file, also one without objects; later ones leave nothing beside it", arguments: types)
    func files(_ type: String) throws {
        let stores = try StoreCase(type)
        #expect(stores.folder.names.isEmpty && stores.store.wantsEmptySaves)
        stores.insert("City", ["name": "a"])
        try stores.context.save()
        #expect(stores.folder.names == ["test.store"] && !stores.store.wantsEmptySaves)
        stores.store.metadata["mine"] = 1
        #expect(stores.store.wantsEmptySaves)
        try stores.context.save()
        #expect(try stores.fresh().persistentStoreCoordinator?.persistentStores[0].metadata["mine"] as? Int == 1)
        #expect(stores.folder.names == ["test.store"])
    }

    @Test("a save follows a link to the file, and keeps the link", arguments: types)
    func links(_ type: String) throws {
        let stores = try StoreCase(type)
        stores.insert("Tag", ["name": "c"])
        try stores.context.save()
        let folder = stores.folder
        let link = folder.file("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: stores.url)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: StoreCase.model())
        try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: link)
        let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        for name in ["a", "b"] {
            NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context).setValue(name, forKey: "name")
            try context.save()
        }
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == stores.url.path)
        #expect(folder.names == ["link", "test.store"])
        #expect(try stores.fresh().names("Tag") == ["a", "b", "c"])
    }

    @Test("a save whose folder is gone fails, and can be made again", arguments: types)
    func folderGone(_ type: String) throws {
        let stores = try StoreCase(type)
        let oslo = stores.insert("City", ["name": "Oslo"])
        try stores.context.save()
        oslo.setValue("Bergen", forKey: "name")
        let fresh = stores.insert("City", ["name": "new"])
        try FileManager.default.removeItem(at: stores.folder.url)
        #expect(throws: (any Error).self) { try stores.context.save() }
        #expect(oslo.isUpdated && fresh.isInserted && fresh.objectID.isTemporaryID)
        #expect(try stores.second().names("City") == ["Oslo"])
        try FileManager.default.createDirectory(at: stores.folder.url, withIntermediateDirectories: true)
        try stores.context.save()
        #expect(try stores.fresh().names("City") == ["Bergen", "new"])
    }

    @Test("a store that was given another address is written there by the next save, changes or not", arguments: types)
    func moving(_ type: String) throws {
        let stores = try StoreCase(type)
        stores.insert("City", ["name": "Oslo"])
        try stores.context.save()
        let place = stores.folder.file("moved")
        #expect(stores.coordinator.setURL(place, for: stores.store))
        try stores.context.save()
        #expect(stores.folder.names == ["moved", "test.store"])
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: stores.model)
        try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: place)
        let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        #expect(try context.names("City") == ["Oslo"])
    }

    @Test("a store of one type becomes one of another with all that is in it", arguments: StoreCase.lockingTypes, types)
    func migrating(_ from: String, _ to: String) throws {
        let stores = try StoreCase(from)
        let norway = stores.insert("Country", ["name": "Norway"])
        let cities = ["a", "b"].map { stores.insert("City", ["name": $0, "country": norway, "people": 7]) }
        norway.setValue(NSOrderedSet(array: cities.reversed()), forKey: "shop")
        cities[0].setValue(Set([stores.insert("Tag", ["name": "t"])]), forKey: "tags")
        stores.insert("Capital", ["name": "c", "since": 1, "twin": cities[1]])
        try stores.context.save()
        let dump = try stores.fresh().dump()
        let store = try stores.coordinator.migratePersistentStore(
            stores.store, to: stores.folder.file("new"), withType: to)
        #expect(store.type == to)
        #expect(try stores.second().dump() == dump)
    }

    // MARK: Metadata

    @Test("metadata are read and set without a model", arguments: types)
    func metadata(_ type: String) throws {
        let stores = try StoreCase(type)
        stores.insert("City", ["name": "Oslo", "people": 5])
        let date = Date(timeIntervalSinceReferenceDate: 86_400)
        let own: [String: Any] = [
            "text": "a<b", "number": -5, "real": 0.25, "flag": true, "date": date, "data": Data([1, 2]),
            "list": ["a", 1] as [Any], "pairs": ["a": ["b": "c"]],
        ]
        stores.store.metadata.merge(own) { $1 }
        try stores.context.save()
        let storeClass = try NSPersistentStoreCoordinator.storeClass(forType: type, at: nil)
        var found = try storeClass.metadataForPersistentStore(with: stores.url)
        #expect(found[NSStoreTypeKey] as? String == type)
        #expect(found[NSStoreUUIDKey] as? String == stores.store.identifier)
        #expect(found[NSStoreModelVersionHashesKey] as? [String: Data] == stores.model.entityVersionHashesByName)
        #expect(found["text"] as? String == "a<b" && found["number"] as? Int == -5 && found["real"] as? Double == 0.25)
        #expect(
            found["flag"] as? Bool == true && found["date"] as? Date == date && found["data"] as? Data == Data([1, 2]))
        #expect(
            (found["list"] as? [Any])?.count == 2 && (found["pairs"] as? [String: [String: String]])?["a"]?["b"] == "c")
        found["text"] = "changed"
        found[NSStoreUUIDKey] = nil
        try storeClass.setMetadata(found, forPersistentStoreAt: stores.url)
        let context = try stores.fresh()
        let store = try #require(context.persistentStoreCoordinator?.persistentStores[0])
        #expect(store.metadata["text"] as? String == "changed" && store.identifier == stores.store.identifier)
        #expect(try context.one("City", "Oslo").value(forKey: "people") as? Int == 5)
        #expect(
            errorCode { _ = try storeClass.metadataForPersistentStore(with: stores.folder.file("none")) }
                == .fileReadNoSuchFile)
    }

    @Test("a store of another model is refused with 134100, and opens when versions are ignored", arguments: types)
    func otherModel(_ type: String) throws {
        let stores = try StoreCase(type)
        stores.insert("Tag", ["name": "x"])
        try stores.context.save()
        func open(_ options: [AnyHashable: Any]?) throws -> NSPersistentStoreCoordinator {
            let tag = Build.entity("Tag", [Build.attribute("title", .stringAttributeType)])
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Build.model(tag))
            try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: stores.url, options: options)
            return coordinator
        }
        #expect(errorCode { _ = try open(nil) } == .persistentStoreIncompatibleVersionHash)
        let coordinator = try open([NSIgnorePersistentStoreVersioningOption: true])
        let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        #expect(try context.find("Tag").count == 1)
    }

    @Test("what can't be opened says so", arguments: types)
    func refusals(_ type: String) throws {
        let folder = try TemporaryFolder()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: StoreCase.model())
        func add(_ url: URL?, _ options: [AnyHashable: Any]? = nil) -> CocoaError.Code? {
            errorCode {
                try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url, options: options)
            }
        }
        #expect(add(nil) == .persistentStoreOpen)
        #expect(add(URL(string: "https://example.org/a")) == .persistentStoreOpen)
        #expect(add(folder.file("none"), [NSReadOnlyPersistentStoreOption: true]) == .fileReadNoSuchFile)
        #expect(add(URL(fileURLWithPath: "/dev/zero")) == .fileReadCorruptFile)
        #expect(add(folder.url) != nil)
        #expect(coordinator.persistentStores.isEmpty)
        #expect(add(folder.file("a")) == nil && add(folder.file("a")) != nil && coordinator.persistentStores.count == 1)
    }

    @Test("a model with names that differ in case only has no XML store")
    func sameNames() throws {
        let model = Build.model(
            Build.entity("A", [Build.attribute("x", .stringAttributeType), Build.attribute("X", .stringAttributeType)]))
        #expect(errorCode { _ = try StoreCase(NSXMLStoreType, model) } == .fileReadCorruptFile)
        #expect(errorCode { _ = try StoreCase(NSBinaryStoreType, model) } == nil)
    }
}
