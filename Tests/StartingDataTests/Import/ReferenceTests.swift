import CoreData
import Testing

@testable import StartingData

private func world() throws -> ImportCase {
    try ImportCase(
        entity(
            "Country", attribute("isoCode"), attribute("name"), attribute("number", "Integer 16"),
            attribute("area", "Decimal"),
            attribute("founded", "Date"), attribute("key", "UUID"), attribute("page", "URI"),
            attribute("weight", "Double"),
            toMany("cities", "City", inverse: "country")),
        entity("City", attribute("name"), toOne("country", "Country", inverse: "cities")),
        entity(
            "Employee", attribute("identifier", "Integer 32"), attribute("name"),
            toOne("manager", "Employee", inverse: "reports"),
            toMany("reports", "Employee", inverse: "manager")))
}

private let citiesByCountry =
    "SELECT c.ZNAME, k.ZISOCODE FROM ZCITY c LEFT JOIN ZCOUNTRY k ON k.Z_PK = c.ZCOUNTRY ORDER BY 1"

@Suite("References")
struct ReferenceTests {
    static let countries = "isoCode,name\nIS,Iceland\nNO,Norway\n"
    static let cities = "name,country.isoCode\nReykjavík,IS\nOslo,NO\nBergen,NO\nAtlantis,\n"

    @Test("find rows of an earlier file and of a later one")
    func bothOrders() throws {
        for files in [
            ["Country.csv": Self.countries, "City.csv": Self.cities],
            ["City.csv": Self.cities, "Country.csv": Self.countries],
        ]
            as [KeyValuePairs<String, String>]
        {
            let world = try world()
            let report = try world.run(files)
            #expect(report.entities.map { "\($0.name) \($0.inserted)" } == ["City 4", "Country 2"])
            #expect(try world.query(citiesByCountry) == ["Atlantis|-", "Bergen|NO", "Oslo|NO", "Reykjavík|IS"])
            #expect(try world.query("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY") == ["City|4", "Country|2", "Employee|0"])
            try world.expectOneSoundFile()
        }
    }

