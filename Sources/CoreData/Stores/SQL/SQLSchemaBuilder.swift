import FoundationSupplement
import ManagedObjectModel

/// Lays out the tables. The rules, with the evidence for each, are in ARCHITECTURE.md ("The store's layout").
struct SQLSchemaBuilder {
    let entities: [SQLEntity]
    let byDescription: [ObjectIdentifier: SQLEntity]
    /// The tables that the store has already.
    let existing: Set<String>
    private var joinColumns: [String: Int] = [:]

    init(entities: [SQLEntity], byDescription: [ObjectIdentifier: SQLEntity], existing: Set<String>) {
        self.entities = entities
        self.byDescription = byDescription
        self.existing = existing
    }

    mutating func build() throws -> ([SQLTable], [SQLJoinTable]) {
        let tables = assignTables()
        for entity in entities {
            try checkNames(entity)
            try checkElements(entity)
        }
        var columns: [AttributePlace: SQLColumn] = [:]
        for group in ColumnGroup.allCases { addColumns(group, &columns) }
        placeAttributes(columns)
        inheritStorage()
        resolveToMany()
        return (tables, addJoinTables())
    }

    private func sqlEntity(_ description: NSEntityDescription?) -> SQLEntity? {
        description.flatMap { byDescription[ObjectIdentifier($0)] }
    }

    private func assignTables() -> [SQLTable] {
        var tables: [SQLTable] = []
        for entity in entities {
            if let root = sqlEntity(entity.description.rootEntity), root !== entity {
                entity.root = root
                entity.table = root.table
            } else {
                entity.table = SQLTable(name: "Z" + entity.name.uppercased())
                tables.append(entity.table)
            }
            entity.numbers = entity.number...(entity.number + entity.description.selfAndDescendants.count - 1)
        }
        return tables
    }

    private func checkNames(_ entity: SQLEntity) throws {
        try SQLSchema.requirePlain(entity.name, "entity")
        for property in entity.description.declaredProperties {
            try SQLSchema.requirePlain(property.name, "property of '\(entity.name)'")
        }
    }

    /// The elements of composites become columns: they must have a type that one can have.
    private func checkElements(_ entity: SQLEntity) throws {
        for case let composite as NSCompositeAttributeDescription in entity.description.declaredProperties
        where !composite.isTransient {
            for leaf in composite.leaves {
                for name in leaf.path {
                    try SQLSchema.requirePlain(name, "element of '\(entity.name).\(composite.name)'")
                }
                guard
                    ColumnGroup(leaf.attribute.attributeType) == nil
                        || leaf.attribute.attributeType == .transformableAttributeType
                else { continue }
                throw CocoaError.unsupported(
                    "the element '\(leaf.path.joined(separator: "."))' of '\(entity.name)', whose type is"
                        + " \(leaf.attribute.attributeType.displayName), in a SQLite store")
            }
        }
    }

    private enum ColumnGroup: CaseIterable {
        case integer, floating, decimal, string, identifier, transformable, binary

        init?(_ type: NSAttributeType) {
            switch type {
            case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .booleanAttributeType:
                self = .integer
            case .dateAttributeType, .doubleAttributeType, .floatAttributeType: self = .floating
            case .decimalAttributeType: self = .decimal
            case .stringAttributeType: self = .string
            case .URIAttributeType, .UUIDAttributeType: self = .identifier
            case .transformableAttributeType: self = .transformable
            case .binaryDataAttributeType: self = .binary
            case .undefinedAttributeType, .objectIDAttributeType, .compositeAttributeType: return nil
            }
        }
    }

    private func columnType(_ type: NSAttributeType) -> String {
        switch type {
        case .decimalAttributeType: "DECIMAL"
        case .doubleAttributeType, .floatAttributeType: "FLOAT"
        case .dateAttributeType: "TIMESTAMP"
        case .stringAttributeType, .URIAttributeType: "VARCHAR"
        case .UUIDAttributeType, .binaryDataAttributeType, .transformableAttributeType: "BLOB"
        default: "INTEGER"
        }
    }

    /// An attribute of an entity, or an element of a composite one, by the names on the way to it.
    private struct AttributePlace: Hashable {
        let entity: Int
        let path: [String]
    }

