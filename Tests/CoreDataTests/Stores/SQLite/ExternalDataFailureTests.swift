import CSQLite
import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("Values with files of their own, when something fails")
struct ExternalDataFailureTests: ExternalDataSuite {
    let fixture: Fixture

    init() throws { fixture = try Fixture(Self.model()) }

    @Test("that nobody could let go of are gone when the process ends")
    func exit() async throws {
        _ = try saved("a", Self.data(200_000))
        let path: String = fixture.url.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            let coordinator = try Library.open(URL(fileURLWithPath: path), model: ExternalDataFailureTests.model())
            let context = Library.context(coordinator)
            let note = try context.one("Note", "a")
            _ = note.value(forKey: "name")
            context.delete(note)
            try context.save()
            withExtendedLifetime(note) { Foundation.exit(0) }
        }
        #expect(files.isEmpty)
    }

    @Test("stay when a store is destroyed whose name differs in what follows the last point only")
    func neighbours() throws {
        _ = try saved("a", Self.data(200_000))
        let neighbour = fixture.url.deletingPathExtension().appendingPathExtension("backup")
        let coordinator = try Library.open(neighbour, model: Self.model())
        #expect(throws: CocoaError.self) {
            try NSPersistentStoreCoordinator(managedObjectModel: Self.model()).replacePersistentStore(
                at: neighbour, withPersistentStoreFrom: fixture.url, type: .sqlite)
        }
        try coordinator.destroyPersistentStore(at: neighbour, type: .sqlite)
        #expect(files.count == 1)
        fixture.context.reset()
        #expect(try context.one("Note", "a").value(forKey: "photo") as? Data == Self.data(200_000))
    }

    @Test("stay as long as somebody reads the store as it was before")
    func readers() throws {
        let note = try saved("a", Self.data(200_000))
        let store = try #require(fixture.coordinator.persistentStores.first as? SQLiteStore)
        try store.readers.read { _ in
            note.setValue(nil, forKey: "photo")
            try context.save()
            #expect(files.count == 1)
        }
        context.reset()
        #expect(files.isEmpty)
    }

    enum Failure: CaseIterable { case uniqueness, version, refusedValue, fullFolder }

    @Test("leave no file and no row when a save fails half-way", arguments: Failure.allCases)
    func failed(_ failure: Failure) throws {
        let note = try saved("a", Self.data(200_000))
        if failure == .version { try SQLiteConnection(fixture.url, .readWrite).execute("UPDATE ZNOTE SET Z_OPT = 9") }
        let before = try fixture.rows("SELECT Z_PK, Z_OPT, hex(ZPHOTO) FROM ZNOTE") + [files]
        note.setValue(Self.data(200_000, 3), forKey: "photo")
        fixture.insert("Note", ["name": "b", "photo": Self.data(200_000, 4)])
        switch failure {
        case .uniqueness: fixture.insert("Note", ["name": "a", "photo": Self.data(200_000, 5)])
        case .version: break
        case .refusedValue: fixture.insert("Note", ["name": "c", "text": "refuse"])
        case .fullFolder:
            // Nobody can make a file in what is no folder.
            let folder = ExternalData.files(ofStoreAt: fixture.url)
            try FileManager.default.moveItem(at: folder, to: fixture.folder.file("away"))
            try Data().write(to: folder)
        }
        #expect(throws: (any Error).self) { try context.save() }
        switch failure {
        case .version: context.refresh(note, mergeChanges: true)
        case .fullFolder:
            let folder = ExternalData.files(ofStoreAt: fixture.url)
            try FileManager.default.removeItem(at: folder)
            try FileManager.default.moveItem(at: fixture.folder.file("away"), to: folder)
        case .uniqueness, .refusedValue: break
        }
        #expect(try fixture.rows("SELECT Z_PK, Z_OPT, hex(ZPHOTO) FROM ZNOTE") + [files] == before)
        for object in context.insertedObjects where object.name != "b" { context.delete(object) }
        try context.save()
        #expect(files.count == 2)
    }

    @Test("leave not even a folder when the first save fails")
    func failedFirst() throws {
        fixture.insert("Note", ["name": "b", "photo": Self.data(200_000, 4)])
        fixture.insert("Note", ["name": "c", "text": "refuse"])
        #expect(throws: (any Error).self) { try context.save() }
        #expect(!fixture.folder.names.contains(".test_SUPPORT"))
        #expect(try fixture.value("SELECT COUNT(*) FROM ZNOTE") == "0")
    }

    @Test("without a row, as a crash leaves them, do no harm, and go when the store is vacuumed an hour later")
    func crash() async throws {
        _ = try saved("a", Self.data(200_000))
        let kept = files
        let path: String = fixture.url.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let coordinator = try Library.open(URL(fileURLWithPath: path), model: ExternalDataFailureTests.model())
            let context = Library.context(coordinator)
            for (name, text) in [("b", "x"), ("c", "die")] {
                Library.insert("Note", name, context).setValue(text, forKey: "text")
            }
            try context.save()
        }
        #expect(files.count == 2)
        #expect(try fixture.freshContext().names("Note") == ["a"])
        func vacuum() throws {
            _ = try Library.open(fixture.url, options: [NSSQLiteManualVacuumOption: true], model: Self.model())
        }
        try vacuum()
        #expect(files.count == 2)
        for name in files + ["readme"] {
            if !files.contains(name) { try Data().write(to: file(name)) }
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -7200)], ofItemAtPath: file(name).path)
        }
        try vacuum()
        #expect(files == (kept + ["readme"]).sorted())
        #expect(try fixture.freshContext().one("Note", "a").value(forKey: "photo") as? Data == Self.data(200_000))
    }
}
