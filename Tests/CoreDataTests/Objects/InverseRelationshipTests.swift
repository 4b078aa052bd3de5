import Foundation
import Testing

@testable import CoreData

@Suite("Both ends of a relationship")
struct InverseRelationshipTests {
    /// Author 1–n Book, Book n–m Tag, Person 1–1 Passport, Person friends (its own inverse), Person likes/likedBy.
    static func model() -> NSManagedObjectModel {
        let author = Build.entity("Author", [Build.attribute("name", .stringAttributeType)])
        let book = Build.entity("Book", [Build.attribute("name", .stringAttributeType)])
        let tag = Build.entity("Tag", [Build.attribute("name", .stringAttributeType)])
        let person = Build.entity("Person", [Build.attribute("name", .stringAttributeType)])
        let passport = Build.entity("Passport", [Build.attribute("name", .stringAttributeType)])
        Build.relate(Build.many(author, "books"), Build.one(book, "author"))
        Build.relate(Build.many(book, "tags"), Build.many(tag, "books"))
        Build.relate(Build.one(person, "passport"), Build.one(passport, "owner"))
        Build.relateToSelf(Build.many(person, "friends"))
        Build.relate(Build.many(person, "likes"), Build.many(person, "likedBy"))
        Build.relate(Build.many(person, "children"), Build.one(person, "parent"))
        Build.relateToSelf(Build.one(person, "spouse"))
        return Build.model(author, book, tag, person, passport)
    }

    @Test("setting the to-one end fills the to-many end at once, and the other way round")
    func bothWays() throws {
        let fixture = try Fixture(Self.model())
        let author = fixture.insert("Author", ["name": "A"])
        let (first, second) = (fixture.insert("Book", ["name": "1"]), fixture.insert("Book", ["name": "2"]))
        first.setValue(author, forKey: "author")
        #expect(author.names("books") == ["1"])
        author.setValue(Set([second]), forKey: "books")
        #expect(first.object("author") == nil)
        #expect(second.object("author") === author)
        second.setValue(nil, forKey: "author")
        #expect(author.set("books").isEmpty)
    }

    @Test("a book that moves to another author leaves the first one, before and after a save")
    func moving() throws {
        let fixture = try Fixture(Self.model())
        let (a, b) = (fixture.insert("Author", ["name": "A"]), fixture.insert("Author", ["name": "B"]))
        let book = fixture.insert("Book", ["name": "1", "author": a])
        try fixture.context.save()
        b.setValue(Set([book]), forKey: "books")
        #expect(a.set("books").isEmpty)
        #expect(book.object("author") === b)
        try fixture.context.save()
        let fresh = try fixture.freshContext()
        #expect(try fresh.one("Author", "A").set("books").isEmpty)
        #expect(try fresh.one("Author", "B").names("books") == ["1"])
    }

    @Test("in a one-to-one relationship a taken partner is released on both sides")
    func stealing() throws {
        let fixture = try Fixture(Self.model())
        let (a, b) = (fixture.insert("Person", ["name": "A"]), fixture.insert("Person", ["name": "B"]))
        let (p, q) = (fixture.insert("Passport", ["name": "P"]), fixture.insert("Passport", ["name": "Q"]))
        a.setValue(p, forKey: "passport")
        q.setValue(b, forKey: "owner")
        a.setValue(q, forKey: "passport")
        #expect(b.object("passport") == nil)
        #expect(p.object("owner") == nil)
        #expect(q.object("owner") === a)
        try fixture.context.save()
        let fresh = try fixture.freshContext()
        #expect(try fresh.one("Person", "A").object("passport")?.name == "Q")
        #expect(try fresh.one("Person", "B").object("passport") == nil)
        #expect(try fixture.value("SELECT COUNT(*) FROM ZPASSPORT WHERE ZOWNER IS NOT NULL") == "1")
    }

    @Test("a many-to-many pair is one row, from whichever side it is made, and none after it is undone")
    func manyToMany() throws {
        let fixture = try Fixture(Self.model())
        let (x, y) = (fixture.insert("Book", ["name": "x"]), fixture.insert("Book", ["name": "y"]))
        let (r, s) = (fixture.insert("Tag", ["name": "r"]), fixture.insert("Tag", ["name": "s"]))
        x.setValue(Set([r, s]), forKey: "tags")
        s.setValue(Set([x, y]), forKey: "books")
        try fixture.context.save()
        let table = try #require(try fixture.value("SELECT name FROM sqlite_master WHERE name IN ('Z_2TAGS', 'Z_5BOOKS')"))
        #expect(try fixture.value("SELECT COUNT(*) FROM \(table)") == "3")
        let fresh = try fixture.freshContext()
        #expect(try fresh.one("Tag", "s").names("books") == ["x", "y"])
        #expect(try fresh.one("Book", "x").names("tags") == ["r", "s"])
        s.setValue(Set<NSManagedObject>(), forKey: "books")
        #expect(x.names("tags") == ["r"])
        try fixture.context.save()
        #expect(try fixture.value("SELECT COUNT(*) FROM \(table)") == "1")
    }

