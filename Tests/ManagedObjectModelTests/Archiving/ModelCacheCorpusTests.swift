import CoreData
import TestSupport
import Testing

@testable import ManagedObjectModel

/// The models that stores of other projects keep. CoreData is used to get at them.
@Suite("Model caches in public", .enabled(if: Corpus.root != nil, "\(Corpus.absence)"))
struct ModelCacheCorpusTests {
    /// The inflated model cache of a store, with what its log holds; nil for a store without one.
    private static func cache(_ entry: Corpus.Entry) throws -> Data? {
        let folder = try TemporaryFolder()
        let source = try #require(entry.url)
        try FileManager.default.copyItem(at: source, to: folder.file("real.sqlite"))
        if FileManager.default.fileExists(atPath: source.path + "-wal") {
            try FileManager.default.copyItem(atPath: source.path + "-wal", toPath: folder.file("real.sqlite-wal").path)
        }
        let connection = try SQLiteConnection(folder.file("real.sqlite"), .readWrite)
        guard try connection.tables().contains("Z_MODELCACHE") else { return nil }
        let statement = try connection.statement("SELECT Z_CONTENT FROM Z_MODELCACHE")
        defer { statement.reset() }
        guard try statement.step(), !statement.isNull(0) else { return nil }
        return try Deflate.expand(statement.data(0))
    }

    /// Frameworks older than macOS 10.13 have no descriptions of indexes, which ours gives for the same marks.
    private static func isOfNewerFramework(_ line: String) -> Bool {
        line.contains(" NSFetchIndexDescriptions: ") || line.contains(" NSCompoundIndexes: ")
    }

    @Test("are decoded, and encoded again to an equal model, which is key by key the same archive")
    func reencode() throws {
        var (decoded, same, without) = (0, 0, 0)
        for entry in Corpus.entries("store-sqlite") {
            guard let original = try Self.cache(entry) else {
                without += 1
                continue
            }
            let model = try ModelArchiveReader.read(original, path: "\(entry)")
            let archive = ModelArchiveWriter.archive(model, form: .cache)
            let again = try ModelArchiveReader.read(archive, path: "\(entry)")
            #expect(ModelArchiveWriter.archive(again, form: .cache) == archive, "\(entry)")
            #expect(ModelXMLWriter.write(again).text == ModelXMLWriter.write(model).text, "\(entry)")
            #expect(again.entityVersionHashesByName == model.entityVersionHashesByName, "\(entry)")
            decoded += 1
            let (mine, apple) = (try ArchiveFacts(archive, path: "mine"), try ArchiveFacts(original, path: "apple"))
            if mine.lines == apple.lines { same += 1; continue }
            let loose = try ArchiveFacts(archive, path: "mine", isLoose: true).lines
                .symmetricDifference(ArchiveFacts(original, path: "apple", isLoose: true).lines)
            let unexplained = loose.filter { !Self.isOfNewerFramework($0) }
            #expect(unexplained.sorted() == [], "\(entry)")
        }
        print(
            "model caches decoded and encoded to an equal model: \(decoded), of these key by key equal: \(same);"
                + " stores without: \(without)")
        #expect(decoded == 25 && same >= 10)
    }
}
