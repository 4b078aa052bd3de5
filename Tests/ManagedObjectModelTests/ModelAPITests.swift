import Foundation
import FoundationSupplement
import ManagedObjectModel
import Testing

private typealias NSExpression = FoundationSupplement.NSExpression

/// The public names of the model's classes, with the types that Apple's framework has; what is missing doesn't compile.
@Suite("The model's API")
struct ModelAPITests {
    @Test("has Apple's properties, which can be set where Apple's can")
    func properties() {
        let paths: [AnyKeyPath] = [
            \NSAttributeDescription.allowsCloudEncryption as ReferenceWritableKeyPath<NSAttributeDescription, Bool>,
            \NSAttributeDescription.allowsExternalBinaryDataStorage
                as ReferenceWritableKeyPath<NSAttributeDescription, Bool>,
            \NSAttributeDescription.attributeType as ReferenceWritableKeyPath<NSAttributeDescription, NSAttributeType>,
            \NSAttributeDescription.attributeValueClassName
                as ReferenceWritableKeyPath<NSAttributeDescription, String?>,
            \NSAttributeDescription.defaultValue as ReferenceWritableKeyPath<NSAttributeDescription, Any?>,
            \NSAttributeDescription.preservesValueInHistoryOnDeletion
                as ReferenceWritableKeyPath<NSAttributeDescription, Bool>,
            \NSAttributeDescription.type
                as ReferenceWritableKeyPath<NSAttributeDescription, NSAttributeDescription.AttributeType>,
            \NSAttributeDescription.valueTransformerName as ReferenceWritableKeyPath<NSAttributeDescription, String?>,
            \NSAttributeDescription.versionHash as KeyPath<NSAttributeDescription, Data>,
            \NSCompositeAttributeDescription.elements
                as ReferenceWritableKeyPath<NSCompositeAttributeDescription, [NSAttributeDescription]>,
            \NSDerivedAttributeDescription.derivationExpression
                as ReferenceWritableKeyPath<NSDerivedAttributeDescription, NSExpression?>,
            \NSEntityDescription.managedObjectModel as KeyPath<NSEntityDescription, NSManagedObjectModel?>,
            \NSEntityDescription.superentity as KeyPath<NSEntityDescription, NSEntityDescription?>,
            \NSEntityDescription.attributesByName as KeyPath<NSEntityDescription, [String: NSAttributeDescription]>,
            \NSEntityDescription.indexes as ReferenceWritableKeyPath<NSEntityDescription, [NSFetchIndexDescription]>,
            \NSEntityDescription.isAbstract as ReferenceWritableKeyPath<NSEntityDescription, Bool>,
            \NSEntityDescription.managedObjectClassName as ReferenceWritableKeyPath<NSEntityDescription, String?>,
            \NSEntityDescription.name as ReferenceWritableKeyPath<NSEntityDescription, String?>,
            \NSEntityDescription.properties as ReferenceWritableKeyPath<NSEntityDescription, [NSPropertyDescription]>,
            \NSEntityDescription.propertiesByName as KeyPath<NSEntityDescription, [String: NSPropertyDescription]>,
            \NSEntityDescription.relationshipsByName
                as KeyPath<NSEntityDescription, [String: NSRelationshipDescription]>,
            \NSEntityDescription.renamingIdentifier as ReferenceWritableKeyPath<NSEntityDescription, String?>,
            \NSEntityDescription.subentities as ReferenceWritableKeyPath<NSEntityDescription, [NSEntityDescription]>,
            \NSEntityDescription.subentitiesByName as KeyPath<NSEntityDescription, [String: NSEntityDescription]>,
            \NSEntityDescription.uniquenessConstraints as ReferenceWritableKeyPath<NSEntityDescription, [[Any]]>,
            \NSEntityDescription.userInfo as ReferenceWritableKeyPath<NSEntityDescription, [AnyHashable: Any]?>,
            \NSEntityDescription.versionHash as KeyPath<NSEntityDescription, Data>,
            \NSEntityDescription.versionHashModifier as ReferenceWritableKeyPath<NSEntityDescription, String?>,
            \NSExpressionDescription.expression as ReferenceWritableKeyPath<NSExpressionDescription, NSExpression?>,
            \NSExpressionDescription.expressionResultType
                as ReferenceWritableKeyPath<NSExpressionDescription, NSAttributeType>,
            \NSExpressionDescription.resultType
                as ReferenceWritableKeyPath<NSExpressionDescription, NSAttributeDescription.AttributeType>,
            \NSFetchIndexDescription.partialIndexPredicate
                as ReferenceWritableKeyPath<NSFetchIndexDescription, NSPredicate?>,
            \NSFetchIndexDescription.entity as KeyPath<NSFetchIndexDescription, NSEntityDescription?>,
            \NSFetchIndexDescription.elements
                as ReferenceWritableKeyPath<NSFetchIndexDescription, [NSFetchIndexElementDescription]>,
            \NSFetchIndexDescription.name as ReferenceWritableKeyPath<NSFetchIndexDescription, String>,
            \NSFetchIndexElementDescription.indexDescription
                as KeyPath<NSFetchIndexElementDescription, NSFetchIndexDescription?>,
            \NSFetchIndexElementDescription.collationType
                as ReferenceWritableKeyPath<NSFetchIndexElementDescription, NSFetchIndexElementType>,
            \NSFetchIndexElementDescription.isAscending
                as ReferenceWritableKeyPath<NSFetchIndexElementDescription, Bool>,
            \NSFetchIndexElementDescription.property as KeyPath<NSFetchIndexElementDescription, NSPropertyDescription?>,
            \NSFetchIndexElementDescription.propertyName as KeyPath<NSFetchIndexElementDescription, String?>,
            \NSFetchedPropertyDescription.fetchRequest
                as ReferenceWritableKeyPath<NSFetchedPropertyDescription, NSFetchRequest<any NSFetchRequestResult>?>,
            \NSManagedObjectModel.configurations as KeyPath<NSManagedObjectModel, [String]>,
            \NSManagedObjectModel.entities as ReferenceWritableKeyPath<NSManagedObjectModel, [NSEntityDescription]>,
            \NSManagedObjectModel.entitiesByName as KeyPath<NSManagedObjectModel, [String: NSEntityDescription]>,
            \NSManagedObjectModel.entityVersionHashesByName as KeyPath<NSManagedObjectModel, [String: Data]>,
            \NSManagedObjectModel.fetchRequestTemplatesByName
                as KeyPath<NSManagedObjectModel, [String: NSFetchRequest<any NSFetchRequestResult>]>,
            \NSManagedObjectModel.localizationDictionary
                as ReferenceWritableKeyPath<NSManagedObjectModel, [String: String]?>,
            \NSManagedObjectModel.versionChecksum as KeyPath<NSManagedObjectModel, String>,
            \NSManagedObjectModel.versionIdentifiers
                as ReferenceWritableKeyPath<NSManagedObjectModel, Set<AnyHashable>>,
            \NSPropertyDescription.entity as KeyPath<NSPropertyDescription, NSEntityDescription?>,
            \NSPropertyDescription.isIndexedBySpotlight as ReferenceWritableKeyPath<NSPropertyDescription, Bool>,
            \NSPropertyDescription.isOptional as ReferenceWritableKeyPath<NSPropertyDescription, Bool>,
            \NSPropertyDescription.isTransient as ReferenceWritableKeyPath<NSPropertyDescription, Bool>,
            \NSPropertyDescription.name as ReferenceWritableKeyPath<NSPropertyDescription, String>,
            \NSPropertyDescription.renamingIdentifier as ReferenceWritableKeyPath<NSPropertyDescription, String?>,
            \NSPropertyDescription.userInfo as ReferenceWritableKeyPath<NSPropertyDescription, [AnyHashable: Any]?>,
            \NSPropertyDescription.validationPredicates as KeyPath<NSPropertyDescription, [NSPredicate]>,
            \NSPropertyDescription.validationWarnings as KeyPath<NSPropertyDescription, [Any]>,
            \NSPropertyDescription.versionHash as KeyPath<NSPropertyDescription, Data>,
            \NSPropertyDescription.versionHashModifier as ReferenceWritableKeyPath<NSPropertyDescription, String?>,
            \NSRelationshipDescription.destinationEntity
                as ReferenceWritableKeyPath<NSRelationshipDescription, NSEntityDescription?>,
            \NSRelationshipDescription.inverseRelationship
                as ReferenceWritableKeyPath<NSRelationshipDescription, NSRelationshipDescription?>,
            \NSRelationshipDescription.deleteRule as ReferenceWritableKeyPath<NSRelationshipDescription, NSDeleteRule>,
            \NSRelationshipDescription.isOrdered as ReferenceWritableKeyPath<NSRelationshipDescription, Bool>,
            \NSRelationshipDescription.isToMany as KeyPath<NSRelationshipDescription, Bool>,
            \NSRelationshipDescription.maxCount as ReferenceWritableKeyPath<NSRelationshipDescription, Int>,
            \NSRelationshipDescription.minCount as ReferenceWritableKeyPath<NSRelationshipDescription, Int>,
            \NSRelationshipDescription.versionHash as KeyPath<NSRelationshipDescription, Data>,
        ]
        #expect(Set(paths).count == 68)
    }

