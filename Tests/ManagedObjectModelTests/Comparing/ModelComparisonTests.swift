import Foundation
import FoundationSupplement
import TestSupport
import Testing

@testable import ManagedObjectModel

@Suite("What is different between two models")
struct ModelComparisonTests {
    static let body = """
        <entity name="City" representedClassName="City">
            <attribute name="name" attributeType="String"/>
            <attribute name="population" optional="YES" attributeType="Integer 32" defaultValueString="0"/>
            <attribute name="photo" optional="YES" attributeType="Binary"/>
            <attribute name="note" optional="YES" transient="YES" attributeType="String"/>
            <relationship name="country" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Country" inverseName="cities" inverseEntity="Country"/>
            <relationship name="twins" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="City" inverseName="twins" inverseEntity="City"/>
            <fetchedProperty name="namesakes" optional="YES"><fetchRequest name="fetchedPropertyFetchRequest" entity="City" predicateString="name == $FETCH_SOURCE.name"/></fetchedProperty>
        </entity>
        <entity name="Country">
            <attribute name="cityCount" optional="YES" attributeType="Integer 64" derived="YES" derivationExpression="cities.@count"/>
            <attribute name="code" optional="YES" attributeType="String"/>
            <relationship name="cities" optional="YES" toMany="YES" deletionRule="Deny" destinationEntity="City" inverseName="country" inverseEntity="City"/>
        </entity>
        <configuration name="Local"><memberEntity name="City"/></configuration>
        <fetchRequest name="all" entity="City"/>
        """

    /// A change of the model above: what it is about, and whether version hashes depend on it.
    struct Mutation: Sendable, CustomTestStringConvertible {
        let aspect: ModelAspect
        let altersVersionHash: Bool
        let change: @Sendable (Parts) throws -> Void
        var testDescription: String { aspect.rawValue }

        init(_ aspect: ModelAspect, _ alters: Bool, _ change: @escaping @Sendable (Parts) throws -> Void) {
            self.aspect = aspect
            altersVersionHash = alters
            self.change = change
        }
    }

    /// The parts of the model that mutations change.
    struct Parts {
        let model: NSManagedObjectModel
        let city: NSEntityDescription
        let country: NSEntityDescription
        let name: NSAttributeDescription
        let population: NSAttributeDescription
        let photo: NSAttributeDescription
        let note: NSAttributeDescription
        let toCountry: NSRelationshipDescription
        let cities: NSRelationshipDescription
        let twins: NSRelationshipDescription

        init(_ model: NSManagedObjectModel) throws {
            self.model = model
            city = try #require(model.entitiesByName["City"])
            country = try #require(model.entitiesByName["Country"])
            name = try #require(city.attributesByName["name"])
            population = try #require(city.attributesByName["population"])
            photo = try #require(city.attributesByName["photo"])
            note = try #require(city.attributesByName["note"])
            toCountry = try #require(city.relationshipsByName["country"])
            cities = try #require(country.relationshipsByName["cities"])
            twins = try #require(city.relationshipsByName["twins"])
        }
    }

