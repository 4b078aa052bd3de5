import Foundation

extension OwnedValue {
    /// The value for one that `PropertyListSerialization` has made; `nil` for what isn't a value of one.
    /// Dictionaries are in the order of their keys.
    init?(propertyList value: Any) {
        if type(of: value) == Bool.self, let flag = value as? Bool {
            self = .boolean(flag)
            return
        }
        switch value {
        case let string as String: self = .text(string)
        case let number as NSNumber: self.init(number)
        case let date as Date: self = .date(date)
        case let data as Data: self = .data(data)
        case let array as [Any]:
            var values: [OwnedValue] = []
            for element in array {
                guard let owned = OwnedValue(propertyList: element) else { return nil }
                values.append(owned)
            }
            self = .list(values)
        case let dictionary as [String: Any]:
            var fields: [OwnedField] = []
            for (key, element) in dictionary.sorted(by: { $0.key < $1.key }) {
                guard let owned = OwnedValue(propertyList: element) else { return nil }
                fields.append(OwnedField(key: key, value: owned))
            }
            self = .object(fields)
        default: return nil
        }
    }

    /// What kind of value of a property list this is, in words.
    var kind: String {
        switch self {
        case .text: "a string"
        case .integer, .real, .number: "a number"
        case .boolean: "a Boolean"
        case .date: "a date"
        case .data: "data"
        case .list: "an array"
        case .object: "a dictionary"
        case .null: "no value"
        }
    }

    /// Whole numbers beyond 64 bits with sign keep their digits.
    private init(_ number: NSNumber) {
        switch String(cString: number.objCType) {
        case "f", "d": self = .real(number.doubleValue)
        case "Q": self = Int64(exactly: number.uint64Value).map { .integer($0) } ?? .number(number.stringValue)
        default: self = .integer(number.int64Value)
        }
    }
}
