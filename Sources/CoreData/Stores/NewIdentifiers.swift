import ManagedObjectModel

/// The permanent IDs that a save gives to new objects.
final class NewIdentifiers {
    private let objects: [NSManagedObject]
    /// In the order of the objects.
    let ids: [NSManagedObjectID]
    // Made when a relationship first asks: most saves of many objects need no looking up.
    private lazy var byObject = Dictionary(
        zip(objects.map(ObjectIdentifier.init), ids), uniquingKeysWith: { first, _ in first })

    init(_ objects: [NSManagedObject], _ ids: [NSManagedObjectID]) {
        self.objects = objects
        self.ids = ids
    }

    /// The ID that an object has, or will have after the save.
    func identifier(of object: NSManagedObject) -> NSManagedObjectID {
        guard object.space === ObjectIDSpace.temporary else { return object.objectID }
        return byObject[ObjectIdentifier(object)] ?? object.objectID
    }
}
