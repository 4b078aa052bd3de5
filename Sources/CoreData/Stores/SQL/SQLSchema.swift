import FoundationSupplement
import ManagedObjectModel

/// How a store keeps the entities of a model: the tables, columns and keys that Apple's Core Data would make.
///
/// One table per root entity holds the rows of its whole tree. Where an entity's values are is answered per entity:
/// `entities[…].columns`.
package final class SQLSchema {
    package let model: NSManagedObjectModel
    /// In the order of their numbers, from 1.
    package let entities: [SQLEntity]
    /// One per root entity, in the order of their entities' numbers.
    package let tables: [SQLTable]
    package let joinTables: [SQLJoinTable]
    private let byDescription: [ObjectIdentifier: SQLEntity]

    /// - Parameter existing: the tables of a store that is there already: where the rules leave a table's name open, it
    ///   has the one that is there.
    package init(_ model: NSManagedObjectModel, existing: Set<String> = []) throws {
        self.model = model
        entities = model.entitiesInStoreOrder.enumerated().map { SQLEntity($1, number: $0 + 1) }
        byDescription = Dictionary(uniqueKeysWithValues: entities.map { (ObjectIdentifier($0.description), $0) })
        var builder = SQLSchemaBuilder(entities: entities, byDescription: byDescription, existing: existing)
        (tables, joinTables) = try builder.build()
    }

    /// The stored form of an entity, or nil for an entity of another model.
    package func entity(_ description: NSEntityDescription) -> SQLEntity? {
        byDescription[ObjectIdentifier(description)]
    }

    /// The entity with a number as found in `Z_ENT`.
    package func entity(number: Int64) -> SQLEntity? {
        number >= 1 && number <= entities.count ? entities[Int(number) - 1] : nil
    }
}

/// One entity as a store keeps it.
package final class SQLEntity {
    package let description: NSEntityDescription
    package let name: String
    /// `Z_ENT`.
    package let number: Int
    package let layout: EntityLayout
    package fileprivate(set) var table: SQLTable
    package fileprivate(set) var root: SQLEntity?
    /// This entity's number and those of all that inherit from it: a run, since numbering is depth first.
    package fileprivate(set) var numbers: ClosedRange<Int>
    /// For each slot of the layout, how it is stored.
    package fileprivate(set) var storage: [SQLStorage]

    fileprivate init(_ description: NSEntityDescription, number: Int) {
        self.description = description
        self.number = number
        name = description.name ?? ""
        layout = description.layout
        numbers = number...number
        storage = Array(repeating: .none, count: description.layout.count)
        table = SQLTable(name: "")
    }

    package var hasSubentities: Bool { numbers.count > 1 }
}

/// How one property is stored.
package enum SQLStorage {
    /// Not at all: transient, fetched, or the other side's business.
    case none
    /// An attribute's column.
    case column(SQLColumn)
    /// A to-one relationship: the key, and where they exist the entity's number and the position in an ordered inverse.
    case toOne(key: SQLColumn, entity: SQLColumn?, order: SQLColumn?)
    /// A to-many relationship kept in the key column of the destination's rows.
    case toMany(key: SQLColumn, entity: SQLColumn?, order: SQLColumn?, destination: SQLEntity)
    /// A many-to-many relationship, with the columns of the join table seen from this side.
    case join(SQLJoinTable, own: String, other: String, ownOrder: String?, otherOrder: String?, destination: SQLEntity)
}

/// The table of a root entity and of all that inherit from it.
package final class SQLTable {
    package let name: String
    package fileprivate(set) var columns: [SQLColumn] = []
    fileprivate var used: Set<String> = ["Z_PK", "Z_ENT", "Z_OPT"]

    fileprivate init(name: String) { self.name = name }

    /// A new column; a name that is taken gets a number, as when two sub-entities have a property of one name.
    fileprivate func add(_ wanted: String, _ type: String) -> SQLColumn {
        var name = wanted
        var number = 0
        while !used.insert(name).inserted {
            number += 1
            name = wanted + String(number)
        }
        let column = SQLColumn(name: name, type: type)
        columns.append(column)
        return column
    }
}

