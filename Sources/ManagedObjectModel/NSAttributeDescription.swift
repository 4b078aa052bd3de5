import FoundationSupplement

/// What a model says of an attribute.
///
/// ```swift
/// let name = NSAttributeDescription()
/// name.name = "name"
/// name.type = .string
/// name.isOptional = false
/// ```
open class NSAttributeDescription: NSPropertyDescription {
    private var settings = Settings()
    /// The composite that the attribute is an element of.
    private weak var composite: NSCompositeAttributeDescription?

    private struct Settings {
        var type = NSAttributeType.undefinedAttributeType
        var className: String?
        var defaultValue: Any?
        var foreignDefaultValue: ForeignArchivedValue?
        var transformer: String?
        var flags: Flags = []
    }

    /// A default value of an app's own class, as a compiled model has it: kept and written back.
    package var foreignDefaultValue: ForeignArchivedValue? {
        get { settings.foreignDefaultValue }
        set { edit { settings.foreignDefaultValue = newValue } }
    }

    /// The attribute's switches as archives keep them (`NSFlagsKey`).
    package struct Flags: OptionSet {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }
        package static let externalStorage = Flags(rawValue: 4)
        package static let preservedAfterDeletion = Flags(rawValue: 16)
        package static let cloudEncryption = Flags(rawValue: 1 << 30)  // not in NSFlagsKey: a key of its own
    }

    /// The type, as the older enumeration. Default: undefined.
    open var attributeType: NSAttributeType {
        get { settings.type }
        set { edit { settings.type = newValue } }
    }

    /// The type. Default: undefined.
    open var type: AttributeType {
        get { AttributeType(rawValue: attributeType) }
        set { attributeType = newValue.rawValue }
    }

    /// The class of the values, as its name. For a transformable attribute it may be set.
    open var attributeValueClassName: String? {
        get { settings.className ?? settings.type.valueClassName }
        set { edit { settings.className = newValue } }
    }

    /// The value of a newly inserted object. Default: nil.
    open var defaultValue: Any? {
        get { settings.defaultValue }
        set { edit { settings.defaultValue = newValue } }
    }

    /// The name of the transformer of a transformable attribute.
    open var valueTransformerName: String? {
        get { settings.transformer }
        set { edit { settings.transformer = newValue } }
    }

    /// Whether a store may keep the value in a file of its own.
    open var allowsExternalBinaryDataStorage: Bool {
        get { settings.flags.contains(.externalStorage) }
        set { set(.externalStorage, newValue) }
    }

    /// Whether the value is kept in the history of a deletion.
    open var preservesValueInHistoryOnDeletion: Bool {
        get { settings.flags.contains(.preservedAfterDeletion) }
        set { set(.preservedAfterDeletion, newValue) }
    }

    /// Whether CloudKit would encrypt the value. Kept and written back; nothing on Linux reads it.
    open var allowsCloudEncryption: Bool {
        get { settings.flags.contains(.cloudEncryption) }
        set { set(.cloudEncryption, newValue) }
    }

    private func set(_ flag: Flags, _ on: Bool) {
        edit { if on { settings.flags.insert(flag) } else { settings.flags.remove(flag) } }
    }

    /// 32 bytes that change whenever a change to the attribute makes stores incompatible.
    open override var versionHash: Data { Data(VersionHash.hash(of: self)) }

    package func setComposite(_ composite: NSCompositeAttributeDescription?) { self.composite = composite }

    package override var mayBeEdited: Bool { super.mayBeEdited && composite?.mayBeEdited ?? true }

    override func makeEmpty() -> NSPropertyDescription { NSAttributeDescription() }

    override func take(from other: NSPropertyDescription) {
        super.take(from: other)
        if let other = other as? NSAttributeDescription { settings = other.settings }
    }
}

extension NSAttributeDescription {
    /// The kind of value that an attribute holds, in Swift's spelling.
    public struct AttributeType: Hashable, RawRepresentable, Sendable {
        /// The same type as Objective-C's enumeration has it.
        public var rawValue: NSAttributeType

        /// The type for a case of the enumeration.
        public init(rawValue: NSAttributeType) { self.rawValue = rawValue }

        /// No type: only a transient attribute may have it.
        public static let undefined = AttributeType(rawValue: .undefinedAttributeType)
        /// A 16-bit signed integer.
        public static let integer16 = AttributeType(rawValue: .integer16AttributeType)
        /// A 32-bit signed integer.
        public static let integer32 = AttributeType(rawValue: .integer32AttributeType)
        /// A 64-bit signed integer.
        public static let integer64 = AttributeType(rawValue: .integer64AttributeType)
        /// A decimal number.
        public static let decimal = AttributeType(rawValue: .decimalAttributeType)
        /// A double-precision number.
        public static let double = AttributeType(rawValue: .doubleAttributeType)
        /// A single-precision number.
        public static let float = AttributeType(rawValue: .floatAttributeType)
        /// A string.
        public static let string = AttributeType(rawValue: .stringAttributeType)
        /// A Boolean.
        public static let boolean = AttributeType(rawValue: .booleanAttributeType)
        /// A point in time.
        public static let date = AttributeType(rawValue: .dateAttributeType)
        /// Bytes.
        public static let binaryData = AttributeType(rawValue: .binaryDataAttributeType)
        /// A UUID.
        public static let uuid = AttributeType(rawValue: .UUIDAttributeType)
        /// A URI, as `URL`.
        public static let uri = AttributeType(rawValue: .URIAttributeType)
        /// Any object, stored through a value transformer.
        public static let transformable = AttributeType(rawValue: .transformableAttributeType)
        /// An object ID: never in a model, only in results of requests.
        public static let objectID = AttributeType(rawValue: .objectIDAttributeType)
        /// A composite of other attributes.
        public static let composite = AttributeType(rawValue: .compositeAttributeType)
    }
}
