import FoundationSupplement
import TestSupport
import Testing

@testable import ManagedObjectModel

@Suite("Merging models")
struct ModelMergingTests {
    private let person = "<entity name=\"Person\"><attribute name=\"name\" attributeType=\"String\"/></entity>"
    private let invoice = """
        <entity name="Invoice"><attribute name="total" attributeType="Decimal" defaultValueString="0"/></entity>
        <entity name="Reminder" parentEntity="Invoice"/>
        <configuration name="Local"><memberEntity name="Invoice"/></configuration>
        <fetchRequest name="all" entity="Invoice"/>
        """

    @Test("gives a model of copies of all entities, configurations and templates")
    func merged() throws {
        let (first, second) = (try ModelFile.read(person), try ModelFile.read(invoice))
        first.localizationDictionary = ["Entity/Person": "Mensch"]
        let model = try #require(NSManagedObjectModel(byMerging: [first, second]))
        #expect(model.entities.map(\.name) == ["Person", "Invoice", "Reminder"])
        #expect(model.entities(forConfigurationName: "Local")?.map(\.name) == ["Invoice"])
        #expect(model.fetchRequestTemplate(forName: "all")?.entity === model.entitiesByName["Invoice"])
        #expect(model.localizationDictionary == ["Entity/Person": "Mensch"])
        #expect(model.entitiesByName["Reminder"]?.superentity === model.entitiesByName["Invoice"])
        #expect(first.entities.count == 1 && second.entities.count == 2)
        #expect(model.entitiesByName["Person"] !== first.entitiesByName["Person"])
    }

    @Test("makes one of two entities that say the same, and leads relationships to it")
    func shared() throws {
        let more =
            person + "<entity name=\"Team\"><relationship name=\"members\" toMany=\"YES\" deletionRule=\"Nullify\""
            + " destinationEntity=\"Person\"/></entity><entity name=\"Child\" parentEntity=\"Person\"/>"
        let model = try #require(
            NSManagedObjectModel(byMerging: [try ModelFile.read(person), try ModelFile.read(more)]))
        #expect(model.entities.map(\.name) == ["Person", "Team", "Child"])
        let person = try #require(model.entitiesByName["Person"])
        #expect(model.entitiesByName["Team"]?.relationshipsByName["members"]?.destinationEntity === person)
        #expect(person.subentities.map(\.name) == ["Child"])
    }

    @Test("of nothing gives an empty model")
    func empty() throws {
        #expect(NSManagedObjectModel(byMerging: nil)?.entities == [])
        #expect(NSManagedObjectModel(byMerging: [])?.entities == [])
    }

    #if compiler(>=6.2)
    @Test("with different entities of one name stops the program with Apple's words")
    func conflict() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let text = "<entity name=\"Person\"><attribute name=\"name\" attributeType=\"String\"/></entity>"
            let other = "<entity name=\"Person\"><attribute name=\"age\" attributeType=\"Integer 16\"/></entity>"
            _ = NSManagedObjectModel(byMerging: [try ModelFile.read(text), try ModelFile.read(other)])
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("Can't merge models with two different entities named 'Person'"))
    }
    #endif

    // MARK: For a store

    private func metadata(_ model: NSManagedObjectModel) -> [String: Any] {
        ["NSStoreModelVersionHashes": model.entityVersionHashesByName]
    }

    @Test("for a store finds the version that it was made with")
    func store() throws {
        let first = try ModelFile.read(person + invoice)
        let second = try ModelFile.read(person + invoice.replacingOccurrences(of: "Decimal", with: "Double"))
        for version in [first, second] {
            let model = try #require(
                NSManagedObjectModel(byMerging: [first, second], forStoreMetadata: metadata(version)))
            #expect(model.entityVersionHashesByName == version.entityVersionHashesByName)
            #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata(version)))
        }
    }

    @Test("for a store takes entities from several models, and leaves out what the store doesn't have")
    func parts() throws {
        let models = [try ModelFile.read(person + "<entity name=\"Other\"/>"), try ModelFile.read(invoice)]
        let both = try #require(NSManagedObjectModel(byMerging: [try ModelFile.read(person), models[1]]))
        let found = try #require(NSManagedObjectModel(byMerging: models, forStoreMetadata: metadata(both)))
        #expect(Set(found.entities.compactMap(\.name)) == ["Person", "Invoice", "Reminder"])
    }

    @Test("for a store of one configuration keeps what its entities lead to")
    func configuration() throws {
        let team = "<entity name=\"Team\"><relationship name=\"boss\" maxCount=\"1\" deletionRule=\"Nullify\""
        let model = try ModelFile.read(person + team + " destinationEntity=\"Person\"/></entity>")
        let hash = try #require(model.entityVersionHashesByName["Team"])
        let found = try #require(
            NSManagedObjectModel(byMerging: [model], forStoreMetadata: ["NSStoreModelVersionHashes": ["Team": hash]]))
        #expect(Set(found.entities.compactMap(\.name)) == ["Person", "Team"])
        #expect(found.entitiesByName["Team"]?.relationshipsByName["boss"]?.destinationEntity != nil)
    }

    @Test("for a store that has other entities gives nil")
    func missing() throws {
        let model = try ModelFile.read(person)
        let hashes = ["Person": Data(repeating: 0, count: 32)]
        #expect(
            NSManagedObjectModel(byMerging: [model], forStoreMetadata: ["NSStoreModelVersionHashes": hashes]) == nil)
        #expect(NSManagedObjectModel(byMerging: [model], forStoreMetadata: [:]) == nil)
        #expect(NSManagedObjectModel(byMerging: [], forStoreMetadata: metadata(model)) == nil)
    }

    // MARK: Bundles

    @Test("from bundles finds models of all forms, and all versions for a store")
    func bundles() throws {
        let folder = try TemporaryFolder()
        let old = try ModelFile.read(invoice)
        let new = try ModelFile.read(invoice.replacingOccurrences(of: "Decimal", with: "Double"))
        try folder.write(ModelFile.xml(person), to: "App.bundle/Person.xcdatamodeld/Person.xcdatamodel/contents")
        let bundle = try #require(Bundle(path: folder.file("App.bundle").path))
        #expect(NSManagedObjectModel.mergedModel(from: [bundle])?.entities.map(\.name) == ["Person"])
        for (name, version) in [("Invoice", new), ("Invoice 0", old)] {
            try folder.write(
                ModelXMLWriter.write(version).text, to: "Invoice.xcdatamodeld/\(name).xcdatamodel/contents")
        }
        try folder.write(
            "<plist version=\"1.0\"><dict><key>_XCCurrentVersionName</key><string>Invoice.xcdatamodel</string></dict></plist>",
            to: "Invoice.xcdatamodeld/.xccurrentversion")
        try ModelBundle(contentsOf: folder.file("Invoice.xcdatamodeld")).write(
            to: folder.file("App.bundle/Invoice.momd"))
        let merged = try #require(NSManagedObjectModel.mergedModel(from: [bundle]))
        #expect(Set(merged.entities.compactMap(\.name)) == ["Person", "Invoice", "Reminder"])
        #expect(merged.entityVersionHashesByName["Invoice"] == new.entityVersionHashesByName["Invoice"])
        let found = NSManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: metadata(old))
        #expect(found?.entityVersionHashesByName == old.entityVersionHashesByName)
        #expect(NSManagedObjectModel.mergedModel(from: []) != nil)
    }
}