    static let mutations: [Mutation] = [
        Mutation(.className, false) { $0.city.managedObjectClassName = "Town" },
        Mutation(.abstract, true) { $0.city.isAbstract = true },
        Mutation(.versionHashModifier, true) { $0.city.versionHashModifier = "2" },
        Mutation(.renamingIdentifier, false) { $0.city.renamingIdentifier = "Town" },
        Mutation(.userInfo, false) { $0.city.userInfo = ["key": "value"] },
        Mutation(.uniquenessConstraint, true) { $0.city.uniquenessConstraints = [["name"]] },
        Mutation(.fetchIndex, false) { parts in
            let element = NSFetchIndexElementDescription(property: parts.name, collationType: .binary)
            parts.city.indexes = [NSFetchIndexDescription(name: "byName", elements: [element])]
        },
        Mutation(.compoundIndex, false) { $0.city.compoundIndexNames = [["name", "population"]] },
        Mutation(.optional, true) { $0.name.isOptional = true },
        Mutation(.optional, false) { $0.note.isOptional = false },
        Mutation(.transient, true) { $0.name.isTransient = true },
        Mutation(.transient, true) { $0.note.isTransient = false },
        Mutation(.versionHashModifier, true) { $0.name.versionHashModifier = "2" },
        Mutation(.versionHashModifier, false) { $0.note.versionHashModifier = "2" },
        Mutation(.renamingIdentifier, false) { $0.name.renamingIdentifier = "title" },
        Mutation(.userInfo, false) { $0.name.userInfo = ["key": "value"] },
        Mutation(.validation, false) { parts in
            parts.name.setValidation([try NSPredicate(validating: "length > 2")], warnings: [])
        },
        Mutation(.indexed, false) { $0.name.isIndexedByAttribute = true },
        Mutation(.spotlight, false) { $0.name.isIndexedBySpotlight = true },
        Mutation(.type, true) { $0.population.attributeType = .integer64AttributeType },
        Mutation(.type, false) { $0.note.attributeType = .dateAttributeType },
        Mutation(.defaultValue, false) { $0.population.defaultValue = NSNumber(value: 1) },
        Mutation(.defaultValue, false) { $0.population.defaultValue = nil },
        Mutation(.transformer, false) { $0.photo.valueTransformerName = "T" },
        Mutation(.valueClass, false) { $0.photo.attributeValueClassName = "NSImage" },
        Mutation(.externalStorage, true) { $0.photo.allowsExternalBinaryDataStorage = true },
        Mutation(.preservedAfterDeletion, true) { $0.photo.preservesValueInHistoryOnDeletion = true },
        Mutation(.cloudEncryption, false) { $0.photo.allowsCloudEncryption = true },
        Mutation(.derivation, true) { parts in
            let count = parts.country.attributesByName["cityCount"] as? NSDerivedAttributeDescription
            count?.derivationExpression = try FoundationSupplement.NSExpression(validating: "code")
        },
        Mutation(.optional, false) { $0.country.attributesByName["cityCount"]?.isOptional = false },
        Mutation(.destination, true) { $0.toCountry.destinationEntity = $0.city },
        Mutation(.inverse, true) { parts in
            parts.cities.inverseRelationship = nil
            parts.cities.inverseRelationshipName = nil
        },
        // A relationship that is its own inverse has the hash of one without.
        Mutation(.inverse, false) { parts in
            parts.twins.inverseRelationship = nil
            parts.twins.inverseRelationshipName = nil
        },
        Mutation(.maximumCount, true) { $0.cities.maxCount = 5 },
        Mutation(.minimumCount, true) { $0.cities.minCount = 1 },
        Mutation(.ordered, true) { $0.cities.isOrdered = true },
        Mutation(.deleteRule, false) { $0.cities.deleteRule = .cascadeDeleteRule },
        Mutation(.request, false) { parts in
            let fetched = parts.city.propertiesByName["namesakes"] as? NSFetchedPropertyDescription
            fetched?.fetchRequest?.fetchLimit = 1
        },
        Mutation(.fetchRequest, false) { $0.model.fetchRequestTemplate(forName: "all")?.fetchLimit = 3 },
        Mutation(.configuration, false) { $0.model.setEntities([$0.country], forConfigurationName: "Local") },
        Mutation(.versionIdentifiers, false) { $0.model.versionIdentifiers = ["2"] },
    ]

    @Test("is found aspect by aspect, with whether version hashes depend on it", arguments: mutations)
    func aspects(_ mutation: Mutation) throws {
        let (old, new) = (try ModelFile.read(Self.body), try ModelFile.read(Self.body))
        try mutation.change(Parts(new))
        for (from, to) in [(old, new), (new, old)] {
            let comparison = ModelComparison(from: from, to: to)
            let all =
                comparison.changes + comparison.entities.flatMap(\.changes)
                + comparison.entities.flatMap(\.properties).flatMap(\.changes)
            #expect(all.map(\.aspect) == [mutation.aspect])
            #expect(all.map(\.altersVersionHash) == [mutation.altersVersionHash])
            #expect(comparison.altersVersionHashes == mutation.altersVersionHash)
            #expect((from.entityVersionHashesByName != to.entityVersionHashesByName) == mutation.altersVersionHash)
            #expect(!comparison.isSame)
        }
    }

