/// True for false and nil, and false for all else that counts as true.
final class NegateBooleanTransformer: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSNumber.self }
    override func transformedValue(_ value: Any?) -> Any? {
        NSNumber(value: !((flattened(value) as? NSNumber)?.boolValue ?? false))
    }
}

/// Whether there is no value.
final class IsNilTransformer: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSNumber.self }
    override class func allowsReverseTransformation() -> Bool { false }
    override func transformedValue(_ value: Any?) -> Any? { NSNumber(value: flattened(value) == nil) }
}

/// Whether there is a value.
final class IsNotNilTransformer: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSNumber.self }
    override class func allowsReverseTransformation() -> Bool { false }
    override func transformedValue(_ value: Any?) -> Any? { NSNumber(value: flattened(value) != nil) }
}

/// What was the default before secure coding. On Linux it takes no other classes than the secure one: there is no other
/// safe way to read an archive.
final class KeyedUnarchiveFromDataTransformer: NSSecureUnarchiveFromDataTransformer {}
