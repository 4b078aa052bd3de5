import FoundationSupplement
import ManagedObjectModel

/// What all stores have in common that write objects, not rows.
extension NSPersistentStore {
    func checkIsWritable() throws {
        guard !isReadOnly else { throw readOnlyError }
    }

    /// The IDs that inserted objects get, with those that they have already.
    func identifiers(for inserted: [NSManagedObject]) throws -> NewIdentifiers {
        let new = inserted.filter(\.objectID.isTemporaryID)
        var ids = try new.isEmpty ? [] : permanentIDs(for: new)[...]
        return NewIdentifiers(
            inserted, inserted.map { $0.objectID.isTemporaryID ? ids.popFirst() ?? $0.objectID : $0.objectID })
    }

    /// Lets inserted objects have their permanent IDs while `body` runs: stores written by programs read them. The
    /// context, which knows the objects by their temporary IDs, makes the change when the save has succeeded.
    func assuming<R>(
        _ identifiers: NewIdentifiers, of inserted: [NSManagedObject], _ body: () throws -> R
    ) rethrows -> R {
        let temporary = inserted.map { ($0, $0.objectID) }
        func give(_ id: NSManagedObjectID, to object: NSManagedObject) {
            guard id != object.objectID else { return }
            object.registry?.remove(object)
            object.objectID = id
            object.registry?.register(object)
        }
        for (object, id) in zip(inserted, identifiers.ids) { give(id, to: object) }
        defer { for (object, id) in temporary { give(id, to: object) } }
        return try body()
    }

    /// Reads the relationships that an object has changed without reading them, and makes sure that all it is related
    /// to is in this store, or is about to be.
    func checkRelationships(
        of object: NSManagedObject, _ identifiers: NewIdentifiers
    ) throws {
        func check(_ other: NSManagedObject) throws {
            let id = identifiers.identifier(of: other)
            // An object that was inserted and deleted before it was ever saved has no row.
            if id.isTemporaryID ? other.isGone : id.persistentStore === self { return }
            throw CocoaError(
                .managedObjectExternalRelationship,
                userInfo: [
                    NSLocalizedDescriptionKey: "\(other.objectID) is not in this store and can't be related to"
                ])
        }
        for (slot, value) in object.slots.enumerated() {
            switch value {
            case .object(let other): try check(other)
            case .toMany(let relation) where relation.hasChanges:
                for other in object.toMany(slot).objects where !other.isGone { try check(other) }
            default: break
            }
        }
    }

    /// The values of an object as its row has them after a save. Objects have their permanent IDs by now.
    func rowValues(of object: NSManagedObject) throws -> [SlotValue] {
        try object.slots.map { value in
            switch value {
            case .object(let other):
                let id = other.objectID
                return id.isTemporaryID ? .null : .reference(key: id.primaryKey, entity: number(of: id.entity))
            case .toMany, .fetched: return .null
            // Stores written by programs have transformable values as they are, and the framework's own as data.
            // The file is another store's.
            case .external(let value): return .data(try value.data())
            case .transformed(let object) where !hasReferences: return try Transformation.storedValue(object)
            default: return value
            }
        }
    }
}
