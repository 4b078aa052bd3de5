import CSQLite
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Saves into copies of real stores.
@Suite("Apple's stores, saved to", .enabled(if: Corpus.shared != nil, "\(Corpus.absence)"))
struct RealStoreSavingTests {
    private struct Tally {
        var stores = 0
        var inserted = 0
        var updated = 0
        var related = 0
        var deleted = 0
        var exceptions: [String] = []
    }

    @Test("stay whole: keys, counts, join rows, history, unknown tables and metadata are right")
    func saves() throws {
        var tally = Tally()
        for entry in RealStore.all {
            guard let store = try RealStore(entry) else {
                tally.exceptions.append("\(entry): keeps no model, and there is none beside it")
                continue
            }
            if try store.entities.contains(where: { try store.number($0) == nil }) {
                tally.exceptions.append("\(entry): its tables and its cached model disagree about an entity's name")
                continue
            }
            try store.connection.execute("CREATE TABLE sqlitemanager_extras (a, b)")
            try store.connection.execute("INSERT INTO sqlitemanager_extras VALUES (1, x'00')")
            let before = try Untouched(store)
            let orphans = try self.orphans(store)
            let counted = try store.lastKeys()
            let coordinator = try store.coordinator()
            let edit = Editor(context: Library.context(coordinator))
            for entity in store.entities { try self.edit(store, entity, edit, &tally) }
            #expect(try store.connection.text("PRAGMA integrity_check") == "ok", "\(entry)")
            #expect(try Untouched(store) == before, "\(entry)")
            #expect(try self.orphans(store) == orphans, "\(entry)")
            try checkKeys(store, edit, counted)
            try checkHistory(store, edit)
            try checkValues(store, edit)
            tally.stores += 1
        }
        print(
            "saved to \(tally.stores) of \(RealStore.all.count) real stores: \(tally.inserted) objects inserted,",
            "\(tally.updated) updated, \(tally.related) relationships edited, \(tally.deleted) objects deleted")
        for exception in tally.exceptions { print("  except \(exception)") }
        #expect(tally.stores >= 25 && tally.inserted > 80 && tally.updated > 80 && tally.deleted > 80)
    }

    /// Inserts, changes, relates and deletes, each in a save of its own.
    private func edit(
        _ store: RealStore, _ entity: NSEntityDescription, _ edit: Editor, _ tally: inout Tally
    ) throws {
        let objects = try edit.context.own(entity)
        let new = [edit.insert(entity), edit.insert(entity), edit.insert(entity)]
        try edit.save()
        tally.inserted += new.count
        for object in objects.prefix(1) + new.prefix(1) where edit.change(object) {
            try edit.save()
            tally.updated += 1
        }
        for relationship in entity.relationshipsByName.values.sorted(by: { $0.name < $1.name }) {
            for object in objects.prefix(1) + new.prefix(2) where edit.relate(object, relationship) {
                if try edit.saveIfValid() { tally.related += 1 }
            }
        }
        for object in (objects.suffix(1) + new.suffix(1)) where object.managedObjectContext != nil {
            edit.context.delete(object)
            if try edit.saveIfValid() {
                tally.deleted += 1
            } else if !tally.exceptions.contains(where: { $0.hasPrefix("\(store.entry) \(entity.name ?? "")") }) {
                tally.exceptions.append("\(store.entry) \(entity.name ?? ""): the model refuses a deletion")
            }
        }
    }

    // MARK: What has to be right

    /// What no save may change.
    private struct Untouched: Equatable {
        var metadata: NSDictionary
        var identifier: String?
        var tables: [String: [[StoredCell]]] = [:]
        var layout: [String?]

        init(_ store: RealStore) throws {
            let metadata = try SQLStoreFile.metadata(on: store.connection)
            self.metadata = NSDictionary(dictionary: metadata)
            identifier = metadata[NSStoreUUIDKey] as? String
            for table in ["sqlitemanager_extras", "Z_MODELCACHE"] where try store.connection.tables().contains(table) {
                let rows = try SQLiteStatement(store.connection.handle, "SELECT * FROM \(table)")
                while try rows.step() {
                    tables[table, default: []].append((0..<rows.columnCount).map { StoredCell(rows, $0) })
                }
            }
            layout = []
            let all = try SQLiteStatement(
                store.connection.handle, "SELECT type || ' ' || name || ' ' || ifnull(sql, '') FROM sqlite_master")
            while try all.step() { layout.append(all.string(0)) }
        }
    }

