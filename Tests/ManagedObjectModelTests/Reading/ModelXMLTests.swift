import Foundation
import TestSupport
import Testing

@testable import ManagedObjectModel

@Suite("A model in Xcode's XML")
struct ModelXMLTests {
    /// The error code of the first validation predicate that a value doesn't fulfil.
    static func brokenRule(_ attribute: NSAttributeDescription?, _ value: Any) -> Int? {
        guard let attribute else { return nil }
        return zip(attribute.validationPredicates, attribute.validationWarnings)
            .first { (try? $0.0.evaluateThrowing(with: value, variables: [:])) != true }
            .flatMap { ($0.1 as? NSNumber)?.intValue }
    }

    @Test("gives attributes with their types, optionality, defaults and limits")
    func attributes() throws {
        let model = try ModelFile.read(
            """
            <entity name="City" representedClassName="City" syncable="YES" codeGenerationType="class">
                <attribute name="name" attributeType="String" minValueString="2" defaultValueString="" regularExpressionString="[A-Z].*"/>
                <attribute name="population" optional="YES" attributeType="Integer 32" minValueString="0" defaultValueString="0.0" usesScalarValueType="YES"/>
                <attribute name="isCapital" attributeType="Boolean" defaultValueString="NO"/>
                <attribute name="area" attributeType="Decimal" defaultValueString="1.50"/>
                <attribute name="founded" optional="YES" attributeType="Date" defaultDateTimeInterval="-86400"/>
                <attribute name="cache" optional="YES" transient="YES"/>
                <attribute name="photo" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
                <userInfo><entry key="plural" value="Cities"/></userInfo>
            </entity>
            """)
        let city = try #require(model.entitiesByName["City"])
        let attributes = city.attributesByName
        #expect(city.managedObjectClassName == "City")
        #expect(city.userInfo?["plural"] as? String == "Cities")
        #expect(attributes["name"]?.isOptional == false)
        #expect(attributes["name"]?.defaultValue as? String == "")
        #expect(Self.brokenRule(attributes["name"], "x") == 1670)
        #expect(Self.brokenRule(attributes["name"], "Oslo") == nil)
        #expect(Self.brokenRule(attributes["name"], "oslo") == 1680)
        #expect(attributes["population"]?.type == .integer32)
        #expect((attributes["population"]?.defaultValue as? NSNumber)?.intValue == 0)
        #expect(Self.brokenRule(attributes["population"], NSNumber(value: -1)) == 1620)
        #expect((attributes["isCapital"]?.defaultValue as? NSNumber)?.boolValue == false)
        #expect((attributes["area"]?.defaultValue as? NSDecimalNumber)?.decimalValue == Decimal(string: "1.5"))
        #expect(attributes["founded"]?.defaultValue as? Date == Date(timeIntervalSinceReferenceDate: -86400))
        #expect(attributes["cache"]?.isTransient == true)
        #expect(attributes["cache"]?.type == .undefined)
        #expect(attributes["photo"]?.allowsExternalBinaryDataStorage == true)
    }

    @Test("ties relationships to their destinations and inverses, also inherited ones")
    func relationships() throws {
        let model = try ModelFile.read(
            """
            <entity name="Place" isAbstract="YES">
                <relationship name="country" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Country" inverseName="places" inverseEntity="Place"/>
            </entity>
            <entity name="City" parentEntity="Place"><attribute name="name" optional="YES" attributeType="String"/></entity>
            <entity name="Country">
                <relationship name="places" optional="YES" toMany="YES" deletionRule="Cascade" ordered="YES" destinationEntity="Place" inverseName="country" inverseEntity="Place"/>
                <relationship name="neighbours" optional="YES" toMany="YES" minCount="1" maxCount="10" deletionRule="Deny" destinationEntity="Country" inverseName="neighbours" inverseEntity="Country"/>
            </entity>
            """)
        let entities = model.entitiesByName
        let (city, place, country) = (entities["City"], entities["Place"], entities["Country"])
        #expect(city?.superentity === place)
        #expect(city?.propertiesByName.keys.sorted() == ["country", "name"])
        let toOne = try #require(city?.relationshipsByName["country"])
        #expect(toOne.isToMany == false)
        #expect(toOne.destinationEntity === country)
        #expect(toOne.inverseRelationship?.isToMany == true)
        #expect(toOne.inverseRelationship?.isOrdered == true)
        #expect(toOne.inverseRelationship?.deleteRule == .cascadeDeleteRule)
        #expect(toOne.inverseRelationship?.inverseRelationship === toOne)
        let neighbours = try #require(country?.relationshipsByName["neighbours"])
        #expect(neighbours.inverseRelationship === neighbours)
        #expect(neighbours.minCount == 1 && neighbours.maxCount == 10)
    }

