import FoundationSupplement
import Testing

/// A class of the program with secure coding. Foundation archives classes at the top level only.
final class Coordinates: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    let (x, label): (Double, String)

    init(_ x: Double, _ label: String) {
        self.x = x
        self.label = label
    }
    init?(coder: NSCoder) {
        guard let label = coder.decodeObject(of: NSString.self, forKey: "label") else { return nil }
        x = coder.decodeDouble(forKey: "x")
        self.label = String(label)
    }
    func encode(with coder: NSCoder) {
        coder.encode(x, forKey: "x")
        coder.encode(label as NSString, forKey: "label")
    }
    override func isEqual(_ object: Any?) -> Bool {
        (object as? Coordinates).map { $0.x == x && $0.label == label } ?? false
    }
    override var hash: Int { x.hashValue }
}

@Suite("Value transformers")
struct ValueTransformerTests {
    /// Celsius to Fahrenheit.
    final class Fahrenheit: ValueTransformer {
        let offset: Double

        init(offset: Double = 32) {
            self.offset = offset
            super.init()
        }

        override class func transformedValueClass() -> AnyClass { NSNumber.self }
        override func transformedValue(_ value: Any?) -> Any? { (value as? Double).map { $0 * 1.8 + offset } }
        override func reverseTransformedValue(_ value: Any?) -> Any? { (value as? Double).map { ($0 - offset) / 1.8 } }
    }

    final class PointTransformer: NSSecureUnarchiveFromDataTransformer {
        override class var allowedTopLevelClasses: [AnyClass] { super.allowedTopLevelClasses + [Coordinates.self] }
        override class func transformedValueClass() -> AnyClass { Coordinates.self }
    }

    @Test("names are Apple's, and what they name is there")
    func names() {
        let names: [(NSValueTransformerName, String, Bool)] = [
            (.negateBooleanTransformerName, "NSNegateBoolean", true), (.isNilTransformerName, "NSIsNil", true),
            (.isNotNilTransformerName, "NSIsNotNil", true),
            (.unarchiveFromDataTransformerName, "NSUnarchiveFromData", false),
            (.keyedUnarchiveFromDataTransformerName, "NSKeyedUnarchiveFromData", true),
            (.secureUnarchiveFromDataTransformerName, "NSSecureUnarchiveFromData", true),
        ]
        for (name, text, isThere) in names {
            #expect(name.rawValue == text)
            #expect((ValueTransformer(forName: name) != nil) == isThere)
            #expect(ValueTransformer.valueTransformerNames().contains(name) == isThere)
        }
        #expect(
            ValueTransformer(forName: NSValueTransformerName("NSSecureUnarchiveFromDataTransformer"))
                is NSSecureUnarchiveFromDataTransformer)
    }

    @Test("a transformer is found under the names it was registered with, until it is taken out")
    func registration() throws {
        let name = NSValueTransformerName("FahrenheitOfThisTest")
        #expect(ValueTransformer(forName: name) == nil)
        let transformer = Fahrenheit()
        ValueTransformer.setValueTransformer(transformer, forName: name)
        #expect(ValueTransformer(forName: name) === transformer)
        #expect(Fahrenheit(forName: name) === transformer)
        #expect(NSSecureUnarchiveFromDataTransformer(forName: name) == nil)
        #expect(ValueTransformer.valueTransformerNames().contains(name))
        #expect(ValueTransformer(forName: name)?.transformedValue(100.0) as? Double == 212)
        #expect(ValueTransformer(forName: name)?.reverseTransformedValue(212.0) as? Double == 100)
        ValueTransformer.setValueTransformer(nil, forName: name)
        #expect(ValueTransformer(forName: name) == nil)
    }

    @Test("what isn't overridden does as Apple's: the same value, both ways")
    func defaults() {
        let transformer = ValueTransformer()
        #expect(transformer.transformedValue("a") as? String == "a")
        #expect(transformer.reverseTransformedValue("a") as? String == "a")
        #expect(ValueTransformer.allowsReverseTransformation())
        #expect("\(ValueTransformer.transformedValueClass())" == "NSObject")
        #expect("\(Fahrenheit.transformedValueClass())" == "NSNumber")
    }

    @Test("the built-in ones for Booleans and nil")
    func builtIn() throws {
        let negate = try #require(ValueTransformer(forName: .negateBooleanTransformerName))
        #expect(negate.transformedValue(true) as? Bool == false)
        #expect(negate.transformedValue(NSNumber(value: 0)) as? Bool == true)
        #expect(negate.transformedValue(nil) as? Bool == true)
        #expect(negate.reverseTransformedValue(false) as? Bool == true)
        let isNil = try #require(ValueTransformer(forName: .isNilTransformerName))
        #expect(isNil.transformedValue(nil) as? Bool == true)
        #expect(isNil.transformedValue("a") as? Bool == false)
        #expect(isNil.transformedValue(String?.none as Any) as? Bool == true)
        #expect(!type(of: isNil).allowsReverseTransformation())
        let isNotNil = try #require(ValueTransformer(forName: .isNotNilTransformerName))
        #expect(isNotNil.transformedValue(nil) as? Bool == false)
        #expect(isNotNil.transformedValue("a") as? Bool == true)
    }

    @Test("a transformer that can't go back stops debug builds when asked to")
    func noReverse() async throws {
        await #expect(processExitsWith: .failure) {
            _ = ValueTransformer(forName: .isNilTransformerName)?.reverseTransformedValue(true)
        }
    }

    @Test("the secure transformer's classes are Apple's")
    func allowedClasses() {
        #expect(
            NSSecureUnarchiveFromDataTransformer.allowedTopLevelClasses.map { "\($0)" } == [
                "NSArray", "NSDictionary", "NSSet", "NSString", "NSNumber", "NSDate", "NSData", "NSURL", "NSUUID",
                "NSNull",
            ])
    }

    @Test("the secure transformer archives property values and reads them")
    func secure() throws {
        let transformer = try #require(ValueTransformer(forName: .secureUnarchiveFromDataTransformerName))
        let value: [String: Any] = ["list": [1, "two", Date(timeIntervalSince1970: 3)], "flag": true]
        let data = try #require(transformer.reverseTransformedValue(value) as? Data)
        #expect((transformer.transformedValue(data) as? NSDictionary)?.isEqual(NSDictionary(dictionary: value)) == true)
        #expect(transformer.transformedValue(nil) == nil && transformer.reverseTransformedValue(nil) == nil)
        #expect(transformer.transformedValue(Data([1, 2, 3])) == nil)
        #expect(transformer.reverseTransformedValue(NSObject()) == nil)
    }

    @Test("a subclass allows classes of the program; others don't read them")
    func ownClass() throws {
        let transformer = PointTransformer()
        for value: NSObject in [
            Coordinates(1.5, "a"), NSArray(array: [Coordinates(1, "a"), Coordinates(2, "b")]), NSString("text"),
        ] {
            let data = try #require(transformer.reverseTransformedValue(value) as? Data)
            #expect((transformer.transformedValue(data) as? NSObject)?.isEqual(value) == true, "\(value)")
        }
        let data = try #require(transformer.reverseTransformedValue(Coordinates(1, "a")) as? Data)
        #expect(NSSecureUnarchiveFromDataTransformer().transformedValue(data) == nil)
    }
}
