import FoundationSupplement
import Testing

@testable import ManagedObjectModel

/// Models and descriptions in Foundation's archives.
@Suite("NSCoding")
struct ModelCodingTests {
    private func reread<Coded: NSObject & NSCoding>(_ object: Coded) throws -> Coded? {
        let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: false)
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        unarchiver.requiresSecureCoding = false
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        return unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey) as? Coded
    }

    @Test("keeps a model whole, with its localization")
    func model() throws {
        let model = SampleModel.make()
        model.localizationDictionary = ["Entity/City": "Stadt"]
        let again = try #require(try reread(model))
        #expect(
            ModelArchiveWriter.archive(again, form: .compiled) == ModelArchiveWriter.archive(model, form: .compiled))
        #expect(again.localizationDictionary == ["Entity/City": "Stadt"])
    }

    @Test("keeps an entity by itself, with what it inherits")
    func entity() throws {
        let model = SampleModel.make()
        for entity in model.entities {
            let again = try #require(try reread(entity))
            #expect(again.name == entity.name)
            #expect(Set(again.properties.map(\.name)) == Set(entity.properties.map(\.name)))
            #expect(again.uniquenessConstraintNames == entity.uniquenessConstraintNames)
            #expect(again.indexes.map(\.name) == entity.indexes.map(\.name))
            #expect(again.properties.allSatisfy { $0.entity === again })
        }
    }

    @Test("keeps each kind of property by itself")
    func properties() throws {
        for property in SampleModel.make().entities.flatMap(\.declaredProperties) {
            let again = try #require(try reread(property), "\(property.name)")
            #expect(type(of: again) == type(of: property))
            #expect(again.name == property.name)
            #expect(again.versionHash == property.versionHash, "\(property.name)")
        }
    }

    @Test("keeps indexes and their elements")
    func indexes() throws {
        for index in SampleModel.make().entities.flatMap(\.indexes) {
            let again = try #require(try reread(index))
            #expect(again.name == index.name)
            #expect(again.elements.map(\.propertyName) == index.elements.map(\.propertyName))
            #expect(again.elements.map(\.isAscending) == index.elements.map(\.isAscending))
            #expect(again.partialIndexPredicate?.formatText == index.partialIndexPredicate?.formatText)
            for element in index.elements {
                let single = try #require(try reread(element))
                #expect(single.propertyName == element.propertyName && single.collationType == element.collationType)
            }
        }
    }

    @Test("gives nil for an archive of something else")
    func damaged() throws {
        let archiver = NSKeyedArchiver(requiringSecureCoding: false)
        archiver.encode(NSNumber(value: 1), forKey: "x")
        archiver.finishEncoding()
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        #expect(NSManagedObjectModel(coder: unarchiver) == nil)
        #expect(NSEntityDescription(coder: unarchiver) == nil)
        #expect(NSAttributeDescription(coder: unarchiver) == nil)
        #expect(NSFetchIndexDescription(coder: unarchiver) == nil)
        #expect(NSFetchIndexElementDescription(coder: unarchiver) == nil)
    }

    @Test("of a property of another class gives nil")
    func otherClass() throws {
        let relationship = NSRelationshipDescription()
        relationship.name = "r"
        let archiver = NSKeyedArchiver(requiringSecureCoding: false)
        relationship.encode(with: archiver)
        archiver.finishEncoding()
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        unarchiver.requiresSecureCoding = false
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        #expect(NSRelationshipDescription(coder: unarchiver)?.name == "r")
        #expect(NSAttributeDescription(coder: unarchiver) == nil)
    }
}
