import FoundationSupplement
import TestSupport
import Testing

@testable import ManagedObjectModel

/// Bundles that Apple's compiler made, and what ours makes of the same source.
@Suite("Compiled bundles in public", .enabled(if: Corpus.root != nil, "\(Corpus.absence)"))
struct CompiledBundleCorpusTests {
    static let bundles = Set(
        Corpus.entries("mom").compactMap { $0.url?.deletingLastPathComponent() }
            .filter { $0.pathExtension == "momd" }
    ).sorted { $0.path < $1.path }

    /// Its source has one more version by now, which is current.
    private static let older = "XCServerCoreData.momd"

    /// The source bundle of the same name in the same project.
    private static func source(of bundle: URL) throws -> URL {
        let root = try #require(Corpus.root)
        let project = try #require(bundle.path.dropFirst(root.path.count + 1).split(separator: "/").first)
        let name = bundle.deletingPathExtension().lastPathComponent + ".xcdatamodeld"
        let bundles = Corpus.entries("model-xml").compactMap(\.url)
            .map { $0.deletingLastPathComponent().deletingLastPathComponent() }
        return try #require(
            bundles.first { $0.lastPathComponent == name && $0.path.contains("/\(project)/") }, "\(bundle)")
    }

    private static func info(_ bundle: URL) throws -> [String: PropertyListValue] {
        let data = try Data(contentsOf: bundle.appendingPathComponent("VersionInfo.plist"))
        return try #require(try BinaryPropertyList.read(data).dictionary)
    }

    @Test("have the names, hashes and checksums that ours has")
    func versionInfo() throws {
        #expect(Self.bundles.count == 4)
        let folder = try TemporaryFolder()
        for bundle in Self.bundles {
            let output = folder.file(bundle.lastPathComponent)
            try ModelBundle(contentsOf: Self.source(of: bundle)).write(to: output)
            let (mine, apple) = (try Self.info(output), try Self.info(bundle))
            let isOlder = bundle.lastPathComponent == Self.older
            for (key, value) in apple where !(isOlder && key == "NSManagedObjectModel_CurrentVersionName") {
                guard isOlder, let versions = value.dictionary else {
                    #expect(mine[key] == value, "\(key) of \(bundle.lastPathComponent)")
                    continue
                }
                #expect(mine[key]?.dictionary?.filter { versions[$0.key] != nil } == versions, "\(key)")
            }
            // Older compilers wrote no checksums.
            let more = Set(mine.keys).subtracting(apple.keys)
            #expect(more.isSubset(of: ["NSManagedObjectModel_VersionChecksums"]), "\(bundle.lastPathComponent)")
        }
        print("VersionInfo.plist equal: \(Self.bundles.count)")
    }

    @Test("have models that are key by key the same as ours")
    func models() throws {
        let folder = try TemporaryFolder()
        var count = 0
        for bundle in Self.bundles {
            let output = folder.file(bundle.lastPathComponent)
            try ModelBundle(contentsOf: Self.source(of: bundle)).write(to: output)
            let names = try FileManager.default.contentsOfDirectory(atPath: bundle.path).filter { $0.hasSuffix(".mom") }
            for name in names {
                let mine = try ArchiveFacts(Data(contentsOf: output.appendingPathComponent(name)), path: name).lines
                let apple = try ArchiveFacts(Data(contentsOf: bundle.appendingPathComponent(name)), path: name).lines
                #expect(mine.symmetricDifference(apple).sorted() == [], "\(name)")
                count += 1
            }
        }
        print("compiled models in bundles equal key by key: \(count)")
    }

    @Test("open as the version that they name, and have its checksum")
    func open() throws {
        for bundle in Self.bundles {
            let model = try NSManagedObjectModel(validatingContentsOf: bundle)
            let checksums = try NSManagedObjectModel.__checksumsForVersionedModel(at: bundle)
            #expect(checksums.values.contains(model.versionChecksum))
            if let recorded = try Self.info(bundle)["NSManagedObjectModel_VersionChecksums"]?.dictionary {
                #expect(checksums == recorded.compactMapValues(\.string))
            }
        }
    }
}
