import CoreData
import Foundation
import TestSupport
import Testing

@Suite("Several stores in one coordinator")
struct CoordinatorRoutingTests {
    let folder: TemporaryFolder
    let model = Library.model()
    let coordinator: NSPersistentStoreCoordinator

    init() throws {
        folder = try TemporaryFolder()
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    }

    private func add(_ file: String, _ configuration: String?, isReadOnly: Bool = false) throws {
        try coordinator.addPersistentStore(
            type: .sqlite, configuration: configuration, at: folder.file(file),
            options: isReadOnly ? [NSReadOnlyPersistentStoreOption: true] : nil)
    }

    @Test("objects go to the store of their entity's configuration, sub-entities with their parents")
    func configurations() throws {
        try add("texts", "Texts")
        try add("places", "Places")
        let context = Library.context(coordinator)
        let objects = ["Author", "Book", "Novel", "Shelf"].map { Library.insert($0, $0, context) }
        try context.save()
        #expect(
            objects.map { $0.objectID.persistentStore?.url?.lastPathComponent } == [
                "texts", "texts", "texts", "places",
            ])
        let again = Library.context(coordinator)
        #expect(try again.names("Book") == ["Book", "Novel"] && again.names("Shelf") == ["Shelf"])
    }

    @Test("a new object goes to the first store that may be written")
    func firstWritable() throws {
        try Library.addAuthor("A", Library.open(folder.file("a"), model: model))
        try add("a", nil, isReadOnly: true)
        try add("b", nil)
        try add("c", nil)
        let context = Library.context(coordinator)
        let author = Library.insert("Author", "B", context)
        try context.save()
        #expect(author.objectID.persistentStore?.url == folder.file("b"))
        #expect(try context.names("Author") == ["A", "B"])
    }

    @Test("a new object goes to the store that it was assigned to, which counts for its relationships too")
    func assigned() throws {
        try add("a", nil)
        try add("b", nil)
        let context = Library.context(coordinator)
        let (author, book) = (Library.insert("Author", "A", context), Library.insert("Book", "B", context))
        context.assign(author, to: coordinator.persistentStores[1])
        book.setValue(author, forKey: "author")
        #expect(errorCode { try context.save() } == .managedObjectExternalRelationship)
        context.assign(book, to: coordinator.persistentStores[1])
        try context.save()
        #expect([author, book].allSatisfy { $0.objectID.persistentStore?.url == folder.file("b") })
    }

    @Test("an entity that no store is for, and a coordinator without stores, are errors of a save that lose nothing")
    func noStore() throws {
        let context = Library.context(coordinator)
        let author = Library.insert("Author", "A", context)
        #expect(errorCode { try context.save() } == .coreData)
        try add("places", "Places")
        #expect(errorCode { try context.save() } == .coreData)
        try add("texts", "Texts")
        try context.save()
        #expect(author.objectID.persistentStore?.url == folder.file("texts"))
    }

    @Test("a relationship over two stores is refused by the save, and can be mended")
    func acrossStores() throws {
        try add("texts", "Texts")
        try add("places", "Places")
        let context = Library.context(coordinator)
        let book = Library.insert("Book", "B", context)
        let shelf = Library.insert("Shelf", "S", context)
        shelf.setValue(NSOrderedSet(array: [book]), forKey: "books")
        #expect(errorCode { try context.save() } == .managedObjectExternalRelationship)
        shelf.setValue(NSOrderedSet(), forKey: "books")
        try context.save()
        #expect(try Library.context(coordinator).names("Shelf") == ["S"])
    }

    @Test("a configuration that the model doesn't have is refused")
    func unknownConfiguration() throws {
        #expect(errorCode { try add("a", "Nothing") } == .persistentStoreOpen)
        #expect(folder.names == [])
    }
}
