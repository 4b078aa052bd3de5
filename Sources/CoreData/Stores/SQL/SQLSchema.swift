import FoundationSupplement
import ManagedObjectModel

/// How a store keeps the entities of a model: the tables, columns and keys that Apple's Core Data would make.
///
/// One table per root entity holds the rows of its whole tree. Where an entity's values are is answered per entity:
/// `entities[…].storage`.
package final class SQLSchema {
    package let model: NSManagedObjectModel
    /// The configuration whose entities the store keeps; nil for all.
    package let configurationName: String?
    /// Whose stores a new one is like.
    package let era: StoreEra
    /// In the order of their numbers, from 1.
    package let entities: [SQLEntity]
    /// One per root entity, in the order of their entities' numbers.
    package let tables: [SQLTable]
    package let joinTables: [SQLJoinTable]
    private let byDescription: [ObjectIdentifier: SQLEntity]

    /// Lays out the tables of a configuration's entities, and of what they are related to by inheritance.
    ///
    /// - Parameter existing: the tables of a store that is there already: where the rules leave a table's name open, it
    ///   has the one that is there.
    package init(
        _ model: NSManagedObjectModel, configurationName: String? = nil, era: StoreEra = .current,
        existing: Set<String> = []
    ) throws {
        self.model = model
        self.configurationName = configurationName
        self.era = era
        let members = model.entities(forConfigurationName: configurationName) ?? []
        let roots = Set(members.map { ObjectIdentifier($0.rootEntity) })
        entities = model.entitiesInStoreOrder.filter { roots.contains(ObjectIdentifier($0.rootEntity)) }
            .enumerated().map { SQLEntity($1, number: $0 + 1) }
        byDescription = Dictionary(uniqueKeysWithValues: entities.map { (ObjectIdentifier($0.description), $0) })
        var builder = SQLSchemaBuilder(entities: entities, byDescription: byDescription, existing: existing)
        (tables, joinTables) = try builder.build()
        for entity in entities {
            let stored = entities[entity.numbers.lowerBound - 1..<entity.numbers.upperBound].flatMap(\.storage)
            let names = Set(stored.flatMap(\.columns).map(\.name))
            entity.rowColumns = entity.table.columns.map(\.name).filter(names.contains)
        }
    }

    /// The stored form of an entity, or nil for one of another model or outside of the configuration.
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
    package internal(set) var table: SQLTable
    package internal(set) var root: SQLEntity?
    /// This entity's number and those of all that inherit from it: a run, since numbering is depth first.
    package internal(set) var numbers: ClosedRange<Int>
    /// For each slot of the layout, how it is stored.
    package internal(set) var storage: [SQLStorage]
    /// The columns with the values of the entity and of all that inherit from it, in the table's order.
    var rowColumns: [String] = []

    init(_ description: NSEntityDescription, number: Int) {
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
    /// A composite attribute: its elements, in their order.
    case composite([SQLElement])
    /// A to-one relationship: the key, and where they exist the entity's number and the position in an ordered inverse.
    case toOne(key: SQLColumn, entity: SQLColumn?, order: SQLColumn?)
    /// A to-many relationship kept in the key column of the destination's rows.
    case toMany(key: SQLColumn, entity: SQLColumn?, order: SQLColumn?, destination: SQLEntity)
    /// A many-to-many relationship, with the columns of the join table seen from this side.
    case join(SQLJoinTable, own: String, other: String, ownOrder: String?, otherOrder: String?, destination: SQLEntity)
}

/// An element of a composite attribute, and its column, or those of its own elements.
package struct SQLElement {
    package let attribute: NSAttributeDescription
    package let storage: SQLStorage
}

extension SQLStorage {
    /// The columns that keep the property in the row of its own object, in the order in which rows are written; a
    /// position in an ordered inverse is not among them.
    package var columns: [SQLColumn] {
        switch self {
        case .column(let column): [column]
        case .composite(let elements): elements.flatMap(\.storage.columns)
        case .toOne(let key, let number, _): [key] + (number.map { [$0] } ?? [])
        case .none, .toMany, .join: []
        }
    }

    /// The element of a composite attribute at the end of a path of names; nil where there is none.
    package func element(_ path: some Sequence<String>) -> SQLElement? {
        var (storage, found): (SQLStorage, SQLElement?) = (self, nil)
        for name in path {
            guard case .composite(let elements) = storage,
                let element = elements.first(where: { $0.attribute.name == name })
            else { return nil }
            (storage, found) = (element.storage, element)
        }
        return found
    }
}

/// The table of a root entity and of all that inherit from it.
package final class SQLTable {
    package let name: String
    package internal(set) var columns: [SQLColumn] = []
    private var used: Set<String> = ["Z_PK", "Z_ENT", "Z_OPT"]

    init(name: String) { self.name = name }

    /// A new column; a name that is taken gets a number, as when two sub-entities have a property of one name.
    func add(_ wanted: String, _ type: String) -> SQLColumn {
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

    init(name: String, columns: [String], orderColumns: [String], owner: SQLEntity) {
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