    @Test("has Apple's numbers")
    func numbers() {
        #expect(NSAttributeDescription.AttributeType.binaryData.rawValue.rawValue == 1000)
        #expect(NSAttributeDescription.AttributeType.boolean.rawValue.rawValue == 800)
        #expect(NSAttributeDescription.AttributeType.composite.rawValue.rawValue == 2100)
        #expect(NSAttributeDescription.AttributeType.date.rawValue.rawValue == 900)
        #expect(NSAttributeDescription.AttributeType.decimal.rawValue.rawValue == 400)
        #expect(NSAttributeDescription.AttributeType.double.rawValue.rawValue == 500)
        #expect(NSAttributeDescription.AttributeType.float.rawValue.rawValue == 600)
        #expect(NSAttributeDescription.AttributeType.integer16.rawValue.rawValue == 100)
        #expect(NSAttributeDescription.AttributeType.integer32.rawValue.rawValue == 200)
        #expect(NSAttributeDescription.AttributeType.integer64.rawValue.rawValue == 300)
        #expect(NSAttributeDescription.AttributeType.objectID.rawValue.rawValue == 2000)
        #expect(NSAttributeDescription.AttributeType.string.rawValue.rawValue == 700)
        #expect(NSAttributeDescription.AttributeType.transformable.rawValue.rawValue == 1800)
        #expect(NSAttributeDescription.AttributeType.undefined.rawValue.rawValue == 0)
        #expect(NSAttributeDescription.AttributeType.uri.rawValue.rawValue == 1200)
        #expect(NSAttributeDescription.AttributeType.uuid.rawValue.rawValue == 1100)
        #expect(NSAttributeType.URIAttributeType.rawValue == 1200)
        #expect(NSAttributeType.UUIDAttributeType.rawValue == 1100)
        #expect(NSAttributeType.binaryDataAttributeType.rawValue == 1000)
        #expect(NSAttributeType.booleanAttributeType.rawValue == 800)
        #expect(NSAttributeType.compositeAttributeType.rawValue == 2100)
        #expect(NSAttributeType.dateAttributeType.rawValue == 900)
        #expect(NSAttributeType.decimalAttributeType.rawValue == 400)
        #expect(NSAttributeType.doubleAttributeType.rawValue == 500)
        #expect(NSAttributeType.floatAttributeType.rawValue == 600)
        #expect(NSAttributeType.integer16AttributeType.rawValue == 100)
        #expect(NSAttributeType.integer32AttributeType.rawValue == 200)
        #expect(NSAttributeType.integer64AttributeType.rawValue == 300)
        #expect(NSAttributeType.objectIDAttributeType.rawValue == 2000)
        #expect(NSAttributeType.stringAttributeType.rawValue == 700)
        #expect(NSAttributeType.transformableAttributeType.rawValue == 1800)
        #expect(NSAttributeType.undefinedAttributeType.rawValue == 0)
        #expect(NSDeleteRule.cascadeDeleteRule.rawValue == 2)
        #expect(NSDeleteRule.denyDeleteRule.rawValue == 3)
        #expect(NSDeleteRule.noActionDeleteRule.rawValue == 0)
        #expect(NSDeleteRule.nullifyDeleteRule.rawValue == 1)
        #expect(NSFetchIndexElementType.binary.rawValue == 0)
        #expect(NSFetchIndexElementType.rTree.rawValue == 1)
    }

