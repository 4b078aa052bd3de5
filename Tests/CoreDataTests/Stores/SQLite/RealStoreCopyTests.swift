import CSQLite
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// All objects of real stores, copied through the framework into new stores.
@Suite("Apple's stores, copied", .enabled(if: Corpus.shared != nil, "\(Corpus.absence)"))
struct RealStoreCopyTests {
    enum Way: String, CaseIterable {
        case migratingTheStore = "migrating the store", settingValues = "setting values"
    }

    @Test("have the same rows, values and storage classes as before, whatever their keys", arguments: Way.allCases)
    func copies(_ way: Way) throws {
        var (stores, rows) = (0, 0)
        var exceptions: [String] = []
        for entry in RealStore.all {
            guard let store = try RealStore(entry) else {
                exceptions.append("\(entry): keeps no model, and there is none beside it")
                continue
            }
            if try store.entities.contains(where: { try store.number($0) == nil }) {
                exceptions.append("\(entry): its tables and its cached model disagree about the name of an entity")
                continue
            }
            let copy = store.folder.file("copy.sqlite")
            let coordinator = try store.coordinator()
            switch way {
            case .migratingTheStore:
                _ = try coordinator.migratePersistentStore(
                    coordinator.persistentStores[0], to: copy, type: .sqlite)
            case .settingValues: try copyObjects(store, coordinator, copy)
            }
            let comparison = try StoreComparison(
                store.connection, SQLiteConnection(copy, .readOnly), rows: .byContent(store.model))
            let differences = comparison.differences.filter { $0.aspect == .row }
            #expect(differences.isEmpty, "\(entry): \(differences.prefix(3))")
            #expect(comparison.rowCounts.old == comparison.rowCounts.new, "\(entry)")
            stores += 1
            rows += comparison.rowCounts.new
        }
        print("copied \(stores) of \(RealStore.all.count) real stores by \(way.rawValue): \(rows) rows")
        for exception in exceptions { print("  except \(exception)") }
        #expect(stores >= 25 && rows > 25_000 && exceptions.count <= 3)
    }

    /// Each value is read and set as a program does it; those of transformable attributes, whose classes may not be there,
    /// as the bytes that they are.
    private func copyObjects(_ store: RealStore, _ coordinator: NSPersistentStoreCoordinator, _ url: URL) throws {
        let context = Library.context(coordinator)
        let target = Library.context(try Library.open(url, model: store.model))
        var copies: [NSManagedObjectID: NSManagedObject] = [:]
        var originals: [(NSManagedObject, NSManagedObject)] = []
        for entity in store.entities {
            for object in try context.own(entity) {
                let copy = NSManagedObject(entity: entity, insertInto: target)
                for (slot, kind) in entity.layout.kinds.enumerated() {
                    guard case .attribute(let attribute) = kind, !attribute.isTransient else { continue }
                    if attribute.attributeType == .transformableAttributeType {
                        copy.setSlot(slot, object.slotValue(slot))
                    } else {
                        copy.setValue(object.value(forKey: attribute.name), forKey: attribute.name)
                    }
                }
                copies[object.objectID] = copy
                originals.append((object, copy))
            }
        }
        for (object, copy) in originals {
            for (name, relationship) in object.entity.relationshipsByName {
                switch object.value(forKey: name) {
                case let other as NSManagedObject: copy.setValue(copies[other.objectID], forKey: name)
                case let set as Set<NSManagedObject>:
                    copy.setValue(Set(set.compactMap { copies[$0.objectID] }), forKey: name)
                case let list as NSOrderedSet:
                    let members = list.compactMap { ($0 as? NSManagedObject).flatMap { copies[$0.objectID] } }
                    copy.setValue(NSOrderedSet(array: members), forKey: name)
                default: #expect(!relationship.isToMany)
                }
            }
        }
        try target.save()
    }
}