    /// The properties that an entity itself has a place for, by name.
    private func ownProperties(of entity: SQLEntity) -> [NSPropertyDescription] {
        entity.description.declaredProperties.filter { !$0.isTransient && $0.entity === entity.description }
            .sorted { VersionHash.codeUnitOrder($0.name, $1.name) }
    }

    /// Adds the columns of one group for every entity: names sort by code unit, entities by number.
    private func addColumns(_ group: ColumnGroup, _ columns: inout [AttributePlace: SQLColumn]) {
        for entity in entities {
            let own = ownProperties(of: entity)
            let members = own.compactMap { $0 as? NSAttributeDescription }.flatMap(\.leaves)
                .filter { ColumnGroup($0.attribute.attributeType) == group }
                .map { (name: $0.path.joined(separator: "_"), path: $0.path, type: $0.attribute.attributeType) }
                .sorted { VersionHash.codeUnitOrder($0.name, $1.name) }
            for member in members {
                columns[AttributePlace(entity: entity.number, path: member.path)] =
                    entity.table.add("Z" + member.name.uppercased(), columnType(member.type))
            }
            if group == .integer { addKeys(of: entity, own) }
        }
    }

    /// Gives each attribute its column; a composite one those of its elements.
    private func placeAttributes(_ columns: [AttributePlace: SQLColumn]) {
        func storage(_ attribute: NSAttributeDescription, _ place: AttributePlace) -> SQLStorage {
            guard let composite = attribute as? NSCompositeAttributeDescription else {
                return columns[place].map { .column($0) } ?? .none
            }
            return .composite(
                composite.elements.map { element in
                    let inner = AttributePlace(entity: place.entity, path: place.path + [element.name])
                    return SQLElement(attribute: element, storage: storage(element, inner))
                })
        }
        for entity in entities {
            for case let attribute as NSAttributeDescription in ownProperties(of: entity) {
                guard let slot = entity.layout.slot(attribute.name) else { continue }
                entity.storage[slot] = storage(attribute, AttributePlace(entity: entity.number, path: [attribute.name]))
            }
        }
    }

    private func addKeys(of entity: SQLEntity, _ own: [NSPropertyDescription]) {
        var orders: [(slot: Int, name: String)] = []
        for case let relationship as NSRelationshipDescription in own where !relationship.isToMany {
            guard let slot = entity.layout.slot(relationship.name) else { continue }
            let name = relationship.name.uppercased()
            let key = entity.table.add("Z" + name, "INTEGER")
            // An entity outside of the store's configuration has no number here, and no object to be related to.
            let number = sqlEntity(relationship.destinationEntity).flatMap { destination in
                destination.hasSubentities ? entity.table.add("Z\(destination.number)_\(name)", "INTEGER") : nil
            }
            entity.storage[slot] = .toOne(key: key, entity: number, order: nil)
            if let inverse = relationship.inverseRelationship, inverse.isToMany, inverse.isOrdered {
                orders.append((slot, name))
            }
        }
        for (slot, name) in orders {
            guard case .toOne(let key, let number, _) = entity.storage[slot] else { continue }
            entity.storage[slot] = .toOne(
                key: key, entity: number, order: entity.table.add("Z_FOK_\(name)", "INTEGER"))
        }
        addKeysOfToManyWithoutInverse(to: entity)
    }

    /// A to-many relationship without inverse puts its key into the destination's table.
    private func addKeysOfToManyWithoutInverse(to destination: SQLEntity) {
        for source in entities {
            for case let relationship as NSRelationshipDescription in source.description.declaredProperties
            where relationship.isToMany && !relationship.isTransient && relationship.inverseRelationship == nil
                && relationship.destinationEntity === destination.description
            {
                guard let slot = source.layout.slot(relationship.name) else { continue }
                let name = relationship.name.uppercased()
                let key = destination.table.add("Z\(source.number)\(name)", "INTEGER")
                let order =
                    relationship.isOrdered
                    ? destination.table.add("Z_FOK_\(source.number)\(name)", "INTEGER") : nil
                source.storage[slot] = .toMany(key: key, entity: nil, order: order, destination: destination)
            }
        }
    }

    private func inheritStorage() {
        for entity in entities {  // parents come before their children
            guard let parent = sqlEntity(entity.description.superentity) else { continue }
            for slot in parent.storage.indices {
                if case .none = entity.storage[slot] { entity.storage[slot] = parent.storage[slot] }
            }
        }
    }

