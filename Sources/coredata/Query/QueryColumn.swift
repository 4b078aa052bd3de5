import CoreData

/// A column of a query: a key path through to-one relationships to an attribute or an object.
struct QueryColumn {
    /// The key path, the title of the column.
    let name: String
    /// The relationships on the way.
    let steps: [String]
    /// The last key, and the names of elements of a composite attribute that follow it.
    private let key: String
    private let elements: [String]
    /// The type of the attribute; nil for an object.
    private let type: NSAttributeType?

    /// Whether the values are numbers.
    var isNumeric: Bool {
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .decimalAttributeType,
            .doubleAttributeType, .floatAttributeType:
            true
        default: false
        }
    }

    /// Whether a store can sort by the column.
    var isAttribute: Bool { type != nil }

    private init(
        _ name: String, _ steps: [String], _ property: NSPropertyDescription, elements: [String] = [],
        of owner: NSAttributeDescription? = nil
    ) {
        self.name = name
        self.steps = steps
        self.elements = elements
        key = owner?.name ?? property.name
        type = (property as? NSAttributeDescription)?.attributeType
    }

    /// The column for a key path that was typed.
    ///
    /// - Throws: `UsageError` for a key that there isn't, or one that leads to many objects.
    init(_ path: String, of entity: NSEntityDescription) throws {
        let keys = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        var owner = entity
        for (index, key) in keys.enumerated() {
            let property = try Self.property(key, of: owner, in: path)
            if let composite = property as? NSCompositeAttributeDescription {
                let rest = keys[(index + 1)...]
                guard let element = composite.element(rest), !(element is NSCompositeAttributeDescription) else {
                    let known = composite.leaves.map { $0.path.joined(separator: ".") }.joined(separator: ", ")
                    throw UsageError(message: "'\(path)' is no element of '\(key)', which has \(known)")
                }
                self.init(path, Array(keys[..<index]), element, elements: Array(rest), of: composite)
                return
            }
            guard index < keys.count - 1 else { break }
            guard let destination = (property as? NSRelationshipDescription)?.destinationEntity else {
                throw UsageError(
                    message: "'\(key)' of '\(owner.name ?? "")' is no relationship, but '\(path)' goes through it")
            }
            owner = destination
        }
        self.init(path, Array(keys.dropLast()), try Self.property(keys.last ?? "", of: owner, in: path))
    }

    private static func property(
        _ key: String, of entity: NSEntityDescription, in path: String
    ) throws -> NSPropertyDescription {
        let properties = entity.propertiesByName
        guard let property = properties[key] else {
            let suggestion = nearest(to: key, among: properties.keys.sorted()).map { "; did you mean '\($0)'?" } ?? ""
            throw UsageError(message: "The entity '\(entity.name ?? "")' has no key '\(key)'\(suggestion)")
        }
        let relationship = property as? NSRelationshipDescription
        guard relationship?.isToMany == false || property is NSAttributeDescription else {
            throw UsageError(
                message: "'\(key)' of '\(entity.name ?? "")' leads to many objects; '\(path)' may only lead to one")
        }
        return property
    }

    /// The columns for a query that names none: the attributes by name, then the to-one relationships by name.
    ///
    /// A relationship shows the attribute by which an import finds its object (`country.isoCode`), or the object where
    /// there is none.
    static func defaults(for entity: NSEntityDescription) -> [QueryColumn] {
        let attributes = entity.attributesByName.values.filter { !$0.isTransient }.sorted { $0.name < $1.name }
        let relationships = entity.relationshipsByName.values.filter { !$0.isToMany }.sorted { $0.name < $1.name }
        return attributes.flatMap { attribute in
            attribute.leaves.map { leaf in
                let elements = Array(leaf.path.dropFirst())
                return QueryColumn(
                    leaf.path.joined(separator: "."), [], leaf.attribute, elements: elements, of: attribute)
            }
        }
            + relationships.map { relationship in
                guard let key = relationship.destinationEntity?.identifyingAttribute else {
                    return QueryColumn(relationship.name, [], relationship)
                }
                return QueryColumn("\(relationship.name).\(key.name)", [relationship.name], key)
            }
    }

    /// The value for an object.
    func cell(_ object: NSManagedObject) -> Cell {
        var owner = object
        for step in steps {
            guard let slot = owner.entity.layout.slot(step), let next = owner.toOne(slot) else { return .null }
            owner = next
        }
        guard let slot = owner.entity.layout.slot(key) else { return .null }
        if let type {
            let value = owner.slotValue(slot)
            guard let composite = owner.entity.layout.properties[slot] as? NSCompositeAttributeDescription else {
                return Cell(value, type)
            }
            return Cell(value.element(elements[...], of: composite), type)
        }
        return owner.toOne(slot).map { Cell($0.objectID) } ?? .null
    }
}

extension NSEntityDescription {
    /// The attribute whose values are unique on their own, if there is one.
    fileprivate var identifyingAttribute: NSAttributeDescription? {
        let attributes = attributesByName
        let owners = sequence(first: self, next: \.superentity)
        let single = owners.lazy.flatMap(\.uniquenessConstraintNames).filter { $0.count == 1 }
        return single.compactMap { $0.first }.compactMap { attributes[$0] }.first
    }
}
