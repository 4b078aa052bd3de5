import FoundationSupplement
import Testing

@testable import ManagedObjectModel

@Suite("A model written as XML")
struct ModelXMLWriterTests {
    private func reread(_ model: NSManagedObjectModel) throws -> (NSManagedObjectModel, [String], String) {
        let (text, omissions) = ModelXMLWriter.write(model)
        return (try ModelXMLReader.read(Data(text.utf8), path: "written"), omissions, text)
    }

    @Test("and read again is the same but for what is listed as left out")
    func sample() throws {
        let model = SampleModel.make()
        let (again, omissions, _) = try reread(model)
        #expect(
            omissions == [
                "the default value of 'City.photo'", "the default value of 'City.tags'",
                "validation predicates of 'Place.name'", "the sort descriptors of fetch request 'largeCities'",
                "the offset of fetch request 'largeCities'", "the properties to fetch of fetch request 'largeCities'",
                "the properties to group by of fetch request 'largeCities'",
                "the condition on groups of fetch request 'largeCities'",
                "the prefetched relationships of fetch request 'largeCities'", "1 more version identifiers",
            ])
        #expect(again.entityVersionHashesByName == model.entityVersionHashesByName)
        // What was left out is left out of the original, too.
        let city = try #require(model.entitiesByName["City"])
        for name in ["photo", "tags"] { city.attributesByName[name]?.defaultValue = nil }
        city.attributesByName["tags"]?.attributeValueClassName = nil  // for generated code alone
        (city.indexes[1].elements[0].property as? NSExpressionDescription)?.resultType = .undefined
        // As Apple prints it, too.
        city.indexes[1].partialIndexPredicate = NSPredicate(format: "isCapital == 1")
        let name = try #require(model.entitiesByName["Place"]?.attributesByName["name"])
        name.setValidation([name.validationPredicates[0]], warnings: [name.validationWarnings[0]])
        let request = try #require(model.fetchRequestTemplate(forName: "largeCities"))
        (request.sortDescriptors, request.fetchOffset, request.propertiesToFetch) = (nil, 0, nil)
        (request.propertiesToGroupBy, request.havingPredicate) = (nil, nil)
        request.relationshipKeyPathsForPrefetching = nil
        model.versionIdentifiers = ["1.2"]
        let (mine, expected) = try (
            ArchiveFacts(ModelArchiveWriter.archive(again, form: .compiled), path: "mine").lines,
            ArchiveFacts(ModelArchiveWriter.archive(model, form: .compiled), path: "expected").lines
        )
        #expect(mine.subtracting(expected).sorted() == [])
        #expect(expected.subtracting(mine).sorted() == [])
    }

    @Test("has entities and properties in the editor's order: by name, without regard to case")
    func order() throws {
        let model = NSManagedObjectModel()
        model.entities = ["b", "C", "a", "A"].map { name in
            let entity = NSEntityDescription()
            entity.name = name
            entity.properties = ["y", "X", "z"].map { name in
                let attribute = NSAttributeDescription()
                (attribute.name, attribute.type) = (name, .string)
                return attribute
            }
            return entity
        }
        let (again, _, _) = try reread(model)
        #expect(again.entities.map(\.name) == ["A", "a", "b", "C"])
        #expect(again.entities[0].declaredProperties.map(\.name) == ["X", "y", "z"])
    }

    @Test("keeps characters that XML gives a meaning, and notes those that it can't have")
    func escapes() throws {
        let entity = NSEntityDescription()
        entity.name = "A"
        entity.userInfo = ["k": "<a b=\"c\">&amp;'\n\r\t é 😀 \u{FEFF}"]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let (again, omissions, text) = try reread(model)
        #expect(again.entities[0].userInfo?["k"] as? String == entity.userInfo?["k"] as? String)
        #expect(omissions == [] && text.contains("&lt;a b=&quot;c&quot;&gt;&amp;amp;'&#10;&#13;&#9; é"))
        entity.userInfo = ["k": "a\u{1}b\u{ffff}", "n": 1]
        let (less, noted, _) = try reread(model)
        #expect(less.entities[0].userInfo?["k"] as? String == "ab")
        #expect(
            noted.sorted() == [
                "a control character", "a control character", "the user info 'n' of 'A', which is not a string",
            ])
    }

    @Test("keeps a value's spelling for as long as the value is the same")
    func spelling() throws {
        let model = try ModelFile.read(
            """
            <entity name="A" syncable="NO" codeGenerationType="class">
                <attribute name="flag" attributeType="Boolean" defaultValueString="0" usesScalarValueType="YES"/>
                <attribute name="count" attributeType="Integer 16" defaultValueString="0.0" newInXcode="x"/>
            </entity>
            """)
        let attributes = try #require(model.entities.first?.attributesByName)
        #expect(attributes["flag"]?.spelling["usesScalarValueType"] == "YES")
        #expect(ModelXMLWriter.write(model).text.contains("syncable=\"NO\" codeGenerationType=\"class\""))
        attributes["flag"]?.defaultValue = true
        let text = ModelXMLWriter.write(model).text
        #expect(text.contains("attributeType=\"Boolean\" defaultValueString=\"YES\" usesScalarValueType=\"YES\"/>"))
        #expect(text.contains("attributeType=\"Integer 16\" defaultValueString=\"0.0\" newInXcode=\"x\"/>"))
    }

    @Test("describes each composite once, and two of them where attributes of one name differ")
    func composites() throws {
        let model = try ModelFile.read(
            """
            <entity name="A"><attribute name="place" attributeType="Composite" composite="Point"/></entity>
            <entity name="B"><attribute name="place" attributeType="Composite" composite="Point"/></entity>
            <composite name="Point"><attribute name="x" attributeType="Double"/></composite>
            <composite name="Unused"><attribute name="y" attributeType="Double"/></composite>
            """)
        #expect(ModelXMLWriter.write(model).text.components(separatedBy: "<composite name=\"Point\">").count == 2)
        #expect(ModelXMLWriter.write(model).text.contains("<composite name=\"Unused\">"))
        let place = model.entities[1].attributesByName["place"] as? NSCompositeAttributeDescription
        place?.elements[0].isOptional = true
        let (again, _, text) = try reread(model)
        #expect(text.contains("<composite name=\"Point2\">"))
        let elements = again.entities.compactMap {
            ($0.attributesByName["place"] as? NSCompositeAttributeDescription)?.elements[0].isOptional
        }
        #expect(elements == [false, true])
    }
}
