import CoreData

/// The rows of an entity by one attribute: how `country.isoCode` finds a country.
///
/// A row that is referred to before it is read gets its key at once; when it comes, it takes that key. So files may
/// come in any order and no row is written twice. What is still missing at the end is a broken reference.
final class ReferenceTable {
    /// The entity, whose rows may be of its sub-entities.
    let entity: SQLEntity
    /// The attribute's slot.
    let slot: Int
    /// The attribute's converter.
    let converter: AttributeConverter
    private var rows: [ReferenceKey: Row] = [:]
    /// The rows that were referred to and not seen, with the first place that did.
    private(set) var missing: [ReferenceKey: FieldPlace] = [:]

    /// A field of a record.
    struct FieldPlace {
        let origin: RowOrigin
        let column: Int
    }

    private struct Row {
        let primaryKey: Int64
        var isSeen: Bool
        var isReferenced: Bool
        /// Whether another row has the same value.
        var isAmbiguous = false
    }

    init(_ entity: SQLEntity, slot: Int, _ converter: AttributeConverter) {
        self.entity = entity
        self.slot = slot
        self.converter = converter
    }

    /// The attribute's name.
    var attributeName: String { entity.layout.properties[slot].name }

    /// The key that was promised to the row with a value that is now being read; nil when nobody asked for one.
    func promised(_ key: ReferenceKey) -> Int64? {
        missing.isEmpty || missing[key] == nil ? nil : rows[key]?.primaryKey
    }

    /// Notes that a row is there.
    ///
    /// - Throws: `Refusal` when another row has the value, and some row refers to it: to which of the two isn't clear.
    func note(_ key: ReferenceKey, _ primaryKey: Int64) throws {
        guard var row = rows[key] else {
            rows[key] = Row(primaryKey: primaryKey, isSeen: true, isReferenced: false)
            return
        }
        if row.isSeen {
            if row.isReferenced { throw ambiguity(key) }
            row.isAmbiguous = true
            rows[key] = row
        } else {
            // Its key may be another than the one promised here, when two attributes led to it.
            rows[key] = Row(primaryKey: primaryKey, isSeen: true, isReferenced: true)
            missing[key] = nil
        }
    }

    /// The key of the row with a value; promises one where the row is yet to come.
    ///
    /// - Throws: `Refusal` when several rows have the value.
    func primaryKey(_ key: ReferenceKey, takeKey: () -> Int64, place: () -> FieldPlace) throws -> Int64 {
        guard let row = rows[key] else {
            let primaryKey = takeKey()
            rows[key] = Row(primaryKey: primaryKey, isSeen: false, isReferenced: true)
            missing[key] = place()
            return primaryKey
        }
        if row.isAmbiguous { throw ambiguity(key) }
        if !row.isReferenced { rows[key]?.isReferenced = true }
        return row.primaryKey
    }

    private func ambiguity(_ key: ReferenceKey) -> Refusal {
        Refusal(
            message: "several \(entity.name) have the \(attributeName) '\(key)', so references to it are not clear",
            value: "\(key)")
    }
}
