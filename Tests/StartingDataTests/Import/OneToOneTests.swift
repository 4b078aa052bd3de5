import CoreData
import Testing

@testable import StartingData

private func countries() throws -> ImportCase {
    try ImportCase(
        entity(
            "Country", attribute("code"), toOne("capital", "City", inverse: "capitalOf"),
            toMany("cities", "City", inverse: "country", isOrdered: true)),
        entity(
            "City", attribute("name"), toOne("capitalOf", "Country", inverse: "capital"),
            toOne("country", "Country", inverse: "cities"),
            toOne("twin", "City", inverse: "twin")))
}

private let capitals =
    "SELECT k.ZCODE, c.ZNAME, d.ZNAME FROM ZCOUNTRY k LEFT JOIN ZCITY c ON c.Z_PK = k.ZCAPITAL LEFT JOIN ZCITY d ON d.ZCAPITALOF = k.Z_PK ORDER BY 1"

@Suite("One-to-one relationships")
struct OneToOneTests {
    @Test("get both ends, whichever end the files have")
    func bothEnds() throws {
        let variants: [KeyValuePairs<String, String>] = [
            [
                "Country.csv": "code,capital.name\nIS,Reykjavík\nNO,Oslo\nXX,\n",
                "City.csv": "name\nOslo\nReykjavík\nVík\n",
            ],
            ["City.csv": "name,capitalOf.code\nOslo,NO\nReykjavík,IS\nVík,\n", "Country.csv": "code\nIS\nNO\nXX\n"],
            [
                "City.csv": "name,capitalOf.code\nOslo,NO\nReykjavík,IS\nVík,\n",
                "Country.csv": "code,capital.name\nIS,Reykjavík\nNO,Oslo\nXX,\n",
            ],
        ]
        for files in variants {
            let world = try countries()
            try world.run(files)
            #expect(try world.query(capitals) == ["IS|Reykjavík|Reykjavík", "NO|Oslo|Oslo", "XX|-|-"])
            #expect(try world.query("SELECT DISTINCT Z_OPT FROM ZCITY UNION SELECT Z_OPT FROM ZCOUNTRY") == ["1"])
        }
    }

    @Test("refuse two rows for one object, at the later one")
    func twice() throws {
        #expect(
            try countries().complaint([
                "City.csv": "name\nOslo\n", "Country.csv": "code,capital.name\nNO,Oslo\nXX,\nSE,Oslo\n",
            ])
                == "Country.csv:4:4: Country.capital: another Country has the same capital: 'Oslo'")
        // The later one has the smaller key, as it was promised.
        #expect(
            try countries().complaint([
                "City.csv": "name,country.code\nOslo,SE\n", "Country.csv": "code,capital.name\nNO,Oslo\nSE,Oslo\n",
            ]) == "Country.csv:3:4: Country.capital: another Country has the same capital: 'Oslo'")
    }

    @Test("refuse ends that disagree")
    func conflict() throws {
        let message = try countries().complaint([
            "Country.csv": "code,capital.name\nNO,Oslo\nSE,\n", "City.csv": "name,capitalOf.code\nOslo,SE\nBergen,\n",
        ])
        #expect(message == "Country.csv:2:4: Country.capital: its capital has another Country as its capitalOf: 'Oslo'")
    }

    @Test("that are their own inverse get both ends")
    func symmetric() throws {
        let world = try countries()
        try world.run(["City.csv": "name,twin.name\nA,B\nB,\nC,D\nD,C\nE,E\n"])
        #expect(
            try world.query("SELECT c.ZNAME, t.ZNAME FROM ZCITY c JOIN ZCITY t ON t.Z_PK = c.ZTWIN ORDER BY 1")
                == ["A|B", "B|A", "C|D", "D|C", "E|E"])
        #expect(
            try countries().complaint(["City.csv": "name,twin.name\nA,B\nB,C\nC,\n"])
                == "City.csv:2:3: City.twin: its twin has another City as its twin: 'B'")
    }

    @Test("that are mandatory may be given by the other end, and must be by one")
    func mandatory() throws {
        func people() throws -> ImportCase {
            try ImportCase(
                entity("Person", attribute("name"), toOne("passport", "Passport", inverse: "owner", isOptional: false)),
                entity(
                    "Passport", attribute("number"), toOne("owner", "Person", inverse: "passport", isOptional: false)))
        }
        let good = try people()
        try good.run(["Person.csv": "name\nAnn\n", "Passport.csv": "number,owner.name\n1,Ann\n"])
        #expect(
            try good.query("SELECT p.ZNAME, q.ZNUMBER FROM ZPERSON p JOIN ZPASSPORT q ON q.Z_PK = p.ZPASSPORT") == [
                "Ann|1"
            ])
        #expect(
            try people().complaint(["Person.csv": "name\nAnn\nBob\n", "Passport.csv": "number,owner.name\n1,Ann\n"])
                == "Person.csv:3:1: Person.passport is mandatory, and no record gives it a value")
        #expect(
            try people().complaint(["Person.csv": "name\nAnn\n", "Passport.csv": "number,owner.name\n1,\n"])
                == "Passport.csv:2:3: Passport.owner is mandatory, and no record gives it a value")
    }

    @Test("have the entity's number at both ends where a side has sub-entities")
    func subentities() throws {
        let house = try ImportCase(
            entity("Person", attribute("name"), toOne("home", "Place", inverse: "owner")),
            entity("Child", parent: "Person"),
            entity("Place", attribute("name"), toOne("owner", "Person", inverse: "home")),
            entity("House", parent: "Place"))
        try house.run([
            "House.csv": "name,owner.name\nVilla,Kim\n", "Place.csv": "name\nCave\n",
            "Child.csv": "name,home.name\nKim,\nTom,Cave\n",
        ])
        #expect(
            try house.query(
                "SELECT ZNAME, ZOWNER IS NULL, (SELECT ZNAME FROM ZPERSON WHERE Z_PK = ZOWNER) FROM ZPLACE ORDER BY 1")
                == ["Cave|0|Tom", "Villa|0|Kim"])
        let numbers = try house.query("SELECT Z_NAME, Z_ENT FROM Z_PRIMARYKEY ORDER BY 2")
        #expect(numbers == ["Person|1", "Child|2", "Place|3", "House|4"])
        #expect(try house.query("SELECT ZNAME, Z3_HOME FROM ZPERSON ORDER BY 1") == ["Kim|4", "Tom|3"])
        #expect(try house.query("SELECT ZNAME, Z1_OWNER FROM ZPLACE ORDER BY 1") == ["Cave|2", "Villa|2"])
    }
}

