import CoreData

/// The rows of an entity by one attribute: how `country.isoCode` finds a country.
///
/// A row that is referred to before it is read gets its key at once; when it comes, it takes that key. So files may
/// come in any order and no row is written twice. What is still missing at the end is a broken reference.
final class ReferenceTable {
    let entity: SQLEntity
    let slot: Int
    let converter: AttributeConverter
    private var keys: [ReferenceKey: Int64] = [:]
    /// The rows that were referred to and not seen, with the first place that did.
    private(set) var missing: [ReferenceKey: Missing] = [:]
    /// Values that several rows have.
    private var ambiguous: Set<ReferenceKey> = []

    struct Missing {
        let primaryKey: Int64
        let position: SourcePosition
        let text: String
    }

    init(_ entity: SQLEntity, slot: Int, _ converter: AttributeConverter) {
        self.entity = entity
        self.slot = slot
        self.converter = converter
    }

    var attributeName: String { entity.layout.properties[slot].name }

    /// Notes a row that the store already has.
    func note(_ value: SlotValue, _ primaryKey: Int64) {
        guard let key = ReferenceKey(value) else { return }
        if keys.updateValue(primaryKey, forKey: key) != nil { ambiguous.insert(key) }
    }

    /// Notes a row that is being written.
    func noteInserted(_ value: SlotValue, _ primaryKey: Int64) {
        guard let key = ReferenceKey(value) else { return }
        if let known = keys.updateValue(primaryKey, forKey: key), known != primaryKey { ambiguous.insert(key) }
    }

    /// The key that was promised to a row with this value; nil when nobody asked for it. From now on the row is there.
    func claim(_ value: SlotValue) -> Int64? {
        guard let key = ReferenceKey(value), let promised = missing.removeValue(forKey: key) else { return nil }
        return promised.primaryKey
    }

    /// The key of the row with a value; promises one where the row is yet to come.
    func primaryKey(
        _ value: SlotValue, promise: () -> Int64, at position: () -> SourcePosition
    ) throws -> Int64? {
        guard let key = ReferenceKey(value) else { return nil }
        if let known = keys[key] {
            if !ambiguous.isEmpty, ambiguous.contains(key) {
                throw SourceError(
                    position: position(),
                    message: "several \(entity.name) have the \(attributeName) '\(key)', so the reference is not clear",
                    value: "\(key)")
            }
            return known
        }
        let primaryKey = promise()
        keys[key] = primaryKey
        missing[key] = Missing(primaryKey: primaryKey, position: position(), text: "\(key)")
        return primaryKey
    }
}

/// A value by which rows are found.
enum ReferenceKey: Hashable, CustomStringConvertible {
    case integer(Int64)
    case string(String)
    case uuid(UUID)

    init?(_ value: SlotValue) {
        switch value {
        case .integer(let number): self = .integer(number)
        case .string(let text): self = .string(text)
        case .uuid(let uuid): self = .uuid(uuid)
        case .uri(let url): self = .string(url.absoluteString)
        case .decimal(let decimal): self = .string("\(decimal)")
        case .real(let number), .date(let number): self = .string("\(number)")
        default: return nil
        }
    }

    var description: String {
        switch self {
        case .integer(let number): "\(number)"
        case .string(let text): text
        case .uuid(let uuid): uuid.uuidString
        }
    }
}
