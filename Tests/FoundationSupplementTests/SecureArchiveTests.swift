import Foundation
import Testing

@testable import FoundationSupplement

@Suite("Secure archives")
struct SecureArchiveTests {
    static let classes = NSSecureUnarchiveFromDataTransformer.allowedTopLevelClasses

    static func read(_ data: Data, _ classes: [AnyClass] = classes) throws -> NSObject? {
        try SecureArchive.object(in: data, classes: classes)
    }

    nonisolated(unsafe) static let values: [NSObject] = [
        NSString("text"), NSString(""), NSString("ä€𝄞"), NSMutableString(string: "m"), NSNumber(value: 42),
        NSNumber(value: -1), NSNumber(value: Int64.min), NSNumber(value: 1.5), NSNumber(value: true),
        NSArray(), NSArray(array: [1, "two", 2.5]), NSMutableArray(array: [1]),
        NSDictionary(dictionary: ["a": ["b": [1, 2]], "c": NSNull()]), NSMutableDictionary(dictionary: ["a": 1]),
        NSSet(array: [1, 2]), NSMutableSet(array: ["x"]),
        NSDate(timeIntervalSinceReferenceDate: 1234.5), NSDate.distantPast as NSDate,
        NSData(data: Data([1, 2, 3])), NSMutableData(data: Data([4])), NSData(),
        NSUUID(), NSNull(), (URL(string: "https://example.org/a%20b?q#f") ?? URL(fileURLWithPath: "/")) as NSURL,
        (URL(string: "b/c", relativeTo: URL(string: "https://example.org/a/")) ?? URL(fileURLWithPath: "/")) as NSURL,
    ]

    @Test("property values come back equal and as mutable as they were", arguments: values.indices)
    func roundTrip(_ index: Int) throws {
        let value = Self.values[index]
        let found = try #require(try Self.read(try SecureArchive.data(of: value)))
        #expect(found.isEqual(value), "\(found)")
        #expect(found is NSMutableArray == value is NSMutableArray)
        #expect(found is NSMutableDictionary == value is NSMutableDictionary)
        #expect(found is NSMutableSet == value is NSMutableSet)
        #expect(found is NSMutableString == value is NSMutableString)
        #expect(found is NSMutableData == value is NSMutableData)
    }

    @Test("Foundation reads what is written here, and what it writes is read here", arguments: values.indices)
    func foundation(_ index: Int) throws {
        let value = Self.values[index]
        let ours = try NSKeyedUnarchiver.unarchivedObject(
            ofClasses: Self.classes, from: try SecureArchive.data(of: value))
        #expect((ours as? NSObject)?.isEqual(value) == true, "\(value)")
        let theirs = try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
        #expect(try Self.read(theirs)?.isEqual(value) == true, "\(value)")
    }

    @Test("Swift's values are archived as Foundation's")
    func swiftValues() throws {
        let value: [String: Any] = [
            "numbers": [1, 2], "text": "a", "date": Date(timeIntervalSince1970: 0), "data": Data([1]),
            "set": Set(["x"]),
            "uuid": UUID(), "flag": true, "real": 0.5,
        ]
        let found = try Self.read(try SecureArchive.data(of: value))
        #expect(found?.isEqual(NSDictionary(dictionary: value)) == true)
    }

    @Test(
        "decimal numbers keep all digits",
        arguments: ["1.5", "-0.000000000000000000000000000000000000001", "12345678901234567890123456789012345678", "0"])
    func decimals(_ text: String) throws {
        let number = try #require(Decimal(string: text))
        let found = try Self.read(try SecureArchive.data(of: NSArray(array: [NSDecimalNumber(decimal: number)])))
        #expect(((found as? NSArray)?.firstObject as? NSDecimalNumber)?.decimalValue == number)
    }

    @Test("ordered sets are read where they are allowed")
    func orderedSets() throws {
        let value = NSOrderedSet(array: ["b", "a"])
        let ours = try SecureArchive.data(of: value)
        let theirs = try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
        for data in [ours, theirs] {
            #expect(try Self.read(data, Self.classes + [NSOrderedSet.self])?.isEqual(value) == true)
            #expect(throws: CocoaError.self) { try Self.read(data) }
        }
    }

    @Test("what is shared in an object is shared in its archive")
    func sharing() throws {
        let bytes = NSMutableData(data: Data(repeating: 7, count: 1000))
        let data = try SecureArchive.data(of: NSArray(array: [bytes, bytes, bytes]))
        #expect(data.count < 2000)
        #expect((try Self.read(data) as? NSArray)?.count == 3)
    }