    @Test("find rows of the same file, before and behind, and themselves")
    func selfReference() throws {
        let world = try world()
        try world.run(["Employee.csv": "identifier,name,manager.identifier\n3,C,2\n1,A,1\n2,B,1\n4,D,\n"])
        #expect(
            try world.query(
                "SELECT e.ZNAME, m.ZNAME FROM ZEMPLOYEE e LEFT JOIN ZEMPLOYEE m ON m.Z_PK = e.ZMANAGER ORDER BY 1")
                == ["A|A", "B|A", "C|B", "D|-"])
        let context = try world.context()
        try context.performAndWait {
            let all = try world.objects("Employee", by: "identifier", in: context)
            #expect((all[0].value(forKey: "reports") as? Set<NSManagedObject>)?.count == 2)
        }
    }

    @Test("find rows through nested JSON objects and in one file of several entities")
    func json() throws {
        let world = try world()
        try world.run([
            "Everything.json": """
            {"City": [{"name": "Oslo", "country": {"isoCode": "NO"}}, {"name": "Vík", "country.isoCode": "IS"}, {"name": "X", "country": null}],
             "Country": [{"isoCode": "IS"}, {"isoCode": "NO"}]}
            """
        ])
        #expect(try world.query(citiesByCountry) == ["Oslo|NO", "Vík|IS", "X|-"])
    }

    @Test(
        "find rows by attributes of every type that can serve",
        arguments: [
            ("number", "12"), ("area", "1.10"), ("founded", "1944-06-17T12:00:00.5Z"),
            ("key", "00112233-4455-6677-8899-aabbccddeeff"),
            ("page", "https://example.is/"), ("weight", "0.1"), ("name", "Ísland"),
        ])
    func everyType(_ attribute: String, _ value: String) throws {
        let countries = "isoCode,\(attribute)\nIS,\(value)\nNO,\n"
        let cities = "name,country.\(attribute)\nVík,\(value)\n"
        for isForward in [false, true] {
            let world = try world()
            try world.run(
                isForward
                    ? ["City.csv": cities, "Country.csv": countries] : ["Country.csv": countries, "City.csv": cities])
            // And once more, from the store.
            try world.run(["City.csv": "name,country.\(attribute)\nÓs,\(value)\n"])
            #expect(try world.query(citiesByCountry) == ["Vík|IS", "Ós|IS"], "\(isForward)")
        }
    }

    @Test("by two attributes that lead to the same row before it is there")
    func twoAttributes() throws {
        let world = try world()
        try world.run([
            "City.json": """
            [{"name": "A", "country.isoCode": "IS"}, {"name": "B", "country.name": "Iceland"}, {"name": "C", "country.isoCode": "NO"}]
            """,
            "Country.csv": "isoCode,name\nNO,Norway\nIS,Iceland\n",
        ])
        #expect(try world.query(citiesByCountry) == ["A|IS", "B|IS", "C|NO"])
        #expect(try world.query("SELECT COUNT(*) FROM ZCOUNTRY") == ["2"])
        #expect(
            try world.query(
                "SELECT Z_MAX >= (SELECT MAX(Z_PK) FROM ZCOUNTRY) FROM Z_PRIMARYKEY WHERE Z_NAME = 'Country'") == ["1"])
        try world.expectOneSoundFile()
    }

    @Test("by two attributes go on working when the row has come")
    func twoAttributesAfterwards() throws {
        let world = try world()
        try world.run([
            "City.json":
                "[{\"name\": \"A\", \"country.isoCode\": \"IS\"}, {\"name\": \"B\", \"country.name\": \"Iceland\"}]",
            "Country.csv": "isoCode,name\nIS,Iceland\n",
            "more/City.json":
                "[{\"name\": \"C\", \"country.isoCode\": \"IS\"}, {\"name\": \"D\", \"country.name\": \"Iceland\"}]",
        ])
        #expect(try world.query(citiesByCountry) == ["A|IS", "B|IS", "C|IS", "D|IS"])
    }

    @Test("by two columns of one record are refused, unless only one has a value")
    func twoColumns() throws {
        let world = try world()
        let message = try world.complaint([
            "Country.csv": "isoCode,name\nIS,Iceland\n",
            "City.csv": "name,country.isoCode,country.name\nA,IS,\nB,IS,Iceland\n",
        ])
        #expect(
            message == "City.csv:3:6: the relationship City.country has a value from another column already: 'Iceland'")
        try world.run([
            "Country.csv": "isoCode,name\nIS,Iceland\n",
            "City.csv": "name,country.isoCode,country.name\nA,IS,\nB,,Iceland\n",
        ])
        #expect(try world.query(citiesByCountry) == ["A|IS", "B|IS"])
    }

    @Test("that several rows answer to are refused, whichever comes first")
    func ambiguous() throws {
        let twins = "isoCode,name\nXX,First\nXX,Second\n"
        let city = "name,country.isoCode\nA,XX\n"
        let words = "several Country have the isoCode 'XX', so references to it are not clear"
        #expect(try world().complaint(["Country.csv": twins, "City.csv": city]) == "City.csv:2:3: \(words)")
        #expect(try world().complaint(["City.csv": city, "Country.csv": twins]) == "Country.csv:3:1: \(words)")
        #expect(
            try world().complaint([
                "Country.csv": "isoCode\nXX\n", "City.csv": city, "more/Country.csv": "isoCode\nXX\n",
            ])
                == "Country.csv:2:1: \(words)")
        // Nobody refers to the twins: they may be.
        try world().run(["Country.csv": twins, "City.csv": "name,country.isoCode\nA,\n"])
    }

    @Test("to rows that never come are refused: the first, and how many more")
    func broken() throws {
        let world = try world()
        #expect(
            try world.complaint([
                "City.csv": "name,country.isoCode\nA,IS\nB,XX\nC,YY\nD,XX\n", "Country.csv": Self.countries,
            ])
                == "City.csv:3:3: there is no Country with the isoCode 'XX' (and 1 more such references)")
        #expect(
            try world.complaint(["City.json": "[\n{\"name\": \"A\",\n \"country\": {\"isoCode\": \"IS\"}}]"])
                == "City.json:3:25: there is no Country with the isoCode 'IS'")
        #expect(
            try world.complaint(["City.ndjson": "\n{\"name\": \"A\"}\n{\"country.isoCode\": \"IS\"}\n"])
                == "City.ndjson:3:21: there is no Country with the isoCode 'IS'")
        let file = world.folder.file("City.plist")
        try PropertyListSerialization.data(
            fromPropertyList: [["name": "A"], ["country.isoCode": "IS"]], format: .xml, options: 0
        )
        .write(to: file)
        #expect(
            try world.complaint([file])
                == "City.plist: record 2, key country.isoCode: there is no Country with the isoCode 'IS'")
    }

    @Test("tell texts apart that are written with different bytes")
    func exactText() throws {
        let world = try world()
        try world.run([
            "Country.csv": "isoCode,name\n1,\u{e9}\n2,e\u{301}\n",
            "City.csv": "name,country.name\nA,\u{e9}\nB,e\u{301}\n",
        ])
        #expect(try world.query(citiesByCountry) == ["A|1", "B|2"])
    }

    @Test("are checked against the other attribute's type and rules")
    func wrongType() throws {
        #expect(
            try world().complaint(["City.csv": "country.number\n12x\n"])
                == "City.csv:2:1: Country.number is Integer 16, and this value is not one: '12x'")
    }
}
