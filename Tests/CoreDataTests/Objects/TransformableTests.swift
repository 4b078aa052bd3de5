import Foundation
import TestSupport
import Testing

@testable import CoreData

/// A class of the program with secure coding. Foundation archives classes at the top level only.
final class Coordinates: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    let (x, y): (Double, Double)

    init(_ x: Double, _ y: Double) {
        self.x = x
        self.y = y
    }
    init?(coder: NSCoder) {
        x = coder.decodeDouble(forKey: "x")
        y = coder.decodeDouble(forKey: "y")
    }
    func encode(with coder: NSCoder) {
        coder.encode(x, forKey: "x")
        coder.encode(y, forKey: "y")
    }
    override func isEqual(_ object: Any?) -> Bool { (object as? Coordinates).map { $0.x == x && $0.y == y } ?? false }
    override var hash: Int { x.hashValue }
}

@Suite("Transformable attributes")
struct TransformableTests {
    final class PointTransformer: NSSecureUnarchiveFromDataTransformer {
        override class var allowedTopLevelClasses: [AnyClass] { super.allowedTopLevelClasses + [Coordinates.self] }
    }

    /// An object to data of the transformer's own kind, as custom transformers of Core Data do it.
    final class CommaTransformer: ValueTransformer {
        override class func transformedValueClass() -> AnyClass { NSData.self }
        override func transformedValue(_ value: Any?) -> Any? {
            (value as? [String]).map { Data($0.joined(separator: ",").utf8) }
        }
        override func reverseTransformedValue(_ value: Any?) -> Any? {
            (value as? Data).map { String(decoding: $0, as: UTF8.self).split(separator: ",").map(String.init) }
        }
    }

    static let registered: Void = {
        ValueTransformer.setValueTransformer(PointTransformer(), forName: NSValueTransformerName("TestPoint"))
        ValueTransformer.setValueTransformer(CommaTransformer(), forName: NSValueTransformerName("TestComma"))
    }()

    static func model() -> NSManagedObjectModel {
        _ = registered
        let names: [(String, String?)] = [
            ("plain", nil), ("empty", ""), ("secure", "NSSecureUnarchiveFromData"),
            ("keyed", "NSKeyedUnarchiveFromData"), ("point", "TestPoint"), ("comma", "TestComma"),
            ("missing", "NoSuchTransformer"),
        ]
        let attributes = names.map { name, transformer in
            let attribute = Build.attribute(name, .transformableAttributeType)
            attribute.valueTransformerName = transformer
            return attribute
        }
        let typed = Build.attribute("typed", .transformableAttributeType)
        typed.attributeValueClassName = "NSArray"
        return Build.model(Build.entity("Thing", [Build.attribute("name", .stringAttributeType), typed] + attributes))
    }

    let fixture: Fixture

    init() throws { fixture = try Fixture(Self.model()) }

    /// Saves a value, and reads it with a context and coordinator of their own.
    func roundTrip(_ key: String, _ value: Any) throws -> Any? {
        fixture.insert("Thing", ["name": "a", key: value])
        try fixture.context.save()
        return try fixture.freshContext().one("Thing", "a").value(forKey: key)
    }

    @Test(
        "without a name, with an empty one, one of archives, or one that nobody registered, values are secure archives",
        arguments: ["plain", "empty", "secure", "keyed", "missing"])
    func archives(_ key: String) throws {
        let value: [String: Any] = ["tags": ["a", "b"], "count": 2, "price": NSDecimalNumber(string: "1.10")]
        let found = try #require(try roundTrip(key, value) as? [String: Any])
        #expect(found["tags"] as? [String] == ["a", "b"] && found["count"] as? Int == 2)
        #expect((found["price"] as? NSDecimalNumber)?.decimalValue == Decimal(string: "1.10"))
        #expect(try fixture.value("SELECT substr(Z\(key), 1, 8) FROM ZTHING") == "bplist00")
    }

    @Test("a subclass of the secure transformer reads and writes the program's class")
    func ownClass() throws {
        #expect(try roundTrip("point", Coordinates(1.5, -2)) as? Coordinates == Coordinates(1.5, -2))
    }

    @Test("the default transformer doesn't read the program's class; the data stays as it is")
    func notAllowed() throws {
        #expect(try roundTrip("secure", Coordinates(1, 2)) == nil)
        let context = try fixture.freshContext()
        let thing = try context.one("Thing", "a")
        #expect(thing.value(forKey: "secure") == nil)
        thing.setValue("b", forKey: "name")
        let before = try fixture.value("SELECT hex(ZSECURE) FROM ZTHING")
        try context.save()
        #expect(try fixture.value("SELECT hex(ZSECURE) FROM ZTHING") == before)
    }

