import CoreData

/// What an entity-relationship picture of a model shows, in the order in which it is written: the same for each format.
struct ModelDiagram {
    /// What stands above the picture.
    let title: String
    /// The boxes.
    let entities: [Entity]
    /// The arrows from entities to those that they inherit from, as positions in `entities`.
    let inheritance: [(parent: Int, child: Int)]
    /// The lines between boxes, one for a relationship and its inverse.
    let connections: [Connection]

    /// A box.
    struct Entity {
        let name: String
        let isAbstract: Bool
        let attributes: [Attribute]
        /// The relationships, and the fetched properties, which no line belongs to.
        let relationships: [Relationship]
    }

    /// A line in a box.
    struct Attribute {
        let name: String
        let type: String
        let isOptional: Bool
        /// How many composite attributes it is inside of.
        let depth: Int
        /// What else there is to know, in a word each.
        let marks: [String]
    }

    /// A line in a box.
    struct Relationship {
        let name: String
        let destination: String
        let cardinality: Cardinality
        let isOrdered: Bool
        let isFetched: Bool
        let deleteRule: NSDeleteRule
    }

    /// How many objects a relationship leads to.
    struct Cardinality {
        let least: Int
        /// Nil for no limit.
        let most: Int?
        var isToMany: Bool { most != 1 }
    }

    /// An end of a line: an entity and, where the end belongs to one, a relationship in it.
    struct End {
        let entity: Int
        let relationship: Int?
    }

    /// A relationship, with its inverse if it has one. `source` always has a relationship.
    struct Connection {
        var source: End
        var destination: End
    }

    /// The relationship at an end, if any.
    func relationship(_ end: End) -> Relationship? { end.relationship.map { entities[end.entity].relationships[$0] } }
}

extension ModelDiagram.Cardinality {
    init(_ relationship: NSRelationshipDescription) {
        most = relationship.maxCount == 0 ? nil : relationship.maxCount
        least = relationship.isOptional ? 0 : max(1, relationship.minCount)
    }

    /// `0..1`, `1`, `0..*`, `2..5`
    var range: String {
        let end = most.map(String.init) ?? "*"
        return end == String(least) ? end : "\(least)..\(end)"
    }
}

extension ModelDiagram {
    /// The picture of a model, or of those of its entities that are named.
    init(_ model: NSManagedObjectModel, title: String, entities names: Set<String>? = nil, attributes: Bool = true) {
        let kept = model.entities.sorted(by: NSManagedObjectModel.nameOrder)
            .filter { names?.contains($0.name ?? "") ?? true }
        let positions = Dictionary(uniqueKeysWithValues: kept.enumerated().map { (ObjectIdentifier($1), $0) })
        self.title = title
        entities = kept.map { Entity($0, attributes: attributes) }
        inheritance = kept.enumerated().compactMap { child, entity in
            entity.superentity.flatMap { positions[ObjectIdentifier($0)] }.map { ($0, child) }
        }
        connections = Self.connections(kept, positions)
    }

    /// The names of the entities that are at most `depth` lines away from those named.
    func names(within depth: Int, of names: Set<String>) -> Set<String> {
        var neighbours = Array(repeating: Set<Int>(), count: entities.count)
        func connect(_ a: Int, _ b: Int) {
            neighbours[a].insert(b)
            neighbours[b].insert(a)
        }
        for (parent, child) in inheritance { connect(parent, child) }
        for line in connections { connect(line.source.entity, line.destination.entity) }
        var reached = Set(entities.indices.filter { names.contains(entities[$0].name) })
        for _ in 0..<depth {
            let further = reached.reduce(into: reached) { $0.formUnion(neighbours[$1]) }
            if further.count == reached.count { break }
            reached = further
        }
        return Set(reached.map { entities[$0].name })
    }

