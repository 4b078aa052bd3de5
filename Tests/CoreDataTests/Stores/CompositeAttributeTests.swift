import Foundation
import TestSupport
import Testing

@testable import CoreData

/// `City.place` is made of a name, a point of two numbers, and a day.
@Suite("Composite attributes")
struct CompositeAttributeTests {
    private static func cityModel() throws -> NSManagedObjectModel {
        try Build.model(
            xml:
                """
                <entity name="City">
                    <attribute name="name" optional="YES" attributeType="String"/>
                    <attribute name="place" optional="YES" attributeType="Composite" composite="Place"/>
                    <relationship name="twin" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="City" \
                inverseName="twinOf"/>
                    <relationship name="twinOf" optional="YES" maxCount="1" deletionRule="Nullify" \
                destinationEntity="City" inverseName="twin"/>
                    <fetchIndex name="byX"><fetchIndexElement property="name" type="Binary"/></fetchIndex>
                </entity>
                <entity name="Capital" parentEntity="City">
                    <attribute name="seat" optional="YES" attributeType="Composite" composite="Point"/>
                </entity>
                <composite name="Place">
                    <attribute name="label" optional="YES" attributeType="String"/>
                    <attribute name="point" optional="YES" attributeType="Composite" composite="Point"/>
                    <attribute name="since" optional="YES" attributeType="Date"/>
                </composite>
                <composite name="Point">
                    <attribute name="x" optional="YES" attributeType="Double"/>
                    <attribute name="y" optional="YES" attributeType="Integer 32"/>
                </composite>
                """)
    }

    private static var oslo: [String: Any] {
        [
            "label": "Oslo", "point": ["x": 10.75, "y": 59] as [String: Any],
            "since": Date(timeIntervalSinceReferenceDate: 12),
        ]
    }

    private static func dictionary(_ object: NSManagedObject?, _ key: String = "place") -> NSDictionary? {
        (object?.value(forKey: key) as? [String: Any]).map { $0 as NSDictionary }
    }

    /// Values in the text file of the other store have no form for dictionaries.
    private static let types = StoreCase.types.filter { $0 != TableStore.typeName }