    @Test("a relationship that is its own inverse holds on both objects")
    func reflexive() throws {
        let fixture = try Fixture(Self.model())
        let (a, b) = (fixture.insert("Person", ["name": "A"]), fixture.insert("Person", ["name": "B"]))
        a.setValue(Set([b]), forKey: "friends")
        a.setValue(b, forKey: "spouse")
        #expect(b.names("friends") == ["A"])
        #expect(b.object("spouse") === a)
        try fixture.context.save()
        let fresh = try fixture.freshContext()
        #expect(try fresh.one("Person", "A").names("friends") == ["B"])
        #expect(try fresh.one("Person", "B").names("friends") == ["A"])
        #expect(try fresh.one("Person", "B").object("spouse")?.name == "A")
        let other = try fresh.one("Person", "B")
        other.setValue(Set<NSManagedObject>(), forKey: "friends")
        try fresh.save()
        let third = try fixture.freshContext()
        #expect(try third.one("Person", "A").set("friends").isEmpty)
        #expect(try fixture.value("SELECT COUNT(*) FROM Z_4FRIENDS") == "0")
    }

    @Test("an object may be related to itself")
    func itself() throws {
        let fixture = try Fixture(Self.model())
        let a = fixture.insert("Person", ["name": "A"])
        a.setValue(Set([a]), forKey: "friends")
        a.setValue(Set([a]), forKey: "likes")
        a.setValue(a, forKey: "parent")
        a.setValue(a, forKey: "spouse")
        #expect(a.names("likedBy") == ["A"])
        #expect(a.names("children") == ["A"])
        try fixture.context.save()
        let fresh = try fixture.freshContext().one("Person", "A")
        #expect(fresh.names("friends") == ["A"])
        #expect(fresh.names("likedBy") == ["A"])
        #expect(fresh.object("parent") === fresh)
        #expect(fresh.object("spouse") === fresh)
        a.setValue(nil, forKey: "spouse")
        a.setValue(Set<NSManagedObject>(), forKey: "likedBy")
        #expect(a.object("spouse") == nil)
        #expect(a.set("likes").isEmpty)
    }

    @Test("a spouse who is taken leaves the earlier one alone")
    func spouses() throws {
        let fixture = try Fixture(Self.model())
        let (a, b, c) = (fixture.insert("Person"), fixture.insert("Person"), fixture.insert("Person"))
        a.setValue(b, forKey: "spouse")
        c.setValue(b, forKey: "spouse")
        #expect(a.object("spouse") == nil)
        #expect(b.object("spouse") === c)
    }

    @Test("both directions between two objects of one entity stay apart")
    func likes() throws {
        let fixture = try Fixture(Self.model())
        let (a, b) = (fixture.insert("Person", ["name": "A"]), fixture.insert("Person", ["name": "B"]))
        a.setValue(Set([b]), forKey: "likes")
        try fixture.context.save()
        let fresh = try fixture.freshContext()
        #expect(try fresh.one("Person", "A").names("likes") == ["B"])
        #expect(try fresh.one("Person", "A").names("likedBy") == [])
        #expect(try fresh.one("Person", "B").names("likedBy") == ["A"])
    }

    @Test("the other end changes without being read, and counts as updated")
    func unreadEnd() throws {
        let fixture = try Fixture(Self.model())
        let author = fixture.insert("Author", ["name": "A"])
        fixture.insert("Book", ["name": "1", "author": author])
        try fixture.context.save()
        let fresh = try fixture.freshContext()
        let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: fresh)
        book.setValue("2", forKey: "name")
        let sameAuthor = try fresh.one("Author", "A")
        book.setValue(sameAuthor, forKey: "author")
        #expect(fresh.updatedObjects == [sameAuthor])
        #expect(sameAuthor.names("books") == ["1", "2"])
        try fresh.save()
        #expect(try fixture.value("SELECT Z_OPT FROM ZAUTHOR") == "2")
        #expect(try fixture.freshContext().one("Author", "A").names("books") == ["1", "2"])
    }

    @Test("an end that was never read keeps what the store has when objects come and go")
    func unreadManyToMany() throws {
        let fixture = try Fixture(Self.model())
        let tag = fixture.insert("Tag", ["name": "t"])
        for name in ["1", "2", "3"] { fixture.insert("Book", ["name": name, "tags": Set([tag])]) }
        try fixture.context.save()
        let fresh = try fixture.freshContext()
        try fresh.one("Book", "1").setValue(Set<NSManagedObject>(), forKey: "tags")
        let book = try fresh.one("Book", "2")
        let sameTag = try fresh.one("Tag", "t")
        book.setValue(Set<NSManagedObject>(), forKey: "tags")
        book.setValue(Set([sameTag]), forKey: "tags")
        #expect(sameTag.names("books") == ["2", "3"])
        try fresh.save()
        #expect(try fixture.freshContext().one("Tag", "t").names("books") == ["2", "3"])
    }

    @Test("an empty to-many relationship is an empty set, not nil")
    func empty() throws {
        let fixture = try Fixture(Self.model())
        let author = fixture.insert("Author", ["name": "A"])
        #expect(author.value(forKey: "books") as? Set<NSManagedObject> == [])
        author.setValue(nil, forKey: "books")
        #expect(author.value(forKey: "books") as? Set<NSManagedObject> == [])
    }
}
