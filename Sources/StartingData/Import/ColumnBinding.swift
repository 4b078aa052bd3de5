import CoreData

/// What a column of a file means for an entity. A class, as it is looked at for every field: no copies.
final class ColumnBinding {
    enum Meaning {
        /// The value of an attribute.
        case attribute(slot: Int, AttributeConverter)
        /// The value of an element of a composite attribute, by the names on the way to it.
        case element(slot: Int, path: [String], of: NSCompositeAttributeDescription, AttributeConverter)
        /// The value by which the object at the other end of a to-one relationship is found.
        case reference(slot: Int, ReferenceTable)
        /// A to-one relationship as such: a record may only say that there is none (`"country": null`).
        case none(Refusal)
    }

    let meaning: Meaning
    /// The column's name, for messages.
    let name: String

    /// Finds the meaning of a name: `population`, or `country.isoCode`.
    ///
    /// - Parameter isHeader: whether the name stands in a header, for all records.
    /// - Throws: `Refusal` with what is wrong with the name.
    init(_ name: String, of entity: SQLEntity, _ session: ImportSession, isHeader: Bool) throws {
        self.name = name
        func refuse(_ message: String) -> Refusal { Refusal(message: message, value: name) }
        guard name.utf8.count <= 1000 else {
            throw Refusal(
                message: "no attribute has a name as long as '\(name.prefix(40))…'", value: "\(name.prefix(40))…")
        }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let slot = entity.layout.slot(parts[0]) else {
            let known = entity.layout.properties.map(\.name).joined(separator: ", ")
            throw refuse("'\(parts[0])' is not an attribute or relationship of \(entity.name), which has \(known)")
        }
        switch entity.layout.kinds[slot] {
        case .attribute(let composite as NSCompositeAttributeDescription):
            guard let element = composite.element(parts.dropFirst()), case .composite = entity.storage[slot],
                let converter = AttributeConverter(element, entity.name)
            else {
                let known = composite.leaves.map { $0.path.joined(separator: ".") }.joined(separator: ", ")
                throw refuse("'\(name)' of \(entity.name) is no element of '\(parts[0])', which has \(known)")
            }
            meaning = .element(slot: slot, path: Array(parts.dropFirst()), of: composite, converter)
        case .attribute(let attribute):
            guard parts.count == 1 else {
                throw refuse("'\(parts[0])' is an attribute of \(entity.name), so '\(name)' means nothing")
            }
            guard case .column = entity.storage[slot], !(attribute is NSDerivedAttributeDescription) else {
                throw refuse("'\(name)' of \(entity.name) is computed or transient and can't be imported")
            }
            guard let converter = AttributeConverter(attribute, entity.name) else {
                throw refuse(
                    "'\(name)' of \(entity.name) is \(attribute.attributeType.displayName), which can't be imported yet"
                )
            }
            meaning = .attribute(slot: slot, converter)
        case .toOne(let relationship):
            guard case .toOne = entity.storage[slot] else {
                throw refuse("'\(parts[0])' of \(entity.name) is a transient relationship and can't be imported")
            }
            do {
                meaning = .reference(slot: slot, try session.references.table(relationship, parts, name))
            } catch let refusal as Refusal where parts.count == 1 && !isHeader {
                meaning = .none(refusal)
            }
        case .toMany:
            throw refuse(
                "'\(parts[0])' of \(entity.name) is a to-many relationship, which can't be imported yet; import"
                    + " its inverse")
        case .fetched: throw refuse("'\(name)' of \(entity.name) is a fetched property and can't be imported")
        }
    }
}
