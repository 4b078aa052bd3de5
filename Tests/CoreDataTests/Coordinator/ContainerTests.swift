import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("Containers", .serialized)
struct ContainerTests {
    let folder: TemporaryFolder
    let model = Library.model()

    init() throws { folder = try TemporaryFolder() }

    private func container(_ descriptions: NSPersistentStoreDescription...) -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "ContainerTests", managedObjectModel: model)
        container.persistentStoreDescriptions = descriptions
        return container
    }

    private func load(_ container: NSPersistentContainer) -> [(any Error)?] {
        var errors: [(any Error)?] = []
        container.loadPersistentStores { errors.append($1) }
        return errors
    }

    @Test("a new container is wired as Apple's is")
    func wiring() throws {
        let container = NSPersistentContainer(name: "ContainerTests", managedObjectModel: model)
        let coordinator = container.persistentStoreCoordinator
        #expect(container.name == "ContainerTests" && coordinator.managedObjectModel === model)
        #expect(container.managedObjectModel === model && coordinator.persistentStores.isEmpty)
        #expect(container.viewContext.concurrencyType == .mainQueueConcurrencyType)
        #expect(container.viewContext.persistentStoreCoordinator === coordinator)
        let background = container.newBackgroundContext()
        #expect(background.concurrencyType == .privateQueueConcurrencyType)
        #expect(background.persistentStoreCoordinator === coordinator)
        let description = try #require(container.persistentStoreDescriptions.first)
        #expect(container.persistentStoreDescriptions.count == 1 && description.type == NSSQLiteStoreType)
        #expect(
            description.url
                == NSPersistentContainer.defaultDirectoryURL().appendingPathComponent("ContainerTests.sqlite"))
    }

    @Test("stores are loaded before the call returns, on the calling thread, and once")
    func loading() throws {
        let container = container(
            NSPersistentStoreDescription(url: folder.file("x/y/a")), NSPersistentStoreDescription(url: folder.file("b"))
        )
        let thread = Thread.current
        var loaded: [String?] = []
        container.loadPersistentStores { description, error in
            #expect(error == nil && Thread.current === thread)
            loaded.append(description.url?.lastPathComponent)
        }
        #expect(loaded == ["a", "b"] && folder.names.contains("x"))
        #expect(container.persistentStoreCoordinator.persistentStores.count == 2)
        // What is loaded is left alone; what was removed, or failed before, is tried again.
        #expect(load(container).isEmpty)
        let store = container.persistentStoreCoordinator.persistentStores[0]
        try container.persistentStoreCoordinator.remove(store)
        #expect(load(container).count == 1)
        #expect(container.persistentStoreCoordinator.persistentStores.count == 2)
    }

    @Test("each store that fails is told with its error, and the others are loaded")
    func failures() throws {
        let bad = NSPersistentStoreDescription(url: try folder.write(String(repeating: "text", count: 500), to: "bad"))
        let missing = NSPersistentStoreDescription(url: folder.file("none/missing"))
        missing.isReadOnly = true
        let good = NSPersistentStoreDescription(url: folder.file("good"))
        let again = NSPersistentStoreDescription(url: folder.file("good"))
        let container = container(bad, missing, good, again)
        let codes = load(container).map { ($0 as? CocoaError)?.code.rawValue }
        #expect(codes == [259, 260, nil, 134081])
        #expect(container.persistentStoreCoordinator.persistentStores.map(\.url) == [folder.file("good")])
        #expect(!folder.names.contains("none"))
        #expect(load(container).count == 3)
    }

    @Test("a store of another model is refused also where it may be migrated, and the error says why")
    func incompatible() throws {
        try Library.addAuthor("A", Library.open(folder.file("a"), model: model))
        let other = Build.model(Build.entity("Thing", [Build.attribute("name", .stringAttributeType)]))
        let container = NSPersistentContainer(name: "X", managedObjectModel: other)
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: folder.file("a"))]
        let error = try #require(load(container).first as? CocoaError)
        #expect(error.code == .persistentStoreIncompatibleVersionHash)
        #expect(error.localizedDescription.contains("Migrating stores is not supported yet"))
    }

    @Test("a store is added in the background when its description says so")
    func asynchronous() throws {
        final class Result: @unchecked Sendable {
            let lock = NSLock()
            var wasMain: Bool?
            var error: (any Error)?
        }
        let description = NSPersistentStoreDescription(url: folder.file("a"))
        description.shouldAddStoreAsynchronously = true
        let container = container(description)
        let result = Result()
        let done = DispatchSemaphore(value: 0)
        container.loadPersistentStores { _, error in
            result.lock.withLock { (result.wasMain, result.error) = (Thread.isMainThread, error) }
            done.signal()
        }
        #expect(done.wait(timeout: .now() + 30) == .success)
        #expect(result.wasMain == false && result.error == nil)
        #expect(container.persistentStoreCoordinator.persistentStores.count == 1)
        try Library.addAuthor("A", container.persistentStoreCoordinator)
    }

    @Test("a background task gets a new context each time, off the main thread")
    func backgroundTasks() throws {
        final class Seen: @unchecked Sendable {
            let lock = NSLock()
            var contexts: [NSManagedObjectContext] = []
            var wasMain = false
        }
        let container = container(NSPersistentStoreDescription())
        #expect(load(container).count == 1)
        let seen = Seen()
        for _ in 0..<2 {
            let done = DispatchSemaphore(value: 0)
            container.performBackgroundTask { context in
                seen.lock.withLock {
                    seen.contexts.append(context)
                    seen.wasMain = seen.wasMain || Thread.isMainThread
                }
                done.signal()
            }
            #expect(done.wait(timeout: .now() + 10) == .success)
        }
        #expect(!seen.wasMain && seen.contexts.count == 2 && seen.contexts[0] !== seen.contexts[1])
        #expect(seen.contexts.allSatisfy { $0.concurrencyType == .privateQueueConcurrencyType })
    }

    @Test("an awaited background task hands out its value and its error")
    func awaitedTasks() async throws {
        struct Odd: Error {}
        let container = container(NSPersistentStoreDescription())
        #expect(load(container).count == 1)
        let count = try await container.performBackgroundTask { context in
            _ = Library.insert("Author", "A", context)
            try context.save()
            return try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Author"))
        }
        #expect(count == 1)
        let plain = await container.performBackgroundTask { _ in 7 }
        #expect(plain == 7)
        await #expect(throws: Odd.self) {
            try await container.performBackgroundTask { _ throws(Odd) -> Int in throw Odd() }
        }
    }

    @Test("a subclass may choose the folder, and gets it made")
    func ownFolder() throws {
        let container = OwnFolderContainer(name: "Own", managedObjectModel: model)
        let url = try #require(container.persistentStoreDescriptions.first?.url)
        #expect(url.deletingLastPathComponent().path == OwnFolderContainer.defaultDirectoryURL().path)
        #expect(!FileManager.default.fileExists(atPath: OwnFolderContainer.folder.path))
        defer { try? FileManager.default.removeItem(at: OwnFolderContainer.folder) }
        #expect(load(container).count == 1 && FileManager.default.fileExists(atPath: url.path))
    }

    private final class OwnFolderContainer: NSPersistentContainer, @unchecked Sendable {
        static let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("coredata-test-\(UUID().uuidString)")
        override class func defaultDirectoryURL() -> URL { folder.appendingPathComponent("own") }
    }

    @Test("the default folder is the program's in the XDG data folder, which must be an absolute path")
    func defaultFolder() {
        let old = ProcessInfo.processInfo.environment["XDG_DATA_HOME"]
        defer { if let old { setenv("XDG_DATA_HOME", old, 1) } else { unsetenv("XDG_DATA_HOME") } }
        let program = NSPersistentContainer.defaultDirectoryURL().lastPathComponent
        #expect(!program.isEmpty)
        setenv("XDG_DATA_HOME", "/somewhere/data", 1)
        #expect(NSPersistentContainer.defaultDirectoryURL().path == "/somewhere/data/\(program)")
        let home = ProcessInfo.processInfo.environment["HOME"] ?? NSHomeDirectory()
        for value in ["relative", ""] {
            setenv("XDG_DATA_HOME", value, 1)
            #expect(NSPersistentContainer.defaultDirectoryURL().path == "\(home)/.local/share/\(program)")
        }
        unsetenv("XDG_DATA_HOME")
        #expect(NSPersistentContainer.defaultDirectoryURL().path == "\(home)/.local/share/\(program)")
    }

    @Test("a model is found by its name, compiled before uncompiled, and one that can't be read is passed over")
    func modelSearch() throws {
        let xml = """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="FromXML"><attribute name="name" optional="YES" attributeType="String"/></entity></model>
            """
        try folder.write(xml, to: "one/Mesh.xcdatamodeld/Mesh.xcdatamodel/contents")
        try folder.write(xml, to: "one/Flat.xcdatamodel/contents")
        try folder.write("text", to: "one/Mesh.mom")
        let search = ModelSearch(folders: [folder.file("none"), folder.file("one")])
        #expect(search.model(named: "Mesh")?.entitiesByName.keys.sorted() == ["FromXML"])
        #expect(search.model(named: "Flat")?.entities.count == 1)
        #expect(search.model(named: "Nothing") == nil)
        try folder.write(xml, to: "My_Package.resources/Own.xcdatamodel/contents")
        try folder.write(xml, to: "My_Package.build/Other.xcdatamodel/contents")
        let beside = ModelSearch(folders: ModelSearch.resourceBundles(in: folder.url))
        #expect(beside.model(named: "Own") != nil && beside.model(named: "Other") == nil)
        #expect(ModelSearch.resourceBundles(in: folder.file("none")).isEmpty)
    }

    @Test("a container whose model isn't found goes on with an empty one")
    func missingModel() {
        let container = NSPersistentContainer(name: "ContainerTests.NoSuchModel")
        #expect(container.managedObjectModel.entities.isEmpty)
        #expect(
            container.persistentStoreDescriptions.first?.url?.lastPathComponent == "ContainerTests.NoSuchModel.sqlite")
    }

    @Test("a CloudKit container keeps its stores locally")
    func cloudKit() throws {
        let container = NSPersistentCloudKitContainer(name: "Cloud", managedObjectModel: model)
        let description = NSPersistentStoreDescription(url: folder.file("a"))
        description.cloudKitContainerOptions = NSPersistentCloudKitContainerOptions(containerIdentifier: "iCloud.x")
        container.persistentStoreDescriptions = [description]
        #expect(load(container).count == 1)
        try Library.addAuthor("A", container.persistentStoreCoordinator)
        let store = container.persistentStoreCoordinator.persistentStores[0]
        #expect(container.canModifyManagedObjects(in: store))
        #expect(throws: CocoaError.self) { try container.initializeCloudKitSchema() }
    }
}
