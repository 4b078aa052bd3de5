import CoreData
import Foundation
import TestSupport
import Testing

@Suite("Derived attributes in stores that are read whole")
struct AtomicDerivedTests {
    static let types = StoreCase.lockingTypes.filter { $0 != NSSQLiteStoreType }

    private static func derived(
        _ name: String, _ type: NSAttributeType, _ text: String
    ) -> NSDerivedAttributeDescription {
        let attribute = NSDerivedAttributeDescription()
        (attribute.name, attribute.attributeType, attribute.isOptional) = (name, type, true)
        attribute.derivationExpression = NSExpression(format: text)
        return attribute
    }

    private static func model(_ more: NSPropertyDescription...) -> NSManagedObjectModel {
        let city = Build.entity(
            "City",
            [
                Build.attribute("name", .stringAttributeType), Build.attribute("people", .integer64AttributeType),
                derived("countryName", .stringAttributeType, "country.name"),
                derived("saved", .dateAttributeType, "now()"),
                derived("plain", .stringAttributeType, "canonical:(name)"),
            ] + more)
        let country = Build.entity(
            "Country",
            [
                Build.attribute("name", .stringAttributeType),
                derived("count", .integer64AttributeType, "cities.@count"),
                derived("people", .integer64AttributeType, "cities.@sum.people"),
            ])
        Build.relate(Build.one(city, "country"), Build.many(country, "cities"))
        return Build.model(city, country)
    }

    @Test("they follow what was saved, in values and in predicates", arguments: types)
    func values(_ type: String) throws {
        let stores = try StoreCase(type, Self.model())
        let norway = stores.insert("Country", ["name": "Norway"])
        for name in ["Ålesund", "Oslo"] { stores.insert("City", ["name": name, "people": 5, "country": norway]) }
        try stores.context.save()
        let context = try stores.fresh()
        let found = try context.one("Country", "Norway")
        #expect(found.value(forKey: "count") as? Int == 2 && found.value(forKey: "people") as? Int == 10)
        #expect(try context.one("City", "Oslo").value(forKey: "countryName") as? String == "Norway")
        #expect(try context.names("City", "plain == 'alesund'") == ["Ålesund"])
        #expect(try context.names("Country", "count == 2 AND people > 9") == ["Norway"])
        found.setValue("Noreg", forKey: "name")
        context.delete(try context.one("City", "Oslo"))
        try context.save()
        let last = try stores.fresh()
        #expect(try last.one("City", "Ålesund").value(forKey: "countryName") as? String == "Noreg")
        #expect(try last.one("Country", "Noreg").value(forKey: "count") as? Int == 1)
    }

    @Test("now() is the time of an object's own last save", arguments: types)
    func timeOfSave(_ type: String) throws {
        let stores = try StoreCase(type, Self.model())
        let cities = ["a", "b"].map { stores.insert("City", ["name": $0]) }
        let start = Date()
        try stores.context.save()
        let first = try #require(try stores.fresh().one("City", "a").value(forKey: "saved") as? Date)
        #expect(first >= start.addingTimeInterval(-0.001) && first <= Date())
        cities[1].setValue(5, forKey: "people")
        try stores.context.save()
        let context = try stores.fresh()
        #expect(try context.one("City", "a").value(forKey: "saved") as? Date == first)
        #expect(try #require(try context.one("City", "b").value(forKey: "saved") as? Date) > first)
    }

    @Test("one that is derived from itself is an error, not an endless loop")
    func loops() throws {
        let loop = Self.derived("loop", .stringAttributeType, "other")
        let stores = try StoreCase(
            NSInMemoryStoreType, Self.model(loop, Self.derived("other", .stringAttributeType, "loop")))
        stores.insert("City", ["name": "a"])
        try stores.context.save()
        #expect(errorCode { _ = try stores.second().find("City") } == .coreData)
    }
}
