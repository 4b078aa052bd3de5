import Foundation
import TestSupport
import Testing

@testable import ManagedObjectModel

@Suite("A file that is no model")
struct ModelFileErrorTests {
    @Test(
        "is refused with the line and what is wrong",
        arguments: [
            ("<entity name=\"A\"><attribute name=\"x\" attributeType=\"Integer 128\"/></entity>", 3, "Integer 128"),
            (
                "<entity name=\"A\">\n<attribute name=\"x\" attributeType=\"String\"/>\n<attribute name=\"x\" attributeType=\"String\"/></entity>",
                5, "two properties named 'x'"
            ),
            ("<entity name=\"A\"/>\n<entity name=\"A\"/>", 4, "two entities named 'A'"),
            ("<entity name=\"A\" parentEntity=\"B\"/>", 3, "no entity named 'B'"),
            (
                "<entity name=\"A\" parentEntity=\"B\"/><entity name=\"B\" parentEntity=\"A\"/>", 3,
                "inherits from itself"
            ),
            ("<entity/>", 3, "has no 'name'"),
            (
                "<entity name=\"A\"><relationship name=\"r\" maxCount=\"1\" deletionRule=\"Nullify\" destinationEntity=\"B\"/></entity>",
                3, "no entity named 'B'"
            ),
            (
                "<entity name=\"A\"><relationship name=\"r\" maxCount=\"one\" deletionRule=\"Nullify\" destinationEntity=\"A\"/></entity>",
                3, "'one'"
            ),
            (
                "<entity name=\"A\"><relationship name=\"r\" maxCount=\"1\" deletionRule=\"Explode\" destinationEntity=\"A\"/></entity>",
                3, "Explode"
            ),
            (
                "<entity name=\"A\"><fetchIndex name=\"i\"><fetchIndexElement property=\"x\" type=\"Binary\"/></fetchIndex></entity>",
                3, "'x'"
            ),
            ("<fetchRequest name=\"f\" entity=\"A\" predicateString=\"x ==\"/><entity name=\"A\"/>", 3, "x =="),
            ("<entity name=\"A\"", 4, "not well-formed"),
        ])
    func xml(_ body: String, _ line: Int, _ reason: String) throws {
        let error = try #require(throws: ModelFileError.self) { try ModelFile.read(body) }
        #expect(error.line == line)
        #expect(error.description.contains(reason), "\(error)")
        #expect(error.description.contains("M.xcdatamodel/contents:\(line):"))
    }

    @Test("never has its entities expanded or its external entities read")
    func entities() throws {
        let bomb = """
            <?xml version="1.0"?>
            <!DOCTYPE model [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>
            <model><entity name="&b;&c;"/></model>
            """
        let folder = try TemporaryFolder()
        try folder.write(bomb, to: "M.xcdatamodel/contents")
        let error = try #require(throws: ModelFileError.self) {
            try NSManagedObjectModel(validatingContentsOf: folder.file("M.xcdatamodel"))
        }
        #expect(error.reason.contains("not allowed"))
    }

    @Test("with bytes that aren't UTF-8, in a name or a value, is refused")
    func encoding() throws {
        for text in ["<model><entity name=\"A\" in@x=\"b\"/></model>", "<model><entity name=\"A@\"/></model>"] {
            let folder = try TemporaryFolder()
            let url = try folder.write("", to: "M.xcdatamodel/contents")
            try Data(text.utf8.map { $0 == UInt8(ascii: "@") ? 0xf5 : $0 }).write(to: url)
            let error = try #require(throws: ModelFileError.self) {
                try NSManagedObjectModel(validatingContentsOf: folder.file("M.xcdatamodel"))
            }
            #expect(error.reason.contains("UTF-8"))
        }
    }

    @Test("is nil for the initialiser that Apple's framework has, and an error with its path for ours")
    func missing() throws {
        let folder = try TemporaryFolder()
        #expect(NSManagedObjectModel(contentsOf: folder.file("none.momd")) == nil)
        let error = try #require(throws: ModelFileError.self) {
            try NSManagedObjectModel(validatingContentsOf: folder.file("none.momd"))
        }
        #expect(error.path.hasSuffix("none.momd"))
        let text = try folder.write("hello", to: "text.mom")
        #expect(throws: ModelFileError.self) { try NSManagedObjectModel(validatingContentsOf: text) }
        #expect(throws: ModelFileError.self) { try NSManagedObjectModel(validatingContentsOf: folder.url) }
    }

    @Test("in Xcode's old binary form is named as such")
    func legacy() throws {
        let folder = try TemporaryFolder()
        try folder.write("bplist00", to: "M.xcdatamodel/elements")
        let error = try #require(throws: ModelFileError.self) {
            try NSManagedObjectModel(validatingContentsOf: folder.file("M.xcdatamodel"))
        }
        #expect(error.reason.contains("binary form"))
    }
}
