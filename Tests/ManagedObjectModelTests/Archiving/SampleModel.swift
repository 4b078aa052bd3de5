import FoundationSupplement

@testable import ManagedObjectModel

/// A model that has everything an archive can hold.
enum SampleModel {
    static func make() -> NSManagedObjectModel {
        let place = NSEntityDescription()
        place.name = "Place"
        place.isAbstract = true
        let city = NSEntityDescription()
        city.name = "City"
        city.managedObjectClassName = "App.City"
        city.userInfo = ["note": "Zürich", "level": "2"]
        city.versionHashModifier = "2"
        city.renamingIdentifier = "Town"
        let country = NSEntityDescription()
        country.name = "Country"
        place.subentities = [city]
        place.properties = [name(), attribute("founded", .date) { $0.defaultValue = Date(timeIntervalSince1970: 5) }]
        country.properties = [attribute("code", .string) { $0.isIndexedByAttribute = true }, composite()]
        city.properties = numbers() + others() + [derived(), fetched(of: country)]
        connect(city, country)
        addIndexes(city)
        city.uniquenessConstraints = [["name"], ["code", "rank"]]
        city.compoundIndexNames = [["rank", "area"]]

        let model = NSManagedObjectModel()
        model.entities = [place, city, country]
        model.versionIdentifiers = ["1.2", "beta"]
        model.setEntities([city, place], forConfigurationName: "Local")
        model.setFetchRequestTemplate(request(of: city), forName: "largeCities")
        return model
    }

    private static func attribute(
        _ name: String, _ type: NSAttributeDescription.AttributeType,
        _ change: (NSAttributeDescription) -> Void = { _ in }
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.type = type
        change(attribute)
        return attribute
    }

    private static func name() -> NSAttributeDescription {
        attribute("name", .string) {
            $0.isOptional = false
            $0.defaultValue = ""
            $0.isIndexedBySpotlight = true
            $0.userInfo = ["search": "yes"]
            $0.setValidation(
                [NSPredicate(format: "length >= 1"), NSPredicate(format: "SELF MATCHES %@", "[A-Z].*")],
                warnings: [NSNumber(value: 1670), "must start with a capital"])
        }
    }

    private static func numbers() -> [NSAttributeDescription] {
        [
            attribute("rank", .integer16) { $0.defaultValue = NSNumber(value: -3) },
            attribute("population", .integer64) { $0.defaultValue = NSNumber(value: Int64.max) },
            attribute("isCapital", .boolean) { $0.defaultValue = NSNumber(value: false) },
            attribute("area", .double) { $0.defaultValue = NSNumber(value: 0.1) },
            attribute("height", .float) { $0.defaultValue = NSNumber(value: Float(0.1)) },
            attribute("budget", .decimal) {
                $0.defaultValue = NSDecimalNumber(string: "-123456789012345678901234.5678")
            },
            attribute("debt", .decimal) { $0.defaultValue = NSDecimalNumber.zero },
        ]
    }

