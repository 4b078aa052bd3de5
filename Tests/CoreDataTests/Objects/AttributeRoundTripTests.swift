import CSQLite
import Foundation
import Testing

@testable import CoreData

@Suite("Attribute values through a save and a fresh coordinator")
struct AttributeRoundTripTests {
    static let types: [(String, NSAttributeType)] = [
        ("int16", .integer16AttributeType), ("int32", .integer32AttributeType), ("int64", .integer64AttributeType),
        ("decimal", .decimalAttributeType), ("double", .doubleAttributeType), ("float", .floatAttributeType),
        ("string", .stringAttributeType), ("flag", .booleanAttributeType), ("date", .dateAttributeType),
        ("data", .binaryDataAttributeType), ("external", .binaryDataAttributeType), ("uuid", .UUIDAttributeType),
        ("uri", .URIAttributeType), ("object", .transformableAttributeType),
    ]

    static func model() -> NSManagedObjectModel {
        let attributes = types.map { Build.attribute($0.0, $0.1) }
        attributes.first { $0.name == "external" }?.allowsExternalBinaryDataStorage = true
        return Build.model(Build.entity("Thing", attributes + [Build.attribute("name", .stringAttributeType)]))
    }

    /// Saves a value; what a fresh coordinator reads, and the column's `typeof`.
    static func roundTrip(_ key: String, _ value: Any?) throws -> (value: Any?, type: String?) {
        let fixture = try Fixture(model())
        fixture.insert("Thing", ["name": "x", key: value])
        try fixture.context.save()
        let type = try fixture.value("SELECT typeof(Z\(key.uppercased())) FROM ZTHING")
        return (try fixture.freshContext().one("Thing", "x").value(forKey: key), type)
    }

    @Test("nil stays nil for every type, and is NULL", arguments: types.map(\.0))
    func nils(_ key: String) throws {
        let found = try Self.roundTrip(key, nil)
        #expect(found.value == nil)
        #expect(found.type == "null")
    }

    @Test(
        "integers keep their extremes",
        arguments: [
            ("int16", Int64(Int16.min)), ("int16", Int64(Int16.max)), ("int32", Int64(Int32.min)),
            ("int32", Int64(Int32.max)),
            ("int64", Int64.min), ("int64", Int64.max), ("int64", 0), ("int64", 9_007_199_254_740_993),
        ])
    func integers(_ key: String, _ number: Int64) throws {
        let found = try Self.roundTrip(key, number)
        #expect((found.value as? NSNumber)?.int64Value == number)
        #expect(found.type == "integer")
    }

    @Test(
        "doubles keep their extremes",
        arguments: [
            0, -0.0, 0.1, Double.greatestFiniteMagnitude, -Double.greatestFiniteMagnitude, .leastNonzeroMagnitude,
            .infinity,
            -.infinity, 1.0 / 3.0,
        ])
    func doubles(_ number: Double) throws {
        let found = try Self.roundTrip("double", number)
        #expect((found.value as? NSNumber)?.doubleValue == number)
        #expect(found.type == "real")
    }

    @Test("a decimal given for a double becomes the nearest one", arguments: ["19.99", "-6.06", "29.541", "0.1"])
    func decimalsAsDoubles(_ text: String) throws {
        let decimal = try #require(Decimal(string: text))
        for given: Any in [decimal, NSDecimalNumber(decimal: decimal)] {
            let found = try Self.roundTrip("double", given)
            #expect((found.value as? NSNumber)?.doubleValue == Double(text))
        }
    }

    @Test(
        "floats keep their extremes",
        arguments: [Float(0.1), .greatestFiniteMagnitude, .leastNonzeroMagnitude, 16_777_216])
    func floats(_ number: Float) throws {
        let found = try Self.roundTrip("float", number)
        #expect((found.value as? NSNumber)?.floatValue == number)
        #expect(found.type == "real")
    }

    @Test("a number that is none becomes nil, and the object is clean after the save")
    func notANumber() throws {
        let fixture = try Fixture(Self.model())
        let thing = fixture.insert("Thing", ["name": "x", "double": Double.nan])
        try fixture.context.save()
        #expect(thing.changedValues().isEmpty)
        #expect(try fixture.freshContext().one("Thing", "x").value(forKey: "double") == nil)
    }

