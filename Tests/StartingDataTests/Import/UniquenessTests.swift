import CoreData
import Testing

@testable import StartingData

private func codes() throws -> ImportCase {
    try ImportCase(
        entity(
            "Country", attribute("code"), attribute("year", "Integer 16"), attribute("name"),
            unique: [["code", "year"], ["name"]]))
}

@Suite("Uniqueness constraints")
struct UniquenessTests {
    @Test("name both places of a key that comes twice in a file")
    func oneFile() throws {
        #expect(
            try codes().complaint(["Country.csv": "name,code\nNorway,NO\nIceland,IS\nNorway,XX\n"])
                == "Country.csv:4:1: another Country with the name 'Norway' is at Country.csv:2:1")
    }

    @Test("name both places in two files, of the same name or of two formats")
    func twoFiles() throws {
        #expect(
            try codes().complaint(["b/Country.csv": "name\nNorway\n", "a/Country.csv": "code,name\nNO,Norway\n"])
                == "Country.csv:2:4: another Country with the name 'Norway' is at Country.csv:2:1")
        #expect(
            try codes().complaint(["Country.csv": "name\nNorway\n", "Country.json": "[\n {\"name\": \"Norway\"}\n]"])
                == "Country.json:2:11: another Country with the name 'Norway' is at Country.csv:2:1")
        #expect(
            try codes().complaint(["Country.json": "[\n {\"name\": \"Norway\"}\n]", "Country.csv": "name\nNorway\n"])
                == "Country.csv:2:1: another Country with the name 'Norway' is at Country.json:2:11")
    }

    @Test("over several attributes compare them together, and nil is equal to nothing")
    func several() throws {
        let good = try codes()
        try good.run(["Country.csv": "code,year,name\nA,1,\nA,2,\nB,1,\nA,,\nA,,\n,,\n,,\n"])
        #expect(try good.query("SELECT COUNT(*) FROM ZCOUNTRY") == ["7"])
        #expect(
            try codes().complaint(["Country.csv": "code,year\nA,1\nA,2\nB,1\nA,1\n"])
                == "Country.csv:5:1: another Country with the code, year 'A, 1' is at Country.csv:2:1")
    }

    @Test("are also kept against the rows that the store has, and within what is added")
    func existing() throws {
        let country = try codes()
        try country.run(["Country.csv": "code,year,name\nA,1,Norway\n"])
        #expect(
            try country.complaint(["Country.csv": "name\nIceland\nNorway\n"])
                == "Country.csv:3:1: another Country with the name 'Norway' is in the store already")
        #expect(
            try country.complaint(["Country.csv": "year,code\n2,A\n1,A\n"])
                == "Country.csv:3:3: another Country with the code, year 'A, 1' is in the store already")
        #expect(
            try country.complaint(["Country.csv": "name\nSweden\nIceland\nSweden\n"])
                == "Country.csv:4:1: another Country with the name 'Sweden' is at Country.csv:2:1")
        #expect(try country.query("SELECT ZNAME FROM ZCOUNTRY") == ["Norway"])
    }

    @Test("of a super-entity hold for all rows of its sub-entities")
    func inherited() throws {
        let animal = try ImportCase(
            entity("Animal", attribute("name"), unique: [["name"]]), entity("Bird", parent: "Animal"),
            entity("Cat", parent: "Animal"))
        #expect(
            try animal.complaint(["Bird.csv": "name\nTweety\n", "Cat.csv": "name\nTweety\n"])
                == "Cat.csv:2:1: another Animal with the name 'Tweety' is at Bird.csv:2:1")
    }

    @Test("may hold a relationship")
    func relationship() throws {
        let world = try ImportCase(
            entity("Country", attribute("code"), toMany("cities", "City", inverse: "country")),
            entity(
                "City", attribute("name"), toOne("country", "Country", inverse: "cities"),
                unique: [["name", "country"]]))
        #expect(
            try world.complaint(["City.csv": "name,country.code\nA,X\nA,Y\nA,X\n", "Country.csv": "code\nX\nY\n"])
                == "City.csv:4:1: another City with the name, country 'A, X' is at City.csv:2:1")
    }
}
