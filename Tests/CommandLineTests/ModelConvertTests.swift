import CoreData
import TestSupport
import Testing

@Suite("coredata model convert")
struct ModelConvertTests {
    private func convert(_ input: String, _ output: String, _ more: String..., in world: World) throws -> ToolRun {
        try runTool(["model", "convert", input, "--output", output] + more, in: world.folder.url)
    }

    @Test("brings source back from compiled models and from stores; what it compiles to is the same")
    func back() throws {
        let world = try World.withStore()
        #expect(try convert("World.xcdatamodel", "World.mom", in: world).status == 0)
        #expect(try convert("World.xcdatamodel", "World.momd", in: world).status == 0)
        let compiled = try Data(contentsOf: world.folder.file("World.mom"))
        for (input, name) in [("World.mom", "A"), ("World.momd", "B"), ("World.sqlite", "C")] {
            let run = try convert(input, "\(name).xcdatamodeld", in: world)
            #expect(run.status == 0 && run.error == "", "\(input): \(run.error)")
            #expect(try convert("\(name).xcdatamodeld", "\(name).mom", in: world).status == 0)
            #expect(try Data(contentsOf: world.folder.file("\(name).mom")) == compiled, "\(input)")
        }
        let pointer = try String(contentsOf: world.folder.file("C.xcdatamodeld/.xccurrentversion"), encoding: .utf8)
        #expect(pointer.contains("<string>C.xcdatamodel</string>"))
    }

    @Test("keeps source as it is")
    func source() throws {
        let world = try World()
        #expect(try convert("World.xcdatamodel", "Copy.xcdatamodel", in: world).status == 0)
        let texts = try ["World", "Copy"].map { name in
            let text = try String(contentsOf: world.folder.file("\(name).xcdatamodel/contents"), encoding: .utf8)
            return text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
                .filter { $0.hasPrefix("<entity") || $0.hasPrefix("<attribute") || $0.hasPrefix("<relationship") }
                .sorted()
        }
        #expect(texts[0] == texts[1])
    }

    @Test("replaces source only when told to")
    func force() throws {
        let world = try World()
        #expect(try convert("World.xcdatamodel", "World.mom", in: world).status == 0)
        let before = try Data(contentsOf: world.folder.file("World.xcdatamodel/contents"))
        let run = try convert("World.mom", "World.xcdatamodel", in: world)
        #expect(run.status == 65)
        #expect(run.firstErrorLine.contains("--force"))
        #expect(try Data(contentsOf: world.folder.file("World.xcdatamodel/contents")) == before)
        #expect(try convert("World.mom", "World.xcdatamodel", "--force", in: world).status == 0)
        #expect(try Data(contentsOf: world.folder.file("World.xcdatamodel/contents")) != before)
    }

    @Test("warns of what source can't say")
    func warnings() throws {
        let world = try World()
        let model = try NSManagedObjectModel(validatingContentsOf: world.folder.file("World.xcdatamodel"))
        let name = try #require(model.entities.lazy.flatMap(\.declaredProperties).first)
        name.setValidationPredicates(
            [NSPredicate(format: "SELF != NULL")], withValidationWarnings: ["must be there"])
        try ModelBundle(name: "World", model: model).write(to: world.folder.file("World.mom"))
        let run = try convert("World.mom", "B.xcdatamodel", "--json", in: world)
        #expect(run.status == 0)
        #expect(run.firstErrorLine.hasPrefix("Warning: B.xcdatamodel: without validation predicates of "))
        let object = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
        #expect((object["warnings"] as? [String])?.count == 1)
    }

    @Test("says what is wrong with its input")
    func errors() throws {
        let world = try World()
        try world.folder.write("hello", to: "text.mom")
        try world.folder.write("momv2$xxxx", to: "fast.omo")
        let cases: [(String, String, Int32, String)] = [
            ("text.mom", "B.momd", 65, "is not a Core Data model"),
            ("fast.omo", "B.momd", 65, "give the .mom beside it"),
            ("none.mom", "B.momd", 66, "there is no such model"),
            ("World.xcdatamodel", "B.json", 64, "must end in"),
        ]
        for (input, output, status, message) in cases {
            let run = try convert(input, output, in: world)
            #expect(run.status == status, "\(input)")
            #expect(run.firstErrorLine.contains(message), "\(run.error)")
        }
    }
}
