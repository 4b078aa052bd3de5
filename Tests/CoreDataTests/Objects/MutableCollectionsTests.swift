import Foundation
import Testing

@testable import CoreData

@Suite("Mutable collections of managed objects")
struct MutableCollectionsTests {
    /// Country 1–n City, Album 1–n Song ordered, Person n–m Person, and a transformable list.
    static func model() -> NSManagedObjectModel {
        let country = Build.entity(
            "Country",
            [Build.attribute("name", .stringAttributeType), Build.attribute("tags", .transformableAttributeType)])
        let city = Build.entity("City", [Build.attribute("name", .stringAttributeType)])
        let album = Build.entity("Album", [Build.attribute("name", .stringAttributeType)])
        let song = Build.entity("Song", [Build.attribute("name", .stringAttributeType)])
        let person = Build.entity("Person", [Build.attribute("name", .stringAttributeType)])
        Build.relate(Build.many(country, "cities"), Build.one(city, "country"))
        Build.relate(Build.many(album, "songs", isOrdered: true), Build.one(song, "album"))
        Build.relate(Build.many(person, "friends"), Build.many(person, "friendOf"))
        return Build.model(country, city, album, song, person)
    }

    let fixture: Fixture

    init() throws { fixture = try Fixture(Self.model()) }

    func cities(_ names: String...) -> [NSManagedObject] { names.map { fixture.insert("City", ["name": $0]) } }

    @Test("adding and removing through the set changes both ends")
    func bothEnds() throws {
        let (iceland, norway) = (fixture.insert("Country"), fixture.insert("Country"))
        let all = cities("a", "b", "c")
        let set = iceland.mutableSetValue(forKey: "cities")
        set.add(all[0])
        set.addObjects(from: [all[1], all[2], all[0]])
        #expect(iceland.names("cities") == ["a", "b", "c"])
        #expect(all.allSatisfy { $0.object("country") === iceland })
        norway.mutableSetValue(forKey: "cities").add(all[1])
        #expect(iceland.names("cities") == ["a", "c"] && set.count == 2)
        #expect(all[1].object("country") === norway)
        set.remove(all[0])
        #expect(all[0].object("country") == nil)
        set.removeAllObjects()
        #expect(iceland.set("cities").isEmpty && all[2].object("country") == nil)
        try fixture.context.save()
        #expect(try fixture.value("SELECT COUNT(*) FROM ZCITY WHERE ZCOUNTRY IS NOT NULL") == "1")
    }

    @Test("union, minus, intersect and setSet are changes of the relationship")
    func algebra() {
        let country = fixture.insert("Country")
        let all = cities("a", "b", "c", "d")
        let set = country.mutableSetValue(forKey: "cities")
        set.union([all[0], all[1], all[2]])
        set.minus([all[0], all[3]])
        #expect(country.names("cities") == ["b", "c"])
        set.intersect([all[2], all[3]])
        #expect(country.names("cities") == ["c"])
        set.setSet([all[3], all[0]])
        #expect(country.names("cities") == ["a", "d"])
        #expect(all[2].object("country") == nil && all[3].object("country") === country)
    }

    @Test("the set shows what the relationship has, whoever changes it")
    func live() {
        let country = fixture.insert("Country")
        let set = country.mutableSetValue(forKey: "cities")
        let city = fixture.insert("City", ["name": "a", "country": country])
        #expect(set.count == 1 && set.contains(city) && set.anyObject() as? NSManagedObject == city)
        #expect(set.allObjects as? [NSManagedObject] == [city] && set.map { $0 as? NSManagedObject } == [city])
        city.setValue(nil, forKey: "country")
        #expect(set.count == 0 && !set.contains(city))
        #expect(set.isEqual(NSSet()) && NSSet().isEqual(set))
    }

    @Test("a set can be given to a setter, also to the one it came from")
    func asValue() {
        let (one, other) = (fixture.insert("Country"), fixture.insert("Country"))
        let all = cities("a", "b")
        let set = one.mutableSetValue(forKey: "cities")
        set.addObjects(from: all)
        one.setValue(set, forKey: "cities")
        #expect(one.names("cities") == ["a", "b"])
        other.setValue(set, forKey: "cities")
        #expect(other.names("cities") == ["a", "b"] && one.set("cities").isEmpty)
    }