@Suite("Ordered relationships")
struct OrderTests {
    @Test("have the order of the records, also where the keys have another")
    func order() throws {
        let world = try countries()
        try world.run([
            // The capitals get the first keys.
            "Country.csv": "code,capital.name\nNO,Oslo\nIS,Reykjavík\n",
            "City.csv": "name,country.code\nVík,IS\nBergen,NO\nÓs,IS\nReykjavík,IS\nOslo,NO\nNowhere,\n",
        ])
        #expect(
            try world.query("SELECT ZNAME, Z_FOK_COUNTRY FROM ZCITY ORDER BY ZCOUNTRY, Z_FOK_COUNTRY, 1")
                == ["Nowhere|-", "Bergen|2048", "Oslo|3072", "Vík|2048", "Ós|3072", "Reykjavík|4096"])
        let context = try world.context()
        try context.performAndWait {
            let iceland = try #require(try world.objects("Country", by: "code", in: context).first)
            let cities = (iceland.value(forKey: "cities") as? NSOrderedSet)?.array as? [NSManagedObject]
            #expect(cities?.map { $0.value(forKey: "name") as? String } == ["Vík", "Ós", "Reykjavík"])
        }
    }

    @Test("go on behind what the store has")
    func append() throws {
        let world = try countries()
        try world.run(["Country.csv": "code\nNO\n", "City.csv": "name,country.code\nBergen,NO\nOslo,NO\n"])
        try world.run(["City.csv": "name,country.code\nVoss,NO\nBodø,NO\n"])
        #expect(
            try world.query("SELECT ZNAME, Z_FOK_COUNTRY FROM ZCITY ORDER BY 2") == [
                "Bergen|2048", "Oslo|3072", "Voss|4096", "Bodø|5120",
            ])
    }

    @Test("of many thousand rows take no more than a moment")
    func many() throws {
        let world = try countries()
        let countries = "code,capital.name\n" + (0..<5000).map { "\($0),c\($0)\n" }.joined()
        let cities = "name,country.code\n" + (0..<20_000).reversed().map { "c\($0),\($0 % 5000)\n" }.joined()
        let report = try world.run(["Country.csv": countries, "City.csv": cities])
        #expect(report.seconds < 20)
        #expect(
            try world.query("SELECT COUNT(*) FROM ZCITY WHERE ZCAPITALOF IS NOT NULL AND Z_FOK_COUNTRY = 5120") == [
                "5000"
            ])
    }
}
