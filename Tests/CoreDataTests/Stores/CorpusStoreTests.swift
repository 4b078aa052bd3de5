import CSQLite
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Real stores, made by Apple's Core Data, beside the ones made here.
@Suite("A new store beside Apple's", .enabled(if: Corpus.shared != nil, "\(Corpus.absence)"))
struct CorpusStoreTests {
    static let withModel = Corpus.entries("store-sqlite").filter { $0.model != nil }
    static let all = Corpus.entries("store-sqlite")

    /// A copy, with its write-ahead log, that may be opened.
    static func copy(_ entry: Corpus.Entry, to folder: TemporaryFolder) throws -> URL {
        let url = folder.file("real.sqlite")
        let source = try #require(entry.url)
        try FileManager.default.copyItem(at: source, to: url)
        if FileManager.default.fileExists(atPath: source.path + "-wal") {
            try FileManager.default.copyItem(atPath: source.path + "-wal", toPath: url.path + "-wal")
        }
        return url
    }

    /// The version of the model beside the store that the store was made with. The manifest names the bundle; for one
    /// store it names a later version.
    static func model(of entry: Corpus.Entry, _ store: URL) throws -> NSManagedObjectModel {
        let named = try #require(entry.model).deletingLastPathComponent()
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: store)
        let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data]
        let bundle = named.deletingLastPathComponent()
        let versions = try FileManager.default.contentsOfDirectory(at: bundle, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "xcdatamodel" }.sorted { $0.path < $1.path }
        for version in [named] + versions {
            let model = try NSManagedObjectModel(validatingContentsOf: version)
            if model.entityVersionHashesByName == hashes { return model }
        }
        return try NSManagedObjectModel(validatingContentsOf: named)
    }

    /// Table name → "name type" of each column, sorted where a migration has added columns at the end.
    static func columns(_ url: URL, sorted: Bool) throws -> [String: [String]] {
        let connection = try SQLiteConnection(url, .readWrite)
        var result: [String: [String]] = [:]
        for table in try connection.tables() where !table.hasPrefix("sqlite_") && !table.hasPrefix("A") {
            let statement = try connection.statement("PRAGMA table_info(\(table))")
            var columns: [String] = []
            while try statement.step() { columns.append("\(statement.string(1)) \(statement.string(2))") }
            result[table] = sorted ? columns.sorted() : columns
        }
        return result
    }

    @Test(
        "has the same tables, columns, types and column order as the real store of the same model", arguments: withModel
    )
    func sameColumns(_ entry: Corpus.Entry) throws {
        let folder = try TemporaryFolder()
        let real = try Self.copy(entry, to: folder)
        let model = try Self.model(of: entry, real)
        let made = folder.file("made.sqlite")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: made)
        let isAltered = entry.notes.contains("altered-by-migration")
        let want = try Self.columns(real, sorted: isAltered).filter { $0.key != "Z_MODELCACHE" }
        let have = try Self.columns(made, sorted: isAltered).filter { $0.key != "Z_MODELCACHE" }
        #expect(have.keys.sorted() == want.keys.sorted())
        for (table, columns) in want { #expect(have[table] == columns) }
    }

    @Test("has the same entity hashes, digest and checksum as the real store of the same model", arguments: withModel)
    func sameHashes(_ entry: Corpus.Entry) throws {
        let folder = try TemporaryFolder()
        let real = try Self.copy(entry, to: folder)
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: real)
        let model = try Self.model(of: entry, real)
        #expect(model.entityVersionHashesByName == metadata[NSStoreModelVersionHashesKey] as? [String: Data])
        if let digest = metadata["NSStoreModelVersionHashesDigest"] as? String {
            #expect(model.versionHashesDigest == digest)
        }
        if let checksum = metadata[NSPersistentStoreModelVersionChecksumKey] as? String {
            #expect(model.versionChecksum == checksum)
        }
    }

    static let indexed = withModel.filter { entry in
        // Older frameworks made other indexes, and migrations leave old ones behind.
        let version = entry.notes.first { $0.hasPrefix("fw") }.flatMap { Int($0.dropFirst(2)) } ?? 0
        return version >= 1042
    }

    @Test("has the same indexes as the real store of the same model, in the present era", arguments: indexed)
    func sameIndexes(_ entry: Corpus.Entry) throws {
        let folder = try TemporaryFolder()
        let real = try Self.copy(entry, to: folder)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try Self.model(of: entry, real))
        let made = folder.file("made.sqlite")
        try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: made)
        func statements(_ url: URL) throws -> Set<String> {
            let connection = try SQLiteConnection(url, .readWrite)
            let statement = try connection.statement(
                "SELECT sql FROM sqlite_master WHERE type IN ('index', 'trigger') AND sql IS NOT NULL AND tbl_name NOT LIKE 'A%'"
            )
            var result: Set<String> = []
            while try statement.step() { result.insert(statement.string(0)) }
            return result
        }
        #expect(try statements(made) == statements(real))
    }

    @Test("opens with the model that it keeps, and every row of every entity can be read", arguments: all)
    func everyRow(_ entry: Corpus.Entry) throws {
        let folder = try TemporaryFolder()
        let real = try Self.copy(entry, to: folder)
        guard entry.notes.contains("modelcache") else {
            #expect(throws: (any Error).self) { try NSManagedObjectModel(contentsOfStoreAt: real) }
            return
        }
        let model = try NSManagedObjectModel(contentsOfStoreAt: real)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: real)
        let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let connection = try SQLiteConnection(real, .readOnly)
        for entity in model.entities {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
            request.includesSubentities = false
            let objects = try context.fetch(request)
            let table = "Z" + (entity.rootEntity.name ?? "").uppercased()
            let number = "SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = '\(entity.name ?? "")'"
            // One store's tables and cached model disagree about an entity's name (see STORE-FORMAT.md).
            if entry.path.hasSuffix("SampleModel_V2.sqlite"), entity.name == "LuxuryCar" { continue }
            #expect(
                try connection.int("SELECT COUNT(*) FROM \(table) WHERE Z_ENT = (\(number))") == Int64(objects.count))
            for object in objects {
                #expect(!object.isDeleted)
                for property in entity.properties where !(property is NSFetchedPropertyDescription) {
                    _ = object.value(forKey: property.name)
                }
            }
        }
        #expect(!context.hasChanges)
    }
}
