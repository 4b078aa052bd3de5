import CoreData
import TestSupport
import Testing

@Suite("coredata model describe")
struct ModelDescribeTests {
    private static func json(_ run: ToolRun) throws -> [String: Any] {
        #expect(run.status == 0, "\(run.error)")
        return try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    }

    private static func member(_ name: String, of list: Any?) throws -> [String: Any] {
        let members = try #require(list as? [[String: Any]])
        return try #require(members.first { $0["name"] as? String == name }, "\(name)")
    }

    @Test("JSON: the model as a whole")
    func wholeModel() throws {
        let library = try Library()
        let object = try Self.json(library.run("model", "describe", "Library.xcdatamodel", "--json"))
        #expect(object["versionIdentifiers"] as? [String] == ["two"])
        #expect(object["checksum"] as? String == library.model.versionChecksum)
        let configurations = try #require(object["configurations"] as? [[String: Any]])
        #expect(configurations.compactMap { $0["name"] as? String } == ["Private", "Public"])
        #expect(configurations.last?["entities"] as? [String] == ["Author", "Book", "Copy", "Work"])
        let request = try Self.member("longBooks", of: object["fetchRequestTemplates"])
        #expect(request["entity"] as? String == "Book")
        #expect(request["predicate"] as? String == "pages > 500")
        #expect(request["fetchLimit"] as? Int == 20)
        #expect(request["resultType"] as? String == "objects")
    }

    @Test("JSON: entities")
    func entities() throws {
        let library = try Library()
        let object = try Self.json(library.run("model", "describe", "Library.xcdatamodel", "--json"))
        let work = try Self.member("Work", of: object["entities"])
        #expect(work["isAbstract"] as? Bool == true)
        #expect(work["className"] as? String == "LibraryWork")
        #expect(work["renamingIdentifier"] as? String == "Opus")
        #expect(work["subentities"] as? [String] == ["Book"])
        #expect(work["uniquenessConstraints"] as? [[String]] == [["title"]])
        #expect(work["userInfo"] as? [String: String] == ["colour": "green"])
        let book = try Self.member("Book", of: object["entities"])
        #expect(book["superentity"] as? String == "Work")
        #expect(book["versionHashModifier"] as? String == "3")
        #expect(book["renamingIdentifier"] is NSNull)
        let index = try Self.member("byPages", of: book["indexes"])
        let element = try #require((index["elements"] as? [[String: Any]])?.first)
        #expect(element["element"] as? String == "pages" && element["ascending"] as? Bool == false)
        #expect(element["type"] as? String == "binary" && element["isExpression"] as? Bool == false)
        let hashes = library.model.entityVersionHashesByName
        let expected = try #require(hashes["Book"]).map { String(format: "%02x", $0) }.joined()
        #expect(book["versionHash"] as? String == expected)
    }

    @Test("JSON: attributes of each kind")
    func attributes() throws {
        let library = try Library()
        let object = try Self.json(library.run("model", "describe", "Library.xcdatamodel", "--json"))
        let book = try Self.member("Book", of: object["entities"])
        let attribute = { try Self.member($0, of: book["attributes"]) }
        #expect(try attribute("copyCount")["derivation"] as? String == "count:(copies)")
        #expect(try attribute("cover")["allowsExternalStorage"] as? Bool == true)
        #expect(try attribute("isLent")["defaultValue"] as? Bool == true)
        #expect(try attribute("isLent")["isOptional"] as? Bool == false)
        #expect(try attribute("pages")["defaultValue"] as? Int == 100)
        #expect(try attribute("pages")["type"] as? String == "Integer 32")
        #expect(try attribute("tags")["valueTransformer"] as? String == "NSSecureUnarchiveFromData")
        #expect(try attribute("year")["defaultValue"] as? String == "2001-01-01T00:00:00Z")
        #expect(try attribute("year")["isTransient"] as? Bool == true)
        let elements = try #require(try attribute("place")["elements"] as? [[String: Any]])
        #expect(elements.compactMap { $0["name"] as? String } == ["row", "side"])
        let title = try Self.member("title", of: Self.member("Work", of: object["entities"])["attributes"])
        let rules = try #require(title["validation"] as? [[String: Any]])
        #expect(rules.compactMap { $0["predicate"] as? String } == ["length >= 1", "SELF MATCHES \"[A-Z].*\""])
        #expect(rules.compactMap { $0["failure"] as? Int } == [1670, 1680])
        let number = try Self.member("number", of: Self.member("Copy", of: object["entities"])["attributes"])
        #expect(number["renamingIdentifier"] as? String == "serial")
    }

