/// Objects that are compared by something else: a managed object is equal to its object ID.
package protocol PredicateIdentity: AnyObject {
    /// The object that stands for this one in comparisons.
    var predicateIdentity: AnyObject { get }
}

/// A value as a predicate sees it: the Swift and the Foundation type for the same thing become one.
package enum PredicateValue {
    /// nil and NSNull.
    case null
    case number(PredicateNumber)
    case string(String)
    case date(Date)
    /// Everything else: `UUID`, `URL`, `Data`, collections, objects.
    case other(Any)

    package init(_ value: Any?) {
        guard let value else {
            self = .null
            return
        }
        // A cast from Any to a wrong type is slow, for it looks for bridges; a comparison of types isn't.
        let type = type(of: value)
        if type == String.self, let text = value as? String {
            self = .string(text)
        } else if type == Int.self, let number = value as? Int {
            self = .number(.integer(Int64(number)))
        } else if type == Double.self, let number = value as? Double {
            self = .number(.real(number))
        } else if type == Bool.self, let flag = value as? Bool {
            self = .number(.integer(flag ? 1 : 0))
        } else if type == Date.self, let date = value as? Date {
            self = .date(date)
        } else if type == Decimal.self, let number = value as? Decimal {
            self = .number(.decimal(number))
        } else if type is AnyClass {
            self = Self.object(value as AnyObject)
        } else {
            self = Self.rare(value)
        }
    }

    private static func object(_ object: AnyObject) -> PredicateValue {
        switch object {
        case let number as NSNumber: .number(PredicateNumber(number))
        case let text as NSString: .string(String(describing: text))
        case is NSNull: .null
        case let date as NSDate: .date(Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate))
        case let uuid as NSUUID: .other(uuid as UUID)
        case let url as NSURL: .other(url as URL)
        case let data as NSData: .other(data as Data)
        default: identity(of: object)
        }
    }

    private static func identity(of object: AnyObject) -> PredicateValue {
        guard let identity = (object as? any PredicateIdentity)?.predicateIdentity, identity !== object else {
            return .other(object)
        }
        return self.object(identity)
    }

    private static func rare(_ value: Any) -> PredicateValue {
        // An element of a set of any type.
        if type(of: value) == AnyHashable.self, let element = value as? AnyHashable {
            return PredicateValue(element.base)
        }
        switch value {
        case let number as any FixedWidthInteger:
            if let small = Int64(exactly: number) { return .number(.integer(small)) }
            return .number(UInt64(exactly: number).map { PredicateNumber($0) } ?? .real(Double(number)))
        case let number as any BinaryFloatingPoint: return .number(.real(Double(number)))
        case let text as any StringProtocol: return .string(String(text))
        case let character as Character: return .string(String(character))
        default:
            let inner = flattened(value)
            guard let inner else { return .null }
            return type(of: inner) == type(of: value) ? .other(value) : PredicateValue(inner)
        }
    }

    /// Whether the value is nil or NSNull.
    package var isNull: Bool {
        if case .null = self { return true }
        return false
    }
}

/// The elements of a collection: of an array, a set, an ordered set, or the values of a dictionary; `nil` for
/// everything that is no collection to a predicate, such as strings and data.
package func collectionElements(of value: Any?) -> [Any?]? {
    guard let value else { return nil }
    if type(of: value) is AnyClass {
        switch value as AnyObject {
        case let array as NSArray: return array.map { $0 }
        case let set as NSSet: return set.map { $0 }
        case let orderedSet as NSOrderedSet: return orderedSet.map { $0 }
        case let dictionary as NSDictionary: return dictionary.allValues
        default: return nil
        }
    }
    if value is Data || value is any StringProtocol { return nil }
    if let dictionary = value as? any DictionaryValues { return dictionary.valueList }
    guard let collection = value as? any Collection else { return nil }
    return list(collection)
}

private func list<Elements: Collection>(_ elements: Elements) -> [Any?] {
    elements.map { flattened($0) }
}

/// Tells dictionaries of any type from other collections.
protocol DictionaryValues {
    var valueList: [Any?] { get }
    func value(forAnyKey key: Any) -> Any?
}

extension Dictionary: DictionaryValues {
    var valueList: [Any?] { values.map { flattened($0) } }

    func value(forAnyKey key: Any) -> Any? {
        (key as? Key).flatMap { flattened(self[$0]) }
    }
}

/// Whether the elements of a collection have no order.
func isUnordered(_ value: Any) -> Bool {
    if type(of: value) is AnyClass { return value as AnyObject is NSSet }
    return value is any UnorderedElements
}

private protocol UnorderedElements {}
extension Set: UnorderedElements {}
