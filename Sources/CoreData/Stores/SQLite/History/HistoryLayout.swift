import FoundationSupplement
import ManagedObjectModel

/// How history speaks of an entity's properties: by their place among all that are stored, attributes and relationships,
/// own and inherited, in the order of their names.
struct HistoryLayout {
    /// The names of the properties, in the order of the bits.
    let properties: [String]
    /// The columns of the attributes whose values are kept when an object is deleted, by name; nil for one whose values
    /// may be in files, which aren't kept.
    let preserved: [String?]
    private let bits: [Int?]

    init(_ entity: SQLEntity) {
        let stored = entity.layout.properties.enumerated()
            .filter { !$1.isTransient && !($1 is NSFetchedPropertyDescription) }
            .sorted { VersionHash.codeUnitOrder($0.element.name, $1.element.name) }
        properties = stored.map(\.element.name)
        var bits = [Int?](repeating: nil, count: entity.layout.count)
        for (bit, property) in stored.enumerated() { bits[property.offset] = bit }
        self.bits = bits
        preserved = stored.compactMap { slot, property -> String?? in
            guard let attribute = property as? NSAttributeDescription, attribute.preservesValueInHistoryOnDeletion,
                case .column(let column) = entity.storage[slot]
            else { return nil }
            return .some(attribute.allowsExternalBinaryDataStorage ? nil : column.name)
        }
    }

    /// The bitmap of some slots: the first property is the highest bit of the first byte.
    func columns(_ slots: [Int]) -> Data {
        var bytes = Data(count: (properties.count + 7) / 8)
        for case let bit? in slots.map({ bits[$0] }) { bytes[bit / 8] |= 0x80 >> UInt8(bit % 8) }
        return bytes
    }

    /// The names of the properties in a bitmap; nil for one that is of another version of the model.
    func names(_ columns: Data) -> [String]? {
        var names: [String] = []
        for (index, byte) in columns.enumerated() {
            for bit in 0..<8 where byte & (0x80 >> UInt8(bit)) != 0 {
                guard index * 8 + bit < properties.count else { return nil }
                names.append(properties[index * 8 + bit])
            }
        }
        return names
    }
}
