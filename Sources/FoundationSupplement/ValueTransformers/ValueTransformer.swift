/// Turns values into others, and back if it can.
///
/// ```swift
/// final class UppercaseTransformer: ValueTransformer {
///     override func transformedValue(_ value: Any?) -> Any? { (value as? String)?.uppercased() }
/// }
///
/// ValueTransformer.setValueTransformer(UppercaseTransformer(), forName: NSValueTransformerName("Uppercase"))
/// ValueTransformer(forName: NSValueTransformerName("Uppercase"))?.transformedValue("a")   // "A"
/// ```
/// Transformable attributes of Core Data name one: its `transformedValue` makes the data for the store, and
/// `reverseTransformedValue` the object; an ``NSSecureUnarchiveFromDataTransformer`` is used the other way round.
///
/// Transformers are used by any thread, and so should have no state that changes.
open class ValueTransformer: NSObject, ValueTransformerLookup {
    /// A transformer.
    public override init() { super.init() }

    /// The class of transformed values. `NSObject` unless overridden.
    open class func transformedValueClass() -> AnyClass { NSObject.self }

    /// Whether ``reverseTransformedValue(_:)`` works. True unless overridden.
    open class func allowsReverseTransformation() -> Bool { true }

    /// The transformed value. The same value unless overridden.
    open func transformedValue(_ value: Any?) -> Any? { value }

    /// The value that was transformed. Unless overridden it is what ``transformedValue(_:)`` makes of it, for transformers
    /// that are their own reverse.
    ///
    /// Without ``allowsReverseTransformation()`` it is a programmer's error: debug builds stop, others give nil.
    open func reverseTransformedValue(_ value: Any?) -> Any? {
        guard type(of: self).allowsReverseTransformation() else {
            misuse("\(type(of: self)) doesn't allow the reverse transformation")
            return nil
        }
        return transformedValue(value)
    }

    // MARK: Names

    /// Registers a transformer under a name; nil removes the one that is there.
    open class func setValueTransformer(_ transformer: ValueTransformer?, forName name: NSValueTransformerName) {
        lock.withLock { registered[name] = transformer }
    }

    /// The names of all registered transformers.
    open class func valueTransformerNames() -> [NSValueTransformerName] {
        lock.withLock { registered.keys.sorted { $0.rawValue < $1.rawValue } }
    }

    private static let lock = NSLock()
    nonisolated(unsafe) private static var registered: [NSValueTransformerName: ValueTransformer] = [
        .negateBooleanTransformerName: NegateBooleanTransformer(), .isNilTransformerName: IsNilTransformer(),
        .isNotNilTransformerName: IsNotNilTransformer(),
        .keyedUnarchiveFromDataTransformerName: KeyedUnarchiveFromDataTransformer(),
        .secureUnarchiveFromDataTransformerName: NSSecureUnarchiveFromDataTransformer(),
    ]

    fileprivate static func find(_ name: NSValueTransformerName) -> ValueTransformer? {
        lock.withLock {
            if let known = registered[name] { return known }
            // Models name this class in place of the name; Apple's looks for classes too, and registers what it finds.
            guard name.rawValue == "NSSecureUnarchiveFromDataTransformer" else { return nil }
            let made = NSSecureUnarchiveFromDataTransformer()
            registered[name] = made
            return made
        }
    }
}

/// What makes `ValueTransformer(forName:)` possible, which gives an object that exists already.
public protocol ValueTransformerLookup {}

extension ValueTransformerLookup where Self: ValueTransformer {
    /// The transformer registered under a name; nil where there is none.
    ///
    /// Other than on Apple's systems, classes of the program aren't looked for: register an object.
    public init?(forName name: NSValueTransformerName) {
        guard let found = ValueTransformer.find(name) as? Self else { return nil }
        self = found
    }
}