    private static func connections(
        _ entities: [NSEntityDescription], _ positions: [ObjectIdentifier: Int]
    ) -> [Connection] {
        var ends: [ObjectIdentifier: End] = [:]
        for (number, entity) in entities.enumerated() {
            for (row, relationship) in entity.sortedRelationships.enumerated() {
                ends[ObjectIdentifier(relationship)] = End(entity: number, relationship: row)
            }
        }
        var drawn: Set<ObjectIdentifier> = []
        var result: [Connection] = []
        for relationship in entities.flatMap(\.sortedRelationships) {
            guard let source = ends[ObjectIdentifier(relationship)],
                drawn.insert(ObjectIdentifier(relationship)).inserted
            else { continue }
            let inverse = relationship.inverseRelationship.flatMap {
                $0.inverseRelationship === relationship ? $0 : nil
            }
            if let inverse, let destination = ends[ObjectIdentifier(inverse)] {
                drawn.insert(ObjectIdentifier(inverse))
                let isTurned = inverse.leads(relationship)
                result.append(
                    Connection(
                        source: isTurned ? destination : source, destination: isTurned ? source : destination))
            } else if let number = relationship.destinationEntity.flatMap({ positions[ObjectIdentifier($0)] }) {
                result.append(Connection(source: source, destination: End(entity: number, relationship: nil)))
            }
        }
        return result
    }
}

extension ModelDiagram.Entity {
    fileprivate init(_ entity: NSEntityDescription, attributes: Bool) {
        name = entity.name ?? ""
        isAbstract = entity.isAbstract
        let unique = entity.uniquenessConstraintNames
        self.attributes = attributes ? entity.sortedAttributes.flatMap { Self.rows($0, unique, depth: 0) } : []
        relationships =
            entity.sortedRelationships.map(ModelDiagram.Relationship.init)
            + entity.sortedFetchedProperties.map(ModelDiagram.Relationship.init)
    }

    /// An attribute, and the elements of a composite one beneath it.
    private static func rows(
        _ attribute: NSAttributeDescription, _ unique: [[String]], depth: Int
    ) -> [ModelDiagram.Attribute] {
        var marks = unique.filter { $0.contains(attribute.name) }.map { names in
            let others = names.filter { $0 != attribute.name }
            return others.isEmpty ? "unique" : "unique with \(others.joined(separator: ", "))"
        }
        if attribute is NSDerivedAttributeDescription { marks.append("derived") }
        if attribute.isTransient { marks.append("transient") }
        let row = ModelDiagram.Attribute(
            name: attribute.name, type: attribute.attributeType.displayName, isOptional: attribute.isOptional,
            depth: depth, marks: marks)
        let elements = (attribute as? NSCompositeAttributeDescription)?.elements ?? []
        return [row] + elements.flatMap { rows($0, [], depth: depth + 1) }
    }
}

extension ModelDiagram.Relationship {
    fileprivate init(_ relationship: NSRelationshipDescription) {
        name = relationship.name
        destination = relationship.destinationName ?? "?"
        cardinality = ModelDiagram.Cardinality(relationship)
        isOrdered = relationship.isOrdered && relationship.isToMany
        isFetched = false
        deleteRule = relationship.deleteRule
    }

    fileprivate init(_ property: NSFetchedPropertyDescription) {
        name = property.name
        destination = property.fetchRequest?.entityName ?? "?"
        cardinality = ModelDiagram.Cardinality(least: 0, most: nil)
        isOrdered = false
        isFetched = true
        deleteRule = .nullifyDeleteRule
    }
}

extension NSRelationshipDescription {
    /// Whether the line to the inverse is drawn from this side: from one to many, from owners to what they own.
    fileprivate func leads(_ inverse: NSRelationshipDescription) -> Bool {
        if isToMany != inverse.isToMany { return isToMany }
        return deleteRule == .cascadeDeleteRule && inverse.deleteRule != .cascadeDeleteRule
    }
}

extension NSEntityDescription {
    /// The attributes declared here, by name: models read from different files have them in different orders.
    var sortedAttributes: [NSAttributeDescription] { sorted() }
    /// The relationships declared here, by name.
    var sortedRelationships: [NSRelationshipDescription] { sorted() }
    /// The fetched properties declared here, by name.
    var sortedFetchedProperties: [NSFetchedPropertyDescription] { sorted() }

    private func sorted<P: NSPropertyDescription>() -> [P] {
        declaredProperties.compactMap { $0 as? P }.sorted { $0.name < $1.name }
    }
}