    /// Gives each to-many side the columns of the to-one side that keeps it.
    private func resolveToMany() {
        for entity in entities {
            for (slot, kind) in entity.layout.kinds.enumerated() {
                guard case .toMany(let relationship) = kind, !relationship.isTransient,
                    let inverse = relationship.inverseRelationship, !inverse.isToMany,
                    let destination = sqlEntity(relationship.destinationEntity),
                    let inverseSlot = destination.layout.slot(inverse.name),
                    case .toOne(let key, let number, let order) = destination.storage[inverseSlot]
                else { continue }
                entity.storage[slot] = .toMany(key: key, entity: number, order: order, destination: destination)
            }
        }
    }

    // MARK: Many-to-many

    private mutating func addJoinTables() -> [SQLJoinTable] {
        var tables: [SQLJoinTable] = []
        var done: Set<ObjectIdentifier> = []
        let byName = entities.sorted { NSManagedObjectModel.nameOrder($0.description, $1.description) }
        for entity in byName {
            let relationships = entity.description.properties.compactMap { $0 as? NSRelationshipDescription }
                .sorted { VersionHash.codeUnitOrder($0.name, $1.name) }
            for relationship in relationships where !done.contains(ObjectIdentifier(relationship)) {
                guard let inverse = relationship.inverseRelationship, relationship.isToMany, inverse.isToMany,
                    !relationship.isTransient
                else { continue }
                done.formUnion([ObjectIdentifier(relationship), ObjectIdentifier(inverse)])
                // Where both ends are on one entity most stores have the later name as owner.
                var (owner, other) = (relationship, inverse)
                if inverse.entity === relationship.entity { swap(&owner, &other) }
                if let name = joinTableName(other), existing.contains(name),
                    joinTableName(owner).map(existing.contains) == false
                {
                    owner = other
                }
                if let table = joinTable(owner) { tables.append(table) }
            }
        }
        return tables.sorted { ($0.owner.number, $0.name) < ($1.owner.number, $1.name) }
    }

    private func joinTableName(_ owner: NSRelationshipDescription) -> String? {
        sqlEntity(owner.entity).map { "Z_\($0.number)\(owner.name.uppercased())" }
    }

    /// A join table's column, with a number where another join table has the name for the same entity.
    private mutating func joinColumn(_ name: String) -> String {
        let number = joinColumns[name, default: 0]
        joinColumns[name] = number + 1
        return number == 0 ? name : name + String(number)
    }

    private mutating func joinTable(_ relationship: NSRelationshipDescription) -> SQLJoinTable? {
        guard let inverse = relationship.inverseRelationship, let owner = sqlEntity(relationship.entity),
            let other = sqlEntity(inverse.entity)
        else { return nil }
        let (name, inverseName) = (relationship.name.uppercased(), inverse.name.uppercased())
        let first = joinColumn("Z_\(owner.number)\(inverseName)")
        let second = relationship === inverse ? "REFLEXIVE" : joinColumn("Z_\(other.number)\(name)")
        let firstOrder = inverse.isOrdered ? "Z_FOK_\(owner.number)\(inverseName)" : nil
        let isSecondOrdered = relationship.isOrdered && relationship !== inverse
        let secondOrder = isSecondOrdered ? "Z_FOK_\(other.number)\(name)" : nil
        let table = SQLJoinTable(
            name: joinTableName(relationship) ?? "", columns: [first, second],
            orderColumns: [firstOrder, secondOrder].compactMap(\.self), owner: owner)
        store(
            relationship, in: owner,
            .join(
                table, own: first, other: second, ownOrder: firstOrder, otherOrder: secondOrder, destination: other))
        if relationship !== inverse {
            store(
                inverse, in: other,
                .join(
                    table, own: second, other: first, ownOrder: secondOrder, otherOrder: firstOrder, destination: owner)
            )
        }
        return table
    }

    /// Notes the storage for the declaring entity and all that inherit the relationship.
    private func store(_ relationship: NSRelationshipDescription, in entity: SQLEntity, _ storage: SQLStorage) {
        guard let slot = entity.layout.slot(relationship.name) else { return }
        for number in entity.numbers { entities[number - 1].storage[slot] = storage }
    }
}
