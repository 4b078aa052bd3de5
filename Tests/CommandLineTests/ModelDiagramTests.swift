import CoreData
import FoundationXML
import TestSupport
import Testing

@Suite("coredata model diagram")
struct ModelDiagramTests {
    // MARK: Texts

    @Test("Graphviz's language: a relationship and its inverse are one line, from one to many")
    func dot() throws {
        let run = try Library().run("model", "diagram", "Library.xcdatamodel", "--format", "dot")
        #expect(run.status == 0, "\(run.error)")
        let arrows = run.lines.filter { $0.contains(" -> ") }.map { $0.trimmingCharacters(in: .whitespaces) }
        let ends = arrows.map { String($0.prefix { $0 != "[" }).trimmingCharacters(in: .whitespaces) }
        #expect(
            ends == [
                #""Work":entity -> "Book":entity"#, #""Author":r0 -> "Work":r0"#, #""Book":r0 -> "Copy":r0"#,
                #""Book":r1 -> "Book":entity"#,
            ])
        #expect(arrows[0].contains("arrowtail=onormal"))
        // At least one work, any number of authors.
        #expect(arrows[1].contains("arrowhead=crowtee, arrowtail=crowodot"))
        #expect(arrows[2].contains("arrowhead=crowodot, arrowtail=teetee"))
        #expect(arrows[3].contains("arrowhead=teeodot, arrowtail=none, style=dashed"))
    }

    @Test("Boxes have attributes with types and marks, relationships with destinations, numbers and delete rules")
    func boxes() throws {
        let text = try Library().run("model", "diagram", "Library.xcdatamodel", "--format", "dot").output
        let rows = text.split(separator: "\n").filter { $0.contains("<TR>") }.map { row in
            row.replacing(#/<[^>]*>/#, with: "|").replacing(#/\|+/#, with: "|")
                .replacing("&nbsp;", with: " ").trimmingCharacters(in: [" ", "|"])
        }
        for row in [
            "Work|abstract", "title|String|unique", "authors|  |Author ∗|  |ordered", "copyCount|Integer 64?|derived",
            "place|Composite?", "row|Integer 16?", "year|Date?|transient", "copies|  |Copy ∗|  |cascade",
            "sequel|  |Book?", "others|  |Book ∗|  |fetched", "works|  |Work 1–9|  |deny", "book|  |Book|  |no action",
        ] {
            #expect(rows.contains(row), "\(row) in \(rows)")
        }
        let short = try Library().run(
            "model", "diagram", "Library.xcdatamodel", "--format", "dot", "--without-attributes")
        #expect(!short.output.contains("copyCount") && short.output.contains("copies"))
    }

    @Test("Mermaid's language")
    func mermaid() throws {
        let run = try Library().run("model", "diagram", "Library.xcdatamodel", "--format", "mermaid")
        #expect(run.status == 0, "\(run.error)")
        #expect(run.lines.prefix(5) == ["---", "title: \"Library\"", "---", "classDiagram", "    direction LR"])
        let end = """
                class Note {
                    text : String?
                }
                class Work {
                    <<abstract>>
                    title : String unique
                }
                Work <|-- Book
                Author "0..*" -- "1..9" Work : works (deny) / authors (ordered)
                Book "1" -- "0..*" Copy : copies (cascade) / book (no action)
                Book ..> "0..1" Book : sequel

            """
        #expect(run.output.hasSuffix(end), "\(run.output)")
        #expect(run.lines.contains("        #nbsp;#nbsp;#nbsp;#nbsp;row : Integer 16?"))
    }

    @Test("Names that mean something to Mermaid are labels, in its codes")
    func mermaidNames() throws {
        let folder = try Self.folder(entities: ["note", "direction TB", "A\"]`{}~#;", "E1", "Größe"])
        let lines = try runTool(["model", "diagram", "A.xcdatamodel", "--format", "mermaid"], in: folder.url).lines
        let classes = lines.filter { $0.hasPrefix("    class ") }.map { $0.dropFirst(10) }
        #expect(
            classes == [
                "E1_[\"A#34;#93;#96;#123;#125;#126;#35;#59;\"]", "E2[\"direction#32;TB\"]", "E1", "E4[\"Größe\"]",
                "E5[\"note\"]",
            ])
    }

    private static func folder(entities names: [String]) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let entities = names.map { name in "<entity name=\"\(escaped(name))\"/>" }.joined()
        try folder.write("<model>\(entities)</model>", to: "A.xcdatamodel/contents")
        return folder
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }

    // MARK: Choosing entities

    @Test("Entities near one, by the number of lines between")
    func near() throws {
        let library = try Library()
        let shown = { (depth: String) in
            let run = try library.run(
                "model", "diagram", "Library.xcdatamodel", "--format", "mermaid", "--entity", "Copy", "--depth", depth)
            return run.lines.filter { $0.hasPrefix("    class ") }.map { $0.split(separator: " ")[1] }
        }
        #expect(try shown("0") == ["Copy"])
        #expect(try shown("1") == ["Book", "Copy"])
        #expect(try shown("2") == ["Book", "Copy", "Work"])
        #expect(try shown("1000") == ["Author", "Book", "Copy", "Work"])
        let wrong = try library.run("model", "diagram", "Library.xcdatamodel", "--entity", "Coppy")
        #expect(wrong.status == 64)
        #expect(wrong.firstErrorLine == "Error: There is no entity 'Coppy'; did you mean 'Copy'?")
        #expect(try library.run("model", "diagram", "Library.xcdatamodel", "--depth", "2").status == 64)
    }

    @Test("A store's picture is its model's")
    func ofStore() throws {
        let world = try World.withStore()
        let ofStore = try world.run("model", "diagram", "World.sqlite", "--format", "dot")
        #expect(ofStore.status == 0)
        #expect(try ofStore.output == world.run("model", "diagram", "World.xcdatamodel", "--format", "dot").output)
    }

    // MARK: Pictures

    private static let hasGraphviz = ProcessInfo.processInfo.environment["PATH", default: ""].split(separator: ":")
        .contains { FileManager.default.isExecutableFile(atPath: "\($0)/dot") }
    private static let absence: Comment = "Graphviz's 'dot' is not installed (apt-get install graphviz)"

    /// What an SVG shows: its title, its texts, and how many boxes and lines it has.
    private final class Picture: NSObject, XMLParserDelegate {
        var title: String?
        var texts: [String] = []
        var boxes = 0
        var lines = 0
        private var text = ""

        init(_ svg: Data) throws {
            super.init()
            let parser = XMLParser(data: svg)
            parser.delegate = self
            try #require(parser.parse(), "\(String(describing: parser.parserError))")
        }

        func parser(
            _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String] = [:]
        ) {
            text = ""
            guard element == "g" else { return }
            if attributes["class"] == "node" { boxes += 1 }
            if attributes["class"] == "edge" { lines += 1 }
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

        func parser(
            _ parser: XMLParser, didEndElement element: String, namespaceURI: String?, qualifiedName: String?
        ) {
            if element == "title", title == nil { title = text }
            if element == "text" { texts.append(text) }
        }
    }

    @Test(
        "SVG: well formed, with title, light paper, all boxes and lines; the same each time",
        .enabled(if: hasGraphviz, absence))
    func svg() throws {
        let library = try Library()
        let first = try library.run("model", "diagram", "Library.xcdatamodel")
        #expect(first.status == 0 && first.error.isEmpty, "\(first.error)")
        let picture = try Picture(Data(first.output.utf8))
        #expect(picture.title == "Library")
        #expect(picture.boxes == 5 && picture.lines == 4)
        for text in ["Library", "Work", "abstract", "copyCount", "Integer 64?", "Copy ∗", "cascade", "ordered"] {
            #expect(picture.texts.contains(text), "\(text)")
        }
        #expect(first.output.contains(" viewBox=") && first.output.contains("<polygon fill=\"#ffffff\""))
        #expect(try library.run("model", "diagram", "Library.xcdatamodel").output == first.output)
    }

    @Test("Names are shown as they are, whatever they are made of", .enabled(if: hasGraphviz, absence))
    func names() throws {
        let names = [
            "<b>&\"C'</b>", "{a|<f0> b}", "back\\slash\\", "\\N\\l", "日本 Größe", "a:b;c", "&amp;nbsp;", "<!--", "]]>",
            "%d",
            "node", "subgraph",
        ]
        let folder = try Self.folder(entities: names)
        let run = try runTool(["model", "diagram", "A.xcdatamodel"], in: folder.url)
        #expect(run.status == 0 && run.error.isEmpty, "\(run.error)")
        let picture = try Picture(Data(run.output.utf8))
        #expect(picture.boxes == names.count)
        for name in names { #expect(picture.texts.contains(name), "\(name) in \(picture.texts)") }
    }

    @Test("The file's name says what is written", .enabled(if: hasGraphviz, absence))
    func output() throws {
        let library = try Library()
        let starts = [
            "a.svg": Data("<?xml".utf8), "a.png": Data([0x89, 0x50, 0x4E, 0x47]), "a.gv": Data("digraph".utf8),
            "a.mmd": Data("---".utf8), "plain": Data("<?xml".utf8),
        ]
        for (name, start) in starts {
            let run = try library.run("model", "diagram", "Library.xcdatamodel", "--output", name)
            #expect(run.status == 0 && run.output.isEmpty, "\(run.error)")
            #expect(try Data(contentsOf: library.folder.file(name)).starts(with: start), "\(name)")
        }
        let device = try library.run("model", "diagram", "Library.xcdatamodel", "--output", "/dev/stdout")
        #expect(device.status == 0 && device.output.hasPrefix("<?xml"), "\(device.error)")
        let nowhere = try library.run("model", "diagram", "Library.xcdatamodel", "--output", "missing/a.svg")
        #expect(nowhere.status == 66)
    }

    // MARK: The program that draws

    /// Runs the tool with only a `dot` of the test's own, a shell script, to be found.
    private static func run(dot script: String?, _ library: Library, _ arguments: [String] = []) throws -> ToolRun {
        let programs = try TemporaryFolder()
        if let script {
            let url = try programs.write("#!/bin/sh\n\(script)\n", to: "dot")
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: url.path)
        }
        return try runTool(
            ["model", "diagram", "Library.xcdatamodel"] + arguments, in: library.folder.url,
            environment: ["PATH": programs.url.path])
    }

    @Test("Without Graphviz: how to get it; texts need none")
    func missing() throws {
        let library = try Library()
        let run = try Self.run(dot: nil, library)
        #expect(run.status == 66)
        #expect(run.output.isEmpty)
        #expect(
            run.firstErrorLine.contains("apt-get install graphviz") && run.firstErrorLine.contains("--format mermaid"))
        for format in ["dot", "mermaid"] {
            #expect(try Self.run(dot: nil, library, ["--format", format]).status == 0)
        }
    }

    @Test("A Graphviz that fails is quoted, and the file that was there stays")
    func failing() throws {
        let library = try Library()
        try library.folder.write("before", to: "a.svg")
        let run = try Self.run(dot: "echo 'Error: out of ink' >&2; exit 3", library, ["--output", "a.svg"])
        #expect(run.status == 70)
        #expect(run.firstErrorLine == "Error: Graphviz's 'dot' failed: Error: out of ink")
        #expect(try String(contentsOf: library.folder.file("a.svg"), encoding: .utf8) == "before")
        let silent = try Self.run(dot: "exit 0", library)
        #expect(silent.status == 70)
        let nonsense = try Self.run(dot: "echo no picture", library)
        #expect(nonsense.status == 70)
    }

    @Test("Neither side waits for the other, however much each writes, or reads")
    func pipes() throws {
        let library = try Library()
        let entities = (0..<3000).map { "<entity name=\"Entity\($0)\"/>" }.joined()
        try library.folder.write("<model>\(entities)</model>", to: "Library.xcdatamodel/contents")
        let many = "i=0; while [ $i -lt 3000 ]; do echo 'a line of text that fills the pipe'; i=$((i+1)); done"
        // What it says before it draws is shown only in part: the rest must not stop it.
        let chatty = try Self.run(dot: "\(many) >&2; exit 3", library)
        #expect(chatty.firstErrorLine == "Error: Graphviz's 'dot' failed: a line of text that fills the pipe")
        let hasty = try Self.run(dot: "echo '<svg >'; \(many); echo '</svg>'", library)
        #expect(hasty.status == 0, "\(hasty.error)")
        #expect(hasty.output.utf8.count > 100_000)
        let patient = try Self.run(dot: "while read -r line; do :; done; echo 'hm' >&2; echo '<svg ></svg>'", library)
        #expect(patient.status == 0 && patient.error == "dot: hm\n")
    }
}
