import Foundation
import Testing

@testable import CoreData

@Suite("Moving objects between relationships")
struct MovingTests {
    static func model() -> NSManagedObjectModel {
        let name = { Build.attribute("name", .stringAttributeType) }
        let owner = Build.entity("Owner", [name()])
        let item = Build.entity("Item", [name()])
        Build.relate(Build.one(owner, "key"), Build.one(item, "keyOwner"))
        Build.relate(Build.many(owner, "items"), Build.one(item, "owner"))
        Build.relate(Build.many(owner, "row", isOrdered: true), Build.one(item, "rowOwner"))
        Build.relate(Build.one(owner, "next"), Build.one(owner, "previous"))
        Build.relateToSelf(Build.one(owner, "twin"))
        return Build.model(owner, item)
    }

    let fixture: Fixture
    let a, b, x, y: NSManagedObject
    var context: NSManagedObjectContext { fixture.context }

    init() throws {
        fixture = try Fixture(Self.model())
        let context = fixture.context
        (a, b) = (.with("Owner", "a", context), .with("Owner", "b", context))
        (x, y) = (.with("Item", "x", context), .with("Item", "y", context))
        a.setValue(x, forKey: "key")
        b.setValue(y, forKey: "key")
        a.setValue(Set([x, y]), forKey: "items")
        a.setValue(NSOrderedSet(array: [x, y]), forKey: "row")
        try context.save()
    }

    @Test("taking the partner of another leaves both left-over ends empty at once", arguments: [true, false])
    func steal(_ isReadBefore: Bool) throws {
        if !isReadBefore { context.refreshAllObjects() }
        a.setValue(y, forKey: "key")
        #expect(a.object("key") === y && y.object("keyOwner") === a)
        #expect(b.object("key") == nil && x.object("keyOwner") == nil)
        try context.save()
        #expect(try fixture.rows("SELECT ZNAME, ZKEY FROM ZOWNER ORDER BY ZNAME") == [["a", "2"], ["b", nil]])
        #expect(try fixture.rows("SELECT ZNAME, ZKEYOWNER FROM ZITEM ORDER BY ZNAME") == [["x", nil], ["y", "1"]])
    }

    @Test("the same from the other side")
    func stealBack() throws {
        y.setValue(a, forKey: "keyOwner")
        #expect(a.object("key") === y && b.object("key") == nil && x.object("keyOwner") == nil)
    }

    @Test("partners can be traded in one save")
    func trade() throws {
        a.setValue(y, forKey: "key")
        b.setValue(x, forKey: "key")
        try context.save()
        let fresh = try fixture.freshContext()
        #expect(try fresh.one("Owner", "a").object("key")?.name == "y")
        #expect(try fresh.one("Item", "x").object("keyOwner")?.name == "b")
    }

    @Test("giving the collection of one owner to another empties the first")
    func collection() throws {
        b.setValue(a.value(forKey: "items"), forKey: "items")
        #expect(a.set("items").isEmpty && b.names("items") == ["x", "y"])
        #expect(x.object("owner") === b)
        b.setValue(a.value(forKey: "row"), forKey: "row")
        #expect(a.list("row").isEmpty && b.orderedNames("row") == ["x", "y"])
        try context.save()
        #expect(try fixture.column("SELECT ZOWNER FROM ZITEM ORDER BY ZNAME") == ["2", "2"])
        #expect(try fixture.freshContext().one("Owner", "b").orderedNames("row") == ["x", "y"])
    }

    @Test("there and back is no change; in an ordered relationship it is the way to the end", arguments: [true, false])
    func thereAndBack(_ isReadBefore: Bool) throws {
        if !isReadBefore { context.refreshAllObjects() }
        x.setValue(b, forKey: "owner")
        x.setValue(a, forKey: "owner")
        #expect(!x.hasPersistentChangedValues && !a.hasPersistentChangedValues)
        x.setValue(b, forKey: "rowOwner")
        x.setValue(a, forKey: "rowOwner")
        #expect(a.orderedNames("row") == ["y", "x"] && b.list("row").isEmpty)
        try context.save()
        #expect(try fixture.freshContext().one("Owner", "a").orderedNames("row") == ["y", "x"])
    }

    @Test("unread, an object that left an ordered relationship and came back is the last, too")
    func unreadBack() throws {
        context.refreshAllObjects()
        x.setValue(nil, forKey: "rowOwner")
        x.setValue(a, forKey: "rowOwner")
        try context.save()
        #expect(a.orderedNames("row") == ["y", "x"])
        #expect(try fixture.freshContext().one("Owner", "a").orderedNames("row") == ["y", "x"])
    }

    @Test("an order that is given back is no change")
    func orderBack() throws {
        a.setValue(NSOrderedSet(array: [y, x]), forKey: "row")
        #expect(a.hasPersistentChangedValues)
        a.setValue(NSOrderedSet(array: [x, y]), forKey: "row")
        #expect(!a.hasPersistentChangedValues && a.changedValues().isEmpty)
    }

    @Test("chains of one-to-one relationships close up only where they are told to")
    func chain() throws {
        let c = NSManagedObject.with("Owner", "c", context)
        a.setValue(b, forKey: "next")
        b.setValue(c, forKey: "next")
        a.setValue(c, forKey: "next")
        #expect(b.object("previous") == nil && b.object("next") == nil && c.object("previous") === a)
        a.setValue(a, forKey: "next")
        #expect(a.object("previous") === a && c.object("previous") == nil)
        try context.save()
        #expect(try fixture.freshContext().one("Owner", "a").object("next")?.name == "a")
    }

    @Test("a relationship that is its own inverse always pairs two, or one with itself")
    func twins() throws {
        let c = NSManagedObject.with("Owner", "c", context)
        a.setValue(b, forKey: "twin")
        #expect(b.object("twin") === a)
        c.setValue(a, forKey: "twin")
        #expect(a.object("twin") === c && b.object("twin") == nil)
        a.setValue(a, forKey: "twin")
        #expect(a.object("twin") === a && c.object("twin") == nil)
        try context.save()
        #expect(try fixture.column("SELECT ZTWIN FROM ZOWNER ORDER BY ZNAME") == ["1", nil, nil])
    }
}
