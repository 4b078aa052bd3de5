import Foundation
import TestSupport
import Testing

@testable import CoreData

/// For each real store with a model: a new empty store, made as of the same version of Apple's framework, is the same.
@Suite("A new store beside Apple's, in every era", .enabled(if: Corpus.shared != nil, "\(Corpus.absence)"))
struct SchemaProofTests {
    /// What a real store has otherwise than a new one, by the end of its path, and why.
    private struct Exception {
        let store: String
        let difference: String
        let reason: String
    }

    private static let exceptions: [Exception] = [
        Exception(
            store: "SampleModel_V2.sqlite", difference: "entity ExpensiveSportCar: only in the first",
            reason: "the model in the store says LuxuryCar, and so do its hashes: see STORE-FORMAT.md"),
        Exception(
            store: "SampleModel_V2.sqlite", difference: "entity LuxuryCar: only in the second",
            reason: "the same"),
        Exception(
            store: ".moody", difference: "metadata io.objc.Moody.CloudKitUserID: only in the first",
            reason: "a key of the program's"),
    ]

    /// The model that a store was made with: the one that it keeps, or a version of one that lies in the same repository.
    /// What enters no version hash, such as an index, may have been added to the latter since.
    private static func model(of entry: Corpus.Entry, _ store: URL) throws -> NSManagedObjectModel? {
        if let model = try? NSManagedObjectModel(contentsOfStoreAt: store) { return model }
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: store)
        let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data]
        let repository = entry.path.split(separator: "/").first.map(String.init) ?? ""
        for candidate in Corpus.entries("model-xml") where candidate.path.hasPrefix(repository + "/") {
            guard let folder = candidate.url?.deletingLastPathComponent(),
                let model = try? NSManagedObjectModel(validatingContentsOf: folder),
                model.entityVersionHashesByName == hashes
            else { continue }
            return model
        }
        return nil
    }

    /// The differences between a real store and a new one of its model and era; nil for a store without a model.
    private static func differences(_ entry: Corpus.Entry) throws -> [StoreDifference]? {
        let folder = try TemporaryFolder()
        let real = try CorpusStoreTests.copy(entry, to: folder)
        guard let model = try model(of: entry, real) else { return nil }
        let old = try SQLiteConnection(real, .readWrite)
        let version = try SQLStoreFile.metadata(on: old)["NSPersistenceFrameworkVersion"] as? Int
        let new = try SQLiteConnection(folder.file("new.sqlite"), .create)
        let schema = try SQLSchema(model, era: StoreEra(frameworkVersion: try #require(version)))
        try SQLStoreFile.prepareEmptyFile(new)
        try SQLStoreFile.create(schema, on: new, identifier: UUID().uuidString)
        return try StoreComparison(old, new, ignoringHistory: true).differences
    }

    @Test("tables, columns, indexes, triggers, entities and the keys of metadata are the same, but for what is listed")
    func proof() throws {
        let stores = Corpus.entries("store-sqlite")
        var (equal, withExceptions) = (0, 0)
        var withoutModel: [String] = []
        var used: Set<String> = []
        for entry in stores {
            guard let found = try Self.differences(entry) else {
                withoutModel.append("\(entry)")
                continue
            }
            let allowed = Self.exceptions.filter { entry.path.hasSuffix($0.store) }
            var isEqual = true
            for difference in found {
                isEqual = false
                if let exception = allowed.first(where: { "\(difference)".hasPrefix($0.difference) }) {
                    used.insert(exception.store + exception.difference)
                } else {
                    Issue.record("\(entry): \(difference)")
                }
            }
            if isEqual { equal += 1 } else { withExceptions += 1 }
        }
        let unused = Self.exceptions.filter { !used.contains($0.store + $0.difference) }
        #expect(unused.isEmpty, "exceptions that don't occur")
        print(
            "Schemas: \(stores.count) stores, \(withoutModel.count) without a model"
                + " (\(withoutModel.joined(separator: ", "))); of the others \(equal) equal,"
                + " \(withExceptions) with named exceptions:")
        for exception in Self.exceptions {
            print("    \(exception.store): \(exception.difference), as \(exception.reason)")
        }
    }
}
