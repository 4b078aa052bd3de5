import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("Options of SQLite stores")
struct StoreOptionsTests {
    let folder: TemporaryFolder
    let url: URL

    init() throws {
        folder = try TemporaryFolder()
        url = folder.file("a")
    }

    private func open(_ options: [AnyHashable: Any]) throws -> NSPersistentStoreCoordinator {
        try Library.open(url, options: options)
    }

    private func pragma(_ coordinator: NSPersistentStoreCoordinator, _ name: String) throws -> String? {
        try (coordinator.persistentStores.first as? SQLiteStore)?.connection.text("PRAGMA \(name)")
    }

    @Test("pragmas reach SQLite, as text and as numbers; without any, the journal is a write-ahead log")
    func pragmas() throws {
        #expect(try pragma(open([:]), "journal_mode") == "wal")
        let values: [String: NSObject] = [
            "journal_mode": "Delete" as NSString, "synchronous": NSNumber(value: 3), "cache_size": "-500" as NSString,
        ]
        let coordinator = try open([NSSQLitePragmasOption: values])
        #expect(try pragma(coordinator, "journal_mode") == "delete")
        #expect(try pragma(coordinator, "synchronous") == "3" && pragma(coordinator, "cache_size") == "-500")
    }

    @Test("a read-only store gets its pragmas, apart from the journal's, which is the file's")
    func readOnlyPragmas() throws {
        let first = try open([:])
        try Library.addAuthor("A", first)
        let coordinator = try open([
            NSReadOnlyPersistentStoreOption: true,
            NSSQLitePragmasOption: ["journal_mode": "DELETE", "cache_size": "-500"],
        ])
        #expect(try pragma(coordinator, "cache_size") == "-500" && pragma(coordinator, "journal_mode") == "wal")
        #expect(try Library.context(coordinator).names("Author") == ["A"])
    }

    @Test(
        "a pragma with an impossible value is refused with SQLite's code; nothing is added",
        arguments: [
            ("journal_mode", "banana"), ("journal_mode", ""), ("cache_size", "1; DROP TABLE ZAUTHOR"),
            ("user_version = 7; --", "1"), ("cache_size", "table"),
        ])
    func badPragma(_ name: String, _ value: String) throws {
        try Library.addAuthor("A", Library.open(url))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        let add = {
            _ = try coordinator.addPersistentStore(
                type: .sqlite, at: url, options: [NSSQLitePragmasOption: [name: value]])
        }
        #expect(errorCode(add) == .fileReadUnknown)
        #expect((errorInfo(add)[NSSQLiteErrorDomain] as? NSNumber)?.intValue == 1)
        #expect(errorInfo(add)[NSFilePathErrorKey] as? String == url.path)
        #expect(coordinator.persistentStores.isEmpty)
        #expect(try Library.authors(url) == ["A"])
    }

    @Test("a file is made even where a pragma is then refused, as on Apple's systems")
    func badPragmaOfNewStore() throws {
        #expect(errorCode { _ = try open([NSSQLitePragmasOption: ["journal_mode": "banana"]]) } == .fileReadUnknown)
        #expect(folder.names.first == "a")
        #expect(try Library.authors(url) == [])
    }

    @Test("analysing and vacuuming are done when they are asked for")
    func maintenance() throws {
        let coordinator = try open([:])
        let context = Library.context(coordinator)
        for index in 0..<200 {
            Library.insert("Book", "\(index)", context).setValue(Data(count: 4000), forKey: "cover")
        }
        try context.save()
        for book in try context.find("Book") { context.delete(book) }
        try context.save()
        let full = Int(try #require(try pragma(coordinator, "page_count"))) ?? 0
        try coordinator.remove(coordinator.persistentStores[0])
        let statistics = "SELECT COUNT(*) FROM sqlite_master WHERE name = 'sqlite_stat1'"
        #expect(try SQLiteConnection(url, .readOnly).int(statistics) == 0)
        let again = try open([NSSQLiteManualVacuumOption: true, NSSQLiteAnalyzeOption: true])
        #expect((Int(try #require(try pragma(again, "page_count"))) ?? full) < full / 2)
        #expect(try SQLiteConnection(url, .readOnly).int(statistics) == 1)
    }

    @Test(
        "truth is read in all the ways in which programs write it",
        arguments: [
            (true as any Sendable, true), (false, false), ("YES", true), ("0", false), (1, true), (0, false),
        ])
    func truth(_ value: any Sendable, _ isOn: Bool) throws {
        try Library.addAuthor("A", Library.open(url))
        for value in [value as Any] + ((value as? Bool).map { [NSNumber(value: $0)] } ?? []) {
            let coordinator = try open([NSReadOnlyPersistentStoreOption: value])
            #expect(StoreOptions([NSReadOnlyPersistentStoreOption: value]).isReadOnly == isOn)
            #expect(coordinator.persistentStores[0].isReadOnly == isOn)
        }
    }

    @Test("all saves to a store are told to the coordinators that asked for it, once each")
    func remoteChanges() throws {
        let on = [NSPersistentStoreRemoteChangeNotificationPostOptionKey: NSNumber(value: true)]
        let (a, b, silent) = (try open(on), try open(on), try open([:]))
        let heard = Notifications()
        let observers = [a, b, silent].map { coordinator in
            NotificationCenter.default.addObserver(
                forName: .NSPersistentStoreRemoteChange, object: coordinator, queue: nil
            ) { heard.note($0) }
        }
        defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
        for saver in [a, silent] {
            try Library.addAuthor("A", saver)
            #expect(eventually { heard.all.count >= 2 })
            let senders = heard.all.compactMap { $0.object as? NSPersistentStoreCoordinator }
            #expect(
                heard.all.count == 2
                    && Set(senders.map(ObjectIdentifier.init)) == Set([a, b].map(ObjectIdentifier.init)))
            #expect(
                heard.all.allSatisfy {
                    $0.userInfo?[NSStoreUUIDKey] as? String == a.persistentStores[0].identifier
                        && $0.userInfo?[NSPersistentStoreURLKey] as? URL == url
                })
            heard.clear()
        }
        // A store that moved listens at its new place.
        let moved = folder.file("moved")
        try b.replacePersistentStore(at: moved, withPersistentStoreFrom: url, type: .sqlite)
        #expect(b.setURL(moved, for: b.persistentStores[0]))
        try Library.addAuthor("A", b)
        #expect(eventually { heard.all.count >= 1 })
        #expect(heard.all.count == 1 && heard.all.first?.userInfo?[NSPersistentStoreURLKey] as? URL == moved)
        heard.clear()
        try Library.addAuthor("A", a)
        #expect(eventually { heard.all.count >= 1 })
        Thread.sleep(forTimeInterval: 0.05)
        #expect(heard.all.count == 1)
    }

    private final class Notifications: @unchecked Sendable {
        private let lock = NSLock()
        private var received: [Notification] = []
        func note(_ notification: Notification) { lock.withLock { received.append(notification) } }
        func clear() { lock.withLock { received = [] } }
        var all: [Notification] { lock.withLock { received } }
    }

    @Test("options that have no effect here are kept")
    func kept() throws {
        let options: [AnyHashable: Any] = [
            NSPersistentHistoryTrackingKey: NSNumber(value: true), NSPersistentStoreConnectionPoolMaxSizeKey: 4,
            NSPersistentStoreFileProtectionKey: "none",
        ]
        let coordinator = try open(options)
        #expect(Set(coordinator.persistentStores[0].options?.keys.map { $0 } ?? []) == Set(options.keys))
        try Library.addAuthor("A", coordinator)
    }
}