    @Test("JSON: relationships and fetched properties")
    func relationships() throws {
        let library = try Library()
        let object = try Self.json(library.run("model", "describe", "Library.xcdatamodel", "--json"))
        let author = try Self.member("Author", of: object["entities"])
        let works = try Self.member("works", of: author["relationships"])
        #expect(works["destination"] as? String == "Work" && works["inverse"] as? String == "authors")
        #expect(works["minCount"] as? Int == 1 && works["maxCount"] as? Int == 9)
        #expect(works["isToMany"] as? Bool == true && works["isOrdered"] as? Bool == false)
        #expect(works["deleteRule"] as? String == "deny")
        let book = try Self.member("Book", of: object["entities"])
        #expect(try Self.member("sequel", of: book["relationships"])["inverse"] is NSNull)
        let others = try Self.member("others", of: book["fetchedProperties"])
        let request = try #require(others["fetchRequest"] as? [String: Any])
        #expect(request["predicate"] as? String == "pages > $FETCH_SOURCE.pages")
    }

    @Test("What only compiled models say: requests in full, and which objects a derived attribute counts")
    func compiled() throws {
        let library = try Library()
        let count = library.model.entitiesByName["Book"]?.attributesByName["copyCount"]
        let derived = try #require(count as? NSDerivedAttributeDescription)
        derived.filteringPredicate = NSPredicate(format: "number > 3")
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = library.model.entitiesByName["Book"]
        request.sortDescriptors = [
            NSSortDescriptor(key: "title", ascending: false, selector: .caseInsensitiveCompare),
            NSSortDescriptor(key: "pages", ascending: true),
        ]
        request.fetchOffset = 2
        request.fetchBatchSize = 30
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["title", "pages"]
        request.propertiesToGroupBy = ["pages"]
        request.havingPredicate = NSPredicate(format: "pages > 1")
        request.relationshipKeyPathsForPrefetching = ["copies"]
        request.includesSubentities = false
        request.returnsDistinctResults = true
        library.model.setFetchRequestTemplate(request, forName: "all")
        try ModelArchiveWriter.archive(library.model, form: .compiled).write(to: library.folder.file("Library.mom"))
        let object = try Self.json(library.run("model", "describe", "Library.mom", "--json"))
        let book = try Self.member("Book", of: object["entities"])
        let copyCount = try Self.member("copyCount", of: book["attributes"])
        #expect(copyCount["derivationFilter"] as? String == "number > 3")
        let all = try Self.member("all", of: object["fetchRequestTemplates"])
        let sorts = try #require(all["sortDescriptors"] as? [[String: Any]])
        #expect(sorts.compactMap { $0["key"] as? String } == ["title", "pages"])
        #expect(sorts.compactMap { $0["ascending"] as? Bool } == [false, true])
        #expect(sorts.compactMap { $0["selector"] as? String } == ["caseInsensitiveCompare:", "compare:"])
        #expect(all["fetchOffset"] as? Int == 2 && all["fetchBatchSize"] as? Int == 30)
        #expect(all["propertiesToFetch"] as? [String] == ["title", "pages"])
        #expect(all["propertiesToGroupBy"] as? [String] == ["pages"])
        #expect(all["havingPredicate"] as? String == "pages > 1")
        #expect(all["prefetchedKeyPaths"] as? [String] == ["copies"])
        #expect(all["includesSubentities"] as? Bool == false && all["returnsDistinctResults"] as? Bool == true)
        let lines = try library.run("model", "describe", "Library.mom").lines
        #expect(lines.contains { $0.hasSuffix("derived from count:(copies) where number > 3") })
        for line in [
            "  Sorted by              -title, pages", "  Properties             title, pages",
            "  Result                 dictionaries", "  Sub-entities           left out",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
    }

    @Test("For people: tables without empty columns, and what few properties have in lines beneath")
    func text() throws {
        let lines = try Library().run("model", "describe", "Library.xcdatamodel").lines
        for line in [
            "Entity Work (abstract)", "Entity Book: Work", "  Index byPages          pages descending",
            "  Unique                 title", "  User info colour       green", "  Renamed from           Opus",
            "  copyCount  Integer 64     yes                             derived from count:(copies)",
            "    row      Integer 16     yes",
            "  title      String  no", "  works         Work         authors  1..9   deny",
            "  others            Book    predicate pages > $FETCH_SOURCE.pages",
            "  title must be          length >= 1 (else error 1670)", "  number renamed from    serial",
            "Fetch request longBooks", "  Limit                  20", "Configurations",
            "  Private                Note",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        #expect(lines.contains { $0.hasPrefix("  Relationship  Destination  Inverse  Count  Delete rule") })
    }

    @Test("Entities that are named are described alone")
    func named() throws {
        let library = try Library()
        let text = try library.run("model", "describe", "Library.xcdatamodel", "Note", "Copy")
        #expect(text.lines.filter { $0.hasPrefix("Entity ") } == ["Entity Copy", "Entity Note"])
        #expect(text.lines.contains("Entities  2 of 5"))
        #expect(!text.output.contains("Configurations"))
        let object = try Self.json(library.run("model", "describe", "Library.xcdatamodel", "Note", "--json"))
        #expect((object["entities"] as? [Any])?.count == 1)
        let wrong = try library.run("model", "describe", "Library.xcdatamodel", "Boook")
        #expect(wrong.status == 64)
        #expect(wrong.firstErrorLine == "Error: There is no entity 'Boook'; did you mean 'Book'?")
    }

    @Test("A store's own model, and one version of several, by path")
    func sources() throws {
        let world = try World.withStore()
        let store = try Self.json(world.run("model", "describe", "World.sqlite", "--json"))
        #expect(store["checksum"] as? String == world.model.versionChecksum)
        #expect((store["entities"] as? [Any])?.count == 4)
        let folder = try TemporaryFolder()
        for (name, entity) in [("V1", "Old"), ("V2", "New")] {
            try folder.write(
                "<model><entity name=\"\(entity)\"/></model>", to: "A.xcdatamodeld/\(name).xcdatamodel/contents")
        }
        let run = try runTool(["model", "describe", "A.xcdatamodeld/V1.xcdatamodel"], in: folder.url)
        #expect(run.lines.contains("Entity Old") && !run.lines.contains("Entity New"))
        #expect(try runTool(["model", "describe", "A.xcdatamodeld"], in: folder.url).status == 65)
        let missing = try runTool(["model", "describe", "B.momd"], in: folder.url)
        #expect(missing.status == 66)
        #expect(missing.firstErrorLine == "Error: B.momd: there is no such model or store")
    }

    @Test("Control characters never reach the terminal")
    func controlCharacters() throws {
        let folder = try TemporaryFolder()
        let entity =
            "<entity name=\"A&#9;&#133;B\"><userInfo><entry key=\"k&#10;\" value=\"&#13;v\"/></userInfo></entity>"
        try folder.write("<model>\(entity)</model>", to: "A.xcdatamodel/contents")
        let run = try runTool(["model", "describe", "A.xcdatamodel"], in: folder.url)
        #expect(run.status == 0)
        #expect(!run.output.unicodeScalars.contains { $0.properties.generalCategory == .control && $0 != "\n" })
        #expect(run.lines.contains("Entity A  B"))
    }
}
