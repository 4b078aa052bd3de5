import FoundationSupplement
import TestSupport
import Testing

@testable import ManagedObjectModel

/// Files made to hurt their reader.
@Suite("A hostile model file")
struct HostileModelTests {
    private func error(_ body: String) throws -> ModelFileError {
        try #require(throws: ModelFileError.self) { try ModelFile.read(body) }
    }

    private func error(of data: Data, name: String) throws -> ModelFileError {
        let folder = try TemporaryFolder()
        try folder.write("", to: name)
        try data.write(to: folder.file(name))
        let url = name.hasSuffix("contents") ? folder.file(name).deletingLastPathComponent() : folder.file(name)
        return try #require(throws: ModelFileError.self) { try NSManagedObjectModel(validatingContentsOf: url) }
    }

    @Test("of a hundred megabytes is refused before it is read", arguments: ["M.xcdatamodel/contents", "M.mom"])
    func size(_ name: String) throws {
        let folder = try TemporaryFolder()
        let url = try folder.write("<model>", to: name)
        let file = try FileHandle(forWritingTo: url)
        try file.truncate(atOffset: 100 << 20)
        try file.close()
        let model = name.hasSuffix("contents") ? url.deletingLastPathComponent() : url
        let start = ContinuousClock.now
        let error = try #require(throws: ModelFileError.self) {
            try NSManagedObjectModel(validatingContentsOf: model)
        }
        #expect(error.reason.contains("100 MB"))
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    @Test("with a string of a megabyte is read: it is only a long name")
    func longString() throws {
        let name = String(repeating: "x", count: 1_000_000)
        let model = try ModelFile.read("<entity name=\"\(name)\"/>")
        #expect(model.entities.first?.name?.utf8.count == 1_000_000)
    }

    @Test("in an encoding that hides its entities is refused")
    func encodings() throws {
        let bomb = "<!DOCTYPE model [<!ENTITY a \"aaaa\">]><model><entity name=\"&a;\"/></model>"
        let utf16 = try #require(("<?xml version=\"1.0\"?>" + bomb).data(using: .utf16LittleEndian))
        #expect(try error(of: utf16, name: "M.xcdatamodel/contents").reason.contains("not UTF-8"))
        let utf7 = "<?xml version='1.0' encoding='UTF-7'?>+ADw-!DOCTYPE model+AD4-<model/>"
        #expect(try error(of: Data(utf7.utf8), name: "M.xcdatamodel/contents").reason.contains("'UTF-7'"))
        #expect(try error(of: Data(bomb.utf8), name: "M.xcdatamodel/contents").line == 1)
        let list = "<?xml version=\"1.0\"?><!DOCTYPE plist [<!ENTITY a \"aa\">]><plist><string>&a;</string></plist>"
        #expect(try error(of: Data(list.utf8), name: "M.mom").reason.contains("entity"))
        let broken = Data("<plist><dict><key>a".utf8) + [0xf5] + Data("</key></dict></plist>".utf8)
        #expect(try error(of: broken, name: "M.mom").reason.contains("UTF-8"))
    }

    @Test("with a long chain of inheritance is refused, as with a loop")
    func inheritance() throws {
        let chain = (0..<5_000).map { index in
            "<entity name=\"E\(index)\"" + (index > 0 ? " parentEntity=\"E\(index - 1)\"" : "") + "/>"
        }
        #expect(try error(chain.joined(separator: "\n")).reason.contains("inherits through too many"))
        let loop = "<entity name=\"A\" parentEntity=\"A\"/>"
        #expect(try error(loop).reason.contains("inherits from itself"))
    }

    @Test("with composites of composites without end is refused")
    func composites() throws {
        let attribute = { (name: String, composite: Int) in
            "<attribute name=\"\(name)\" attributeType=\"Composite\" composite=\"C\(composite)\"/>"
        }
        let bomb = (0..<15).map { index in
            "<composite name=\"C\(index)\">"
                + (0..<8).map { attribute("a\($0)", index + 1) }.joined() + "</composite>"
        }
        let last = "<composite name=\"C15\"><attribute name=\"x\" attributeType=\"String\"/></composite>"
        let entity = "<entity name=\"E\">\(attribute("c", 0))</entity>"
        #expect(try error(bomb.joined() + last + entity).reason.contains("composites are nested too deeply"))
        let loop = "<composite name=\"C0\">\(attribute("a", 0))</composite>"
        #expect(try error(loop + entity).reason.contains("contains itself"))
    }

