import Foundation
import TestSupport
import Testing

@testable import ManagedObjectModel

/// The models of other projects, read and written again.
@Suite("Models in public", .enabled(if: Corpus.root != nil, "\(Corpus.absence)"))
struct ModelXMLCorpusTests {
    static let sources = Corpus.entries("model-xml")

    /// Files in which Xcode wrote the root's attributes in another order, as it did before version 8, or that a tool or
    /// a person wrote with other white space: they say the same, but not in the same bytes.
    private static func isSpeltDifferently(_ text: String) -> Bool {
        text.contains("<model userDefinedModelVersionIdentifier=") || text.contains("<model name=")
            || !text.contains("lastSavedToolsVersion")
    }

    @Test("are all read")
    func read() throws {
        #expect(Self.sources.count >= 203)
        for source in Self.sources {
            _ = try NSManagedObjectModel(validatingContentsOf: #require(source.url).deletingLastPathComponent())
        }
        print("XML models read: \(Self.sources.count)")
    }

    @Test("say the same after being read and written, also in the same bytes unless Xcode itself wrote otherwise")
    func roundTrip() throws {
        var (sameBytes, others) = (0, 0)
        for source in Self.sources {
            let url = try #require(source.url)
            let original = try Data(contentsOf: url)
            let (text, omissions) = ModelXMLWriter.write(try ModelXMLReader.read(original, path: url.path))
            let written = try XMLFacts.lines(Data(text.utf8), path: "written")
            #expect(try written == XMLFacts.lines(original, path: url.path), "\(source)")
            #expect(omissions == [], "\(source)")
            if XMLFacts.text(original) == text { sameBytes += 1; continue }
            others += 1
            #expect(Self.isSpeltDifferently(XMLFacts.text(original)), "\(source)")
        }
        print("XML round trips equal: \(sameBytes + others), of these in the same bytes: \(sameBytes)")
    }

    @Test("compile to the same bytes after being read and written")
    func compile() throws {
        for source in Self.sources {
            let url = try #require(source.url)
            let model = try ModelXMLReader.read(Data(contentsOf: url), path: url.path)
            let again = try ModelXMLReader.read(Data(ModelXMLWriter.write(model).text.utf8), path: "written")
            let archive = ModelArchiveWriter.archive(model, form: .compiled)
            #expect(ModelArchiveWriter.archive(again, form: .compiled) == archive, "\(source)")
        }
    }

    @Test("become source again from their compiled form: what that compiles to is key by key the same")
    func decompile() throws {
        var count = 0
        for entry in Corpus.entries("mom") {
            let url = try #require(entry.url)
            let original = try Data(contentsOf: url)
            let (text, omissions) = ModelXMLWriter.write(try ModelArchiveReader.read(original, path: url.path))
            #expect(omissions == [], "\(entry)")
            let model = try ModelXMLReader.read(Data(text.utf8), path: "written")
            let compiled = try ArchiveFacts(ModelArchiveWriter.archive(model, form: .compiled), path: "mine").lines
            let expected = try ArchiveFacts(original, path: url.path).lines
            #expect(compiled.subtracting(expected).sorted() == [], "\(entry)")
            #expect(expected.subtracting(compiled).sorted() == [], "\(entry)")
            count += 1
        }
        print("compiled models made source and compiled again, equal key by key: \(count)")
    }
}
