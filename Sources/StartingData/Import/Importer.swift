import CoreData

/// Fills a store from files of data.
///
/// ```swift
/// let model = try NSManagedObjectModel(validatingContentsOf: URL(fileURLWithPath: "World.xcdatamodeld"))
/// let importer = Importer(model: model, storeURL: URL(fileURLWithPath: "World.sqlite"))
/// let report = try importer.run([URL(fileURLWithPath: "Country.plist"), URL(fileURLWithPath: "City.csv")])
/// ```
/// A file's name is its entity's; a header or key names an attribute, or a to-one relationship and the attribute by
/// which its object is found (`country.isoCode`). Files may come in any order. Rows go straight into the store's
/// tables, in one transaction: after an error the store is as it was, and one that was not there is not left behind.
public struct Importer {
    /// The model. Immutable from the first run on.
    public let model: NSManagedObjectModel
    /// The store; made where there is none.
    public let storeURL: URL

    /// Creates an importer; nothing is read or written yet.
    public init(model: NSManagedObjectModel, storeURL: URL) {
        self.model = model
        self.storeURL = storeURL
    }

    /// Reads files and writes their records.
    ///
    /// - Parameters:
    ///   - files: `.csv`, `.tsv`, `.json`, `.ndjson` and `.plist` files.
    ///   - progress: called now and then with the bytes read of all files, and their total where it is known. An error
    ///     that it throws ends the import, and the store stays as it was.
    /// - Returns: what was written.
    /// - Throws: `SourceError` for a file that is missing or wrong, with the place; `CocoaError` for a store that can't
    ///   be opened or written.
    public func run(_ files: [URL], progress: ((Int, Int?) throws -> Void)? = nil) throws -> ImportReport {
        let start = Date()
        let readers = try files.map { try openReader($0) }
        let writer = try SQLiteBulkWriter(model, url: storeURL)
        let session = ImportSession(writer, readers)
        var report = ImportReport()
        do {
            let total = readers.reduce(Int?.some(0)) { sum, reader in
                sum.flatMap { s in reader.bytesTotal.map { s + $0 } }
            }
            for (index, reader) in readers.enumerated() {
                let done = report.bytes
                try read(reader, of: files, index, session) { try progress?(done + $0, total) }
                report.bytes += reader.bytesTotal ?? reader.bytesRead
            }
            try session.finish()
        } catch {
            writer.cancel()
            throw writer.explained(error)
        }
        report.files = files.count
        report.entities = session.schema.entities.filter { session.counts[$0.number] > 0 }.map {
            ImportReport.Entity(name: $0.name, inserted: session.counts[$0.number])
        }
        report.warnings = session.warnings
        report.seconds = Date().timeIntervalSince(start)
        report.storeBytes = (try? FileManager.default.attributesOfItem(atPath: storeURL.path))?[.size] as? Int ?? 0
        return report
    }

    private func read(
        _ reader: any RecordReader, of files: [URL], _ index: Int, _ session: ImportSession,
        progress: (Int) throws -> Void
    ) throws {
        var imports: [String: EntityImport] = [:]
        let fileEntity = files[index].deletingPathExtension().lastPathComponent
        var current: (name: String, target: EntityImport)?
        var records = 0
        if reader.positionOfName(ofColumn: 0) != nil {
            let target = EntityImport(try entity(fileEntity, reader, session), session, reader, file: index)
            try target.checkHeader()
            imports[fileEntity] = target
        }
        while try reader.next() {
            let name = reader.entityName ?? fileEntity
            if current?.name != name {
                let target =
                    try imports[name] ?? EntityImport(entity(name, reader, session), session, reader, file: index)
                imports[name] = target
                current = (name, target)
            }
            try current?.target.importRecord()
            records += 1
            if records % 1024 == 0 { try progress(reader.bytesRead) }
        }
        try progress(reader.bytesRead)
    }

    private func entity(_ name: String, _ reader: any RecordReader, _ session: ImportSession) throws -> SQLEntity {
        guard let entity = session.schema.entities.first(where: { $0.name == name }) else {
            let known = session.schema.entities.map(\.name).joined(separator: ", ")
            throw SourceError(
                position: SourcePosition(file: reader.recordPosition.file),
                message: "'\(name)' is not an entity of the model, which has \(known)", value: name)
        }
        guard !entity.description.isAbstract else {
            throw SourceError(
                position: SourcePosition(file: reader.recordPosition.file),
                message: "'\(name)' is an abstract entity: it has no rows of its own", value: name)
        }
        return entity
    }
}
