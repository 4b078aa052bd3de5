import CSQLite
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// A copy of a store that Apple's Core Data has made, with the model that it was made with.
struct RealStore {
    let entry: Corpus.Entry
    let folder: TemporaryFolder
    let url: URL
    let model: NSManagedObjectModel
    let schema: SQLSchema
    let connection: SQLiteConnection

    static let all = Corpus.entries("store-sqlite")

    /// - Returns: nil for a store that keeps no model, and for which the corpus has none.
    init?(_ entry: Corpus.Entry) throws {
        self.entry = entry
        folder = try TemporaryFolder()
        url = try CorpusStoreTests.copy(entry, to: folder)
        guard let model = try Self.model(entry, url) else { return nil }
        self.model = model
        connection = try SQLiteConnection(url, .readWrite)
        schema = try SQLSchema(model, existing: connection.tables())
    }

    private static func model(_ entry: Corpus.Entry, _ url: URL) throws -> NSManagedObjectModel? {
        if entry.notes.contains("modelcache") { return try NSManagedObjectModel(contentsOfStoreAt: url) }
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url)
        let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data]
        for candidate in Corpus.entries("model-xml") {
            guard let file = candidate.url, let model = try? NSManagedObjectModel(validatingContentsOf: file) else {
                continue
            }
            if model.entityVersionHashesByName == hashes { return model }
        }
        return nil
    }

    /// `Z_ENT`, as the file has it.
    func number(_ entity: NSEntityDescription) throws -> Int64? {
        let statement = try connection.statement("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = ?")
        defer { statement.reset() }
        statement.bind(1, entity.name ?? "")
        return try statement.step() ? statement.int(0) : nil
    }

    func tableName(_ entity: NSEntityDescription) -> String { "Z" + (entity.rootEntity.name ?? "").uppercased() }

    var hasHistory: Bool { entry.notes.contains("history") }

    func coordinator() throws -> NSPersistentStoreCoordinator {
        try Library.open(url, options: hasHistory ? HistoryWritingTests.options : nil, model: model)
    }

    /// The entities that have rows of their own.
    var entities: [NSEntityDescription] { model.entitiesInStoreOrder.filter { !$0.isAbstract } }

    /// `Z_MAX` by the number of the entity.
    func lastKeys() throws -> [Int: Int64] {
        let statement = try SQLiteStatement(connection.handle, "SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY")
        var result: [Int: Int64] = [:]
        while try statement.step() { result[Int(statement.int(0))] = statement.int(1) }
        return result
    }

    /// The first column of a query, as keys.
    func keys(_ sql: String, _ key: Int64) throws -> [Int64] {
        let statement = try connection.statement(sql)
        defer { statement.reset() }
        statement.bind(1, key)
        var result: [Int64] = []
        while try statement.step() { result.append(statement.int(0)) }
        return result
    }
}

extension NSManagedObjectContext {
    /// The objects of an entity alone, by key.
    func own(_ entity: NSEntityDescription) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
        request.includesSubentities = false
        return try fetch(request).sorted { $0.objectID.primaryKey < $1.objectID.primaryKey }
    }
}
