import FoundationSupplement
import ManagedObjectModel

/// Copies all rows of a store into an empty one of any type, with new keys.
///
/// No code of the program runs: the objects between the stores are plain ones, and their values are not validated.
struct StoreCopy {
    private let old: NSPersistentStore
    private let new: NSPersistentStore
    private let coordinator: NSPersistentStoreCoordinator
    private let context: NSManagedObjectContext

    init(from old: NSPersistentStore, to new: NSPersistentStore, coordinator: NSPersistentStoreCoordinator) {
        self.old = old
        self.new = new
        self.coordinator = coordinator
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
    }

    /// A row of the old store, and the object that becomes a row of the new one.
    private struct Copy {
        let identifier: NSManagedObjectID
        let row: Row
        let object: NSManagedObject
    }

    /// Copies everything, all or nothing.
    ///
    /// - Returns: the IDs of the objects, each old one followed by its new one.
    func run() throws -> [NSManagedObjectID] {
        try context.performAndWait { () throws -> [NSManagedObjectID] in
            let copies = try readRows()
            let objects = Dictionary(uniqueKeysWithValues: copies.map { ($0.identifier.key, $0.object) })
            for copy in copies { try relate(copy, objects) }
            var metadata = old.metadata ?? [:]
            metadata = metadata.filter { !SQLStoreFile.isOwn($0.key) && $0.key != NSStoreUUIDKey }
            new.metadata = (new.metadata ?? [:]).merging(metadata) { own, _ in own }
            let outcome = try new.save(SaveChanges(inserted: copies.map(\.object)), in: context)
            return zip(copies, outcome.identifiers).flatMap { [$0.identifier, $1] }
        }
    }

    private func readRows() throws -> [Copy] {
        var copies: [Copy] = []
        let entities = coordinator.managedObjectModel.entitiesInStoreOrder.filter {
            !$0.isAbstract && coordinator.isKept($0, in: old)
        }
        for entity in entities {
            var fetch = StoreFetch(entity: entity)
            fetch.includesSubentities = false
            let space = old.space(of: entity)
            try old.fetch(fetch, in: context) { layout, key, row in
                guard let row else { return }
                let object = NSManagedObject(entity: layout.entity, insertInto: context)
                for (slot, kind) in layout.kinds.enumerated() {
                    if case .attribute = kind, slot < row.values.count { object.setSlot(slot, row.values[slot]) }
                }
                let identifier = NSManagedObjectID(layout, primaryKey: key, space: space)
                copies.append(Copy(identifier: identifier, row: row, object: object))
            }
        }
        return copies
    }

    private func relate(_ copy: Copy, _ objects: [ObjectKey: NSManagedObject]) throws {
        let layout = copy.object.layout
        for (slot, kind) in layout.kinds.enumerated() {
            switch kind {
            case .toOne(let relationship):
                // What refers to a row that isn't there refers to nothing in the copy.
                guard case .reference(let key, _) = copy.row.values[slot],
                    let destination = relationship.destinationEntity,
                    let object = objects[object(key, destination)]
                else { continue }
                copy.object.setValue(object, forKey: relationship.name)
            case .toMany(let relationship):
                // Where each object has one owner and there is no order, the owners say all there is to know.
                if let inverse = relationship.inverseRelationship, !inverse.isToMany, !relationship.isOrdered {
                    continue
                }
                let keys = try old.keys(
                    of: relationship, layout.entity, copy.identifier.primaryKey, in: context)
                let members = keys.compactMap { entity, key in objects[object(key, entity)] }
                guard !members.isEmpty else { continue }
                let value: Any = relationship.isOrdered ? NSOrderedSet(array: members) : Set(members)
                copy.object.setValue(value, forKey: relationship.name)
            case .attribute, .fetched: continue
            }
        }
    }

    private func object(_ key: Int64, _ entity: NSEntityDescription) -> ObjectKey {
        ObjectKey(space: ObjectIdentifier(old.space(of: entity)), primaryKey: key)
    }
}