    @Test("have a column for each element, among the others of its type, named by the way to it")
    func columns() throws {
        let fixture = try Fixture(Self.cityModel())
        let sql = try fixture.value("SELECT sql FROM sqlite_master WHERE name = 'ZCITY'")
        #expect(
            sql
                == "CREATE TABLE ZCITY ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZPLACE_POINT_Y INTEGER,"
                + " ZTWIN INTEGER, Z1_TWIN INTEGER, ZTWINOF INTEGER, Z1_TWINOF INTEGER, ZSEAT_Y INTEGER,"
                + " ZPLACE_POINT_X FLOAT, ZPLACE_SINCE TIMESTAMP, ZSEAT_X FLOAT, ZNAME VARCHAR, ZPLACE_LABEL VARCHAR )")
    }

    @Test("come back as the dictionaries that were saved", arguments: types)
    func roundTrip(_ type: String) throws {
        let store = try StoreCase(type, Self.cityModel())
        store.insert("City", ["name": "a", "place": Self.oslo])
        store.insert("Capital", ["name": "b", "seat": ["y": -3], "place": ["label": "", "since": NSNull()]])
        store.insert("City", ["name": "c"])
        try store.context.save()
        let fresh = try store.fresh()
        #expect(Self.dictionary(try fresh.one("City", "a")) == Self.oslo as NSDictionary)
        #expect(Self.dictionary(try fresh.one("City", "b"), "seat") == ["y": -3])
        #expect(Self.dictionary(try fresh.one("City", "b")) == ["label": ""])
        #expect(try fresh.one("City", "c").value(forKey: "place") == nil)
        #expect(!fresh.hasChanges)
    }

    @Test("are changed as a whole, and back to nil", arguments: types)
    func changed(_ type: String) throws {
        let store = try StoreCase(type, Self.cityModel())
        let city = store.insert("City", ["name": "a", "place": Self.oslo])
        try store.context.save()
        city.setValue(["label": "Bergen"], forKey: "place")
        #expect(city.changedValues().keys.sorted() == ["place"])
        try store.context.save()
        #expect(Self.dictionary(try store.fresh().one("City", "a")) == ["label": "Bergen"])
        city.setValue(nil, forKey: "place")
        try store.context.save()
        #expect(try store.fresh().one("City", "a").value(forKey: "place") == nil)
        // Of nothing but nils nothing is left.
        city.setValue(["label": NSNull()], forKey: "place")
        #expect(city.value(forKey: "place") == nil)
    }

    @Test("are read and set element by element through key paths, also over relationships and out of nil")
    func keyPaths() throws {
        let fixture = try Fixture(Self.cityModel())
        let city = fixture.insert("City", ["name": "a", "place": Self.oslo])
        let other = fixture.insert("City", ["name": "b", "twin": city])
        #expect(city.value(forKeyPath: "place.label") as? String == "Oslo")
        #expect(city.value(forKeyPath: "place.point.y") as? Int == 59)
        city.setValue("Bergen", forKeyPath: "place.label")
        other.setValue(60, forKeyPath: "twin.place.point.y")
        other.setValue(1.5, forKeyPath: "place.point.x")
        try fixture.context.save()
        let fresh = try fixture.freshContext()
        let found = try fresh.one("City", "a")
        #expect(found.value(forKeyPath: "place.label") as? String == "Bergen")
        #expect(found.value(forKeyPath: "place.point.y") as? Int == 60)
        #expect(found.value(forKeyPath: "place.point.x") as? Double == 10.75)
        #expect(Self.dictionary(try fresh.one("City", "b")) == ["point": ["x": 1.5]])
    }

    @Test("are searched and sorted by their elements", arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
    func fetching(_ type: String) throws {
        let store = try StoreCase(type, Self.cityModel())
        for (name, y) in [("a", 3), ("b", 1), ("c", 2)] {
            store.insert("City", ["name": name, "place": ["label": name.uppercased(), "point": ["y": y]]])
        }
        store.insert(
            "City", ["name": "d", "twin": try store.context.one("City", "c")])
        try store.context.save()
        let fresh = try store.fresh()
        #expect(try fresh.names("City", "place.point.y >= 2") == ["a", "c"])
        #expect(try fresh.names("City", "place.label == 'B'") == ["b"])
        #expect(try fresh.names("City", "twin.place.point.y == 2") == ["d"])
        #expect(try fresh.names("City", "place.label == nil") == ["d"])
        let sorted = NSFetchRequest<NSManagedObject>(entityName: "City")
        sorted.predicate = NSPredicate(format: "place.label != nil")
        sorted.sortDescriptors = [NSSortDescriptor(key: "place.point.y", ascending: true)]
        #expect(try fresh.fetch(sorted).map(\.name) == ["b", "c", "a"])
    }

    @Test("have the defaults of their elements, where they have none themselves")
    func defaults() throws {
        let fixture = try Fixture(
            Build.model(
                xml:
                    """
                    <entity name="City"><attribute name="place" optional="YES" attributeType="Composite" composite="P"/></entity>
                    <composite name="P"><attribute name="x" optional="YES" attributeType="Integer 16" defaultValueString="7"/>
                    <attribute name="y" optional="YES" attributeType="String"/></composite>
                    """))
        #expect(Self.dictionary(fixture.insert("City")) == ["x": 7])
    }

    @Test("need the elements that aren't optional, and keep the rules of all, once they aren't nil")
    func validation() throws {
        let fixture = try Fixture(
            Build.model(
                xml:
                    """
                    <entity name="City"><attribute name="place" optional="YES" attributeType="Composite" composite="P"/></entity>
                    <composite name="P"><attribute name="x" attributeType="Integer 16" maxValueString="9"/>
                    <attribute name="y" optional="YES" attributeType="String"/></composite>
                    """))
        let city = fixture.insert("City")
        try fixture.context.save()
        city.setValue(["y": "a"], forKey: "place")
        #expect(errorCode { try fixture.context.save() } == .validationMissingMandatoryProperty)
        city.setValue(["x": 10], forKey: "place")
        #expect(errorCode { try fixture.context.save() } == .validationNumberTooLarge)
        city.setValue(["x": 9], forKey: "place")
        try fixture.context.save()
    }

    @Test("may have their elements in indexes")
    func indexes() throws {
        let cities = try Self.cityModel()
        let city = try #require(cities.entitiesByName["City"])
        let expression = NSExpressionDescription()
        expression.name = "x"
        expression.expression = FoundationSupplement.NSExpression(forKeyPath: "place.point.x")
        city.indexes = [
            NSFetchIndexDescription(
                name: "byX",
                elements: [NSFetchIndexElementDescription(property: expression, collationType: .binary)])
        ]
        let fixture = try Fixture(cities)
        #expect(
            try fixture.value("SELECT sql FROM sqlite_master WHERE name = 'Z_City_byX'")
                == "CREATE INDEX Z_City_byX ON ZCITY (ZPLACE_POINT_X COLLATE BINARY ASC)")
    }

    @Test("undo, roll back and refresh to what they were")
    func undo() throws {
        let fixture = try Fixture(Self.cityModel())
        let city = fixture.insert("City", ["name": "a", "place": Self.oslo])
        try fixture.context.save()
        city.setValue("x", forKeyPath: "place.label")
        fixture.context.rollback()
        #expect(Self.dictionary(city) == Self.oslo as NSDictionary)
        city.setValue(Self.oslo, forKey: "place")
        #expect(city.changedValues().isEmpty)
    }
}
