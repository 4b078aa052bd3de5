import FoundationSupplement

/// Where the objects of an entity keep the value of each property: a slot number.
///
/// A sub-entity's layout begins with its super-entity's, so that a slot found for a class serves its subclasses too.
package final class EntityLayout {
    package let entity: NSEntityDescription
    /// The properties in the order of their slots.
    package let properties: [NSPropertyDescription]
    /// What each slot holds, without a cast.
    package let kinds: [Kind]
    /// The type of each attribute's slot, nil for other slots and for transformable and composite attributes, whose values
    /// need more: what reading a value needs, without a reference.
    package let attributeTypes: [NSAttributeType?]
    /// Whether a store fills some attributes by itself.
    package let hasDerivedAttributes: Bool
    private let slots: KeyTable
    /// The values of a new object, kept for the layer above, which knows what a value is.
    @exclusivity(unchecked) package var cachedDefaults: AnyObject?
    /// The class of the entity's objects, likewise.
    @exclusivity(unchecked) package var cachedClass: AnyClass?

    package enum Kind {
        case attribute(NSAttributeDescription)
        case toOne(NSRelationshipDescription)
        case toMany(NSRelationshipDescription)
        case fetched(NSFetchedPropertyDescription)
    }

    package init(_ entity: NSEntityDescription) {
        self.entity = entity
        let inherited = entity.superentity?.layout.properties ?? []
        let known = Set(inherited.map(\.name))
        let own = entity.declaredProperties.filter { !known.contains($0.name) }.sorted { $0.name < $1.name }
        // A property that a sub-entity declares again keeps the slot of the inherited one.
        let byName = entity.propertiesByName
        properties = inherited.map { byName[$0.name] ?? $0 } + own
        kinds = properties.map { property in
            switch property {
            case let attribute as NSAttributeDescription: .attribute(attribute)
            case let relationship as NSRelationshipDescription where relationship.isToMany: .toMany(relationship)
            case let relationship as NSRelationshipDescription: .toOne(relationship)
            case let fetched as NSFetchedPropertyDescription: .fetched(fetched)
            default: .attribute(NSAttributeDescription())
            }
        }
        attributeTypes = kinds.map { kind -> NSAttributeType? in
            guard case .attribute(let attribute) = kind else { return nil }
            switch attribute.attributeType {
            case .transformableAttributeType, .compositeAttributeType: return nil
            case let type: return type
            }
        }
        hasDerivedAttributes = properties.contains { $0 is NSDerivedAttributeDescription }
        slots = KeyTable(properties.map(\.name))
    }

    package var count: Int { properties.count }

    package func slot(_ name: String) -> Int? { slots.index(of: name) }
}
