import FoundationSupplement

/// Foundation's objects: default values, user info, constants of predicates.
extension ModelArchiveWriter {
    /// The reference to a value; to nothing for nil and for objects that archives of models can't have.
    mutating func value(_ value: Any?) -> PropertyListValue {
        switch value {
        case nil: return KeyedArchiveBuilder.null
        case let text as String: return builder.string(text)
        case let number as NSDecimalNumber: return decimal(number.decimalValue)
        case let number as Decimal: return decimal(number)
        case let number as NSNumber: return builder.plain(Self.plain(number))
        case let date as Date:
            return builder.add("NSDate", ["NS.time": .real(date.timeIntervalSinceReferenceDate)])
        case let data as Data: return builder.plain(.data(Array(data)))
        case let id as UUID:
            return builder.add("NSUUID", ["NS.uuidbytes": .data(withUnsafeBytes(of: id.uuid) { Array($0) })])
        case let url as URL:
            return builder.add(
                "NSURL", ["NS.base": self.value(url.baseURL), "NS.relative": builder.string(url.relativeString)])
        case is NSNull: return builder.add("NSNull", [:])
        case let element as AnyHashable where !(element.base is AnyHashable): return collection(element.base)
        case let some?: return collection(some)
        }
    }

    private mutating func collection(_ value: Any) -> PropertyListValue {
        switch value {
        case let array as [Any]:
            let elements = array.map { self.value($0) }
            return builder.array("NSArray", elements)
        case let pairs as [AnyHashable: Any]:
            let sorted = pairs.map { (text: Self.order(of: $0.key), pair: $0) }
                .sorted { VersionHash.codeUnitOrder($0.text, $1.text) }
                .map { (key: self.value($0.pair.key.base), value: self.value($0.pair.value)) }
            return builder.dictionary("NSDictionary", sorted)
        case let set as Set<AnyHashable>:
            let sorted = set.map { (text: Self.order(of: $0), element: $0) }
                .sorted { VersionHash.codeUnitOrder($0.text, $1.text) }
                .map { self.value($0.element.base) }
            return builder.array("NSSet", sorted)
        default: return KeyedArchiveBuilder.null
        }
    }

    /// What elements without an order are sorted by. Dates far away have no description.
    private static func order(of element: AnyHashable) -> String {
        (element.base as? Date).map { "\($0.timeIntervalSinceReferenceDate)" } ?? "\(element.base)"
    }

    private static func plain(_ number: NSNumber) -> PropertyListValue {
        switch UInt8(bitPattern: number.objCType.pointee) {
        // A Boolean, unless a program made a number of an Int8.
        case UInt8(ascii: "c"), UInt8(ascii: "B"):
            (0...1).contains(number.intValue) ? .boolean(number.boolValue) : .integer(number.int64Value)
        case UInt8(ascii: "f"), UInt8(ascii: "d"): .real(number.doubleValue)
        default: .integer(number.int64Value)
        }
    }

    private mutating func decimal(_ number: Decimal) -> PropertyListValue {
        let (isPlaceholder, fields) = number.archived
        return builder.add(isPlaceholder ? "NSDecimalNumberPlaceholder" : "NSDecimalNumber", fields)
    }
}
