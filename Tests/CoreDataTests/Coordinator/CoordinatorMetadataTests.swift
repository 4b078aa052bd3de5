import CoreData
import Foundation
import TestSupport
import Testing

@Suite("Metadata of stores")
struct CoordinatorMetadataTests {
    let folder: TemporaryFolder
    let url: URL
    let model = Library.model()

    init() throws {
        folder = try TemporaryFolder()
        url = folder.file("a")
    }

    private func stored() throws -> [String: Any] {
        try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
    }

    @Test("what a program sets reaches the file with the next save, and not before")
    func nextSave() throws {
        let coordinator = try Library.open(url, model: model)
        let store = coordinator.persistentStores[0]
        var metadata = coordinator.metadata(for: store)
        metadata["Test.mark"] = "kept"
        coordinator.setMetadata(metadata, for: store)
        #expect(coordinator.metadata(for: store)["Test.mark"] as? String == "kept")
        #expect(try stored()["Test.mark"] == nil)
        try Library.addAuthor("A", coordinator)
        #expect(try stored()["Test.mark"] as? String == "kept")
        #expect(try Library.authors(url) == ["A"])
    }

    @Test("a save without changes writes metadata that were set")
    func emptySave() throws {
        let coordinator = try Library.open(url, model: model)
        coordinator.setMetadata(["Test.mark": 7], for: coordinator.persistentStores[0])
        try Library.context(coordinator).save()
        #expect(try stored()["Test.mark"] as? Int == 7)
    }

    @Test("type and UUID are always there, and the file stays one of its model, whatever a program leaves out")
    func framework() throws {
        let coordinator = try Library.open(url, model: model)
        let store = coordinator.persistentStores[0]
        let identifier = store.identifier
        coordinator.setMetadata(nil, for: store)
        #expect(coordinator.metadata(for: store)[NSStoreTypeKey] as? String == NSSQLiteStoreType)
        #expect(coordinator.metadata(for: store)[NSStoreUUIDKey] as? String == identifier)
        try Library.addAuthor("A", coordinator)
        #expect(try stored()[NSStoreUUIDKey] as? String == identifier)
        #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: try stored()))
        #expect(try Library.authors(url) == ["A"])
    }

    @Test("a failed save writes no metadata, and the next one does")
    func failedSave() throws {
        let coordinator = try Library.open(url, model: model)
        coordinator.setMetadata(
            ["Test.mark": Date() as NSDate, "Test.bad": NSObject()], for: coordinator.persistentStores[0])
        #expect(throws: (any Error).self) { try Library.addAuthor("A", coordinator) }
        #expect(try stored()["Test.mark"] == nil && Library.authors(url) == [])
        coordinator.setMetadata(["Test.mark": 1], for: coordinator.persistentStores[0])
        try Library.addAuthor("A", coordinator)
        #expect(try stored()["Test.mark"] as? Int == 1 && Library.authors(url) == ["A"])
    }

    @Test("metadata are read and set without opening the store; a new UUID becomes the store's")
    func withoutOpening() throws {
        try Library.addAuthor("A", Library.open(url, model: model))
        var metadata = try stored()
        #expect(metadata[NSStoreTypeKey] as? String == "SQLite")
        #expect(
            (metadata[NSStoreModelVersionHashesKey] as? [String: Data])?.keys.sorted() == [
                "Author", "Book", "Novel", "Shelf",
            ])
        let identifier = UUID().uuidString
        metadata[NSStoreUUIDKey] = identifier
        metadata["Test.mark"] = ["a", "b"]
        try NSPersistentStoreCoordinator.setMetadata(metadata, type: .sqlite, at: url)
        #expect(try stored()["Test.mark"] as? [String] == ["a", "b"])
        let coordinator = try Library.open(url, model: model)
        #expect(coordinator.persistentStores[0].identifier == identifier)
        #expect(try Library.context(coordinator).names("Author") == ["A"])
    }

    @Test("metadata of what is no store, of nothing and of an unknown type are errors")
    func errors() throws {
        let text = try folder.write(String(repeating: "text", count: 500), to: "text")
        typealias Coordinator = NSPersistentStoreCoordinator
        #expect(
            errorCode { _ = try Coordinator.metadataForPersistentStore(type: .sqlite, at: text) }
                == .fileReadCorruptFile)
        #expect(
            errorCode { _ = try Coordinator.metadataForPersistentStore(type: .sqlite, at: folder.file("none")) }
                == .fileReadNoSuchFile)
        #expect(
            errorCode { try Coordinator.setMetadata([:], type: .sqlite, at: folder.file("none")) }
                == .fileReadNoSuchFile)
        #expect(
            errorCode { _ = try Coordinator.metadataForPersistentStore(ofType: "Nothing", at: text) }
                == .persistentStoreInvalidType)
        #expect(folder.names == ["text"])
    }

    @Test("the model that a store keeps is read without opening the store")
    func cachedModel() throws {
        _ = try Library.open(url, model: model)
        let cached = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url)
        #expect(cached.entityVersionHashesByName == model.entityVersionHashesByName)
    }
}
