import FoundationSupplement
import ManagedObjectModel

extension NSManagedObjectModel {
    /// Reads the model that a SQLite store was made with, from the store itself. Our addition.
    ///
    /// - Throws: an error for a file that is missing, not a store, or a store older than 2015, which keeps no model.
    public convenience init(contentsOfStoreAt url: URL) throws {
        let connection = try SQLStoreFile.open(url, .readOnly)
        do {
            let model = try SQLStoreFile.model(on: connection)
            self.init()
            adopt(model)
        } catch let error as SQLiteError {
            throw error.cocoaError(.persistentStoreOpen, url: url)
        }
    }

    /// Makes the model immutable, and prepares what contexts on many threads share. Coordinators and importers may ask
    /// for it at the same time.
    package func prepareForUse() {
        Self.preparation.withLock {
            freeze()
            for entity in entities { entity.layout.prepare() }
        }
    }

    private static let preparation = NSLock()

    /// The entities whose objects have this class: by its name, with or without the module's.
    func entities(ofClass type: NSManagedObject.Type) -> [NSEntityDescription] {
        let full = String(reflecting: type)
        let short = String(describing: type)
        return entities.filter { entity in
            guard let name = entity.managedObjectClassName else { return false }
            return name == full || name == short || name == ".\(short)"
        }
    }
}

extension NSEntityDescription {
    /// The entity of that name in a context's model.
    public class func entity(forEntityName entityName: String, in context: NSManagedObjectContext)
        -> NSEntityDescription?
    {
        guard let coordinator = context.persistentStoreCoordinator else {
            misuse(nilCoordinator(entityName))
            return nil
        }
        return coordinator.managedObjectModel.entitiesByName[entityName]
    }

    /// A new object of an entity, inserted into a context.
    ///
    /// Stops, as on Apple's systems, where the context's model has no entity of that name.
    public class func insertNewObject(
        forEntityName entityName: String, into context: NSManagedObjectContext
    ) -> NSManagedObject {
        guard let model = context.persistentStoreCoordinator?.managedObjectModel else {
            fatalMisuse(nilCoordinator(entityName))
        }
        guard let entity = model.entitiesByName[entityName] else {
            fatalMisuse("+entityForName: could not locate an entity named '\(entityName)' in this model.")
        }
        let object = entity.objectClass.init(_frameworkOnly: entity)
        context.insert(object)
        return object
    }

    private class func nilCoordinator(_ name: String) -> String {
        "+entityForName: nil is not a legal NSPersistentStoreCoordinator for searching for entity name '\(name)'"
    }

    package var objectClass: NSManagedObject.Type { layout.objectClass }
}

extension EntityLayout {
    /// The class that the model names, where the program has it, else `NSManagedObject`.
    package var objectClass: NSManagedObject.Type {
        if let cachedClass { return unsafeBitCast(cachedClass, to: NSManagedObject.Type.self) }
        let name = entity.managedObjectClassName ?? "NSManagedObject"
        let found = name == "NSManagedObject" ? nil : NSClassFromString(name) as? NSManagedObject.Type
        cachedClass = found ?? NSManagedObject.self
        return found ?? NSManagedObject.self
    }
}
