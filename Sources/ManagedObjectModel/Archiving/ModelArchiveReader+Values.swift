import FoundationSupplement

/// Foundation's objects: default values, user info, constants of predicates.
extension ModelArchiveReader {
    /// The classes that `value` makes something of.
    static let valueClasses: Set<String> = KeyedArchive.arrays.union(KeyedArchive.sets)
        .union(KeyedArchive.dictionaries).union([
            "NSString", "NSMutableString", "NSNumber", "NSDecimalNumber", "NSDecimalNumberPlaceholder", "NSDate",
            "NSData", "NSMutableData", "NSUUID", "NSURL", "NSNull",
        ])

    /// Counts one more thing that was read.
    package mutating func spend(_ what: String) throws {
        budget -= 1
        guard budget >= 0 else { throw failure("is too complicated at \(what)") }
    }

    /// The value that a reference leads to; nil for none.
    package mutating func value(_ reference: PropertyListValue?, _ what: String, depth: Int = 0) throws -> Any? {
        try spend(what)
        guard depth < 32 else { throw failure("has values that are nested too deeply in \(what)") }
        guard let resolved = try archive.resolve(reference) else { return nil }
        switch resolved {
        case .string(let text): return text
        case .boolean(let flag): return NSNumber(value: flag)
        case .integer(let number): return NSNumber(value: number)
        case .real(let number): return NSNumber(value: number)
        case .date(let seconds): return Date(timeIntervalSinceReferenceDate: seconds)
        case .data(let bytes): return Data(bytes)
        case .dictionary:
            guard let object = try archive.object(reference) else { return nil }
            return try object.className.hasPrefix("NSDecimalNumber")
                ? decimal(object, what) : value(of: object, what, depth)
        case .null, .uid, .array: throw failure("has a plain value where an object should be, in \(what)")
        }
    }

    private mutating func value(of object: ArchivedObject, _ what: String, _ depth: Int) throws -> Any? {
        switch object.className {
        case "NSString", "NSMutableString":
            return try archive.string(object["NS.string"], what)
        case "NSNumber":
            let keys = ["NS.intval", "NS.dblval", "NS.boolval"]
            return try value(keys.lazy.compactMap { object[$0] }.first, what, depth: depth + 1)
        case "NSDate":
            guard case .real(let time)? = try archive.resolve(object["NS.time"]) else {
                guard let whole = try archive.resolve(object["NS.time"])?.integer else { break }
                return Date(timeIntervalSinceReferenceDate: Double(whole))
            }
            return Date(timeIntervalSinceReferenceDate: time)
        case "NSData", "NSMutableData":
            guard case .data(let bytes)? = try archive.resolve(object["NS.data"]) else { break }
            return Data(bytes)
        case "NSUUID":
            guard case .data(let bytes)? = try archive.resolve(object["NS.uuidbytes"]), bytes.count == 16 else { break }
            return NSUUID(uuidBytes: bytes) as UUID
        case "NSURL":
            let base = try value(object["NS.base"], what, depth: depth + 1) as? URL
            let text = try archive.requiredString(object["NS.relative"], what)
            return URL(string: text, relativeTo: base)
        case "NSNull": return NSNull()
        default: return try collection(object, what, depth)
        }
        throw failure("has a damaged object of class '\(object.className)' as \(what)")
    }

    private mutating func collection(_ object: ArchivedObject, _ what: String, _ depth: Int) throws -> Any {
        if KeyedArchive.arrays.contains(object.className) {
            return try archive.elements(of: object).compactMap { try value($0, what, depth: depth + 1) }
        }
        if KeyedArchive.sets.contains(object.className) {
            return Set(try archive.elements(of: object).compactMap { try scalar($0, depth: depth + 1) })
        }
        if KeyedArchive.dictionaries.contains(object.className) { return try dictionary(object, what, depth) }
        throw archive.unknown(object, what)
    }

    /// A dictionary whose keys are scalars; empty for none.
    mutating func dictionary(_ reference: PropertyListValue?, _ what: String) throws -> [AnyHashable: Any] {
        guard let object = try archive.object(reference, KeyedArchive.dictionaries, what) else { return [:] }
        return try dictionary(object, what, 0)
    }

    private mutating func dictionary(
        _ object: ArchivedObject, _ what: String, _ depth: Int
    ) throws -> [AnyHashable: Any] {
        var result: [AnyHashable: Any] = [:]
        for (key, reference) in try archive.pairs(of: object) {
            guard let key = try scalar(key, depth: depth + 1) else {
                throw failure("has a damaged dictionary as \(what)")
            }
            result[key] = try value(reference, what, depth: depth + 1)
        }
        return result
    }

    /// A value that can be hashed. Collections can't be elements of sets: hashing them takes time without limit when
    /// they share their elements; and `NSDecimalNumber` never returns from hashing on Linux, so it becomes a `Decimal`.
    mutating func scalar(_ reference: PropertyListValue?, depth: Int = 0) throws -> AnyHashable? {
        switch try value(reference, "an element of a set or a key", depth: depth) {
        case let number as NSDecimalNumber: return number.decimalValue
        case let number as NSNumber: return number
        case let text as String: return text
        case let date as Date: return date
        case let data as Data: return data
        case let id as UUID: return id
        case let url as URL: return url
        case nil: return nil
        default: throw failure("has a collection as an element of a set or a key")
        }
    }

    // MARK: Decimal numbers

    /// A decimal number: a mantissa of up to eight 16-bit words, least significant first, and an exponent of ten.
    private func decimal(_ object: ArchivedObject, _ what: String) throws -> NSDecimalNumber {
        let length = try archive.integer(object["NS.length"], what)
        let exponent = try archive.integer(object["NS.exponent"], what)
        let isNegative = try archive.flag(object["NS.negative"])
        guard case .data(let bytes)? = try archive.resolve(object["NS.mantissa"]), bytes.count <= 16,
            (0...8).contains(length), (-128...127).contains(exponent)
        else { throw failure("has a damaged decimal number as \(what)") }
        if length == 0 { return isNegative ? .notANumber : .zero }
        // Apple writes the words in the machine's order and notes it: 1 is little-endian, as every Mac is today.
        let isBigEndian = try archive.integer(object["NS.mantissa.bo"], what) == 2
        var value = Decimal(0)
        for word in (0..<min(bytes.count / 2, length)).reversed() {
            let (first, second) = (Int(bytes[word * 2]), Int(bytes[word * 2 + 1]))
            value = value * 65536 + Decimal(isBigEndian ? first << 8 | second : second << 8 | first)
        }
        let sign: FloatingPointSign = isNegative ? .minus : .plus
        return NSDecimalNumber(decimal: Decimal(sign: sign, exponent: exponent, significand: value))
    }
}