    private static func others() -> [NSAttributeDescription] {
        [
            attribute("code", .uuid) { $0.defaultValue = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F") },
            attribute("site", .uri) { $0.defaultValue = URL(string: "https://example.org/a?b=c") },
            attribute("photo", .binaryData) {
                $0.allowsExternalBinaryDataStorage = true
                $0.preservesValueInHistoryOnDeletion = true
                $0.defaultValue = Data([1, 2, 3])
            },
            attribute("tags", .transformable) {
                $0.valueTransformerName = "NSSecureUnarchiveFromData"
                $0.attributeValueClassName = "Tags"
                $0.defaultValue =
                    ["a", NSNumber(value: 1), ["b": NSNumber(value: true)] as [AnyHashable: Any]] as [Any]
            },
            attribute("secret", .string) {
                $0.allowsCloudEncryption = true
                $0.isTransient = true
                $0.versionHashModifier = "x"
                $0.renamingIdentifier = "password"
            },
        ]
    }

    private static func composite() -> NSCompositeAttributeDescription {
        let inner = NSCompositeAttributeDescription()
        inner.name = "bounds"
        inner.elements = [attribute("north", .double), attribute("south", .double)]
        let composite = NSCompositeAttributeDescription()
        composite.name = "position"
        composite.elements = [attribute("latitude", .double) { $0.isOptional = false }, inner]
        return composite
    }

    private static func derived() -> NSDerivedAttributeDescription {
        let derived = NSDerivedAttributeDescription()
        derived.name = "plainName"
        derived.type = .string
        derived.derivationExpression = FoundationSupplement.NSExpression(format: "canonical:(name)")
        return derived
    }

    private static func fetched(of entity: NSEntityDescription) -> NSFetchedPropertyDescription {
        let fetched = NSFetchedPropertyDescription()
        fetched.name = "neighbours"
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = entity
        request.predicate = NSPredicate(format: "code CONTAINS[cd] $FETCH_SOURCE.code")
        fetched.fetchRequest = request
        return fetched
    }

    private static func connect(_ city: NSEntityDescription, _ country: NSEntityDescription) {
        let cities = NSRelationshipDescription()
        (cities.name, cities.isOrdered, cities.deleteRule) = ("cities", true, .cascadeDeleteRule)
        let owner = NSRelationshipDescription()
        (owner.name, owner.maxCount, owner.minCount, owner.isOptional) = ("country", 1, 1, false)
        (cities.destinationEntity, cities.inverseRelationship) = (city, owner)
        (owner.destinationEntity, owner.inverseRelationship) = (country, cities)
        city.properties = city.declaredProperties + [owner]
        country.properties = country.declaredProperties + [cities]
    }

    private static func addIndexes(_ city: NSEntityDescription) {
        let attributes = city.attributesByName
        func element(_ name: String, _ type: NSFetchIndexElementType = .binary) -> NSFetchIndexElementDescription {
            NSFetchIndexElementDescription(property: attributes[name] ?? NSAttributeDescription(), collationType: type)
        }
        let lower = NSExpressionDescription()
        lower.name = "expression1"
        lower.expression = FoundationSupplement.NSExpression(format: "lowercase:(name)")
        lower.resultType = .string
        let expression = NSFetchIndexElementDescription(property: lower, collationType: .binary)
        expression.isAscending = false
        let partial = NSFetchIndexDescription(name: "byExpression", elements: [expression, element("rank")])
        partial.partialIndexPredicate = NSPredicate(format: "isCapital == YES")
        city.indexes = [
            NSFetchIndexDescription(name: "byPopulation", elements: [element("population")]), partial,
            NSFetchIndexDescription(name: "byArea", elements: [element("area", .rTree), element("height", .rTree)]),
        ]
        attributes["population"]?.isIndexedByAttribute = true
    }

    private static func request(of entity: NSEntityDescription) -> NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = entity
        request.predicate = NSPredicate(
            format: """
                (population > $MINIMUM OR NOT name BEGINSWITH[c] "St.") AND rank IN {1, 2, 3} AND area BETWEEN {0.5, 10} \
                AND ANY country.cities.name LIKE "A*" AND country.cities.@count != 0 AND TRUEPREDICATE \
                AND SUBQUERY(country.cities, $c, $c.rank == 1).@count > 0
                """)
        request.sortDescriptors = [
            NSSortDescriptor(key: "name", ascending: true, selector: .localizedStandardCompare),
            NSSortDescriptor(key: "rank", ascending: false),
        ]
        (request.fetchLimit, request.fetchOffset, request.fetchBatchSize) = (10, 5, 20)
        (request.returnsDistinctResults, request.includesSubentities) = (true, false)
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["name", "rank"]
        request.propertiesToGroupBy = ["rank"]
        request.havingPredicate = NSPredicate(format: "rank > 1")
        request.relationshipKeyPathsForPrefetching = ["country"]
        return request
    }
}