    @Test("a custom transformer makes the store's data, and the object of it")
    func custom() throws {
        #expect(try roundTrip("comma", ["x", "y"]) as? [String] == ["x", "y"])
        #expect(try fixture.value("SELECT CAST(ZCOMMA AS TEXT) FROM ZTHING") == "x,y")
    }

    @Test("a custom transformer that makes no data of a value makes the save throw, and nothing is written")
    func refused() throws {
        fixture.insert("Thing", ["name": "a", "comma": 7])
        do {
            try fixture.context.save()
            Issue.record("no error")
        } catch {
            #expect("\(error.localizedDescription)".contains("'comma' of Thing"), "\(error)")
        }
        #expect(try fixture.value("SELECT COUNT(*) FROM ZTHING") == "0")
        #expect(fixture.context.insertedObjects.count == 1)
    }

    @Test("values are made of data when they are read, and are then the same object every time")
    func identity() throws {
        _ = try roundTrip("point", Coordinates(1, 2))
        let context = try fixture.freshContext()
        let thing = try context.one("Thing", "a")
        let first = try #require(thing.value(forKey: "point") as? Coordinates)
        let second = try #require(thing.value(forKey: "point") as? Coordinates)
        #expect(first === second)
        #expect(!thing.hasChanges && thing.changedValues().isEmpty)
        context.refresh(thing, mergeChanges: false)
        let third = try #require(thing.value(forKey: "point") as? Coordinates)
        #expect(first !== third && first == third)
    }

    @Test("a change inside of a value isn't noticed, and isn't saved with other changes")
    func changeInPlace() throws {
        _ = try roundTrip("secure", NSMutableArray(array: ["a"]))
        let context = try fixture.freshContext()
        let thing = try context.one("Thing", "a")
        let list = try #require(thing.value(forKey: "secure") as? NSMutableArray)
        list.add("b")
        #expect(!context.hasChanges && thing.changedValues().isEmpty)
        #expect((thing.value(forKey: "secure") as? NSArray)?.count == 2)
        thing.setValue("c", forKey: "name")
        #expect(Set(thing.changedValues().keys) == ["name"])
        try context.save()
        #expect(try fixture.freshContext().one("Thing", "c").value(forKey: "secure") as? [String] == ["a"])
    }

    @Test("after a change inside, setting another object saves it")
    func setAfterChange() throws {
        _ = try roundTrip("secure", NSMutableArray(array: ["a"]))
        let context = try fixture.freshContext()
        let thing = try context.one("Thing", "a")
        let list = try #require(thing.value(forKey: "secure") as? NSMutableArray)
        list.add("b")
        thing.setValue(NSArray(array: ["a", "b"]), forKey: "secure")
        #expect(context.hasChanges)
        try context.save()
        #expect(try fixture.freshContext().one("Thing", "a").value(forKey: "secure") as? [String] == ["a", "b"])
    }

    @Test("setting an equal value is no change of the object's values")
    func equalValue() throws {
        for (key, value) in [("secure", ["a"] as Any), ("comma", ["a"]), ("point", Coordinates(1, 2))] {
            let fixture = try Fixture(Self.model())
            fixture.insert("Thing", ["name": "a", key: value])
            try fixture.context.save()
            for context in [fixture.context, try fixture.freshContext()] {
                let thing = try context.one("Thing", "a")
                thing.setValue(key == "point" ? Coordinates(1, 2) : ["a"], forKey: key)
                #expect(thing.changedValues().isEmpty, "\(key)")
                thing.setValue(key == "point" ? Coordinates(2, 2) : ["b"], forKey: key)
                #expect(Set(thing.changedValues().keys) == [key])
                context.rollback()
            }
        }
    }

    @Test("nil is stored as NULL, and comes back")
    func null() throws {
        _ = try roundTrip("comma", ["a"])
        let thing = try fixture.context.one("Thing", "a")
        thing.setValue(nil, forKey: "comma")
        try fixture.context.save()
        #expect(try fixture.value("SELECT ZCOMMA IS NULL FROM ZTHING") == "1")
        #expect(try fixture.freshContext().one("Thing", "a").value(forKey: "comma") == nil)
    }

    @Test("committed values are made by the attribute's transformer")
    func committed() throws {
        _ = try roundTrip("comma", ["a"])
        let thing = try fixture.freshContext().one("Thing", "a")
        thing.setValue(["b"], forKey: "comma")
        #expect(thing.committedValues(forKeys: ["comma"])["comma"] as? [String] == ["a"])
        #expect(thing.changedValues()["comma"] as? [String] == ["b"])
    }

