import Foundation
import Testing

@testable import CoreData

/// Countries with ordered cities and with tags, all derived attributes that SQLite stores know.
@Suite("Derived attributes in SQLite stores")
struct DerivedAttributeTests {
    private static func mapModel() throws -> NSManagedObjectModel {
        try Build.model(
            xml:
                """
                <entity name="Region"><attribute name="name" optional="YES" attributeType="String"/>
                    <relationship name="countries" optional="YES" toMany="YES" deletionRule="Nullify" \
                destinationEntity="Country" inverseName="region"/>
                </entity>
                <entity name="Country">
                    <attribute name="name" optional="YES" attributeType="String"/>
                    <attribute name="cityCount" optional="YES" attributeType="Integer 64" derived="YES" derivationExpression="cities.@count"/>
                    <attribute name="people" optional="YES" attributeType="Integer 64" derived="YES" derivationExpression="cities.@sum.people"/>
                    <attribute name="tagCount" optional="YES" attributeType="Integer 64" derived="YES" derivationExpression="tags.@count"/>
                    <attribute name="weight" optional="YES" attributeType="Double" derived="YES" derivationExpression="tags.weight.@sum"/>
                    <attribute name="modified" optional="YES" attributeType="Date" derived="YES" derivationExpression="now()"/>
                    <relationship name="region" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Region" inverseName="countries"/>
                    <relationship name="cities" optional="YES" toMany="YES" ordered="YES" deletionRule="Nullify" destinationEntity="City" inverseName="country"/>
                    <relationship name="tags" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Tag" inverseName="countries"/>
                </entity>
                <entity name="Tag">
                    <attribute name="name" optional="YES" attributeType="String"/>
                    <attribute name="weight" optional="YES" attributeType="Double"/>
                    <relationship name="countries" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Country" inverseName="tags"/>
                </entity>
                <entity name="City">
                    <attribute name="name" optional="YES" attributeType="String"/>
                    <attribute name="people" optional="YES" attributeType="Integer 64"/>
                    <attribute name="upper" optional="YES" attributeType="String" derived="YES" derivationExpression="uppercase:(name)"/>
                    <attribute name="lower" optional="YES" attributeType="String" derived="YES" derivationExpression="lowercase:(name)"/>
                    <attribute name="plain" optional="YES" attributeType="String" derived="YES" derivationExpression="canonical:(name)"/>
                    <attribute name="countryName" optional="YES" attributeType="String" derived="YES" derivationExpression="country.name"/>
                    <attribute name="regionPlain" optional="YES" attributeType="String" derived="YES" derivationExpression="canonical:(country.region.name)"/>
                    <attribute name="motherName" optional="YES" attributeType="String" derived="YES" derivationExpression="mother.name"/>
                    <attribute name="daughterCount" optional="YES" attributeType="Integer 64" derived="YES" derivationExpression="daughters.@count"/>
                    <attribute name="daughterPeople" optional="YES" attributeType="Integer 64" derived="YES" derivationExpression="daughters.@sum.people"/>
                    <relationship name="country" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Country" inverseName="cities"/>
                    <relationship name="mother" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="City" inverseName="daughters"/>
                    <relationship name="daughters" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="City" inverseName="mother"/>
                </entity>
                <entity name="Town" parentEntity="City">
                    <attribute name="twice" optional="YES" attributeType="String" derived="YES" derivationExpression="uppercase:(mother.name)"/>
                </entity>
                """)
    }

    /// What the derived attributes of all rows must be, computed from the objects.
    private static func expected(_ context: NSManagedObjectContext) throws -> [String: [String: String]] {
        func text(_ value: Any?) -> String { value.map { "\($0)" } ?? "-" }
        func canonical(_ path: String, _ object: NSManagedObject) throws -> String {
            text(try FoundationSupplement.NSExpression(format: "canonical:(\(path))").evaluateThrowing(with: object))
        }
        func sum(_ objects: Set<NSManagedObject>, _ key: String) -> Double {
            objects.reduce(0) { $0 + (($1.value(forKey: key) as? NSNumber)?.doubleValue ?? 0) }
        }
        var result: [String: [String: String]] = [:]
        for country in try context.find("Country") {
            let cities = Set(country.list("cities"))
            result[country.objectID.uriRepresentation().path] = [
                "cityCount": "\(cities.count)", "people": "\(Int(sum(cities, "people")))",
                "tagCount": "\(country.set("tags").count)", "weight": text(sum(country.set("tags"), "weight")),
            ]
        }
        for city in try context.find("City") {
            let name = city.value(forKey: "name") as? String
            var values = [
                "upper": text(name?.uppercased()), "lower": text(name?.lowercased()),
                "plain": try canonical("name", city),
                "countryName": text(city.value(forKeyPath: "country.name")),
                "regionPlain": try canonical("country.region.name", city),
                "motherName": text(city.value(forKeyPath: "mother.name")),
                "daughterCount": "\(city.set("daughters").count)",
                "daughterPeople": "\(Int(sum(city.set("daughters"), "people")))",
            ]
            if city.entity.name == "Town" {
                values["twice"] = text((city.value(forKeyPath: "mother.name") as? String)?.uppercased())
            }
            result[city.objectID.uriRepresentation().path] = values
        }
        return result
    }

    /// What they are.
    private static func found(_ context: NSManagedObjectContext) throws -> [String: [String: String]] {
        var result: [String: [String: String]] = [:]
        for object in try context.find("Country") + context.find("City") {
            let derived = object.entity.properties.filter {
                $0 is NSDerivedAttributeDescription && $0.name != "modified"
            }
            result[object.objectID.uriRepresentation().path] = Dictionary(
                uniqueKeysWithValues: derived.map { property in
                    (property.name, object.value(forKey: property.name).map { "\($0)" } ?? "-")
                })
        }
        return result
    }

