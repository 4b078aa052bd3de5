import FoundationSupplement
import ManagedObjectModel

/// The value of one property in a row or an object, in 24 bytes and without an existential.
///
/// Which case an attribute uses follows from its type alone, so that rows, snapshots and objects compare and copy
/// without looking at the model.
package enum SlotValue {
    case null
    /// Integer 16, 32 and 64, and Boolean as 0 or 1.
    case integer(Int64)
    /// Double and Float.
    case real(Double)
    /// Date: seconds since 2001-01-01 00:00 UTC.
    case date(Double)
    case string(String)
    /// Binary, and a transformable value as the store has it.
    case data(Data)
    /// Data in a file of its own.
    case external(ExternalValue)
    case uuid(UUID)
    indirect case decimal(Decimal)
    indirect case uri(URL)
    /// A composite attribute, not all of whose elements are nil: their values in the order of the model's.
    case composite([SlotValue])
    /// A transformable value that a program set or asked for.
    case transformed(NSObject)
    /// A to-one relationship as a row has it: primary key and number of the entity.
    case reference(key: Int64, entity: Int32)
    /// A to-one relationship whose object is at hand.
    case object(NSManagedObject)
    /// A to-many relationship.
    case toMany(ToMany)
    /// The result of a fetched property.
    case fetched([NSManagedObject])

    package var isNull: Bool { if case .null = self { true } else { false } }

    /// Whether an object has the value otherwise than its row.
    var differsInRow: Bool {
        switch self {
        case .object, .toMany, .fetched, .transformed: true
        default: false
        }
    }
}

extension SlotValue {
    /// Whether both would be the same in a store.
    package func isSame(as other: SlotValue) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.integer(let a), .integer(let b)): a == b
        // Not a number equals itself here: a store has NULL for both.
        case (.real(let a), .real(let b)), (.date(let a), .date(let b)): a == b || a.isNaN && b.isNaN
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.data(let a), .data(let b)): a == b
        case (.external(let value), let other), (let other, .external(let value)): value.isSame(as: other)
        case (.uuid(let a), .uuid(let b)): a == b
        case (.decimal(let a), .decimal(let b)): a == b
        case (.uri(let a), .uri(let b)): a == b
        case (.composite(let a), .composite(let b)): a.elementsEqual(b) { $0.isSame(as: $1) }
        case (.transformed(let a), .transformed(let b)): a.isEqual(b)
        case (.transformed(let object), .data(let data)), (.data(let data), .transformed(let object)):
            Transformation.isSame(object, data)
        case (.reference(let a, let m), .reference(let b, let n)): a == b && m == n
        case (.object(let a), .object(let b)): a === b
        case (.object(let object), .reference(let key, _)), (.reference(let key, _), .object(let object)):
            !object.objectID.isTemporaryID && object.objectID.primaryKey == key
        default: false
        }
    }

    /// The value as key-value coding hands it out; `boolean` tells a Boolean from an integer.
    package func foundationValue(_ type: NSAttributeType) -> Any? {
        switch self {
        case .null: nil
        case .integer(let number):
            type == .booleanAttributeType ? SmallNumbers.boolean(number != 0) : SmallNumbers.number(number)
        case .real(let number): type == .floatAttributeType ? NSNumber(value: Float(number)) : NSNumber(value: number)
        case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
        case .string(let text): text
        case .data(let data): data
        case .external(let value): value.dataOrWarning
        case .uuid(let uuid): uuid
        case .decimal(let decimal): NSDecimalNumber(decimal: decimal)
        case .uri(let url): url
        case .transformed(let object): (object as? TransformableValue)?.object ?? object
        case .object(let object): object
        case .composite, .reference, .toMany, .fetched: nil
        }
    }
}

extension SlotValue {
    /// Why a value can't become the value of an attribute.
    package enum Unacceptable: Error {
        /// Apple's wording names the types.
        case type(desired: String)
        /// The number doesn't fit.
        case range
    }

