import FoundationSupplement
import ManagedObjectModel

/// What a store written by a program calls its rows, beside the number that stands for each name inside the framework.
///
/// Equal names of one entity have one number, and so equal object IDs. A name stays known for as long as its store is
/// open: an ID may come back at any time, from a URI or from the store.
package final class ObjectReferences: @unchecked Sendable {
    private struct Name: Hashable {
        let entity: ObjectIdentifier
        let reference: AnyHashable
    }

    private let lock = NSLock()
    private var keys: [Name: Int64] = [:]
    /// By number, from 1.
    private var references: [Any] = []
    /// Names that are not strings by the text that URIs have for them.
    private var keysByText: [Name: Int64] = [:]

    /// The number of a name.
    package func key(of entity: NSEntityDescription, _ reference: Any) -> Int64 {
        let name = Name(entity: ObjectIdentifier(entity), reference: Self.hashable(reference))
        return lock.withLock {
            if let known = keys[name] { return known }
            references.append(reference)
            let key = Int64(references.count)
            keys[name] = key
            if !(name.reference.base is String) {
                keysByText[Name(entity: name.entity, reference: Self.uriText(reference))] = key
            }
            return key
        }
    }

    /// The name with a number; nil for a number that was never given.
    package func reference(_ key: Int64) -> Any? {
        lock.withLock { references.indices.contains(Int(key) - 1) ? references[Int(key) - 1] : nil }
    }

    /// The number of the name that a URI has. A URI tells no types: what it says is a known name that is no string, or
    /// else a string, as it stands there, escapes included. So do Apple's stores.
    package func key(of entity: NSEntityDescription, uriKey: String) -> Int64 {
        let name = Name(entity: ObjectIdentifier(entity), reference: uriKey)
        if let known = lock.withLock({ keysByText[name] }) { return known }
        return key(of: entity, uriKey)
    }

    /// How a name stands in a URI: its description, escaped as a path is.
    package func uriText(_ key: Int64) -> String? { reference(key).map(Self.uriText) }

    private static func uriText(_ reference: Any) -> String {
        let text: String =
            switch reference {
            case let data as Data: describe(data)
            case let data as NSData: describe(data as Data)
            default: "\(reference)"
            }
        return text.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? text
    }

    /// As Apple's Foundation describes data; Linux's leaves the bytes out.
    private static func describe(_ data: Data) -> String {
        "{length = \(data.count), bytes = 0x\(data.map { String(format: "%02x", $0) }.joined())}"
    }

    /// The Swift and the Foundation value for the same thing as one; on Linux the hash of a decimal number never ends.
    private static func hashable(_ reference: Any) -> AnyHashable {
        switch reference {
        case let text as String: text
        case let text as NSString: String(describing: text)
        case let decimal as NSDecimalNumber: decimal.decimalValue
        case let number as any BinaryInteger: Int64(exactly: number).map { AnyHashable($0) } ?? AnyHashable("\(number)")
        case let number as NSNumber where number.doubleValue == Double(number.int64Value): number.int64Value
        case let number as NSNumber: number.doubleValue
        case let uuid as NSUUID: uuid as UUID
        case let url as NSURL: url as URL
        case let data as NSData: data as Data
        case let other as AnyHashable: other
        default: "\(reference)"
        }
    }
}
