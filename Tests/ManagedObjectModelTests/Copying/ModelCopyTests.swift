import FoundationSupplement
import TestSupport
import Testing

@testable import ManagedObjectModel

@Suite("A copy of a model")
struct ModelCopyTests {
    private static func copy(_ model: NSManagedObjectModel) throws -> NSManagedObjectModel {
        try #require(model.copy() as? NSManagedObjectModel)
    }

    @Test("says the same, in both forms of archives and as XML")
    func same() throws {
        let model = SampleModel.make()
        let copy = try Self.copy(model)
        for form in [ModelArchiveWriter.Form.compiled, .cache] {
            #expect(ModelArchiveWriter.archive(copy, form: form) == ModelArchiveWriter.archive(model, form: form))
        }
        #expect(ModelXMLWriter.write(copy).text == ModelXMLWriter.write(model).text)
        #expect(copy.versionChecksum == model.versionChecksum)
    }

    @Test("shares no description with the original, also not through relationships, indexes and requests")
    func apart() throws {
        let model = SampleModel.make()
        let copy = try Self.copy(model)
        var originals: Set<ObjectIdentifier> = []
        for entity in model.entities {
            originals.insert(ObjectIdentifier(entity))
            originals.formUnion(entity.declaredProperties.map(ObjectIdentifier.init))
        }
        for entity in copy.entities {
            #expect(entity.managedObjectModel === copy)
            var reached: [NSObject] = [entity] + entity.subentities + entity.declaredProperties
            reached += [entity.superentity].compactMap(\.self)
            reached += entity.indexes.flatMap { $0.elements.compactMap(\.property) }
            for case let relationship as NSRelationshipDescription in entity.declaredProperties {
                reached += [relationship.destinationEntity, relationship.inverseRelationship].compactMap(\.self)
            }
            for case let fetched as NSFetchedPropertyDescription in entity.declaredProperties {
                reached += [fetched.fetchRequest?.entity].compactMap(\.self)
            }
            #expect(reached.allSatisfy { !originals.contains(ObjectIdentifier($0)) }, "\(entity.name ?? "")")
        }
        for request in copy.fetchRequestTemplatesByName.values {
            #expect(request.entity.map { !originals.contains(ObjectIdentifier($0)) } ?? true)
        }
    }

    @Test("can be changed where the original is in use, and so can a copy of a template, an entity or a property")
    func changeable() throws {
        let model = SampleModel.make()
        model.freeze()
        let copy = try Self.copy(model)
        let city = try #require(copy.entitiesByName["City"])
        city.name = "Town"
        city.properties = []
        #expect(copy.entitiesByName["Town"]?.declaredProperties == [])
        #expect(model.entitiesByName["City"]?.declaredProperties.isEmpty == false)

        let entity = try #require(model.entitiesByName["City"]?.copy() as? NSEntityDescription)
        entity.isAbstract = true
        #expect(model.entitiesByName["City"]?.isAbstract == false)
        let attribute = try #require(model.entitiesByName["City"]?.properties.first?.copy() as? NSPropertyDescription)
        attribute.isOptional.toggle()
        let name = try #require(model.fetchRequestTemplatesByName.keys.sorted().first)
        let request = try #require(model.fetchRequestFromTemplate(withName: name, substitutionVariables: [:]))
        request.fetchLimit = 77
        #expect(model.fetchRequestTemplate(forName: name)?.fetchLimit != 77)
    }

    @Test("of an entity has copies of its own properties and no relatives")
    func entity() throws {
        let model = SampleModel.make()
        let original = try #require(model.entities.first { $0.superentity != nil })
        let copy = try #require(original.copy() as? NSEntityDescription)
        #expect(copy.superentity == nil && copy.subentities.isEmpty && copy.managedObjectModel == nil)
        #expect(copy.declaredProperties.map(\.name) == original.declaredProperties.map(\.name))
        #expect(copy.declaredProperties.allSatisfy { $0.entity === copy })
        #expect(zip(copy.declaredProperties, original.declaredProperties).allSatisfy { $0 !== $1 })
        #expect(copy.indexes.allSatisfy { $0.entity === copy })
    }

    @Test("of a property has its class and everything that it says")
    func properties() throws {
        for entity in SampleModel.make().entities {
            for property in entity.declaredProperties {
                let copy = try #require(property.copy() as? NSPropertyDescription)
                #expect(type(of: copy) == type(of: property))
                #expect(copy.entity == nil)
                #expect(copy.versionHash == property.versionHash && copy.name == property.name)
                let (attributes, expected) = (XcodeAttributes.of(copy).pairs, XcodeAttributes.of(property).pairs)
                // Whether an attribute has an index of its own is its entity's affair.
                #expect(attributes.filter { $0.key != "indexed" } == expected.filter { $0.key != "indexed" })
                #expect(copy.validationPredicates.count == property.validationPredicates.count)
            }
        }
    }

    @Test("of each model in public says the same", .enabled(if: Corpus.root != nil, "\(Corpus.absence)"))
    func corpus() throws {
        for entry in Corpus.entries("model-xml") {
            let model = try NSManagedObjectModel(
                validatingContentsOf: #require(entry.url).deletingLastPathComponent())
            #expect(ModelXMLWriter.write(try Self.copy(model)).text == ModelXMLWriter.write(model).text, "\(entry)")
        }
    }
}