    /// Takes a value that a program gives for an attribute: any Swift or Foundation number in range, `Date` or
    /// `NSDate`, and so on.
    package init(_ value: Any?, for type: NSAttributeType) throws(Unacceptable) {
        if let value, let exact = Self.exact(value, type) {
            self = exact
            return
        }
        guard let value = Self.unwrap(value) else {
            self = .null
            return
        }
        switch type {
        case .integer16AttributeType: self = try Self.integer(value, in: -0x8000...0x7fff)
        case .integer32AttributeType: self = try Self.integer(value, in: -0x8000_0000...0x7fff_ffff)
        case .integer64AttributeType: self = try Self.integer(value, in: .min ... .max)
        case .booleanAttributeType: self = try Self.boolean(value)
        case .doubleAttributeType: self = .real(try Self.double(value))
        case .floatAttributeType: self = .real(Double(Float(try Self.double(value))))
        case .decimalAttributeType: self = .decimal(try Self.decimal(value))
        case .stringAttributeType:
            self = .string(
                try Self.cast(
                    value, "NSString", NSString.self, { $0 as? String ?? ($0 as? NSString).map { String($0) } }))
        case .dateAttributeType:
            let date = try Self.cast(
                value, "NSDate", NSDate.self, { $0 as? Date ?? ($0 as? NSDate).map { $0 as Date } })
            self = .date(date.timeIntervalSinceReferenceDate)
        case .binaryDataAttributeType:
            self = .data(
                try Self.cast(value, "NSData", NSData.self, { $0 as? Data ?? ($0 as? NSData).map { $0 as Data } }))
        case .UUIDAttributeType:
            self = .uuid(
                try Self.cast(value, "NSUUID", NSUUID.self, { $0 as? UUID ?? ($0 as? NSUUID).map { $0 as UUID } }))
        case .URIAttributeType:
            self = .uri(try Self.cast(value, "NSURL", NSURL.self, { $0 as? URL ?? ($0 as? NSURL).map { $0 as URL } }))
        case .transformableAttributeType, .undefinedAttributeType, .compositeAttributeType, .objectIDAttributeType:
            guard let object = Self.object(value) else { throw .type(desired: "NSObject") }
            self = .transformed(object)
        }
    }

    /// The types that most values have. What follows for all others are casts, each of which costs ten times as much.
    @inline(__always)
    package static func exact(_ value: Any, _ type: NSAttributeType) -> SlotValue? {
        let given = Swift.type(of: value)
        switch type {
        case .stringAttributeType where given == String.self: return (value as? String).map { .string($0) }
        case .integer64AttributeType where given == Int.self: return (value as? Int).map { .integer(Int64($0)) }
        case .doubleAttributeType where given == Double.self: return (value as? Double).map { .real($0) }
        case .dateAttributeType where given == Date.self:
            return (value as? Date).map { .date($0.timeIntervalSinceReferenceDate) }
        case .booleanAttributeType where given == Bool.self: return (value as? Bool).map { .integer($0 ? 1 : 0) }
        case .integer32AttributeType where given == Int.self:
            return (value as? Int).flatMap { Int32(exactly: $0) }.map { .integer(Int64($0)) }
        case .integer16AttributeType where given == Int.self:
            return (value as? Int).flatMap { Int16(exactly: $0) }.map { .integer(Int64($0)) }
        default: return nil
        }
    }

    /// A value without the optionals and nulls around it.
    private static func unwrap(_ value: Any?) -> Any? {
        guard let value = flattened(value), !(value is NSNull) else { return nil }
        return value
    }

    private static func cast<V, T>(
        _ value: Any, _ name: String, _: T.Type, _ convert: (Any) -> V?
    ) throws(Unacceptable) -> V {
        guard let result = convert(value) else { throw .type(desired: name) }
        return result
    }