    @Test("with too many or too deep elements is refused")
    func elements() throws {
        let deep = String(repeating: "<a>", count: 1_000) + String(repeating: "</a>", count: 1_000)
        #expect(try error(deep).reason.contains("nested too deeply"))
        #expect(try error(String(repeating: "<a/>", count: 300_000)).reason.contains("too many elements"))
    }

    @Test("with a predicate that is nested too deeply is refused")
    func predicate() throws {
        let text = String(repeating: "(", count: 100_000) + "x == 1" + String(repeating: ")", count: 100_000)
        let error = try error("<entity name=\"A\"/><fetchRequest name=\"f\" entity=\"A\" predicateString=\"\(text)\"/>")
        #expect(error.line == 3)
    }

    @Test("that is not closed, or is cut off anywhere, is refused with its path")
    func truncated() throws {
        let text = ModelFile.xml("<entity name=\"A\"><attribute name=\"x\" attributeType=\"String\"/></entity>")
        for length in stride(from: 0, to: text.utf8.count - 3, by: 7) {
            let error = try error(of: Data(text.utf8.prefix(length)), name: "M.xcdatamodel/contents")
            #expect(error.path.hasSuffix("M.xcdatamodel/contents"))
        }
    }

    @Test("that is a device, a pipe or a folder is refused")
    func special() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            at: folder.file("M.xcdatamodel/contents"), withIntermediateDirectories: true)
        mkfifo(folder.file("pipe.mom").path, 0o600)
        for name in ["M.xcdatamodel", "pipe.mom"] {
            #expect(throws: ModelFileError.self) {
                try NSManagedObjectModel(validatingContentsOf: folder.file(name))
            }
        }
        #expect(throws: ModelFileError.self) {
            try NSManagedObjectModel(validatingContentsOf: URL(fileURLWithPath: "/dev/zero"))
        }
    }

    // MARK: Bundles

    @Test(
        "for a bundle's versions is refused with its path",
        arguments: [
            "", "hello", "bplist00", "<plist><array/></plist>", "<plist><dict><key>a</key></dict></plist>",
            "<plist version=\"1.0\"><dict><key>_XCCurrentVersionName</key><string>../../x.xcdatamodel</string></dict></plist>",
            "<plist version=\"1.0\"><dict><key>NSManagedObjectModel_CurrentVersionName</key><string>x</string></dict></plist>",
        ])
    func bundles(_ list: String) throws {
        let folder = try TemporaryFolder()
        try folder.write(ModelFile.xml(""), to: "A.xcdatamodeld/A.xcdatamodel/contents")
        try folder.write(ModelFile.xml(""), to: "A.xcdatamodeld/B.xcdatamodel/contents")
        try folder.write(list, to: "A.xcdatamodeld/.xccurrentversion")
        try folder.write("", to: "A.momd/A.mom")
        try folder.write("", to: "A.momd/B.mom")
        try folder.write(list, to: "A.momd/VersionInfo.plist")
        for name in ["A.xcdatamodeld", "A.momd"] {
            let error = try #require(throws: ModelFileError.self) {
                try NSManagedObjectModel(validatingContentsOf: folder.file(name))
            }
            #expect(error.path.contains(name))
        }
    }

    @Test("in a form for others is named, with what to give instead")
    func forms() throws {
        #expect(try error(of: Data("momv2$xyz".utf8), name: "M.omo").reason.contains("give the .mom beside it"))
        #expect(try error(of: Data("SQLite format 3\0".utf8), name: "M.mom").reason.contains("is a store"))
        let archive = PropertyListValue.dictionary([
            "$top": .dictionary(["root": .uid(1)]),
            "$objects": .array([
                .string("$null"), .dictionary(["$class": .uid(2)]), .dictionary(["$classname": .string("XDPMModel")]),
            ]),
        ])
        let error = try error(of: BinaryPropertyList.write(archive), name: "elements.mom")
        #expect(error.reason.contains("before version 4") && error.reason.contains("open and save it in Xcode"))
    }
}
