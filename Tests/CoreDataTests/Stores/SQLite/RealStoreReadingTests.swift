import CSQLite
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Every row, value and relationship of real stores, beside what plain SQL says.
@Suite("Apple's stores, read", .enabled(if: Corpus.shared != nil, "\(Corpus.absence)"))
struct RealStoreReadingTests {
    private struct Tally {
        var stores = 0
        var rows = 0
        var values = 0
        var relationships = 0
        var exceptions: [String] = []
    }

    @Test("have the rows, values and relationships that plain SQL finds in them")
    func everything() throws {
        var tally = Tally()
        for entry in RealStore.all {
            guard let store = try RealStore(entry) else {
                tally.exceptions.append("\(entry): keeps no model, and there is none beside it")
                continue
            }
            let context = Library.context(try store.coordinator())
            for entity in store.entities {
                guard let number = try store.number(entity) else {
                    tally.exceptions.append(
                        "\(entry): \(entity.name ?? "") is in the cached model, but not in Z_PRIMARYKEY")
                    continue
                }
                try check(store, context, entity, number, &tally)
            }
            #expect(!context.hasChanges, "\(entry)")
            tally.stores += 1
        }
        print(
            "read \(tally.stores) of \(RealStore.all.count) real stores: \(tally.rows) rows, \(tally.values) values,",
            "\(tally.relationships) relationships")
        for exception in tally.exceptions { print("  except \(exception)") }
        #expect(tally.stores >= 26 && tally.rows > 25_000 && tally.exceptions.count <= 3)
    }

    private func check(
        _ store: RealStore, _ context: NSManagedObjectContext, _ entity: NSEntityDescription, _ number: Int64,
        _ tally: inout Tally
    ) throws {
        let objects = try context.own(entity)
        let rows = try store.connection.statement(
            "SELECT * FROM \(store.tableName(entity)) WHERE Z_ENT = \(number) ORDER BY Z_PK")
        defer { rows.reset() }
        let columns = Dictionary(
            (0..<rows.columnCount).map { (String(cString: sqlite3_column_name(rows.handle, $0)), $0) }
        ) { first, _ in first }
        for object in objects {
            guard try rows.step() else { break }
            let place = "\(store.entry) \(entity.name ?? "") \(rows.int(0))"
            #expect(object.objectID.primaryKey == rows.int(0), "\(place)")
            for property in entity.properties where !property.isTransient {
                let column = columns["Z" + property.name.uppercased()]
                switch property {
                case let attribute as NSAttributeDescription:
                    let column = try #require(column, "\(place) \(attribute.name)")
                    #expect(isSame(object, attribute, rows, column), "\(place) \(attribute.name)")
                    tally.values += 1
                case let relationship as NSRelationshipDescription:
                    let found =
                        relationship.isToMany
                        ? try toMany(store, object, relationship)
                        : try [#require(column)].filter { !rows.isNull($0) }.map { rows.int($0) }
                    #expect(ends(object, relationship) == found, "\(place) \(relationship.name)")
                    tally.relationships += 1
                default: _ = object.value(forKey: property.name)
                }
            }
            tally.rows += 1
        }
        #expect(try !rows.step(), "\(store.entry) \(entity.name ?? "") has more rows than objects")
        #expect(
            objects.count
                == Int(
                    try store.connection.int(
                        "SELECT COUNT(*) FROM \(store.tableName(entity)) WHERE Z_ENT = \(number)") ?? -1))
    }

    /// What the object says, beside what the column has.
    private func isSame(
        _ object: NSManagedObject, _ attribute: NSAttributeDescription, _ rows: SQLiteStatement, _ column: Int32
    ) -> Bool {
        let raw = object.entity.layout.slot(attribute.name).map { object.slotValue($0) }
        let value = object.value(forKey: attribute.name)
        if rows.isNull(column) { return value == nil }
        let number = value as? NSNumber
        switch attribute.attributeType {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            return number?.int64Value == rows.int(column)
        case .booleanAttributeType: return number?.boolValue == (rows.int(column) != 0)
        case .doubleAttributeType: return number?.doubleValue == rows.double(column)
        case .floatAttributeType: return number?.floatValue == Float(rows.double(column))
        case .decimalAttributeType:
            return (value as? NSDecimalNumber)?.decimalValue == Decimal(string: "\(rows.double(column))")
        case .dateAttributeType: return (value as? Date)?.timeIntervalSinceReferenceDate == rows.double(column)
        case .stringAttributeType: return value as? String == rows.string(column)
        case .URIAttributeType: return (value as? URL)?.absoluteString == rows.string(column)
        case .UUIDAttributeType:
            return (value as? UUID).map { withUnsafeBytes(of: $0.uuid) { Data($0) } } == rows.data(column)
        case .binaryDataAttributeType:
            let data = rows.data(column)
            guard attribute.allowsExternalBinaryDataStorage else { return value as? Data == data }
            return data.first == 1 && value as? Data == Data(data.dropFirst())
        // Its class may not be there; the bytes are.
        case .transformableAttributeType: return raw?.isSame(as: .data(rows.data(column))) ?? false
        default: return false
        }
    }

    private func ends(_ object: NSManagedObject, _ relationship: NSRelationshipDescription) -> [Int64] {
        switch object.value(forKey: relationship.name) {
        case let other as NSManagedObject: [other.objectID.primaryKey]
        case let set as Set<NSManagedObject>: set.map(\.objectID.primaryKey).sorted()
        case let list as NSOrderedSet: list.compactMap { ($0 as? NSManagedObject)?.objectID.primaryKey }
        default: []
        }
    }

    /// The keys of the rows that a to-many relationship leads to, in their order or sorted.
    private func toMany(
        _ store: RealStore, _ object: NSManagedObject, _ relationship: NSRelationshipDescription
    ) throws -> [Int64] {
        let key = object.objectID.primaryKey
        let entity = try #require(store.schema.entity(object.entity))
        let slot = try #require(entity.layout.slot(relationship.name))
        switch entity.storage[slot] {
        case .toMany(let column, _, let order, let destination):
            let sort = (relationship.isOrdered ? order?.name : nil) ?? "Z_PK"
            return try store.keys(
                "SELECT Z_PK FROM \(destination.table.name) WHERE \(column.name) = ? ORDER BY \(sort)", key)
        case .join(let table, let own, let other, _, let order, _):
            let sort = (relationship.isOrdered ? order : nil) ?? other
            return try store.keys("SELECT \(other) FROM \(table.name) WHERE \(own) = ? ORDER BY \(sort)", key)
        case .none, .column, .composite, .toOne: return []
        }
    }
}