    private static func integer(_ value: Any, in range: ClosedRange<Int64>) throws(Unacceptable) -> SlotValue {
        let number: Int64
        switch value {
        case let exact as any BinaryInteger:
            guard let fitting = Int64(exactly: exact) else { throw .range }
            number = fitting
        case let flag as Bool: number = flag ? 1 : 0
        // Like Apple's, a fraction is cut off; a number out of range is refused.
        case let decimal as Decimal: number = try whole(decimal)
        case let boxed as NSDecimalNumber: number = try whole(boxed.decimalValue)
        case let boxed as NSNumber: number = try whole(boxed)
        case let real as any BinaryFloatingPoint:
            guard let fitting = Int64(exactly: Double(real).rounded(.towardZero)) else { throw .range }
            number = fitting
        default: throw .type(desired: "NSNumber")
        }
        guard range.contains(number) else { throw .range }
        return .integer(number)
    }

    private static func whole(_ decimal: Decimal) throws(Unacceptable) -> Int64 {
        var (given, rounded) = (decimal, Decimal())
        NSDecimalRound(&rounded, &given, 0, decimal.sign == .minus ? .up : .down)
        guard let fitting = Int64(rounded.description) else { throw .range }
        return fitting
    }

    private static func whole(_ number: NSNumber) throws(Unacceptable) -> Int64 {
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "d"), UInt8(ascii: "f"):
            guard let fitting = Int64(exactly: number.doubleValue.rounded(.towardZero)) else { throw .range }
            return fitting
        case UInt8(ascii: "Q"):
            guard let fitting = Int64(exactly: number.uint64Value) else { throw .range }
            return fitting
        default: return number.int64Value
        }
    }

    private static func boolean(_ value: Any) throws(Unacceptable) -> SlotValue {
        switch value {
        case let flag as Bool: .integer(flag ? 1 : 0)
        case let number as NSNumber: .integer(number.boolValue ? 1 : 0)
        case let number as any BinaryInteger: .integer(real(number) == 0 ? 0 : 1)
        default: throw .type(desired: "NSNumber")
        }
    }

    private static func double(_ value: Any) throws(Unacceptable) -> Double {
        switch value {
        // First: as a double, or as a number, a decimal would come with a wrong last digit.
        case let decimal as NSDecimalNumber: decimal.decimalValue.nearestDouble
        case let decimal as Decimal: decimal.nearestDouble
        case let real as Double: real
        case let real as any BinaryFloatingPoint: Double(real)
        case let whole as any BinaryInteger: real(whole)
        case let number as NSNumber: number.doubleValue
        default: throw .type(desired: "NSNumber")
        }
    }

    static func real<I: BinaryInteger>(_ whole: I) -> Double { Double(whole) }

    private static func decimal(_ value: Any) throws(Unacceptable) -> Decimal {
        switch value {
        case let decimal as Decimal: decimal
        case let number as NSDecimalNumber: number.decimalValue
        case let whole as any BinaryInteger: Decimal(string: "\(whole)") ?? 0
        case let number as NSNumber: number.decimalValue
        case let real as any BinaryFloatingPoint: Decimal(Double(real))
        default: throw .type(desired: "NSDecimalNumber")
        }
    }

    /// A Swift value as the object that an archive can hold.
    private static func object(_ value: Any) -> NSObject? {
        switch value {
        case let object as NSObject: object
        case let text as String: NSString(string: text)
        case let list as [Any]: NSArray(array: list)
        case let list as [AnyHashable: Any]: NSDictionary(dictionary: list)
        case let date as Date: date as NSDate
        case let data as Data: data as NSData
        case let url as URL: url as NSURL
        case let uuid as UUID: uuid as NSUUID
        case let number as Int: NSNumber(value: number)
        case let number as Double: NSNumber(value: number)
        case let flag as Bool: NSNumber(value: flag)
        default: nil
        }
    }
}

/// The `NSNumber`s that are handed out most, made once: on Linux each costs an allocation through CoreFoundation.
enum SmallNumbers {
    private static let range: ClosedRange<Int64> = -1...255
    private static let numbers = range.map { NSNumber(value: $0) }
    private static let flags = (NSNumber(value: false), NSNumber(value: true))

    static func number(_ value: Int64) -> NSNumber {
        range.contains(value) ? numbers[Int(value + 1)] : NSNumber(value: value)
    }

    static func boolean(_ flag: Bool) -> NSNumber { flag ? flags.1 : flags.0 }
}
