import FoundationSupplement
import ManagedObjectModel

/// Metadata between programs, which have Foundation's values, and files.
extension PropertyListValue {
    /// Takes a value that a program gives.
    ///
    /// - Throws: ``StoreFileFault`` for a value that no property list can hold.
    init(foundation value: Any, depth: Int = 0) throws {
        guard depth < BinaryPropertyList.maximumDepth - 2 else {
            throw StoreFileFault("metadata are nested too deeply")
        }
        switch value {
        case let text as String: self = .string(text)
        case let data as Data: self = .data(Array(data))
        case let date as Date: self = .date(date.timeIntervalSinceReferenceDate)
        case let list as [Any]: self = .array(try list.map { try PropertyListValue(foundation: $0, depth: depth + 1) })
        case let pairs as [String: Any]:
            self = .dictionary(try pairs.mapValues { try PropertyListValue(foundation: $0, depth: depth + 1) })
        case let number as NSNumber: self = Self.number(number)
        default: throw StoreFileFault("a value of type \(type(of: value)) can't be in metadata")
        }
    }

    private static func number(_ number: NSNumber) -> PropertyListValue {
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "c"), UInt8(ascii: "B"): .boolean(number.boolValue)
        case UInt8(ascii: "d"), UInt8(ascii: "f"): .real(number.doubleValue)
        default: .integer(number.int64Value)
        }
    }

    /// The value as programs take it.
    var foundationValue: Any {
        switch self {
        case .null: NSNull()
        case .boolean(let flag): flag
        case .integer(let number): Int(number)
        case .real(let number): number
        case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
        case .data(let bytes): Data(bytes)
        case .string(let text): text
        case .uid(let number): number
        case .array(let elements): elements.map(\.foundationValue)
        case .dictionary(let pairs): pairs.mapValues(\.foundationValue)
        }
    }
}
