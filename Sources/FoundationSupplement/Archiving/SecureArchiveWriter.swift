/// Writes property values into a keyed archive, as Apple's archiver does.
struct SecureArchiveWriter {
    /// Thrown at an object of a class that isn't a property value's.
    struct OtherObject: Error {}

    private var objects: [PropertyListValue] = [.string("$null")]
    private var classes: [String: Int] = [:]
    /// The number of each object that was written, so that what is shared stays shared.
    private var known: [ObjectIdentifier: Int] = [:]
    /// Keeps what `known` knows by its address.
    private var kept: [AnyObject] = []
    private var depth = 0

    mutating func archive(_ object: Any) throws -> Data {
        let root = try add(object)
        return BinaryPropertyList.write(
            .dictionary([
                "$archiver": .string("NSKeyedArchiver"), "$version": .integer(100_000),
                "$top": .dictionary([NSKeyedArchiveRootObjectKey: root]), "$objects": .array(objects),
            ]))
    }

    /// Adds a value, unless it is there, and returns the reference to it.
    private mutating func add(_ value: Any) throws -> PropertyListValue {
        guard depth < SecureArchiveReader.maximumDepth else { throw SecureArchive.unwritable("has too many levels") }
        depth += 1
        defer { depth -= 1 }
        guard type(of: value) is AnyClass else { return try write(value) }
        let identity = ObjectIdentifier(value as AnyObject)
        if let uid = known[identity] { return .uid(uid) }
        let reference = try write(value)
        known[identity] = reference.uid
        kept.append(value as AnyObject)
        return reference
    }

    private mutating func write(_ value: Any) throws -> PropertyListValue {
        switch value {
        case is NSNull: return object(.null, [:])
        case let decimal as Decimal: return self.decimal(decimal)
        case let number as NSDecimalNumber: return decimal(number.decimalValue)
        case let number as NSNumber: return plain(try Self.plain(number))
        case let text as NSMutableString: return object(.mutableString, ["NS.string": .string(String(text))])
        case let text as NSString: return plain(.string(String(text)))
        case let date as NSDate: return object(.date, ["NS.time": .real(date.timeIntervalSinceReferenceDate)])
        case let data as NSMutableData: return object(.mutableData, ["NS.data": .data(Array(data as Data))])
        case let data as NSData: return plain(.data(Array(data as Data)))
        case let uuid as NSUUID:
            return object(.uuid, ["NS.uuidbytes": .data(withUnsafeBytes(of: (uuid as UUID).uuid) { Array($0) })])
        case let url as NSURL:
            let base = try url.baseURL.map { try add($0) } ?? .uid(0)
            return object(.url, ["NS.base": base, "NS.relative": plain(.string(url.relativeString))])
        case is NSCountedSet: throw SecureArchive.unwritable("has an NSCountedSet")
        case let array as NSArray: return try collection(array is NSMutableArray ? .mutableArray : .array, array)
        case let set as NSSet: return try collection(set is NSMutableSet ? .mutableSet : .set, set)
        case let set as NSOrderedSet:
            return try collection(set is NSMutableOrderedSet ? .mutableOrderedSet : .orderedSet, set)
        case let dictionary as NSDictionary: return try self.dictionary(dictionary)
        case let predicate as NSPredicate: return try self.predicate(predicate)
        case let expression as NSExpression: return try self.expression(expression)
        case let descriptor as NSSortDescriptor: return try sortDescriptor(descriptor)
        default: throw OtherObject()
        }
    }

    private mutating func plain(_ value: PropertyListValue) -> PropertyListValue {
        objects.append(value)
        return .uid(objects.count - 1)
    }

    private mutating func object(
        _ propertyClass: PropertyClass, _ fields: [String: PropertyListValue]
    ) -> PropertyListValue {
        var fields = fields
        fields["$class"] = classReference(propertyClass.rawValue, propertyClass.chain)
        return plain(.dictionary(fields))
    }

    private mutating func classReference(_ name: String, _ chain: [String]) -> PropertyListValue {
        if let uid = classes[name] { return .uid(uid) }
        let reference = plain(
            .dictionary(["$classname": .string(name), "$classes": .array(chain.map { .string($0) })]))
        classes[name] = reference.uid
        return reference
    }

    private mutating func collection(
        _ propertyClass: PropertyClass, _ elements: some Sequence<Any>
    ) throws -> PropertyListValue {
        let isSet = propertyClass.superclass != .array && propertyClass != .array
        let references = try elements.map { try isSet ? addHashable($0) : add($0) }
        return object(propertyClass, ["NS.objects": .array(references)])
    }

    private mutating func addHashable(_ element: Any) throws -> PropertyListValue {
        guard SecureArchive.isHashable(element) else {
            throw SecureArchive.unwritable("has a collection or a decimal number as an element of a set or as a key")
        }
        return try add(element)
    }

    private mutating func dictionary(_ dictionary: NSDictionary) throws -> PropertyListValue {
        var (keys, values): ([PropertyListValue], [PropertyListValue]) = ([], [])
        for (key, value) in dictionary {
            keys.append(try addHashable(key))
            values.append(try add(value))
        }
        return object(
            dictionary is NSMutableDictionary ? .mutableDictionary : .dictionary,
            ["NS.keys": .array(keys), "NS.objects": .array(values)])
    }

    private static func plain(_ number: NSNumber) throws -> PropertyListValue {
        switch UInt8(bitPattern: number.objCType.pointee) {
        // A Boolean, unless a program made a number of an Int8.
        case UInt8(ascii: "c"), UInt8(ascii: "B"):
            return (0...1).contains(number.intValue) ? .boolean(number.boolValue) : .integer(number.int64Value)
        case UInt8(ascii: "f"), UInt8(ascii: "d"): return .real(number.doubleValue)
        case UInt8(ascii: "Q"):
            guard let fitting = Int64(exactly: number.uint64Value) else {
                throw SecureArchive.unwritable("has a number beyond 64 bits with a sign: \(number)")
            }
            return .integer(fitting)
        default: return .integer(number.int64Value)
        }
    }

    private mutating func decimal(_ number: Decimal) -> PropertyListValue {
        let (isPlaceholder, fields) = number.archived
        return object(isPlaceholder ? .decimalNumberPlaceholder : .decimalNumber, fields)
    }
}

extension SecureArchiveWriter: PredicateArchiveWriting {
    mutating func add(_ className: String, _ fields: [String: PropertyListValue]) -> PropertyListValue {
        var fields = fields
        fields["$class"] = classReference(className, PredicateArchiveClass.chain(of: className))
        return plain(.dictionary(fields))
    }

    mutating func text(_ text: String) -> PropertyListValue { plain(.string(text)) }

    /// A constant is a property value; objects of a program's class would need Foundation's archiver.
    mutating func constant(_ value: Any?) throws -> PropertyListValue {
        guard let value else { return .uid(0) }
        do {
            return try add(type(of: value) is AnyClass ? value : value as AnyObject)
        } catch is OtherObject {
            throw SecureArchive.unwritable("has a predicate with a constant of type \(type(of: value))")
        }
    }

    func checkUnarchivable(_ what: String) throws { throw SecureArchive.unwritable("has \(what)") }
}