    @Test(
        "decimals of up to fifteen digits stay exact",
        arguments: [
            "0", "0.1", "10.11", "-10.11", "123456789012345", "0.000000000000001", "99999999999999.9", "1e20", "-1e-20",
        ])
    func decimals(_ text: String) throws {
        let decimal = try #require(Decimal(string: text))
        let found = try Self.roundTrip("decimal", decimal)
        #expect((found.value as? NSDecimalNumber)?.decimalValue == decimal)
        #expect(found.type == (decimal.description.contains(".") || text.contains("e20") ? "real" : "integer"))
    }

    @Test(
        "strings keep every character",
        arguments: [
            "", " ", "a\0b", "\0", "Þórður", "e\u{301}", "é", "👩‍👩‍👧", "\u{FFFF}", "line\nline\r\n",
            "'; DROP TABLE ZTHING; --", "𝄞",
            String(repeating: "x", count: 100_000),
        ])
    func strings(_ text: String) throws {
        let found = try Self.roundTrip("string", text)
        #expect((found.value as? String).map { Array($0.utf8) } == Array(text.utf8))
        #expect(found.type == "text")
    }

    @Test("Booleans are 0 and 1", arguments: [true, false])
    func booleans(_ flag: Bool) throws {
        let found = try Self.roundTrip("flag", flag)
        #expect((found.value as? NSNumber)?.boolValue == flag)
        #expect(found.type == "integer")
    }

    @Test(
        "dates keep fractions of seconds and far years",
        arguments: [
            -63_114_076_800, 0, 0.5, 1e-6, 725_846_400.123456, 1e15, -1e15, 64_092_211_200,
        ])
    func dates(_ seconds: Double) throws {
        let found = try Self.roundTrip("date", Date(timeIntervalSinceReferenceDate: seconds))
        #expect((found.value as? Date)?.timeIntervalSinceReferenceDate == seconds)
        #expect(found.type == (seconds == seconds.rounded() ? "integer" : "real"))
    }

