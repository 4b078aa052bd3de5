import CoreData

/// A column of a query: a key path through to-one relationships to an attribute or an object.
struct QueryColumn {
    /// The key path, the title of the column.
    let name: String
    /// The relationships on the way.
    let steps: [String]
    /// The last key.
    private let key: String
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

    private init(_ name: String, _ steps: [String], _ property: NSPropertyDescription) {
        self.name = name
        self.steps = steps
        key = property.name
        type = (property as? NSAttributeDescription)?.attributeType
    }

    /// The column for a key path that was typed.
    ///
    /// - Throws: `UsageError` for a key that there isn't, or one that leads to many objects.
    init(_ path: String, of entity: NSEntityDescription) throws {
        let keys = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        var owner = entity
        for key in keys.dropLast() {
            let property = try Self.property(key, of: owner, in: path)
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
        return attributes.map { QueryColumn($0.name, [], $0) }
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
        if let type { return Cell(owner.slotValue(slot), type) }
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
