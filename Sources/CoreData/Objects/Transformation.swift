import FoundationSupplement
import ManagedObjectModel

/// Transformable values: objects in contexts, data in stores, and a value transformer between them.
///
/// An `NSSecureUnarchiveFromDataTransformer`, the default, and its subclasses turn data into objects; all others turn
/// objects into data, as Apple's Core Data has it.
enum Transformation {
    private static let fallback = SecureTransformer()

    /// The default transformer can't change; one object serves all threads.
    private struct SecureTransformer: @unchecked Sendable {
        let transformer = NSSecureUnarchiveFromDataTransformer()
    }

    /// The object that a store's data stands for; nil, with a warning, for data that the transformer can't read, which
    /// stays in its row as it is.
    static func object(_ data: Data, of attribute: NSAttributeDescription) -> NSObject? {
        let transformer = transformer(of: attribute)
        guard let secure = transformer as? NSSecureUnarchiveFromDataTransformer else {
            guard type(of: transformer).allowsReverseTransformation() else {
                SQLLog.warn("\(type(of: transformer)) of \(place(attribute)) doesn't allow the reverse transformation")
                return nil
            }
            return transformer.reverseTransformedValue(data).flatMap { boxed($0) }
        }
        guard isPlain(secure) else { return secure.transformedValue(data).flatMap { boxed($0) } }
        do {
            return try SecureArchive.object(
                in: data, classes: type(of: secure).allowedTopLevelClasses + valueClasses(of: attribute))
        } catch {
            SQLLog.warn("a value of \(place(attribute)) can't be read: \(error.localizedDescription)")
            return nil
        }
    }

    /// The data for a store.
    ///
    /// - Throws: what the transformer can't make data of.
    static func data(_ object: NSObject) throws -> Data {
        guard let value = object as? TransformableValue else { return try SecureArchive.data(of: object) }
        let data = try data(value.object, of: value.attribute)
        value.stored = data
        return data
    }

    private static func data(_ object: NSObject, of attribute: NSAttributeDescription) throws -> Data {
        let transformer = transformer(of: attribute)
        let result: Any?
        switch transformer as? NSSecureUnarchiveFromDataTransformer {
        case let secure? where isPlain(secure): return try SecureArchive.data(of: object)
        case let secure?: result = secure.reverseTransformedValue(object)
        case nil: result = transformer.transformedValue(object)
        }
        if let data = result as? Data { return data }
        let made = result.map { "\(type(of: $0))" } ?? "nothing"
        throw CocoaError.unsupported(
            "\(type(of: transformer)) of \(place(attribute)) made \(made) in place of data from \(type(of: object))")
    }

    /// What the store has of a value that was just written, or that was read from there.
    static func storedValue(_ object: NSObject) throws -> SlotValue {
        if let stored = (object as? TransformableValue)?.stored { return .data(stored) }
        return .data(try data(object))
    }

    /// Whether a value is what a store has as data.
    static func isSame(_ object: NSObject, _ data: Data) -> Bool {
        guard let value = object as? TransformableValue else { return false }
        if let stored = value.stored { return stored == data }
        return self.object(data, of: value.attribute)?.isEqual(value.object) ?? false
    }

    // MARK: Transformers

    /// Whether the transformer is the default one, so that its errors needn't be lost on the way through its methods.
    private static func isPlain(_ transformer: NSSecureUnarchiveFromDataTransformer) -> Bool {
        type(of: transformer) == NSSecureUnarchiveFromDataTransformer.self
    }

    private static func transformer(of attribute: NSAttributeDescription) -> ValueTransformer {
        guard let name = attribute.valueTransformerName, !name.isEmpty else { return fallback.transformer }
        if let found = ValueTransformer(forName: NSValueTransformerName(name)) { return found }
        warnings.once("\(name) \(place(attribute))") {
            "no NSValueTransformer with class name '\(name)' was found for attribute '\(attribute.name)' on entity"
                + " '\(attribute.entity.name ?? "")'"
        }
        return fallback.transformer
    }