    @Test("is nothing between two readings of a model")
    func same() throws {
        let comparison = ModelComparison(from: try ModelFile.read(Self.body), to: try ModelFile.read(Self.body))
        #expect(comparison.isSame)
        #expect(!comparison.altersVersionHashes)
        #expect(comparison.entities.map(\.name) == ["City", "Country"])
    }

    @Test("tells what was added, removed and renamed")
    func names() throws {
        let old = try ModelFile.read(
            """
            <entity name="A"><attribute name="x" optional="YES" attributeType="String"/><attribute name="y" optional="YES" attributeType="String"/></entity>
            <entity name="Gone"/>
            """)
        let new = try ModelFile.read(
            """
            <entity name="B" elementID="A"><attribute name="z" optional="YES" attributeType="String" elementID="x"/><attribute name="x" optional="YES" attributeType="Date"/></entity>
            <entity name="New"/>
            """)
        let comparison = ModelComparison(from: old, to: new)
        #expect(comparison.entities.map(\.name) == ["B", "Gone", "New"])
        #expect(comparison.entities.map(\.formerName) == ["A", nil, nil])
        #expect(comparison.entities[1].destination == nil && comparison.entities[2].source == nil)
        let properties = comparison.entities[0].properties
        // The new property took the name of the renamed one.
        #expect(properties.map(\.name) == ["x", "y", "z"])
        #expect(properties.map(\.formerName) == [nil, nil, "x"])
        #expect(properties[0].source == nil && properties[1].destination == nil)
    }

    @Test("is matched by canonical names over several versions, and through swapped names")
    func renaming() {
        func match(_ old: [(String, String)], _ new: [(String, String)]) -> [String] {
            RenamingMatch(old, new, name: \.0, identifier: \.1).pairs.map { "\($0.source.0)→\($0.destination.0)" }
        }
        // V3 keeps the identifier that V2 had, or names V2 itself.
        #expect(match([("b", "a")], [("c", "a")]) == ["b→c"])
        #expect(match([("b", "a")], [("c", "b")]) == ["b→c"])
        #expect(match([("a", "a"), ("b", "b")], [("a", "b"), ("b", "a")]) == ["b→a", "a→b"])
        // An entity that takes the name of one that stays under another name.
        #expect(match([("Asset", "Asset"), ("Generic", "Generic")], [("Asset", "Generic")]) == ["Generic→Asset"])
        #expect(match([("a", "a")], [("b", "b")]) == [])
    }

    @Test("of a super-entity alters the hashes of its sub-entities, which say why")
    func inheritance() throws {
        let text = """
            <entity name="Place"><attribute name="name" optional="YES" attributeType="String"/></entity>
            <entity name="City" parentEntity="Place"/>
            """
        let new = try ModelFile.read(text.replacingOccurrences(of: "optional=\"YES\"", with: ""))
        let entities = ModelComparison(from: try ModelFile.read(text), to: new).entities
        #expect(entities.map(\.name) == ["City", "Place"])
        #expect(entities.map(\.altersVersionHash) == [true, true])
        #expect(entities.map(\.inheritsAlteration) == [true, false])
        #expect(entities.map(\.isSame) == [true, false])
    }

    @Test("that moves a property into the super-entity alters the hash through the super-entity alone")
    func movedUp() throws {
        let property = "<attribute name=\"name\" optional=\"YES\" attributeType=\"String\"/>"
        let old = try ModelFile.read("<entity name=\"P\"/><entity name=\"C\" parentEntity=\"P\">\(property)</entity>")
        let new = try ModelFile.read("<entity name=\"P\">\(property)</entity><entity name=\"C\" parentEntity=\"P\"/>")
        let entities = ModelComparison(from: old, to: new).entities
        #expect(entities[0].properties.map(\.altersVersionHash) == [false])
        #expect(entities[0].alterations.properties.isEmpty && entities[0].inheritsAlteration)
        #expect(entities[1].properties.map(\.altersVersionHash) == [true])
    }