    /// How many join rows and keys of to-one relationships lead to no row.
    private func orphans(_ store: RealStore) throws -> [String] {
        var found: Set<String> = []
        func count(_ table: String, _ column: String, _ target: String) throws {
            let number =
                try store.connection.int(
                    "SELECT COUNT(*) FROM \(table) WHERE \(column) NOT IN (SELECT Z_PK FROM \(target))") ?? 0
            if number > 0 { found.insert("\(table).\(column): \(number)") }
        }
        for entity in store.schema.entities {
            for (slot, storage) in entity.storage.enumerated() {
                switch storage {
                case .join(let table, let own, let other, _, _, let destination):
                    try count(table.name, own, entity.table.name)
                    try count(table.name, other, destination.table.name)
                case .toOne(let key, _, _):
                    guard let relationship = entity.layout.properties[slot] as? NSRelationshipDescription,
                        let destination = relationship.destinationEntity.flatMap(store.schema.entity)
                    else { continue }
                    try count(entity.table.name, key.name, destination.table.name)
                case .none, .column, .composite, .toMany: continue
                }
            }
        }
        return found.sorted()
    }

    private func checkKeys(_ store: RealStore, _ edit: Editor, _ counted: [Int: Int64]) throws {
        let lasts = try store.lastKeys()
        for table in store.schema.tables {
            let root = try #require(store.schema.entities.first { $0.table === table })
            let last = try #require(lasts[root.number])
            let highest = try store.connection.int("SELECT MAX(Z_PK) FROM \(table.name)") ?? 0
            let given = edit.inserted.filter { $0.entity.rootEntity === root.description }.map(\.primaryKey).max() ?? 0
            #expect(last >= highest, "\(store.entry) \(root.name)")
            #expect(last == max(given, counted[root.number] ?? -1), "\(store.entry) \(root.name)")
            let numbers = root.numbers.map(String.init).joined(separator: ", ")
            #expect(
                try store.connection.int("SELECT COUNT(*) FROM \(table.name) WHERE Z_ENT NOT IN (\(numbers))") == 0)
            #expect(
                try store.connection.int("SELECT COUNT(*) FROM \(table.name) WHERE Z_OPT < 1 OR Z_OPT IS NULL") == 0)
            #expect(
                try store.connection.int(
                    "SELECT SUM(Z_MAX) FROM Z_PRIMARYKEY WHERE Z_ENT IN (\(numbers)) AND Z_ENT <> \(root.number)") ?? 0
                    == 0)
        }
    }

    private func checkHistory(_ store: RealStore, _ edit: Editor) throws {
        guard store.hasHistory else { return }
        let connection = store.connection
        #expect(try connection.int("SELECT COUNT(*) FROM ATRANSACTION").map(Int.init) == 1 + edit.saves)
        #expect(
            try connection.int("SELECT COUNT(*) FROM ACHANGE WHERE ZTRANSACTIONID > 1 AND ZCHANGETYPE = 0").map(
                Int.init)
                == edit.inserted.count)
        for table in HistoryTables.all {
            #expect(
                try connection.int("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(table.number)")
                    == connection.int("SELECT MAX(Z_PK) FROM \(table.table)"))
        }
    }

    /// What was saved is there for somebody else.
    private func checkValues(_ store: RealStore, _ edit: Editor) throws {
        let other = Library.context(try store.coordinator())
        for entity in store.entities {
            let (mine, theirs) = (try edit.context.own(entity), try other.own(entity))
            #expect(mine.map(\.primaryKey) == theirs.map(\.primaryKey), "\(store.entry) \(entity.name ?? "")")
            for (a, b) in zip(mine, theirs).suffix(50) {
                for name in entity.attributesByName.keys where !(entity.attributesByName[name]?.isTransient ?? true) {
                    guard let slot = entity.layout.slot(name) else { continue }
                    let isDerived = entity.attributesByName[name] is NSDerivedAttributeDescription
                    #expect(isDerived || a.slotValue(slot).isSame(as: b.slotValue(slot)), "\(store.entry) \(name)")
                }
                for (name, relationship) in entity.relationshipsByName {
                    #expect(
                        ends(a.value(forKey: name), relationship) == ends(b.value(forKey: name), relationship),
                        "\(store.entry) \(entity.name ?? "").\(name)")
                }
            }
        }
    }

    private func ends(_ value: Any?, _ relationship: NSRelationshipDescription) -> [Int64] {
        switch value {
        case let object as NSManagedObject: [object.primaryKey]
        case let set as Set<NSManagedObject>: set.map(\.primaryKey).sorted()
        case let list as NSOrderedSet: list.compactMap { ($0 as? NSManagedObject)?.primaryKey }
        default: []
        }
    }
}