    /// The class that the model names for an attribute, where the program has it.
    static func valueClasses(of attribute: NSAttributeDescription) -> [AnyClass] {
        guard let name = attribute.attributeValueClassName, !name.isEmpty, name != "NSObject" else { return [] }
        return NSClassFromString(name).map { [$0] } ?? []
    }

    private static func place(_ attribute: NSAttributeDescription) -> String {
        "'\(attribute.name)' of \(attribute.entity.name ?? "")"
    }

    /// A value that a transformer gave, as an object.
    private static func boxed(_ value: Any) -> NSObject? { flattened(value).flatMap { ($0 as AnyObject) as? NSObject } }

    private static let warnings = Warnings()

    /// Warns once of what every value of an attribute would be warned of.
    private final class Warnings: @unchecked Sendable {
        private let lock = NSLock()
        private var given: Set<String> = []

        func once(_ key: String, _ message: () -> String) {
            if lock.withLock({ given.insert(key).inserted }) { SQLLog.warn(message()) }
        }
    }
}

/// The value of a transformable attribute in an object: what a program reads and sets, and how it gets into a store.
///
/// A change inside of the object goes unnoticed, as on Apple's systems: what counts is what was read or written last.
final class TransformableValue: NSObject {
    let attribute: NSAttributeDescription
    let object: NSObject
    /// What the object was read from or written as; nil for one that was set and not yet saved.
    fileprivate(set) var stored: Data?

    init(_ object: NSObject, of attribute: NSAttributeDescription, stored: Data? = nil) {
        self.object = object
        self.attribute = attribute
        self.stored = stored
    }

    override func isEqual(_ other: Any?) -> Bool {
        guard let value = other as? TransformableValue else { return false }
        if value === self { return true }
        if let stored, let other = value.stored { return stored == other }
        return object.isEqual(value.object)
    }

    override var hash: Int { object.hash }
    override var description: String { object.description }
}

extension SlotValue {
    /// Takes a value that a program gives for an attribute.
    init(_ value: Any?, for attribute: NSAttributeDescription) throws(Unacceptable) {
        if attribute.attributeType == .compositeAttributeType,
            let composite = attribute as? NSCompositeAttributeDescription
        {
            try self.init(value, for: composite)
            return
        }
        let slot = try SlotValue(value, for: attribute.attributeType)
        guard case .transformed(let object) = slot, attribute.attributeType == .transformableAttributeType else {
            self = slot
            return
        }
        if let wanted = Transformation.valueClasses(of: attribute).first, !object.isInstance(of: wanted) {
            throw .type(desired: "\(wanted)")
        }
        self = .transformed(TransformableValue(object, of: attribute))
    }

    /// The data of a value that a store has as data; nil for others.
    fileprivate var storedData: Data? {
        switch self {
        case .data(let data): data
        case .external(let value): value.dataOrWarning
        default: nil
        }
    }

    /// The value of an attribute as key-value coding hands it out.
    func foundationValue(of attribute: NSAttributeDescription) -> Any? {
        if attribute.attributeType == .transformableAttributeType, let data = storedData {
            return Transformation.object(data, of: attribute)
        }
        if case .composite(let elements) = self, let composite = attribute as? NSCompositeAttributeDescription {
            return SlotValue.dictionary(elements, of: composite)
        }
        return foundationValue(attribute.attributeType)
    }
}

extension NSObject {
    fileprivate func isInstance(of wanted: AnyClass) -> Bool {
        sequence(first: type(of: self) as AnyClass, next: { _getSuperclass($0) }).contains { $0 == wanted }
    }
}

extension NSManagedObject {
    /// The value of a transformable attribute, or of a composite one. The first is made of the store's data when first
    /// asked for, and then kept, so that it is the same object every time.
    final func transformableValue(_ slot: Int, _ attribute: NSAttributeDescription) -> Any? {
        let value = slotValue(slot)
        guard let data = value.storedData else {
            if case .external = value { return nil }
            return value.foundationValue(of: attribute)
        }
        guard let object = Transformation.object(data, of: attribute) else { return nil }
        slots[slot] = .transformed(TransformableValue(object, of: attribute, stored: data))
        return object
    }
}