    @Test("many-to-many relationships with themselves")
    func manyToMany() throws {
        let people = ["a", "b", "c"].map { fixture.insert("Person", ["name": $0]) }
        people[0].mutableSetValue(forKey: "friends").addObjects(from: people)
        #expect(people[0].names("friends") == ["a", "b", "c"] && people[2].names("friendOf") == ["a"])
        people[2].mutableSetValue(forKey: "friendOf").removeAllObjects()
        try fixture.context.save()
        #expect(try fixture.freshContext().one("Person", "a").names("friends") == ["a", "b"])
    }

    @Test("an ordered relationship keeps the order that it is given")
    func ordered() throws {
        let album = fixture.insert("Album", ["name": "A"])
        let songs = ["a", "b", "c", "d"].map { fixture.insert("Song", ["name": $0]) }
        let list = album.mutableOrderedSetValue(forKey: "songs")
        list.addObjects(from: songs)
        #expect(album.orderedNames("songs") == ["a", "b", "c", "d"])
        list.moveObjects(at: [3], to: 0)
        list.removeObject(at: 1)
        list.exchangeObject(at: 1, withObjectAt: 2)
        #expect(album.orderedNames("songs") == ["d", "c", "b"] && songs[0].object("album") == nil)
        list.insert(songs[0], at: 1)
        #expect(songs[0].object("album") === album && list.index(of: songs[0]) == 1)
        list.sort(using: [NSSortDescriptor(key: "name", ascending: true)])
        #expect(list.map { ($0 as? NSManagedObject)?.name } == ["a", "b", "c", "d"])
        try fixture.context.save()
        #expect(try fixture.freshContext().one("Album", "A").orderedNames("songs") == ["a", "b", "c", "d"])
    }

    @Test("a stored relationship is read when the collection is asked, and then changed")
    func stored() throws {
        let country = fixture.insert("Country", ["name": "I"])
        country.mutableSetValue(forKey: "cities").addObjects(from: cities("a", "b"))
        try fixture.context.save()
        let context = try fixture.freshContext()
        let set = try context.one("Country", "I").mutableSetValue(forKey: "cities")
        #expect(set.count == 2)
        set.remove(try context.one("City", "a"))
        try context.save()
        #expect(try fixture.freshContext().one("Country", "I").names("cities") == ["b"])
    }

    @Test("collections of attributes are set as a whole")
    func attributes() {
        let country = fixture.insert("Country")
        country.mutableArrayValue(forKey: "tags").add("cold")
        #expect(country.value(forKey: "tags") as? [String] == ["cold"])
        country.setValue(NSSet(array: ["cold"]), forKey: "tags")
        country.mutableSetValue(forKey: "tags").add("far")
        #expect(country.value(forKey: "tags") as? Set<String> == ["cold", "far"])
    }

    @Test("predicates and key paths see through the collection")
    func keyPaths() {
        let country = fixture.insert("Country")
        let set = country.mutableSetValue(forKeyPath: "cities")
        set.addObjects(from: cities("a", "b"))
        #expect(set.value(forKey: "name") as? Set<String> == ["a", "b"])
        #expect(NSPredicate(format: "ANY %@.name == 'a'", set).evaluate(with: country))
    }

    @Test("adding an object costs the same whatever the number of objects")
    func manyObjects() {
        let country = fixture.insert("Country")
        let set = country.mutableSetValue(forKey: "cities")
        let all = (0..<4000).map { _ in fixture.insert("City") }
        let clock = ContinuousClock()
        let first = clock.measure { for city in all[..<400] { set.add(city) } }
        for city in all[400..<3600] { set.add(city) }
        let last = clock.measure { for city in all[3600...] { set.add(city) } }
        #expect(set.count == 4000)
        // Quadratic cost would make it ten times.
        #expect(last < first * 5 + .milliseconds(50))
    }

    @Test(
        "objects of another entity or context stop debug builds with Apple's words",
        arguments: ["Unacceptable type of value for to-many relationship", "between objects in different contexts"])
    func unacceptable(_ words: String) async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [words] in
            let fixture = try Fixture(MutableCollectionsTests.model())
            let set = fixture.insert("Country").mutableSetValue(forKey: "cities")
            if words.hasPrefix("Una") {
                set.add(fixture.insert("Song"))
            } else {
                set.add(NSEntityDescription.insertNewObject(forEntityName: "City", into: fixture.secondContext()))
            }
        }
        let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(output.contains(words), "\(output)")
    }
}