    @Test("of composite attributes is told element by element")
    func composites() throws {
        func model(_ type: String, _ value: String) throws -> NSManagedObjectModel {
            try ModelFile.read(
                """
                <entity name="A"><attribute name="p" optional="YES" attributeType="Composite" composite="Point"/></entity>
                <composite name="Point"><attribute name="x" optional="YES" attributeType="\(type)" defaultValueString="\(value)"/></composite>
                """)
        }
        func change(_ old: NSManagedObjectModel, _ new: NSManagedObjectModel) throws -> ModelChange {
            let property = try #require(ModelComparison(from: old, to: new).entities[0].properties.first)
            #expect(property.altersVersionHash == property.changes.contains(where: \.altersVersionHash))
            return try #require(property.changes.first)
        }
        let type = try change(try model("Double", "0"), try model("Float", "0"))
        #expect(type.aspect == .element && type.key == "x" && type.altersVersionHash)
        let value = try change(try model("Double", "0"), try model("Double", "1"))
        #expect(value.aspect == .element && !value.altersVersionHash)
        #expect(
            value.words == "element 'x' changed from Double, optional, default 0.0 to Double, optional, default 1.0")
    }

    @Test("is said in words")
    func words() throws {
        let (old, new) = (try ModelFile.read(Self.body), try ModelFile.read(Self.body))
        let parts = try Parts(new)
        parts.population.attributeType = .integer64AttributeType
        parts.population.defaultValue = nil
        parts.name.versionHashModifier = "2"
        parts.city.userInfo = ["plural": "Cities"]
        let city = ModelComparison(from: old, to: new).entities[0]
        #expect(city.changes.map(\.words) == ["user info 'plural' was added: 'Cities'"])
        #expect(
            city.properties.flatMap(\.changes).map(\.words) == [
                "version hash modifier is now '2'", "type changed from Integer 32 to Integer 64",
                "default value was removed: 0",
            ])
        #expect(parts.toCountry.summary == "to-one Country, inverse 'cities', optional")
        #expect(parts.note.summary == "String, optional, transient")
    }

    /// The versions of each bundle in the corpus, in the order of names.
    static let chains: [[URL]] = {
        let versions = Corpus.entries("model-xml").compactMap { $0.url?.deletingLastPathComponent() }
        return Dictionary(grouping: versions) { $0.deletingLastPathComponent() }.values.filter { $0.count > 1 }
            .map { $0.sorted { $0.path < $1.path } }
    }()

    @Test(
        "explains each hash that differs between versions in the corpus, and nothing else",
        .enabled(if: !chains.isEmpty, "\(Corpus.absence)"))
    func corpus() throws {
        var count = 0
        for chain in Self.chains {
            let models = try chain.map { try NSManagedObjectModel(validatingContentsOf: $0) }
            for (old, new) in zip(models, models.dropFirst()) {
                for pair in ModelComparison(from: old, to: new).entities {
                    guard let source = pair.source, let destination = pair.destination else { continue }
                    count += 1
                    #expect(pair.altersVersionHash == (source.versionHash != destination.versionHash))
                    let (changes, properties) = pair.alterations
                    let isExplained =
                        !changes.isEmpty || !properties.isEmpty || pair.formerName != nil || pair.inheritsAlteration
                    #expect(pair.altersVersionHash == isExplained, "\(chain[0].path) \(pair.name)")
                    for property in pair.properties where property.source != nil && property.destination != nil {
                        let isSaid = property.changes.contains(where: \.altersVersionHash) || property.formerName != nil
                        #expect(!property.altersVersionHash || isSaid, "\(pair.name).\(property.name)")
                        if property.formerName == nil { #expect(property.altersVersionHash == isSaid) }
                    }
                }
            }
        }
        #expect(count > 300)
    }
}
