import FoundationSupplement
import TestSupport
import Testing

@testable import ManagedObjectModel

/// Damaged models of all forms give an error or a model that can be used, whatever the damage. Real models are damaged
/// where there are any. A run is repeated with the seed that it prints, in `FUZZ_SEED`; with `SLOW_TESTS=1` each takes
/// twenty seconds.
@Suite("Damaged models")
struct ModelFuzzTests {
    private typealias Generator = ArchiveFuzzTests.Generator

    private static let isSlow = ProcessInfo.processInfo.environment["SLOW_TESTS"] == "1"

    private func fuzz(_ name: String, _ body: (inout ArchiveFuzzTests.Generator) -> Void) {
        let given = ProcessInfo.processInfo.environment["FUZZ_SEED"].flatMap { UInt64($0) }
        let first = given ?? UInt64.random(in: 0...999_999_999)
        let end = ContinuousClock.now + (Self.isSlow ? .seconds(20) : .milliseconds(400))
        var seed = first
        repeat {
            var generator = Generator(state: seed)
            body(&generator)
            seed += 1
        } while ContinuousClock.now < end
        print("\(name): \(seed - first) rounds from FUZZ_SEED=\(first)")
    }

    /// Uses a model as stores and the tool do. What was read from XML and written can be read again.
    private func expectErrorOrModel(_ place: String, _ read: () throws -> NSManagedObjectModel) {
        do {
            let model = try read()
            _ = model.versionChecksum
            _ = ModelArchiveWriter.archive(model, form: .cache)
            let copy = model.copy() as? NSManagedObjectModel
            let compiled = ModelArchiveWriter.archive(model, form: .compiled)
            #expect(copy.map { ModelArchiveWriter.archive($0, form: .compiled) } == compiled, "\(place)")
            let (text, omissions) = ModelXMLWriter.write(model)
            guard omissions.isEmpty, model.source.isOrdered else { return }
            let again = try ModelXMLReader.read(Data(text.utf8), path: "written")
            #expect(ModelXMLWriter.write(again).text == text, "\(place)")
        } catch {
            #expect((error as? ModelFileError).map { $0.path != "written" } ?? false, "\(place): \(error)")
        }
    }

    // MARK: XML

    private static let sources: [String] = {
        let real = Corpus.entries("model-xml").compactMap { entry in
            entry.url.flatMap { try? String(contentsOf: $0, encoding: .utf8) }
        }
        return real.filter { $0.utf8.count < 20_000 } + [ModelXMLWriter.write(SampleModel.make()).text]
    }()

    private static let values = [
        "", " ", "YES", "NO", "0", "1", "-1", "9223372036854775807", "9223372036854775808", "1e308", "nan", "x.@count",
        "name", "count:(x)", "SELF == 1", "$X", "((((", "\u{1F600}", "&amp;", "&#x10FFFF;", "&#1;", "&lol;", "a.b.c",
        "Composite", "Integer 64", "Date", "Transformable", "Undefined", "String", "RTree", "Deny", "../../etc",
    ]

    private static let elements = [
        "<entity name=\"Entity\"/>",
        "<composite name=\"C\"><attribute name=\"a\" attributeType=\"String\"/></composite>",
        "<userInfo><entry key=\"k\" value=\"v\"/></userInfo>", "<entity name=\"A\" parentEntity=\"A\"/>",
        "<!ENTITY a \"b\">",
        "<attribute name=\"a\" attributeType=\"Composite\" composite=\"C\"/>", "<![CDATA[x]]>", "<?x y?>", "<!-- x -->",
        "text",
    ]

    @Test("as XML, are refused or read")
    func xml() {
        fuzz("XML") { generator in
            let seed = generator.state
            let text = Self.sources.randomElement(using: &generator) ?? ""
            let damaged = Self.damageXML(text, &generator)
            expectErrorOrModel("seed \(seed)") { try ModelXMLReader.read(damaged, path: "contents") }
        }
    }