    @Test("data keeps every byte, with and without external storage", arguments: [0, 1, 2, 37, 200_000])
    func bytes(_ count: Int) throws {
        let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 1) })
        for key in ["data", "external"] {
            let found = try Self.roundTrip(key, data)
            #expect(found.value as? Data == data)
            #expect(found.type == "blob")
        }
    }

    @Test("a slice of data is its own bytes")
    func slice() throws {
        let slice = Data([9, 9, 1, 2, 3, 9])[2..<5]
        #expect(try Self.roundTrip("external", slice).value as? Data == Data([1, 2, 3]))
        #expect(try Self.roundTrip("data", slice).value as? Data == Data([1, 2, 3]))
    }

    @Test("UUIDs are sixteen bytes, URIs text")
    func identifiers() throws {
        let uuid = UUID()
        let foundUUID = try Self.roundTrip("uuid", uuid)
        #expect(foundUUID.value as? UUID == uuid)
        #expect(foundUUID.type == "blob")
        for text in ["https://example.org/a%20b?q=1#f", "mailto:a@b.c", "x-coredata://A/B/p1", "file:///tmp/ä"] {
            let url = try #require(URL(string: text))
            let found = try Self.roundTrip("uri", url)
            #expect(found.value as? URL == url)
            #expect(found.type == "text")
        }
    }

    @Test("transformable values are archives that come back equal")
    func transformables() throws {
        let values: [NSObject] = [
            NSString("text"), NSNumber(value: 42), NSArray(array: [1, "two", Date(timeIntervalSince1970: 3)]),
            NSDictionary(dictionary: ["a": ["b": 1]]), NSSet(array: [1, 2]), NSData(data: Data([1, 2])),
        ]
        for value in values {
            let found = try Self.roundTrip("object", value)
            #expect((found.value as? NSObject)?.isEqual(value) == true, "\(value)")
            #expect(found.type == "blob")
        }
        #expect(try Self.roundTrip("object", ["a", "b"]).value as? [String] == ["a", "b"])
    }

    @Test("a transformable value that can't be archived makes the save throw, and nothing is written", arguments: 0..<3)
    func unarchivable(_ number: Int) throws {
        let values: [NSObject] = [
            NSArray(array: [NSObject()]), NSObject(), NSDictionary(dictionary: ["a": NSNumber(value: UInt64.max)]),
        ]
        let value = values[number]
        let fixture = try Fixture(Self.model())
        fixture.insert("Thing", ["name": "ok"])
        fixture.insert("Thing", ["name": "bad", "object": value])
        #expect(throws: (any Error).self) { try fixture.context.save() }
        #expect(try fixture.value("SELECT COUNT(*) FROM ZTHING") == "0")
        #expect(fixture.context.insertedObjects.count == 2)
    }

    @Test(
        "setters take any number in range and hand out Foundation's types",
        arguments: [
            ("int16", UInt8(7) as any Sendable, 7.0), ("int32", 7.9, 7), ("int64", UInt64(7), 7), ("int64", true, 1),
            ("double", Int8(-7), -7), ("double", Float(0.5), 0.5), ("double", Decimal(7), 7), ("float", 7, 7),
            ("flag", 1, 1),
            ("flag", 0, 0), ("decimal", 7, 7), ("decimal", 7.5, 7.5), ("double", true, 1), ("int16", Decimal(7), 7),
        ])
    func numbers(_ key: String, _ value: any Sendable, _ want: Double) throws {
        let fixture = try Fixture(Self.model())
        let thing = fixture.insert("Thing", [key: value])
        #expect((thing.value(forKey: key) as? NSNumber)?.doubleValue == want)
        if key == "decimal" { #expect(thing.value(forKey: key) is NSDecimalNumber) }
    }

    @Test(
        "numbers that don't fit are refused, not cut off",
        arguments: [
            ("int16", 40_000 as any Sendable), ("int32", Int64.max), ("int64", UInt64.max), ("int64", 1e300),
            ("int64", Double.nan),
            ("int64", 9.25e18), ("int64", NSNumber(value: UInt64(9_250_000_000_000_000_000))),
            ("int64", NSNumber(value: 1e300)),
        ])
    func outOfRange(_ key: String, _ value: any Sendable) throws {
        let attribute = try #require(Self.types.first { $0.0 == key })
        #expect(throws: SlotValue.Unacceptable.self) { try SlotValue(value, for: attribute.1) }
    }

    @Test("large integers in objects stay exact")
    func exactNumbers() throws {
        for value: Any in [NSNumber(value: Int64.max), NSDecimalNumber(string: "9223372036854775807")] {
            guard case .integer(let number) = try SlotValue(value, for: .integer64AttributeType) else {
                Issue.record("no integer")
                continue
            }
            #expect(number == .max)
        }
    }

    @Test("defaults are there at once and are saved; transient values live as long as the object")
    func defaults() throws {
        let entity = Build.entity(
            "Thing",
            [
                Build.attribute("name", .stringAttributeType, isOptional: false, default: "x"),
                Build.attribute("count", .integer64AttributeType, default: 7),
                Build.attribute("note", .stringAttributeType, isTransient: true, default: "draft"),
            ])
        let fixture = try Fixture(Build.model(entity))
        let thing = fixture.insert("Thing")
        #expect(thing.value(forKey: "count") as? Int == 7)
        #expect(thing.value(forKey: "note") as? String == "draft")
        #expect(thing.changedValues().isEmpty)
        thing.setValue("kept", forKey: "note")
        try fixture.context.save()
        #expect(thing.value(forKey: "note") as? String == "kept")
        let fresh = try fixture.freshContext().one("Thing", "x")
        #expect(fresh.value(forKey: "count") as? Int == 7)
        #expect(fresh.value(forKey: "note") == nil || fresh.value(forKey: "note") as? String == "draft")
        #expect(try fixture.value("SELECT COUNT(*) FROM pragma_table_info('ZTHING')") == "5")
        thing.setValue("changed", forKey: "note")
        #expect(thing.hasChanges)
        #expect(!thing.hasPersistentChangedValues)
        try fixture.context.save()
        #expect(try fixture.value("SELECT Z_OPT FROM ZTHING") == "1")
    }
}