/// Edits objects of any model so that its rules are kept.
private final class Editor {
    let context: NSManagedObjectContext
    private(set) var inserted: [NSManagedObject] = []
    private(set) var saves = 0
    private var counter = 0

    init(context: NSManagedObjectContext) { self.context = context }

    func save() throws {
        let new = Array(context.insertedObjects)
        try context.save()
        inserted += new
        saves += 1
    }

    /// Saves, or takes back what the model's rules refuse.
    func saveIfValid() throws -> Bool {
        do {
            try save()
            return true
        } catch let error as CocoaError where (1550...1699).contains(error.code.rawValue) {
            context.rollback()
            return false
        }
    }

    /// Makes an object with all that it must have, at the other end of a relationship where one is given.
    func insert(
        _ entity: NSEntityDescription, for owner: NSManagedObject? = nil, _ end: NSRelationshipDescription? = nil,
        depth: Int = 0
    ) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity.name ?? "", into: context)
        let unique = Set(
            sequence(first: entity, next: \.superentity).flatMap(\.uniquenessConstraintNames).flatMap { $0 })
        for attribute in entity.attributesByName.values
        where unique.contains(attribute.name) || object.value(forKey: attribute.name) == nil {
            object.setValue(value(attribute), forKey: attribute.name)
        }
        // The other end first: it may be what the object has to have.
        if let owner, let end {
            if end.isOrdered {
                owner.mutableOrderedSetValue(forKey: end.name).add(object)
            } else if end.isToMany {
                owner.mutableSetValue(forKey: end.name).add(object)
            } else {
                owner.setValue(object, forKey: end.name)
            }
        }
        for relationship in entity.relationshipsByName.values where !relationship.isOptional && depth < 6 {
            guard let destination = relationship.destinationEntity?.selfAndDescendants.first(where: { !$0.isAbstract })
            else { continue }
            let isEmpty =
                relationship.isToMany
                ? object.toMany(entity.layout.slot(relationship.name) ?? 0).objects.isEmpty
                : object.value(forKey: relationship.name) == nil
            guard isEmpty else { continue }
            for _ in 0..<(relationship.isToMany ? max(1, relationship.minCount) : 1) {
                _ = insert(destination, for: object, relationship, depth: depth + 1)
            }
        }
        return object
    }

    private func value(_ attribute: NSAttributeDescription) -> Any? {
        counter += 1
        if attribute.isTransient || attribute is NSDerivedAttributeDescription { return nil }
        switch attribute.attributeType {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: return counter
        case .booleanAttributeType: return counter % 2 == 0
        case .doubleAttributeType, .floatAttributeType: return Double(counter) / 4
        case .decimalAttributeType: return Decimal(counter) / 4
        case .dateAttributeType: return Date(timeIntervalSinceReferenceDate: Double(counter) + 0.5)
        case .stringAttributeType: return "\(attribute.name) \(counter)"
        case .binaryDataAttributeType: return Data([1, 2, UInt8(counter % 256)])
        case .UUIDAttributeType: return UUID()
        case .URIAttributeType: return URL(string: "https://example.org/\(counter)")
        // What a transformer of the program's would make of it isn't known.
        default: return attribute.isOptional ? nil : NSString(string: "new \(counter)")
        }
    }

    /// Gives an attribute another value.
    func change(_ object: NSManagedObject) -> Bool {
        let attributes = object.entity.attributesByName.values.sorted { $0.name < $1.name }
        for attribute in attributes {
            guard let new = value(attribute), attribute.attributeType != .booleanAttributeType else { continue }
            object.setValue(new, forKey: attribute.name)
            return object.hasPersistentChangedValues
        }
        return false
    }

    /// Adds a new object to a relationship, and takes one out of it.
    func relate(_ object: NSManagedObject, _ relationship: NSRelationshipDescription) -> Bool {
        guard object.managedObjectContext != nil,
            let entity = relationship.destinationEntity?.selfAndDescendants.first(where: { !$0.isAbstract })
        else { return false }
        let other = insert(entity)
        switch object.value(forKey: relationship.name) {
        case let set as Set<NSManagedObject>:
            let rest = set.sorted { $0.objectID.primaryKey < $1.objectID.primaryKey }.dropFirst()
            object.setValue(Set(rest).union([other]), forKey: relationship.name)
        case let list as NSOrderedSet:
            let members = list.compactMap { $0 as? NSManagedObject }
            object.setValue(NSOrderedSet(array: [other] + members.dropLast()), forKey: relationship.name)
        default: object.setValue(other, forKey: relationship.name)
        }
        return true
    }
}