package struct SQLColumn {
    package let name: String
    package let type: String
}

/// The table of a many-to-many relationship and its inverse.
package final class SQLJoinTable {
    package let name: String
    /// The owner's key column, then the other side's.
    package let columns: [String]
    package let orderColumns: [String]
    package let owner: SQLEntity

    fileprivate init(name: String, columns: [String], orderColumns: [String], owner: SQLEntity) {
        self.name = name
        self.columns = columns
        self.orderColumns = orderColumns
        self.owner = owner
    }
}

extension SQLSchema {
    /// Names become names of tables, columns and indexes, which aren't quoted: what Xcode would refuse, SQL might carry
    /// out.
    static func requirePlain(_ name: String, _ what: String) throws {
        guard name.isEmpty || !name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }) else { return }
        throw CocoaError.store(
            .persistentStoreIncompatibleSchema, nil,
            "the \(what) named '\(name)' can't have a place in a SQLite store: names are made of letters, digits and"
                + " underscores")
    }
}

/// Lays out the tables. The rules, with the evidence for each, are in ARCHITECTURE.md ("The store's layout").
private struct SQLSchemaBuilder {
    let entities: [SQLEntity]
    let byDescription: [ObjectIdentifier: SQLEntity]
    let existing: Set<String>

    mutating func build() throws -> ([SQLTable], [SQLJoinTable]) {
        let tables = assignTables()
        for entity in entities {
            try checkNames(entity)
            try checkSupported(entity)
        }
        for group in ColumnGroup.allCases { addColumns(group) }
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

    private func checkSupported(_ entity: SQLEntity) throws {
        for property in entity.description.declaredProperties {
            if property is NSCompositeAttributeDescription, !property.isTransient {
                throw CocoaError.unsupported(
                    "the composite attribute '\(property.name)' of '\(entity.name)' can't be kept in a SQLite store yet"
                )
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

    /// Adds the columns of one group for every entity: names sort by code unit, entities by number.
    private func addColumns(_ group: ColumnGroup) {
        for entity in entities {
            let own = entity.description.declaredProperties.filter {
                !$0.isTransient && $0.entity === entity.description
            }
            .sorted { VersionHash.codeUnitOrder($0.name, $1.name) }
            for case let attribute as NSAttributeDescription in own where ColumnGroup(attribute.attributeType) == group
            {
                guard let slot = entity.layout.slot(attribute.name) else { continue }
                let column = entity.table.add("Z" + attribute.name.uppercased(), columnType(attribute.attributeType))
                entity.storage[slot] = .column(column)
            }
            if group == .integer { addKeys(of: entity, own) }
        }
    }

    private func addKeys(of entity: SQLEntity, _ own: [NSPropertyDescription]) {
        var orders: [(slot: Int, name: String)] = []
        for case let relationship as NSRelationshipDescription in own where !relationship.isToMany {
            guard let slot = entity.layout.slot(relationship.name),
                let destination = sqlEntity(relationship.destinationEntity)
            else { continue }
            let name = relationship.name.uppercased()
            let key = entity.table.add("Z" + name, "INTEGER")
            let number =
                destination.hasSubentities ? entity.table.add("Z\(destination.number)_\(name)", "INTEGER") : nil
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

    private func addJoinTables() -> [SQLJoinTable] {
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

    private func joinTable(_ relationship: NSRelationshipDescription) -> SQLJoinTable? {
        guard let inverse = relationship.inverseRelationship, let owner = sqlEntity(relationship.entity),
            let other = sqlEntity(inverse.entity)
        else { return nil }
        let (name, inverseName) = (relationship.name.uppercased(), inverse.name.uppercased())
        let first = "Z_\(owner.number)\(inverseName)"
        var second = relationship === inverse ? "REFLEXIVE" : "Z_\(other.number)\(name)"
        if second == first { second += "1" }
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
