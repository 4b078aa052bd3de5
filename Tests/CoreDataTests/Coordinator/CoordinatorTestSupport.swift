import CoreData
import CSQLite
import Foundation
import TestSupport

/// What the tests of coordinators share: a small model, contexts, and a record of notifications.
enum Library {
    static func model() -> NSManagedObjectModel {
        let author = Build.entity("Author", [Build.attribute("name", .stringAttributeType)])
        let novel = Build.entity("Novel", [Build.attribute("genre", .stringAttributeType)])
        let book = Build.entity(
            "Book",
            [
                Build.attribute("name", .stringAttributeType), Build.attribute("pages", .integer32AttributeType),
                Build.attribute("cover", .binaryDataAttributeType),
            ], subentities: [novel])
        let shelf = Build.entity("Shelf", [Build.attribute("name", .stringAttributeType)])
        Build.relate(Build.one(book, "author"), Build.many(author, "books"))
        Build.relate(Build.many(shelf, "books", isOrdered: true), Build.many(book, "shelves"))
        Build.relateToSelf(Build.many(author, "friends"))
        let model = Build.model(author, book, novel, shelf)
        model.setEntities([author, book, novel], forConfigurationName: "Texts")
        model.setEntities([shelf], forConfigurationName: "Places")
        return model
    }

    static func context(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    /// A coordinator of its own on a file.
    static func open(
        _ url: URL, options: [AnyHashable: Any]? = nil, model: NSManagedObjectModel = Library.model()
    ) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        return coordinator
    }

    /// The names of a file's authors, read by a coordinator of its own.
    static func authors(_ url: URL) throws -> [String] {
        let coordinator = try open(url)
        let names = try context(coordinator).names("Author")
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        return names
    }

    static func insert(_ entity: String, _ name: String, _ context: NSManagedObjectContext) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        object.setValue(name, forKey: "name")
        return object
    }

    /// Inserts an author and saves.
    static func addAuthor(_ name: String, _ coordinator: NSPersistentStoreCoordinator) throws {
        let context = context(coordinator)
        _ = insert("Author", name, context)
        try context.save()
    }
}

/// The notifications about stores that a coordinator posts, in their order.
final class StoreNotifications: @unchecked Sendable {
    private let lock = NSLock()
    private var received: [Notification] = []
    private var observers: [any NSObjectProtocol] = []

    init(_ coordinator: NSPersistentStoreCoordinator) {
        let center = NotificationCenter.default
        for name in [
            Notification.Name.NSPersistentStoreCoordinatorStoresWillChange,
            .NSPersistentStoreCoordinatorStoresDidChange,
        ] {
            observers.append(center.addObserver(forName: name, object: coordinator, queue: nil) { self.note($0) })
        }
        observers.append(
            center.addObserver(forName: .NSPersistentStoreCoordinatorWillRemoveStore, object: nil, queue: nil) {
                [weak coordinator] in
                let store = $0.object as? NSPersistentStore
                if let coordinator, store?.persistentStoreCoordinator === coordinator { self.note($0) }
            })
    }

    func stop() {
        for observer in observers { NotificationCenter.default.removeObserver(observer) }
        observers = []
    }

    private func note(_ notification: Notification) { lock.withLock { received.append(notification) } }

    var all: [Notification] { lock.withLock { received } }

    /// Each notification in a word or two: `added a`, with the name of the store's file.
    var summary: [String] {
        all.map { notification in
            if let store = notification.object as? NSPersistentStore { return "willRemove \(Self.name(store))" }
            for (key, word) in [(NSAddedPersistentStoresKey, "added"), (NSRemovedPersistentStoresKey, "removed")] {
                if let stores = notification.userInfo?[key] as? [NSPersistentStore] {
                    return ([word] + stores.map(Self.name)).joined(separator: " ")
                }
            }
            guard let changed = notification.userInfo?[NSUUIDChangedPersistentStoresKey] as? [Any] else {
                return notification.name.rawValue
            }
            return "changed " + changed.compactMap { ($0 as? NSPersistentStore).map(Self.name) }.joined(separator: " ")
        }
    }

    private static func name(_ store: NSPersistentStore) -> String { store.url?.lastPathComponent ?? "nowhere" }
}

/// The user info of the Core Data error that `body` throws.
func errorInfo(_ body: () throws -> Void) -> [String: Any] {
    do {
        try body()
        return [:]
    } catch {
        return (error as? CocoaError)?.userInfo ?? ["other": error]
    }
}

/// Waits until a condition holds; false after ten seconds.
func eventually(_ condition: () -> Bool) -> Bool {
    let end = Date(timeIntervalSinceNow: 10)
    while !condition() {
        if Date() > end { return false }
        Thread.sleep(forTimeInterval: 0.005)
    }
    return true
}
