import FoundationSupplement
import TestSupport
import Testing

@testable import ManagedObjectModel

/// Compiled models that Apple's compiler made.
@Suite(.enabled(if: Corpus.root != nil, "\(Corpus.absence)"))
struct ArchiveCorpusTests {
    static let compiled = Corpus.entries("mom").compactMap(\.url)

    @Test func hasCompiledModels() {
        #expect(Self.compiled.count >= 14)
    }

    @Test(arguments: compiled)
    func givesTheHashesOfVersionInfo(_ file: URL) throws {
        let model = try ModelArchiveReader.read(Data(contentsOf: file), path: file.path)
        let info = file.deletingLastPathComponent().appendingPathComponent("VersionInfo.plist")
        guard let data = try? Data(contentsOf: info) else { return }  // a .mom without a bundle
        let plist = try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
        let versions = plist?["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]]
        let version = file.deletingPathExtension().lastPathComponent
        #expect(model.entityVersionHashesByName == versions?[version])
    }

    @Test(arguments: compiled)
    func isWrittenAsTheCompilerDid(_ file: URL) throws {
        let original = try Data(contentsOf: file)
        let model = try ModelArchiveReader.read(original, path: file.path)
        try expectEqual(ModelArchiveWriter.archive(model, form: .compiled), original, file)
    }

    @Test(arguments: compiled)
    func survivesBothForms(_ file: URL) throws {
        let model = try ModelArchiveReader.read(Data(contentsOf: file), path: file.path)
        for form in [ModelArchiveWriter.Form.compiled, .cache] {
            let archive = ModelArchiveWriter.archive(model, form: form)
            let again = try ModelArchiveReader.read(archive, path: file.path)
            #expect(ModelArchiveWriter.archive(again, form: form) == archive)
            #expect(again.entityVersionHashesByName == model.entityVersionHashesByName)
        }
    }

    @Test(arguments: compiled)
    func isWhatTheSourceCompilesTo(_ file: URL) throws {
        let source = try #require(Self.source(of: file))
        let model = try NSManagedObjectModel(validatingContentsOf: source)
        // Its source has a limit and a batch size that the compiled request lacks: it was edited since.
        let isStale = file.lastPathComponent == "Contacts.mom"
        if isStale { model.setFetchRequestTemplate(nil, forName: "fetchTheDucks") }
        let compiled = ModelArchiveWriter.archive(model, form: .compiled)
        try expectEqual(compiled, Data(contentsOf: file), file, except: isStale ? "NSFetchRequestTemplates" : nil)
    }

    /// The source with the same name in the bundle of the same name, or outside of one, in the same project.
    private static func source(of compiled: URL) -> URL? {
        guard let root = Corpus.root else { return nil }
        let version = compiled.deletingPathExtension().lastPathComponent + ".xcdatamodel"
        let bundle = compiled.deletingLastPathComponent()
        let place =
            bundle.pathExtension == "momd"
            ? "/" + bundle.deletingPathExtension().lastPathComponent + ".xcdatamodeld/" + version : "/" + version
        let project = compiled.path.dropFirst(root.path.count + 1).split(separator: "/").first.map(String.init) ?? ""
        return Corpus.entries("model-xml").compactMap(\.url).map { $0.deletingLastPathComponent() }
            .first { $0.path.hasSuffix(place) && $0.path.contains("/\(project)/") }
    }

    private func expectEqual(_ mine: Data, _ original: Data, _ file: URL, except key: String? = nil) throws {
        let mine = try ArchiveFacts(mine, path: "mine").lines
        let original = try ArchiveFacts(original, path: file.path).lines
        let isExcepted = { (line: String) in key.map { line.hasPrefix("model \($0)") } ?? false }
        #expect(mine.subtracting(original).filter { !isExcepted($0) }.sorted() == [])
        #expect(original.subtracting(mine).filter { !isExcepted($0) }.sorted() == [])
    }
}