    @Test("has Apple's methods, with Apple's labels")
    func methods() throws {
        let (model, entity) = (NSManagedObjectModel(), NSEntityDescription())
        let name = NSAttributeDescription()
        name.name = "name"
        name.type = NSAttributeDescription.AttributeType(rawValue: .stringAttributeType)
        (entity.name, entity.properties) = ("A", [name])
        model.entities = [entity]
        model.setEntities([entity], forConfigurationName: "C")
        #expect(model.entities(forConfigurationName: "C") == [entity])
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "A")
        request.predicate = NSPredicate(format: "name == $NAME")
        model.setFetchRequestTemplate(request, forName: "T")
        #expect(model.fetchRequestTemplate(forName: "T") === request)
        let made = model.fetchRequestFromTemplate(withName: "T", substitutionVariables: ["NAME": "x"])
        #expect(made !== request && made?.entityName == "A")
        #expect(made?.predicate?.evaluate(with: ["name": "x"]) == true)
        #expect(model.fetchRequestFromTemplate(withName: "U", substitutionVariables: [:]) == nil)
        let metadata = ["NSStoreModelVersionHashes": model.entityVersionHashesByName]
        #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
        #expect(model.isConfiguration(withName: "C", compatibleWithStoreMetadata: metadata))
        #expect(!model.isConfiguration(withName: "D", compatibleWithStoreMetadata: metadata))
        #expect(NSManagedObjectModel(byMerging: [model], forStoreMetadata: metadata) != nil)
        #expect(NSManagedObjectModel(contentsOf: URL(fileURLWithPath: "/none.momd")) == nil)
        #expect(entity.isKindOf(entity: entity) && entity.relationships(forDestination: entity) == [])
        name.setValidationPredicates([NSPredicate(value: true)], withValidationWarnings: ["never"])
        #expect(name.validationPredicates.count == 1 && name.validationWarnings as? [String] == ["never"])
        let element = NSFetchIndexElementDescription(property: name, collationType: .rTree)
        let index = NSFetchIndexDescription(name: "i", elements: [element])
        entity.indexes = [index]
        #expect(index.entity === entity && element.indexDescription === index)
    }
}