    @Test("only allowed classes are read; the error names the other one")
    func allowList() throws {
        let data = try SecureArchive.data(of: NSArray(array: [UUID()]))
        do {
            _ = try Self.read(data, [NSArray.self, NSString.self])
            Issue.record("no error")
        } catch let error as CocoaError {
            #expect(error.code == .coderReadCorrupt)
            #expect(
                error.localizedDescription.contains("value for key 'root' was of unexpected class 'NSUUID'"), "\(error)"
            )
        }
        #expect(try Self.read(data, [NSArray.self, NSUUID.self]) != nil)
        // NSString is allowed: so is its subclass.
        #expect(try Self.read(try SecureArchive.data(of: NSMutableString("a")), [NSString.self]) != nil)
    }

    @Test("objects that can't be archived throw")
    func unwritable() throws {
        var deep = NSArray()
        for _ in 0..<100 { deep = NSArray(object: deep) }
        final class Inner: NSObject, NSSecureCoding {
            static var supportsSecureCoding: Bool { true }
            override init() {}
            init?(coder: NSCoder) {}
            func encode(with coder: NSCoder) {}
        }
        let values: [Any] = [
            Inner(), NSObject(), NSArray(array: [NSObject()]), deep, NSNumber(value: UInt64.max),
            NSCountedSet(array: [1, 1]), NSSet(array: [NSArray(array: [1])]),
            NSDictionary(object: 1, forKey: NSArray(array: [1])),
        ]
        for value in values { #expect(throws: CocoaError.self) { try SecureArchive.data(of: value) } }
    }

    // MARK: Hostile archives

    static func archive(_ objects: [PropertyListValue], root: Int = 1) -> Data {
        BinaryPropertyList.write(
            .dictionary([
                "$archiver": .string("NSKeyedArchiver"), "$version": .integer(100_000),
                "$top": .dictionary(["root": .uid(root)]), "$objects": .array([.string("$null")] + objects),
            ]))
    }

    static func description(_ name: String) -> PropertyListValue {
        .dictionary(["$classname": .string(name), "$classes": .array([.string(name), .string("NSObject")])])
    }

    static func list(_ elements: [Int], class uid: Int) -> PropertyListValue {
        .dictionary(["NS.objects": .array(elements.map { .uid($0) }), "$class": .uid(uid)])
    }

    @Test("archives that refer to themselves, to nothing, or are too deep, throw")
    func structure() {
        let array = Self.description("NSArray")
        #expect(throws: CocoaError.self) { try Self.read(Self.archive([Self.list([1], class: 2), array])) }
        #expect(throws: CocoaError.self) {
            try Self.read(Self.archive([Self.list([2], class: 3), Self.list([1], class: 3), array]))
        }
        #expect(throws: CocoaError.self) { try Self.read(Self.archive([Self.list([9], class: 2), array])) }
        #expect(throws: CocoaError.self) { try Self.read(Self.archive([Self.list([0], class: 2), array])) }
        #expect(throws: CocoaError.self) { try Self.read(Self.archive([Self.list([], class: 1), array])) }
        #expect(throws: CocoaError.self) { try Self.read(Self.archive([], root: 1)) }
        let deep = (0..<5000).map { Self.list([$0 + 3], class: 1) }
        #expect(throws: CocoaError.self) { try Self.read(Self.archive([array] + deep, root: 2)) }
    }

    @Test("an archive that unfolds without limit throws, at once")
    func unfolding() {
        // 60 lists, each with the next one twice: 2^60 elements.
        let lists = (0..<60).map { Self.list([$0 + 3, $0 + 3], class: 1) }
        let data = Self.archive([Self.description("NSArray")] + lists + [.string("end")], root: 2)
        #expect(throws: CocoaError.self) { try Self.read(data) }
    }

    @Test(
        "objects with fields of the wrong kind throw",
        arguments: [
            "NSArray", "NSSet", "NSOrderedSet", "NSDictionary", "NSMutableString", "NSNumber", "NSDate",
            "NSMutableData",
            "NSURL", "NSUUID", "NSDecimalNumber", "NSValue", "NSException", "NSObject",
        ])
    func damagedFields(_ name: String) {
        let fields: [[String: PropertyListValue]] = [
            [:], ["NS.objects": .string("x")], ["NS.objects": .array([.integer(1)])],
            ["NS.keys": .array([.uid(3)]), "NS.objects": .array([])], ["NS.string": .uid(1)], ["NS.time": .uid(3)],
            ["NS.relative": .integer(4)], ["NS.base": .uid(3), "NS.relative": .uid(3)], ["NS.uuidbytes": .data([1])],
            ["NS.intval": .uid(77)],
            ["NS.mantissa": .data([1]), "NS.length": .integer(9), "NS.exponent": .integer(1)],
        ]
        for var object in fields {
            object["$class"] = .uid(2)
            let data = Self.archive([.dictionary(object), Self.description(name), .string("text")])
            // Empty ones, as Foundation writes them.
            if name == "NSOrderedSet", object.count == 1 { continue }
            if object["NS.objects"] == .array([]), ["NSArray", "NSSet", "NSOrderedSet"].contains(name) { continue }
            #expect(throws: (any Error).self, "\(object)") {
                try Self.read(data, Self.classes + [NSOrderedSet.self, Coordinates.self])
            }
        }
    }

    @Test("a decimal number or a collection as an element of a set or as a key throws")
    func unhashable() {
        let (list, collections) = (Self.description("NSArray"), Self.description("NSMutableSet"))
        #expect(throws: CocoaError.self) {
            try Self.read(Self.archive([Self.list([2], class: 3), Self.list([], class: 4), collections, list]))
        }
        let decimal: PropertyListValue = .dictionary([
            "NS.mantissa": .data([1, 0]), "NS.length": .integer(1), "NS.exponent": .integer(0), "$class": .uid(4),
        ])
        let (set, number) = (Self.description("NSSet"), Self.description("NSDecimalNumber"))
        #expect(throws: CocoaError.self) {
            try Self.read(Self.archive([Self.list([2], class: 3), decimal, set, number]))
        }
        let pair: PropertyListValue = .dictionary([
            "NS.keys": .array([.uid(2)]), "NS.objects": .array([.uid(2)]), "$class": .uid(3),
        ])
        #expect(throws: CocoaError.self) {
            try Self.read(Self.archive([pair, decimal, Self.description("NSDictionary"), number]))
        }
    }

    @Test("a text that Foundation takes for nothing is refused beside objects of the program's own classes")
    func nullText() throws {
        let data = try SecureArchive.data(of: NSArray(array: [Coordinates(1, "a"), ["c": "texts"] as NSDictionary]))
        #expect(try Self.read(data, Self.classes + [Coordinates.self]) != nil)
        var bytes = Array(data)
        let at = try #require(bytes.indices.dropLast(5).first { Array(bytes[$0..<$0 + 5]) == Array("texts".utf8) })
        bytes.replaceSubrange(at..<at + 5, with: Array("$null".utf8))
        #expect(throws: CocoaError.self) { try Self.read(Data(bytes), Self.classes + [Coordinates.self]) }
    }

    @Test("damaged bytes of archives give a value or an error", arguments: [0, 1])
    func fuzz(_ kind: Int) throws {
        let seed = UInt64.random(in: .min ... .max)
        print("SecureArchiveTests seed: \(seed)")
        var random = SplitMix(state: seed)
        let value: NSObject =
            kind == 0
            ? NSDictionary(dictionary: [
                "list": [1, "two", 2.5, Date(), UUID(), Data([1])] as [Any], "set": NSSet(array: [1, "a"]),
                "url": NSURL(fileURLWithPath: "/a b"), "decimal": NSDecimalNumber(string: "1.5"),
            ]) : NSArray(array: [Coordinates(1, "a"), "b", ["c": 1]])
        let data = try SecureArchive.data(of: value)
        let classes = Self.classes + (kind == 0 ? [] : [Coordinates.self])
        for round in 0..<3000 {
            var damaged = data
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                damaged[Int.random(in: 0..<damaged.count, using: &random)] = .random(in: .min ... .max, using: &random)
            }
            if round % 10 == 0 { damaged = damaged.prefix(Int.random(in: 0..<damaged.count, using: &random)) }
            do {
                let found = try Self.read(damaged, classes)
                // What was read can be printed and compared.
                _ = found?.description
                _ = found?.isEqual(value)
            } catch let error as CocoaError {
                #expect(error.code == .coderReadCorrupt, "seed \(seed), round \(round)")
            }
        }
    }

    struct SplitMix: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var z = state
            z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
            z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
            return z ^ (z >> 31)
        }
    }
}
