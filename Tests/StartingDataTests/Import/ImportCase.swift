import CoreData
import TestSupport
import Testing

@testable import StartingData

/// A model, a folder and a store to import into: one for each test.
final class ImportCase {
    let folder: TemporaryFolder
    let model: NSManagedObjectModel
    let store: URL

    /// Takes the text of a model's entities: see `entity`, `attribute`, `toOne` and `toMany`.
    init(_ entities: String...) throws {
        folder = try TemporaryFolder()
        store = folder.file("Store.sqlite")
        model = try Self.model(entities.joined(separator: "\n"), in: folder)
    }

    /// A model as Xcode writes it.
    static func model(_ entities: String, in folder: TemporaryFolder) throws -> NSManagedObjectModel {
        let text = """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="22758" \
            systemVersion="23F79" minimumToolsVersion="Automatic" sourceLanguage="Swift" userDefinedModelVersionIdentifier="">
            \(entities)
            </model>
            """
        let bundle = folder.file("Model-\(UUID().uuidString).xcdatamodel")
        defer { try? FileManager.default.removeItem(at: bundle) }
        try folder.write(text, to: "\(bundle.lastPathComponent)/contents")
        return try NSManagedObjectModel(validatingContentsOf: bundle)
    }

    /// Imports files that are written on the way: name → text.
    @discardableResult
    func run(_ files: KeyValuePairs<String, String>) throws -> ImportReport {
        try run(files.map { try folder.write($0.value, to: $0.key) })
    }

    /// Imports files.
    @discardableResult
    func run(_ files: [URL]) throws -> ImportReport {
        try Importer(model: model, storeURL: store).run(files)
    }

    /// The error that importing files ends with; nothing in the folder may change by it.
    func complaint(_ files: KeyValuePairs<String, String>, _ location: SourceLocation = #_sourceLocation) throws
        -> String
    {
        try complaint(files.map { try folder.write($0.value, to: $0.key) }, location)
    }

    /// The error that importing files ends with; nothing in the folder may change by it.
    func complaint(_ files: [URL], _ location: SourceLocation = #_sourceLocation) throws -> String {
        let before = content
        var text = "no error"
        do { try run(files) } catch let error as SourceError { text = error.description } catch {
            text = error.localizedDescription
        }
        if ProcessInfo.processInfo.environment["SHOW_COMPLAINTS"] != nil {
            print("\(location.fileID):\(location.line): \(text)")
        }
        let after = content
        #expect(after.keys.sorted() == before.keys.sorted(), "files came or went", sourceLocation: location)
        for (name, bytes) in before where after[name] != bytes {
            Issue.record("\(name) has changed", sourceLocation: location)
        }
        return text
    }

    /// The bytes of every file in the folder.
    private var content: [String: Data] {
        Dictionary(uniqueKeysWithValues: folder.names.map { ($0, (try? Data(contentsOf: folder.file($0))) ?? Data()) })
    }

    /// What a query finds in the store's file: a row a line, its values divided by `|`, `-` for NULL.
    func query(_ sql: String) throws -> [String] {
        let connection = try SQLiteConnection(store, .readOnly)
        let statement = try connection.statement(sql)
        var rows: [String] = []
        while try statement.step() {
            rows.append(
                (0..<statement.columnCount).map { statement.isNull($0) ? "-" : statement.string($0) }.joined(
                    separator: "|"))
        }
        return rows
    }

    /// A context over the store.
    func context() throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: store, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    /// All objects of an entity, sorted by a key.
    func objects(_ entity: String, by key: String, in context: NSManagedObjectContext) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
        return try context.fetch(request)
    }

    /// Fails unless the store is one sound file with a rollback journal and nothing lies beside it.
    func expectOneSoundFile(_ location: SourceLocation = #_sourceLocation) throws {
        let beside = folder.names.filter { $0.hasPrefix(store.lastPathComponent) }
        #expect(beside == [store.lastPathComponent], sourceLocation: location)
        let header = [UInt8](try Data(contentsOf: store).prefix(20))
        #expect(header[18] == 1 && header[19] == 1, "not in rollback-journal mode", sourceLocation: location)
        #expect(try query("PRAGMA integrity_check") == ["ok"], sourceLocation: location)
    }
}

/// The text of an entity.
func entity(
    _ name: String, _ properties: String..., parent: String? = nil, isAbstract: Bool = false, unique: [[String]] = []
) -> String {
    let constraints = unique.map { names in
        "<uniquenessConstraint>" + names.map { "<constraint value=\"\($0)\"/>" }.joined() + "</uniquenessConstraint>"
    }
    return """
        <entity name="\(name)" representedClassName="NSManagedObject" syncable="YES" \
        \(parent.map { "parentEntity=\"\($0)\"" } ?? "") \(isAbstract ? "isAbstract=\"YES\"" : "")>
        \(properties.joined(separator: "\n"))
        \(constraints.isEmpty ? "" : "<uniquenessConstraints>\(constraints.joined())</uniquenessConstraints>")
        </entity>
        """
}

/// The text of an attribute; optional unless `details` says otherwise.
func attribute(_ name: String, _ type: String = "String", _ details: String = "optional=\"YES\"") -> String {
    "<attribute name=\"\(name)\" attributeType=\"\(type)\" \(details)/>"
}

/// The text of a to-one relationship.
func toOne(_ name: String, _ destination: String, inverse: String?, isOptional: Bool = true) -> String {
    "<relationship name=\"\(name)\" \(isOptional ? "optional=\"YES\"" : "") maxCount=\"1\" deletionRule=\"Nullify\" "
        + "destinationEntity=\"\(destination)\""
        + (inverse.map { " inverseName=\"\($0)\" inverseEntity=\"\(destination)\"/>" } ?? "/>")
}

/// The text of a to-many relationship.
func toMany(_ name: String, _ destination: String, inverse: String, isOrdered: Bool = false) -> String {
    "<relationship name=\"\(name)\" optional=\"YES\" toMany=\"YES\" \(isOrdered ? "ordered=\"YES\"" : "") deletionRule=\"Nullify\" "
        + "destinationEntity=\"\(destination)\" inverseName=\"\(inverse)\" inverseEntity=\"\(destination)\"/>"
}
