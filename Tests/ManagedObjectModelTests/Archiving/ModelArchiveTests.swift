import FoundationSupplement
import Testing

@testable import ManagedObjectModel

struct ModelArchiveTests {
    static let forms = [ModelArchiveWriter.Form.compiled, .cache]

    private func reread(_ form: ModelArchiveWriter.Form) throws -> NSManagedObjectModel {
        try ModelArchiveReader.read(ModelArchiveWriter.archive(SampleModel.make(), form: form), path: "sample.mom")
    }

    @Test(arguments: forms)
    func writesTheSameBytesForTheSameModel(_ form: ModelArchiveWriter.Form) throws {
        let archive = ModelArchiveWriter.archive(SampleModel.make(), form: form)
        #expect(ModelArchiveWriter.archive(SampleModel.make(), form: form) == archive)
        #expect(ModelArchiveWriter.archive(try reread(form), form: form) == archive)
        #expect(try reread(form).entityVersionHashesByName == SampleModel.make().entityVersionHashesByName)
    }

    @Test func givesTheSameModelInBothForms() throws {
        let compiled = try reread(.compiled)
        let cached = try reread(.cache)
        for form in Self.forms {
            #expect(
                ModelArchiveWriter.archive(compiled, form: form) == ModelArchiveWriter.archive(cached, form: form))
        }
    }

    @Test(arguments: forms)
    func keepsEntities(_ form: ModelArchiveWriter.Form) throws {
        let model = try reread(form)
        let city = try #require(model.entitiesByName["City"])
        #expect(city.superentity?.name == "Place")
        #expect(city.superentity?.isAbstract == true)
        #expect(city.managedObjectClassName == "App.City")
        #expect(city.userInfo as? [String: String] == ["note": "Zürich", "level": "2"])
        #expect(city.versionHashModifier == "2")
        #expect(city.renamingIdentifier == "Town")
        #expect(!city.declaredProperties.contains { $0.name == "name" })
        #expect(city.uniquenessConstraintNames == [["name"], ["code", "rank"]])
        #expect(city.compoundIndexNames == [["rank", "area"]])
        #expect(model.versionIdentifiers == ["1.2", "beta"])
        #expect(model.configurations == ["Local"])
        #expect(model.entities(forConfigurationName: "Local")?.compactMap(\.name) == ["City", "Place"])
        #expect(model.entities.allSatisfy { $0.managedObjectModel === model })
    }

    @Test(arguments: forms)
    func keepsAttributes(_ form: ModelArchiveWriter.Form) throws {
        let city = try #require(try reread(form).entitiesByName["City"])
        let original = try #require(SampleModel.make().entitiesByName["City"])
        for (name, attribute) in original.attributesByName {
            let read = try #require(city.attributesByName[name])
            #expect(type(of: read) == type(of: attribute))
            #expect(read.attributeType == attribute.attributeType)
            #expect(read.attributeValueClassName == attribute.attributeValueClassName)
            #expect(read.valueTransformerName == attribute.valueTransformerName)
            #expect("\(read.defaultValue ?? "none")" == "\(attribute.defaultValue ?? "none")")
            #expect(read.isOptional == attribute.isOptional)
            #expect(read.isTransient == attribute.isTransient)
            #expect(read.isIndexedByAttribute == attribute.isIndexedByAttribute)
            #expect(read.isIndexedBySpotlight == attribute.isIndexedBySpotlight)
            #expect(read.allowsExternalBinaryDataStorage == attribute.allowsExternalBinaryDataStorage)
            #expect(read.preservesValueInHistoryOnDeletion == attribute.preservesValueInHistoryOnDeletion)
            #expect(read.allowsCloudEncryption == attribute.allowsCloudEncryption)
            #expect(read.versionHashModifier == attribute.versionHashModifier)
            #expect(read.renamingIdentifier == attribute.renamingIdentifier)
            #expect(read.userInfo as? [String: String] == attribute.userInfo as? [String: String])
            #expect(read.validationPredicates.map { "\($0)" } == attribute.validationPredicates.map { "\($0)" })
            #expect(read.validationWarnings.map { "\($0)" } == attribute.validationWarnings.map { "\($0)" })
            #expect(read.versionHash == attribute.versionHash)
        }
        let derived = city.attributesByName["plainName"] as? NSDerivedAttributeDescription
        #expect(derived?.derivationExpression?.description == "canonical:(name)")
        #expect(city.attributesByName["budget"]?.defaultValue is NSDecimalNumber)
    }

    @Test(arguments: forms)
    func keepsCompositesAndRelationships(_ form: ModelArchiveWriter.Form) throws {
        let model = try reread(form)
        let country = try #require(model.entitiesByName["Country"])
        let position = try #require(country.attributesByName["position"] as? NSCompositeAttributeDescription)
        #expect(position.elements.map(\.name) == ["latitude", "bounds"])
        let bounds = try #require(position.elements.last as? NSCompositeAttributeDescription)
        #expect(bounds.elements.map(\.name) == ["north", "south"])
        let cities = try #require(country.relationshipsByName["cities"])
        let owner = try #require(model.entitiesByName["City"]?.relationshipsByName["country"])
        #expect(cities.inverseRelationship === owner)
        #expect(owner.inverseRelationship === cities)
        #expect(cities.destinationEntity === model.entitiesByName["City"])
        #expect(cities.isOrdered && cities.isToMany && cities.deleteRule == .cascadeDeleteRule)
        #expect(!owner.isOptional && owner.maxCount == 1 && owner.minCount == 1)
    }

    @Test(arguments: forms)
    func keepsIndexes(_ form: ModelArchiveWriter.Form) throws {
        let model = try reread(form)
        let city = try #require(model.entitiesByName["City"])
        #expect(city.indexes.map(\.name) == ["byPopulation", "byExpression", "byArea"])
        #expect(city.indexes.allSatisfy { $0.entity === city })
        let partial = city.indexes[1]
        #expect("\(try #require(partial.partialIndexPredicate))" == "isCapital == 1")
        #expect(partial.elements.map(\.isAscending) == [false, true])
        let expression = partial.elements.first?.property as? NSExpressionDescription
        #expect(expression?.expression?.description == "lowercase:(name)")
        #expect(expression?.resultType == .string)
        #expect(city.indexes[2].elements.map(\.collationType) == [.rTree, .rTree])
        // The index that the mark on `code` implies is no declared one.
        #expect(model.entitiesByName["Country"]?.indexes.isEmpty == true)
        #expect(model.entitiesByName["Country"]?.attributesByName["code"]?.isIndexedByAttribute == true)
    }

    @Test(arguments: forms)
    func keepsRequests(_ form: ModelArchiveWriter.Form) throws {
        let model = try reread(form)
        let request = try #require(model.fetchRequestTemplate(forName: "largeCities"))
        let original = try #require(SampleModel.make().fetchRequestTemplate(forName: "largeCities"))
        #expect(request.entity === model.entitiesByName["City"])
        #expect("\(try #require(request.predicate))" == "\(try #require(original.predicate))")
        #expect("\(try #require(request.havingPredicate))" == "rank > 1")
        #expect(request.sortDescriptors?.map(\.key) == ["name", "rank"])
        #expect(request.sortDescriptors?.map(\.ascending) == [true, false])
        #expect(request.sortDescriptors?.map(\.selector) == [.localizedStandardCompare, .compare])
        #expect((request.fetchLimit, request.fetchOffset, request.fetchBatchSize) == (10, 5, 20))
        #expect(request.archivedFlags == original.archivedFlags)
        #expect(request.resultType == .dictionaryResultType)
        #expect(request.propertiesToFetch as? [String] == ["name", "rank"])
        #expect(request.propertiesToGroupBy as? [String] == ["rank"])
        #expect(request.relationshipKeyPathsForPrefetching == ["country"])
        let neighbours = model.entitiesByName["City"]?.propertiesByName["neighbours"] as? NSFetchedPropertyDescription
        #expect(neighbours?.fetchRequest?.entity === model.entitiesByName["Country"])
        #expect(
            neighbours?.fetchRequest?.predicate.map { "\($0)" } == "code CONTAINS[cd] $FETCH_SOURCE.code")
    }

    // MARK: Errors

    private func objects(of archive: Data) throws -> (fields: [String: PropertyListValue], [PropertyListValue]) {
        let fields = try #require(try BinaryPropertyList.read(archive).dictionary)
        return (fields, try #require(fields["$objects"]?.array))
    }

    @Test func namesTheUnknownClass() throws {
        var (fields, objects) = try objects(of: ModelArchiveWriter.archive(SampleModel.make(), form: .compiled))
        let index = try #require(
            objects.firstIndex { $0.dictionary?["$classname"] == .string("NSRelationshipDescription") })
        objects[index] = .dictionary(["$classname": .string("EvilClass"), "$classes": .array([])])
        fields["$objects"] = .array(objects)
        let archive = BinaryPropertyList.write(.dictionary(fields))
        let error = #expect(throws: ModelFileError.self) { try ModelArchiveReader.read(archive, path: "a.mom") }
        #expect(error?.description.contains("'EvilClass'") == true)
        #expect(error?.path == "a.mom")
    }

    @Test func ignoresUnknownKeys() throws {
        var (fields, objects) = try objects(of: ModelArchiveWriter.archive(SampleModel.make(), form: .compiled))
        for (index, object) in objects.enumerated() where object.dictionary?["$class"] != nil {
            objects[index] = .dictionary((object.dictionary ?? [:]).merging(["NSNew": .uid(9999)]) { $1 })
        }
        fields["$objects"] = .array(objects)
        let model = try ModelArchiveReader.read(BinaryPropertyList.write(.dictionary(fields)), path: "a.mom")
        #expect(model.entities.count == 3)
    }

    @Test func keepsDefaultsOfForeignClasses() throws {
        var (fields, objects) = try objects(of: ModelArchiveWriter.archive(SampleModel.make(), form: .cache))
        let index = try #require(objects.firstIndex { $0.dictionary?["NSAttributeType"] == .integer(1800) })
        let first = objects.count
        objects += [
            .dictionary(["$class": .uid(first + 2), "text": .uid(first + 1), "next": .uid(first)]),
            .string("a cover"),
            .dictionary(["$classname": .string("App.Cover"), "$classes": .array([.string("App.Cover")])]),
        ]
        objects[index] = .dictionary((objects[index].dictionary ?? [:]).merging(["NSDefaultValue": .uid(first)]) { $1 })
        fields["$objects"] = .array(objects)
        let model = try ModelArchiveReader.read(BinaryPropertyList.write(.dictionary(fields)), path: "a.mom")
        let tags = try #require(model.entitiesByName["City"]?.attributesByName["tags"])
        #expect(tags.defaultValue == nil)
        #expect(tags.foreignDefaultValue?.className == "App.Cover")
        let (_, written) = try self.objects(of: ModelArchiveWriter.archive(model, form: .compiled))
        let cover = try #require(written.firstIndex { $0.dictionary?["next"] != nil })
        #expect(written[cover].dictionary?["next"] == .uid(cover))
        #expect(written.contains(.string("a cover")))
    }

    /// References that lead back must end in an error, whichever way they go.
    @Test(arguments: [
        ("NSSet", "NS.objects", nil), ("NSArray", "NS.objects", nil), ("NSDictionary", "NS.keys", "NS.objects"),
        ("NSURL", "NS.base", nil), ("NSMutableString", "NS.string", nil),
    ])
    func refusesValuesInsideThemselves(_ className: String, _ key: String, _ other: String?) throws {
        var (fields, objects) = try objects(of: ModelArchiveWriter.archive(SampleModel.make(), form: .compiled))
        let index = try #require(objects.firstIndex { $0.dictionary?["NSAttributeType"] == .integer(1800) })
        let first = objects.count
        let isList = key == "NS.objects" || other != nil
        var value = ["$class": PropertyListValue.uid(first + 1), "NS.relative": .string("a")]
        for key in [key, other].compactMap({ $0 }) { value[key] = isList ? .array([.uid(first)]) : .uid(first) }
        objects += [.dictionary(value), .dictionary(["$classname": .string(className), "$classes": .array([])])]
        objects[index] = .dictionary((objects[index].dictionary ?? [:]).merging(["NSDefaultValue": .uid(first)]) { $1 })
        fields["$objects"] = .array(objects)
        let archive = BinaryPropertyList.write(.dictionary(fields))
        #expect(throws: ModelFileError.self) { try ModelArchiveReader.read(archive, path: "a.mom") }
    }

    @Test func refusesInheritanceLoops() throws {
        var (fields, objects) = try objects(of: ModelArchiveWriter.archive(SampleModel.make(), form: .compiled))
        for (index, object) in objects.enumerated() {
            guard let entity = object.dictionary, entity["NSEntityName"] != nil else { continue }
            objects[index] = .dictionary(entity.merging(["NSSuperentity": .uid(index)]) { $1 })
        }
        fields["$objects"] = .array(objects)
        let archive = BinaryPropertyList.write(.dictionary(fields))
        #expect(throws: ModelFileError.self) { try ModelArchiveReader.read(archive, path: "a.mom") }
    }

    @Test func readsXMLArchives() throws {
        let archive = ModelArchiveWriter.archive(SampleModel.make(), form: .compiled)
        let text = xml(try BinaryPropertyList.read(archive))
        let data = Data("<?xml version=\"1.0\"?><plist version=\"1.0\">\(text)</plist>".utf8)
        let model = try ModelArchiveReader.read(data, path: "a.mom")
        #expect(ModelArchiveWriter.archive(model, form: .compiled) == archive)
    }

    private func xml(_ value: PropertyListValue) -> String {
        switch value {
        case .null: "<string>$null</string>"
        case .boolean(let flag): flag ? "<true/>" : "<false/>"
        case .integer(let number): "<integer>\(number)</integer>"
        case .real(let number), .date(let number): "<real>\(number)</real>"
        case .data(let bytes): "<data>\(Data(bytes).base64EncodedString())</data>"
        case .string(let text):
            "<string>\(text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;"))</string>"
        case .uid(let number): "<dict><key>CF$UID</key><integer>\(number)</integer></dict>"
        case .array(let elements): "<array>\(elements.map { xml($0) }.joined())</array>"
        case .dictionary(let fields):
            "<dict>\(fields.map { "<key>\($0.key)</key>\(xml($0.value))" }.joined())</dict>"
        }
    }

    @Test func refusesWhatIsNoModel() throws {
        for data in [Data(), Data("hello".utf8), BinaryPropertyList.write(.array([]))] {
            #expect(throws: ModelFileError.self) { try ModelArchiveReader.read(data, path: "a.mom") }
        }
        var builder = KeyedArchiveBuilder()
        let root = builder.array("NSArray", [])
        let error = #expect(throws: ModelFileError.self) {
            try ModelArchiveReader.read(builder.archive(root: root), path: "a.mom")
        }
        #expect(error?.reason.contains("NSArray") == true)
    }
}