    @Test("follow every change of what they are derived from", arguments: [1, 2, 3, 4] as [UInt64])
    func random(_ seed: UInt64) throws {
        var randomness = Randomness(seed)
        let fixture = try Fixture(Self.mapModel())
        let context = fixture.context
        func any(_ entity: String) throws -> NSManagedObject? {
            let all = try context.find(entity).sorted {
                $0.objectID.uriRepresentation().path < $1.objectID.uriRepresentation().path
            }
            return Bool.random(using: &randomness) ? all.randomElement(using: &randomness) : all.last
        }
        func maybe(_ entity: String) throws -> NSManagedObject? {
            Int.random(in: 0..<4, using: &randomness) == 0 ? nil : try any(entity)
        }
        for round in 0..<12 {
            for _ in 0..<Int.random(in: 1...6, using: &randomness) {
                let name = ["Ä", "é", "Oslo", "ǅ", "x"].randomElement(using: &randomness) ?? ""
                switch Int.random(in: 0..<12, using: &randomness) {
                case 0: fixture.insert("Region", ["name": name])
                case 1: fixture.insert("Country", ["name": name, "region": try maybe("Region")])
                case 2: fixture.insert("Tag", ["name": name, "weight": 0.5])
                case 3, 4:
                    fixture.insert(
                        "City",
                        ["name": name, "people": round, "country": try maybe("Country"), "mother": try maybe("City")])
                case 5: fixture.insert("Town", ["name": name, "mother": try maybe("City"), "people": 3])
                case 6: try any("City")?.setValue(try maybe("Country"), forKey: "country")
                case 7: try any("City")?.setValue(try maybe("City"), forKey: "mother")
                case 8:
                    try any("Country").map { country in
                        country.setValue(Set(try [any("Tag"), any("Tag")].compactMap { $0 }), forKey: "tags")
                    }
                case 9: try any("Tag")?.setValue(Double(round), forKey: "weight")
                case 10:
                    let entity = ["Region", "Country", "Tag", "City"].randomElement(using: &randomness) ?? ""
                    if let object = try any(entity) { context.delete(object) }
                default:
                    let entity = ["Region", "Country", "City"].randomElement(using: &randomness) ?? ""
                    try any(entity)?.setValue(name, forKey: "name")
                    try any("City")?.setValue(round * 2, forKey: "people")
                }
            }
            try context.save()
            let fresh = try fixture.freshContext()
            let (found, expected) = (try Self.found(fresh), try Self.expected(fresh))
            for (object, values) in expected {
                for (name, value) in values {
                    #expect(found[object]?[name] == value, "\(name) of \(object), seed \(seed), round \(round)")
                }
            }
            #expect(found.count == expected.count)
        }
    }

    @Test("are computed once for all rows of an imported store, which then has the triggers too")
    func imported() throws {
        let fixture = try Fixture(Self.mapModel())
        let url = fixture.folder.file("imported.sqlite")
        let writer = try SQLiteBulkWriter(fixture.model, url: url)
        let country = try #require(writer.schema.entities.first { $0.name == "Country" })
        let town = try #require(writer.schema.entities.first { $0.name == "Town" })
        func row(_ entity: SQLEntity, _ values: [String: SlotValue]) -> [SlotValue] {
            entity.layout.properties.map { values[$0.name] ?? .null }
        }
        try writer.insert(
            town, primaryKey: writer.takeKey(town),
            row(
                town,
                [
                    "name": .string("Å"), "people": .integer(7),
                    "country": .reference(key: 1, entity: Int32(country.number)),
                ]))
        try writer.insert(country, primaryKey: writer.takeKey(country), row(country, ["name": .string("Norge")]))
        try writer.finish()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: fixture.model)
        try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
        let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        #expect(try Self.found(context) == Self.expected(context))
        #expect(try context.one("Country", "Norge").value(forKey: "modified") is Date)
        let (a, b) = (try SQLiteConnection(url, .readOnly), try SQLiteConnection(fixture.url, .readOnly))
        #expect(try StoreComparison(a, b).isSame)
    }

    @Test("from now() have the time of the last save")
    func now() throws {
        let fixture = try Fixture(Self.mapModel())
        let country = fixture.insert("Country", ["name": "a"])
        let other = fixture.insert("Country", ["name": "b"])
        func modified(_ object: NSManagedObject) -> Date? {
            fixture.context.refresh(object, mergeChanges: false)
            return object.value(forKey: "modified") as? Date
        }
        let start = Date()
        try fixture.context.save()
        let (first, untouched) = (try #require(modified(country)), try #require(modified(other)))
        #expect(first >= start && first <= Date())
        country.setValue("c", forKey: "name")
        try fixture.context.save()
        #expect(try #require(modified(country)) > first)
        #expect(modified(other) == untouched)
    }

    @Test("have triggers of the form that real stores show")
    func text() throws {
        let fixture = try Fixture(Self.mapModel())
        #expect(
            try fixture.value("SELECT sql FROM sqlite_master WHERE name = 'Z_DA_ZCOUNTRY_Country_modified_UPDATE'")
                == "CREATE TRIGGER Z_DA_ZCOUNTRY_Country_modified_UPDATE AFTER UPDATE OF Z_OPT ON ZCOUNTRY FOR EACH ROW"
                + " BEGIN UPDATE ZCOUNTRY SET ZMODIFIED = NSCoreDataNow() WHERE Z_PK = NEW.Z_PK;"
                + " SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('ZCOUNTRY', Z_ENT, Z_PK, 'modified', ZMODIFIED)"
                + " FROM ZCOUNTRY WHERE Z_PK = NEW.Z_PK; END")
    }
}
