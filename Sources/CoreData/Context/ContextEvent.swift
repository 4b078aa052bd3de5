import FoundationSupplement
import ManagedObjectModel

/// What happened in a context since its changes were last processed.
struct ContextEvent {
    /// Objects that were inserted, changed or deleted, in the order in which they first were.
    var touched: [NSManagedObject] = []
    /// Objects that were given the store's values.
    var refreshed = ObjectList()
    /// Objects whose rows came into the context, or left it, by what others have saved.
    var mergedInserts: [NSManagedObject] = []
    var mergedDeletes: [NSManagedObject] = []
    /// Objects that left the context without having been deleted.
    var dropped: [NSManagedObject] = []
    /// What the event before has brought in: nobody may hold it yet, but whoever is told of it can find it.
    var newcomers: [NSManagedObject] = []

    var isEmpty: Bool {
        touched.isEmpty && refreshed.isEmpty && mergedInserts.isEmpty && mergedDeletes.isEmpty && dropped.isEmpty
    }

    /// The sets that a notification tells of. Empty ones are left out, as readers must expect.
    var userInfo: [AnyHashable: Any] {
        // Lists first: a set that is made from a list needs no growing.
        var (new, changed, gone) = (mergedInserts, [NSManagedObject](), mergedDeletes + dropped)
        for object in touched {
            switch Self.kind(object) {
            case .inserted?: new.append(object)
            case .updated?: changed.append(object)
            case .deleted?: gone.append(object)
            case nil: continue
            }
        }
        let (inserted, updated, deleted) = (Set(new), Set(changed), Set(gone))
        let refreshed = Set(refreshed.objects).subtracting(updated)
        let sets = [
            NSInsertedObjectsKey: inserted, NSUpdatedObjectsKey: updated, NSDeletedObjectsKey: deleted,
            NSRefreshedObjectsKey: refreshed,
        ]
        return sets.filter { !$0.value.isEmpty }
    }

    enum Kind { case inserted, updated, deleted }

    /// What the event made of an object; nil for one that came and went in it.
    static func kind(_ object: NSManagedObject) -> Kind? {
        let state = object.state
        if state.contains(.deletedInEvent) { return state.contains(.insertedInEvent) ? nil : .deleted }
        if state.contains(.insertedInEvent) { return .inserted }
        return .updated
    }
}
