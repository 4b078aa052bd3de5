/// The name of a value transformer.
///
/// ```swift
/// extension NSValueTransformerName {
///     static let color = NSValueTransformerName("ColorTransformer")
/// }
/// ```
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    /// The name.
    public var rawValue: String

    /// A name from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A name from its text.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// True for false, and false for true.
    public static let negateBooleanTransformerName = NSValueTransformerName("NSNegateBoolean")
    /// Whether there is no value.
    public static let isNilTransformerName = NSValueTransformerName("NSIsNil")
    /// Whether there is a value.
    public static let isNotNilTransformerName = NSValueTransformerName("NSIsNotNil")
    /// The object in an archive of the kind before keyed ones. Nothing is registered for it: Linux can't read them.
    public static let unarchiveFromDataTransformerName = NSValueTransformerName("NSUnarchiveFromData")
    /// The object in a keyed archive; see ``secureUnarchiveFromDataTransformerName``, which takes its place.
    public static let keyedUnarchiveFromDataTransformerName = NSValueTransformerName("NSKeyedUnarchiveFromData")
    /// The object in a keyed archive: an ``NSSecureUnarchiveFromDataTransformer``.
    public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName("NSSecureUnarchiveFromData")
}