    private static func damageXML(_ text: String, _ generator: inout Generator) -> Data {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            let index = Int.random(in: 0..<lines.count, using: &generator)
            let other = Int.random(in: 0..<lines.count, using: &generator)
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: lines.insert(lines[other], at: index)
            case 1: lines.swapAt(index, other)
            case 2 where lines.count > 1: lines.remove(at: index)
            case 3: lines.insert(elements.randomElement(using: &generator) ?? "", at: index)
            default: lines[index] = damageValue(lines[index], among: lines[other], &generator)
            }
        }
        var bytes = Array(lines.joined(separator: "\n").utf8)
        if generator.next() % 8 == 0 {
            bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
        }
        if generator.next() % 16 == 0 { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &generator)) }
        return Data(bytes)
    }

    /// The line with one attribute's value, or name, replaced by a telling one, or by one of another line.
    private static func damageValue(_ line: String, among other: String, _ generator: inout Generator) -> String {
        var parts = line.components(separatedBy: "\"")
        guard parts.count > 2 else { return line }
        let index = Int.random(in: 0..<parts.count / 2, using: &generator) * 2 + 1
        let others = other.components(separatedBy: "\"")
        if generator.next() % 3 == 0, others.count > 2 {
            parts[index] = others[Int.random(in: 0..<others.count / 2, using: &generator) * 2 + 1]
        } else if generator.next() % 4 == 0, let names = XcodeAttributes.order["attribute"] {
            parts[index - 1] = " \(names.randomElement(using: &generator) ?? "x")="
        } else {
            parts[index] = values.randomElement(using: &generator) ?? ""
        }
        return parts.joined(separator: "\"")
    }

    // MARK: Archives and property lists

    private static let archives: [Data] = {
        let real = Corpus.entries("mom").compactMap { entry in entry.url.flatMap { try? Data(contentsOf: $0) } }
        return real.filter { $0.count < 20_000 } + [ModelArchiveWriter.archive(SampleModel.make(), form: .compiled)]
    }()

    private static func damageBytes(_ data: Data, _ generator: inout Generator) -> Data {
        var bytes = Array(data)
        for _ in 0..<Int.random(in: 1...6, using: &generator) where bytes.count > 1 {
            let index = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: bytes.removeSubrange(index..<min(bytes.count, index + 5))
            case 1: bytes.insert(contentsOf: bytes[index..<min(bytes.count, index + 9)], at: index)
            case 2: bytes.removeLast(min(bytes.count - 1, 40))
            default: bytes[index] = .random(in: 0...255, using: &generator)
            }
        }
        return Data(bytes)
    }

    @Test("as archives, are refused or read")
    func archives() {
        fuzz("archives") { generator in
            let seed = generator.state
            let damaged = Self.damageBytes(Self.archives.randomElement(using: &generator) ?? Data(), &generator)
            expectErrorOrModel("seed \(seed)") { try ModelArchiveReader.read(damaged, path: "damaged.mom") }
        }
    }

    @Test("with damaged property lists, are refused or read")
    func propertyLists() throws {
        let folder = try TemporaryFolder()
        try folder.write(ModelFile.xml("<entity name=\"A\"/>"), to: "A.xcdatamodeld/A.xcdatamodel/contents")
        try folder.write(ModelFile.xml("<entity name=\"B\"/>"), to: "A.xcdatamodeld/B.xcdatamodel/contents")
        let pointer = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><dict><key>_XCCurrentVersionName</key><string>A.xcdatamodel</string></dict></plist>
            """
        try folder.write(pointer, to: "A.xcdatamodeld/.xccurrentversion")
        try ModelBundle(contentsOf: folder.file("A.xcdatamodeld")).write(to: folder.file("A.momd"))
        let list = try Data(contentsOf: folder.file("A.momd/VersionInfo.plist"))
        fuzz("property lists") { generator in
            let seed = generator.state
            let isSource = generator.next() % 2 == 0
            let damaged = Self.damageBytes(isSource ? Data(pointer.utf8) : list, &generator)
            let file = folder.file(isSource ? "A.xcdatamodeld/.xccurrentversion" : "A.momd/VersionInfo.plist")
            expectErrorOrModel("seed \(seed)") {
                try damaged.write(to: file)
                return try NSManagedObjectModel(validatingContentsOf: file.deletingLastPathComponent())
            }
        }
    }
}
