import FoundationSupplement
import ManagedObjectModel

extension NSManagedObjectContext {
    // MARK: Finding objects by ID

    /// The object with an ID if it is in memory. A child learns first which objects have permanent IDs by now.
    func known(_ objectID: NSManagedObjectID) -> NSManagedObject? {
        adoptPermanentIDs()
        return knownObject(for: objectID)
    }

    private func knownObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
        registry.object(objectID.key) ?? permanentIDs[objectID.primaryKey].flatMap { registry.object($0.key) }
    }

    func knownOrFault(_ objectID: NSManagedObjectID) -> NSManagedObject {
        checkQueue()
        return known(objectID)
            ?? (objectID.isTemporaryID ? temporaryObject(objectID.primaryKey) : nil)
            ?? makeFault(objectID.layout, objectID.primaryKey, objectID.space, row: nil)
    }

    func existing(_ objectID: NSManagedObjectID) throws -> NSManagedObject {
        checkQueue()
        let known = known(objectID)
        if let known, !known.isFault, !known.isInaccessible { return known }
        let isLost = known?.isInaccessible == true || !isReachable(objectID)
        guard let (layout, found) = isLost ? nil : try storedRow(objectID).get(),
            layout.entity.isKindOf(entity: objectID.entity)
        else {
            throw CocoaError(
                .managedObjectReferentialIntegrity,
                userInfo: [
                    NSLocalizedDescriptionKey: "Attempt to access an object not found in store.", "objectID": objectID,
                ])
        }
        let object = materialise(layout, objectID.primaryKey, objectID.space, row: found)
        object.willAccessValue(forKey: nil)
        return object
    }

    /// The one object for a row: the one in memory, or a new one.
    func materialise(_ layout: EntityLayout, _ primaryKey: Int64, _ space: ObjectIDSpace, row: Row?) -> NSManagedObject
    {
        guard let known = registry.object(ObjectKey(space: ObjectIdentifier(space), primaryKey: primaryKey)) else {
            return makeFault(layout, primaryKey, space, row: row.map { shared($0, layout, primaryKey, space) })
        }
        guard let row else { return known }
        if known.isFault {
            known.row = shared(row, layout, primaryKey, space)
        } else if known.row?.version != row.version, parent == nil {
            // A newer row of an object that has its values is for others, and for noticing conflicts.
            space.rows.enter(row, primaryKey, readSince: readingSince)
        }
        return known
    }

    /// Runs `body`, which reads from the coordinator's stores.
    func reading<R>(
        _ coordinator: NSPersistentStoreCoordinator, _ stores: [NSPersistentStore], _ body: () throws -> R
    ) rethrows -> R {
        let outer = readingSince
        defer { readingSince = outer }
        return try coordinator.reading(stores) {
            readingSince = RowCache.now
            return try body()
        }
    }

    /// The row as the coordinator's contexts share it.
    private func shared(_ row: Row, _ layout: EntityLayout, _ primaryKey: Int64, _ space: ObjectIDSpace) -> Row {
        parent == nil ? space.rows.enter(row, primaryKey, readSince: readingSince) : ofParent(row, layout)
    }

    /// A row of the parent context, with objects in place of temporary keys, which don't last.
    private func ofParent(_ row: Row, _ layout: EntityLayout) -> Row {
        var values = row.values
        var isChanged = false
        for (slot, value) in values.enumerated() {
            guard case .reference(let key, _) = value, key < 0, let object = temporaryObject(key) else { continue }
            values[slot] = .object(object)
            isChanged = true
        }
        return isChanged ? Row(version: row.version, values: values) : row
    }

    func makeFault(
        _ layout: EntityLayout, _ primaryKey: Int64, _ space: ObjectIDSpace, row: Row?
    ) -> NSManagedObject {
        let object = layout.objectClass.init(_frameworkOnly: layout.entity)
        object.setKey(primaryKey, space)
        object.registry = registry
        object.slots = []
        object.row = row
        object.state = .fault
        register(object)
        if parent != nil, space === ObjectIDSpace.temporary { temporaryKeysInParent.insert(primaryKey) }
        return object
    }

    /// Whether an ID can mean a row here: it is of one of the coordinator's stores, or temporary.
    private func isReachable(_ id: NSManagedObjectID) -> Bool {
        id.isTemporaryID
            || id.persistentStore?.persistentStoreCoordinator.map { $0 === persistentStoreCoordinator } ?? false
    }

    // MARK: Rows

    /// The newest row of an object; a success with nil when it is gone, or is no longer that of such an object.
    func currentRow(of object: NSManagedObject) -> Result<Row?, any Error> {
        // Derived attributes change in the store by themselves.
        if parent == nil, !object.layout.hasDerivedAttributes, let row = object.row {
            let newest = object.space.rows.row(object.primaryKey, staleness: stalenessInterval)
            if let newest { return .success(newest) }
            // Without a limit to its age the row at hand will do.
            if stalenessInterval < 0 { return .success(row) }
        }
        return storedRow(object.objectID).map { found in
            guard let (layout, row) = found, layout.entity.isKindOf(entity: object.entity) else { return nil }
            return row
        }
    }

    /// The row with an ID in the store, or as the parent context has it; a success with nil when there is none. A failure
    /// says that nobody knows.
    func storedRow(_ id: NSManagedObjectID) -> Result<(EntityLayout, Row)?, any Error> {
        if let parent {
            return parent.performAndWait { parent.rowForChild(id) }.map { found in
                found.map { ($0.0, ofParent($0.1, $0.0)) }
            }
        }
        if let permanent = permanentIDs[id.primaryKey] { return storedRow(permanent) }
        if id.isTemporaryID { return .success(nil) }
        guard let store = id.persistentStore, let coordinator = store.persistentStoreCoordinator,
            coordinator === persistentStoreCoordinator
        else {
            return .failure(
                CocoaError.request(
                    "Object's persistent store is not reachable from this NSManagedObjectContext's coordinator: \(id)"))
        }
        let rows = id.space.rows
        if !id.layout.hasDerivedAttributes, let row = rows.row(id.primaryKey, staleness: stalenessInterval) {
            return .success((id.layout, row))
        }
        return Result {
            try reading(coordinator, [store]) {
                guard let (entity, row) = try store.row(id.entity, id.primaryKey, in: self) else { return nil }
                return (entity.layout, rows.enter(row, id.primaryKey, readSince: readingSince))
            }
        }
    }

    /// An object as a child context sees it: with the changes that are not saved yet.
    private func rowForChild(_ id: NSManagedObjectID) -> Result<(EntityLayout, Row)?, any Error> {
        guard let object = registeredObject(for: id), !object.isFault else { return storedRow(id) }
        if object.isDeleted { return .success(nil) }
        return .success((object.layout, object.currentSnapshot))
    }

    /// The object that a key in a row of `source` means.
    func object(
        primaryKey: Int64, entityNumber: Int32, of relationship: NSRelationshipDescription, source: NSManagedObject
    ) -> NSManagedObject? {
        guard let destination = relationship.destinationEntity else { return nil }
        if primaryKey < 0 { return temporaryObject(primaryKey) }
        guard let store = source.objectID.persistentStore ?? persistentStoreCoordinator?.persistentStores.first
        else { return nil }
        // A file may hold any number; one that means no entity of the right kind means the declared one.
        let stored = store.entity(number: entityNumber)
        let entity = stored?.isKindOf(entity: destination) == true ? stored ?? destination : destination
        return object(with: NSManagedObjectID(entity, primaryKey: primaryKey, space: store.space(of: entity)))
    }

    /// The object that this context or its parent knows by a temporary key, or once knew.
    private func temporaryObject(_ primaryKey: Int64) -> NSManagedObject? {
        guard let id = identifier(temporaryKey: primaryKey) else { return nil }
        return knownObject(for: id) ?? makeFault(id.layout, id.primaryKey, id.space, row: nil)
    }

    /// The ID, by now, of what was once known by a temporary key.
    func identifier(temporaryKey: Int64) -> NSManagedObjectID? {
        let key = ObjectKey(space: ObjectIdentifier(ObjectIDSpace.temporary), primaryKey: temporaryKey)
        return permanentIDs[temporaryKey] ?? registry.object(key)?.objectID
            ?? parent.flatMap { parent in parent.performAndWait { parent.identifier(temporaryKey: temporaryKey) } }
    }

    /// The objects that the store, or the parent context, has at the other end of a to-many relationship.
    func objects(of relationship: NSRelationshipDescription, source: NSManagedObject) -> [NSManagedObject] {
        let id = source.objectID
        if let parent {
            return parent.performAndWait { parent.identifiers(of: relationship, id) }.map { object(with: $0) }
        }
        guard !id.isTemporaryID, let store = id.persistentStore, let coordinator = store.persistentStoreCoordinator
        else {
            return []
        }
        do {
            let keys = try reading(coordinator, [store]) {
                try store.keys(of: relationship, id.entity, id.primaryKey, in: self)
            }
            return keys.filter { entity, _ in
                relationship.destinationEntity.map { entity.isKindOf(entity: $0) } ?? false
            }.map { entity, key in
                object(with: NSManagedObjectID(entity, primaryKey: key, space: store.space(of: entity)))
            }
        } catch {
            SQLLog.warn("'\(relationship.name)' of \(id) can't be read: \(error.localizedDescription)")
            return []
        }
    }

    /// What a child context sees at the other end of a to-many relationship.
    private func identifiers(
        of relationship: NSRelationshipDescription, _ id: NSManagedObjectID
    ) -> [NSManagedObjectID] {
        let source = object(with: id)
        return source.isDeleted ? [] : source.objectIDs(forRelationshipNamed: relationship.name)
    }

    func fetchedValue(of property: NSFetchedPropertyDescription, source: NSManagedObject) -> Any? {
        guard let request = property.fetchRequest else { return nil }
        do {
            let copy = NSFetchRequest<NSManagedObject>()
            copy.entity = request.entity
            copy.predicate = request.predicate?.withSubstitutionVariables([
                "FETCH_SOURCE": source, "FETCHED_PROPERTY": property,
            ])
            copy.sortDescriptors = request.sortDescriptors
            copy.fetchLimit = request.fetchLimit
            return try fetch(copy)
        } catch {
            SQLLog.warn("the fetched property '\(property.name)' failed: \(error.localizedDescription)")
            return nil
        }
    }

    // MARK: Refreshing

    func refreshObject(_ object: NSManagedObject, _ flag: Bool) {
        checkQueue()
        guard object.managedObjectContext === self, !object.isDeleted else { return }
        event.refreshed.append(object)
        scheduleProcessing()
        object.dropWhatIsPutBy()
        if flag, object.isInserted { return }
        if flag, object.isUpdated, !object.isFault {
            if case .success(let row?) = currentRow(of: object) { object.rebase(on: row) }
        } else if !object.isFault {
            dropEvent(of: object)
            updated.remove(object)
            if object.isInserted {
                object.row = nil
            } else if object.state.contains(.noted) {
                // What the event has done to it is dropped; what comes now is a change again.
                event.touched.removeAll { $0 === object }
                object.endEvent()
                object.forgetEvent()
            }
            object.turnIntoFault()
        }
        object.awake(fromSnapshotEvents: .refresh)
    }

    func refreshAll() {
        for object in registry.objects { refresh(object, mergeChanges: true) }
        processPendingChanges()
    }

    // MARK: Stores

    func choose(_ store: NSPersistentStore, for object: Any) {
        guard let object = object as? NSManagedObject, object.managedObjectContext === self else {
            misuse("Can't assign an object to a store unless it belongs to the context.")
            return
        }
        guard object.objectID.isTemporaryID else {
            misuse("Can't reassign an object to a different store once it has been saved.")
            return
        }
        guard persistentStoreCoordinator?.stores(for: object.entity).contains(where: { $0 === store }) == true else {
            misuse("Can't assign an object to a store that does not contain the object's entity.")
            return
        }
        assignedStores[ObjectIdentifier(object)] = store
    }

    /// The store that a new object will be saved to.
    func storeForInsertion(of object: NSManagedObject) throws -> NSPersistentStore? {
        if !object.objectID.isTemporaryID { return object.objectID.persistentStore }
        if let chosen = assignedStores[ObjectIdentifier(object)] { return chosen }
        if let parent { return try parent.storeForInsertion(of: object) }
        return try coordinator().storeForInsertion(of: object.entity)
    }

    func takePermanentIDs(for objects: [NSManagedObject]) throws {
        checkQueue()
        let coordinator = try coordinator()
        var byStore: [ObjectIdentifier: (store: NSPersistentStore, objects: [NSManagedObject])] = [:]
        for object in objects where object.objectID.isTemporaryID {
            guard object.managedObjectContext === self else {
                throw CocoaError.request("an object of another context can't get an ID here: \(object)")
            }
            guard let store = try storeForInsertion(of: object) else {
                throw CocoaError.request("no store takes \(object)")
            }
            byStore[ObjectIdentifier(store), default: (store, [])].objects.append(object)
        }
        for (store, objects) in byStore.values {
            let ids = try coordinator.exclusively { try store.permanentIDs(for: objects) }
            for (object, id) in zip(objects, ids) { adopt(id, object) }
        }
    }

    /// Knows an object by its permanent ID from now on.
    func adopt(_ id: NSManagedObjectID, _ object: NSManagedObject) {
        guard object.key != id.key else { return }
        let temporaryKey = object.primaryKey
        registry.remove(object)
        object.objectID = id
        registry.register(object)
        if !assignedStores.isEmpty { assignedStores[ObjectIdentifier(object)] = nil }
        guard parent != nil || !children.isEmpty else { return }
        permanentIDs[temporaryKey] = id
        adoptions.add(1, ordering: .releasing)
    }

    /// How many permanent IDs this context and those above it have learnt.
    private var allAdoptions: Int { adoptions.load(ordering: .acquiring) + (parent?.allAdoptions ?? 0) }

    /// In a child: learns the permanent IDs that its parent's objects have got meanwhile.
    func adoptPermanentIDs() {
        guard let parent, !temporaryKeysInParent.isEmpty, parent.allAdoptions != seenAdoptions else { return }
        let keys = temporaryKeysInParent
        let (known, adoptions) = parent.performAndWait {
            parent.adoptPermanentIDs()
            return (
                keys.compactMap { key in parent.identifier(temporaryKey: key).map { (key, $0) } }, parent.allAdoptions
            )
        }
        seenAdoptions = adoptions
        for (key, id) in known where !id.isTemporaryID {
            temporaryKeysInParent.remove(key)
            let old = ObjectKey(space: ObjectIdentifier(ObjectIDSpace.temporary), primaryKey: key)
            if let object = registry.object(old) { adopt(id, object) }
        }
    }
}

extension NSManagedObject {
    /// The values as they are now, as a row: for a child context.
    final var currentSnapshot: Row {
        let store = objectID.persistentStore ?? managedObjectContext?.persistentStoreCoordinator?.persistentStores.first
        let values = slots.map { value -> SlotValue in
            switch value {
            case .object(let object):
                .reference(key: object.primaryKey, entity: store?.number(of: object.entity) ?? 0)
            case .toMany, .fetched: .null
            default: value
            }
        }
        return Row(version: row?.version ?? 0, values: values)
    }

    /// Puts the changes made to the old row on top of a new one.
    final func rebase(on newRow: Row) {
        let mine = changedSlots.map { ($0, slots[$0]) }
        var values = newRow.values
        for (slot, value) in mine { values[slot] = value }
        // To-many relationships hold their changes themselves.
        for case (let slot, .toMany(let relation)) in slots.enumerated() {
            relation.unload()
            values[slot] = .toMany(relation)
        }
        slots = values
        row = newRow
    }
}