    @Test("gives indexes, uniqueness constraints, configurations, requests and renaming identifiers")
    func theRest() throws {
        let model = try ModelFile.read(
            """
            <entity name="City" elementID="Town" versionHashModifier="2">
                <attribute name="name" optional="YES" attributeType="String" elementID="title"/>
                <attribute name="code" attributeType="String"/>
                <fetchIndex name="byName"><fetchIndexElement property="name" type="Binary" order="descending"/></fetchIndex>
                <uniquenessConstraints><uniquenessConstraint><constraint value="code"/><constraint value="name"/></uniquenessConstraint></uniquenessConstraints>
                <fetchedProperty name="namesakes" optional="YES"><fetchRequest name="fetchedPropertyFetchRequest" entity="City" predicateString="name == $FETCH_SOURCE.name"/></fetchedProperty>
            </entity>
            <configuration name="Local"><memberEntity name="City"/></configuration>
            <fetchRequest name="named" entity="City" predicateString="name == $NAME" fetchLimit="3"/>
            """)
        let city = try #require(model.entitiesByName["City"])
        #expect(city.renamingIdentifier == "Town")
        #expect(city.versionHashModifier == "2")
        #expect(city.attributesByName["name"]?.renamingIdentifier == "title")
        #expect(city.indexes.first?.name == "byName")
        #expect(city.indexes.first?.elements.first?.isAscending == false)
        #expect(city.uniquenessConstraintNames == [["code", "name"]])
        #expect(city.propertiesByName["namesakes"] is NSFetchedPropertyDescription)
        #expect(model.configurations == ["Local"])
        #expect(model.entities(forConfigurationName: "Local")?.map(\.name) == ["City"])
        #expect(model.entities(forConfigurationName: "Other") == nil)
        #expect(model.fetchRequestTemplate(forName: "named")?.fetchLimit == 3)
    }

    @Test("is found through the bundle's current version, or as the bundle's only version")
    func bundles() throws {
        let folder = try TemporaryFolder()
        try folder.write(ModelFile.xml("<entity name=\"A\"/>"), to: "M.xcdatamodeld/One.xcdatamodel/contents")
        let url = folder.file("M.xcdatamodeld")
        #expect(try NSManagedObjectModel(validatingContentsOf: url).entities.map(\.name) == ["A"])
        try folder.write(ModelFile.xml("<entity name=\"B\"/>"), to: "M.xcdatamodeld/Two.xcdatamodel/contents")
        #expect(throws: ModelFileError.self) { try NSManagedObjectModel(validatingContentsOf: url) }
        let plist = ["_XCCurrentVersionName": "Two.xcdatamodel"]
        try PropertyListSerialization.data(fromPropertyList: plist, format: .xml, options: 0)
            .write(to: url.appendingPathComponent(".xccurrentversion"))
        #expect(try NSManagedObjectModel(validatingContentsOf: url).entities.map(\.name) == ["B"])
    }

    @Test("of every project in the corpus is read", .enabled(if: Corpus.shared != nil, "\(Corpus.absence)"))
    func corpus() throws {
        let files = Corpus.entries("model-xml").compactMap(\.url)
        for file in files {
            #expect(throws: Never.self) {
                try NSManagedObjectModel(validatingContentsOf: file.deletingLastPathComponent())
            }
        }
        #expect(files.count == 203)
    }
}