    @Test("the class that the model names is demanded of values")
    func valueClass() throws {
        let attribute = try #require(fixture.model.entitiesByName["Thing"]?.attributesByName["typed"])
        #expect(throws: SlotValue.Unacceptable.self) { try SlotValue("text", for: attribute) }
        #expect(throws: Never.self) { try SlotValue(["a"], for: attribute) }
        #expect(throws: Never.self) { try SlotValue(NSMutableArray(), for: attribute) }
        #expect(throws: Never.self) { try SlotValue(nil, for: attribute) }
        #expect(try roundTrip("typed", ["a"]) as? [String] == ["a"])
    }

    @Test("a default value is each new object's, and is saved")
    func defaultValue() throws {
        let attribute = Build.attribute("tags", .transformableAttributeType, default: ["x"])
        attribute.valueTransformerName = "TestComma"
        _ = Self.registered
        let fixture = try Fixture(Build.model(Build.entity("Thing", [attribute])))
        #expect(fixture.insert("Thing").value(forKey: "tags") as? [String] == ["x"])
        try fixture.context.save()
        #expect(try fixture.value("SELECT CAST(ZTAGS AS TEXT) FROM ZTHING") == "x")
    }

    @Test("two contexts have objects of their own")
    func contexts() throws {
        fixture.insert("Thing", ["name": "a", "secure": NSMutableArray(array: [1])])
        try fixture.context.save()
        let second = try fixture.secondContext().one("Thing", "a")
        let list = try #require(second.value(forKey: "secure") as? NSMutableArray)
        list.add(2)
        let first = try fixture.context.one("Thing", "a")
        #expect((first.value(forKey: "secure") as? NSArray)?.count == 1)
    }

    @Test("undoing brings the old value back")
    func undo() throws {
        _ = try roundTrip("comma", ["a"])
        let thing = try fixture.context.one("Thing", "a")
        fixture.context.undoManager = UndoManager()
        thing.setValue(["b"], forKey: "comma")
        fixture.context.processPendingChanges()
        fixture.context.undo()
        #expect(thing.value(forKey: "comma") as? [String] == ["a"])
        fixture.context.redo()
        #expect(thing.value(forKey: "comma") as? [String] == ["b"])
    }

    // MARK: Hostile and real data

    @Test("data that is no archive reads as nil, and stays as it is")
    func damaged() throws {
        _ = try roundTrip("secure", ["a"])
        let connection = try SQLiteConnection(fixture.url, .readWrite)
        for bytes in ["00", "62706C6973743030", "62706C697374303000FFFF"] {
            try connection.execute("UPDATE ZTHING SET ZSECURE = x'\(bytes)'")
            let context = try fixture.freshContext()
            let thing = try context.one("Thing", "a")
            #expect(thing.value(forKey: "secure") == nil)
            thing.setValue(["again"], forKey: "plain")
            try context.save()
            #expect(try fixture.value("SELECT hex(ZSECURE) FROM ZTHING") == bytes)
        }
    }

    @Test(
        "Apple's archives in real stores are read, or refused for their class",
        .enabled(if: Corpus.shared != nil, "\(Corpus.absence)"))
    func realArchives() throws {
        let classes = NSSecureUnarchiveFromDataTransformer.allowedTopLevelClasses
        var (read, refused) = (0, 0)
        for entry in Corpus.entries("store-sqlite") {
            let folder = try TemporaryFolder()
            let connection = try SQLiteConnection(try CorpusStoreTests.copy(entry, to: folder), .readWrite)
            for table in try connection.tables() where table.hasPrefix("Z") && !table.hasPrefix("Z_") {
                let columns = try connection.statement("PRAGMA table_info(\(table))")
                var names: [String] = []
                while try columns.step() { if columns.string(2) == "BLOB" { names.append(columns.string(1)) } }
                for name in names {
                    let values = try connection.statement(
                        "SELECT \(name) FROM \(table) WHERE substr(\(name), 1, 8) = CAST('bplist00' AS BLOB) LIMIT 200")
                    while try values.step() {
                        do {
                            let object = try SecureArchive.object(in: values.data(0), classes: classes)
                            let written = try SecureArchive.data(of: try #require(object))
                            #expect(try SecureArchive.object(in: written, classes: classes)?.isEqual(object) == true)
                            read += 1
                        } catch let error as CocoaError {
                            #expect(error.localizedDescription.contains("unexpected class"), "\(entry): \(error)")
                            refused += 1
                        }
                    }
                }
            }
        }
        #expect(read >= 10 && refused >= 10, "\(read) read, \(refused) refused")
    }
}
