import CSQLite
import CZlib
import FoundationSupplement
import ManagedObjectModel

/// The bookkeeping of a store's file: metadata, the model it was made with, and the next keys.
package enum SQLStoreFile {
    /// The framework version whose stores we write: macOS 14's.
    static let frameworkVersion = 1344

    // MARK: Creating

    /// Makes the tables, and with `isIndexed` the indexes, of an empty store.
    package static func create(
        _ schema: SQLSchema, on connection: SQLiteConnection, identifier: String, isIndexed: Bool = true
    ) throws {
        try connection.transaction {
            for sql in isIndexed ? try schema.creationStatements() : schema.tableStatements() + SQLSchema.bookkeeping {
                try connection.execute(sql)
            }
            let entry = try connection.statement(
                "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, 0)")
            for entity in schema.entities {
                entry.bind(1, Int64(entity.number))
                entry.bind(2, entity.name)
                entry.bind(3, Int64(entity.description.superentity.flatMap(schema.entity)?.number ?? 0))
                try entry.run()
            }
            try write(metadata(of: schema.model), identifier: identifier, on: connection)
            let cache = try connection.statement("INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)")
            cache.bind(1, try Deflate.compress(ModelArchiveWriter.archive(schema.model, form: .cache)))
            try cache.run()
        }
    }

    /// The pragmas that must come before the first table.
    package static func prepareEmptyFile(_ connection: SQLiteConnection) throws {
        try connection.execute("PRAGMA page_size = 4096")
        try connection.execute("PRAGMA auto_vacuum = 2")
        try connection.execute("PRAGMA encoding = 'UTF-8'")
    }

    // MARK: Metadata

    package static func metadata(of model: NSManagedObjectModel) -> [String: Any] {
        let identifiers = model.versionIdentifiers.compactMap { $0.base as? String }.sorted()
        return [
            NSStoreTypeKey: NSSQLiteStoreType,
            "NSPersistenceFrameworkVersion": frameworkVersion,
            NSStoreModelVersionHashesKey: model.entityVersionHashesByName,
            "NSStoreModelVersionHashesVersion": 3,
            NSStoreModelVersionIdentifiersKey: identifiers,
            "NSStoreModelVersionHashesDigest": model.versionHashesDigest,
            NSPersistentStoreModelVersionChecksumKey: model.versionChecksum,
            "_NSAutoVacuumLevel": "2",
        ]
    }

    package static func write(_ metadata: [String: Any], identifier: String, on connection: SQLiteConnection) throws {
        var plist = metadata
        plist[NSStoreUUIDKey] = nil  // has a column of its own
        let data = try PropertyListSerialization.data(fromPropertyList: plist, format: .binary, options: 0)
        let statement = try connection.statement(
            "INSERT OR REPLACE INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ?, ?)")
        statement.bind(1, identifier)
        statement.bind(2, data)
        try statement.run()
    }

    /// The metadata of an open file, with the UUID among it.
    package static func metadata(on connection: SQLiteConnection) throws -> [String: Any] {
        guard try connection.tables().contains("Z_METADATA") else {
            throw CocoaError.store(.persistentStoreOpen, connection.url, "is a SQLite file, but not a Core Data store")
        }
        let statement = try connection.statement("SELECT Z_UUID, Z_PLIST FROM Z_METADATA")
        defer { statement.reset() }
        guard try statement.step() else {
            throw CocoaError.store(.persistentStoreOpen, connection.url, "has no metadata")
        }
        let data = statement.data(1)
        var metadata: [String: Any] = [:]
        if !data.isEmpty {
            let plist = try? PropertyListSerialization.propertyList(from: data, format: nil)
            guard let dictionary = plist as? [String: Any] else {
                throw CocoaError.store(.persistentStoreOpen, connection.url, "has metadata that can't be read")
            }
            metadata = dictionary
        }
        metadata[NSStoreUUIDKey] = statement.string(0)
        metadata[NSStoreTypeKey] = metadata[NSStoreTypeKey] ?? NSSQLiteStoreType
        return metadata
    }

    // MARK: The model in the store

    /// The model that the store was made with, from its model cache.
    ///
    /// - Throws: an error for a store without one: those written before 2015, or by tools.
    package static func model(on connection: SQLiteConnection) throws -> NSManagedObjectModel {
        guard try connection.tables().contains("Z_MODELCACHE") else {
            throw CocoaError.store(.persistentStoreOpen, connection.url, "keeps no model; give the model with --model")
        }
        let statement = try connection.statement("SELECT Z_CONTENT FROM Z_MODELCACHE")
        defer { statement.reset() }
        guard try statement.step(), !statement.isNull(0) else {
            throw CocoaError.store(.persistentStoreOpen, connection.url, "keeps no model; give the model with --model")
        }
        let archive: Data
        do {
            archive = try Deflate.expand(statement.data(0))
        } catch {
            throw CocoaError.store(.persistentStoreOpen, connection.url, "keeps a model that can't be read: \(error)")
        }
        return try ModelArchiveReader.read(archive, path: "\(connection.url.path) (model cache)")
    }

    // MARK: Opening

    /// Opens a file and makes sure that it is a SQLite file.
    package static func open(_ url: URL, _ mode: SQLiteConnection.Mode) throws -> SQLiteConnection {
        do {
            let connection = try SQLiteConnection(url, mode)
            if mode != .create { _ = try connection.int("SELECT COUNT(*) FROM sqlite_master") }
            return connection
        } catch let error as SQLiteError {
            if error.code == SQLITE_NOTADB {
                throw CocoaError.store(.fileReadCorruptFile, url, "is not a SQLite file")
            }
            throw error.cocoaError(error.code == SQLITE_CANTOPEN ? .fileReadNoSuchFile : .persistentStoreOpen, url: url)
        }
    }
}

/// Raw DEFLATE (RFC 1951), through zlib.
package enum Deflate {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    package static func compress(_ data: Data) throws -> Data {
        var stream = z_stream()
        guard
            deflateInit2_(
                &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { throw Failure(description: "zlib can't start") }
        defer { deflateEnd(&stream) }
        return try run(&stream, data, limit: .max) { deflate(&$0, Z_FINISH) }
    }

    /// - Parameter limit: the most bytes to make of the data; more is refused, so that a small file can't fill memory.
    package static func expand(_ data: Data, limit: Int = 256 << 20) throws -> Data {
        var stream = z_stream()
        guard inflateInit2_(&stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw Failure(description: "zlib can't start")
        }
        defer { inflateEnd(&stream) }
        return try run(&stream, data, limit: limit) { inflate(&$0, Z_NO_FLUSH) }
    }

    private static func run(
        _ stream: inout z_stream, _ input: Data, limit: Int, _ step: (inout z_stream) -> Int32
    ) throws -> Data {
        var input = [UInt8](input)
        var output = Data()
        var chunk = [UInt8](repeating: 0, count: 65536)
        return try input.withUnsafeMutableBufferPointer { source in
            stream.next_in = source.baseAddress
            stream.avail_in = UInt32(source.count)
            while true {
                let status = chunk.withUnsafeMutableBufferPointer { target in
                    stream.next_out = target.baseAddress
                    stream.avail_out = UInt32(target.count)
                    return step(&stream)
                }
                let made = chunk.count - Int(stream.avail_out)
                output.append(contentsOf: chunk[..<made])
                guard output.count <= limit else { throw Failure(description: "the data is too large") }
                if status == Z_STREAM_END { return output }
                guard status == Z_OK, made > 0 || stream.avail_in > 0 else {
                    throw Failure(description: "the data is damaged or cut off")
                }
            }
        }
    }
}
