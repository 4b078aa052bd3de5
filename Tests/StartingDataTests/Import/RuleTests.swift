import CoreData
import Testing

@testable import StartingData

@Suite("The model's rules for values")
struct RuleTests {
    @Test("an empty cell, a null and an absent key are nil for an optional attribute, also where it has a default")
    func empty() throws {
        let city = try ImportCase(
            entity(
                "City", attribute("name"), attribute("rank", "Integer 32", "optional=\"YES\" defaultValueString=\"7\""))
        )
        try city.run(["City.csv": "name,rank\nA,\nB,1\n"])
        #expect(try city.query("SELECT ZNAME, ZRANK FROM ZCITY ORDER BY Z_PK") == ["A|-", "B|1"])
        try city.run(["City.json": "[{\"name\": \"C\", \"rank\": null}, {\"name\": \"D\"}, {\"name\": \"\"}]"])
        #expect(try city.query("SELECT ZNAME, ZRANK FROM ZCITY WHERE Z_PK > 2 ORDER BY Z_PK") == ["C|-", "D|7", "|7"])
    }

    @Test("a mandatory attribute takes its default where a file has no value")
    func mandatoryDefault() throws {
        let city = try ImportCase(
            entity("City", attribute("name"), attribute("rank", "Integer 32", "defaultValueString=\"7\"")))
        try city.run([
            "City.csv": "name,rank\nA,\nB,1\n", "City.json": "[{\"name\": \"C\", \"rank\": null}, {\"name\": \"D\"}]",
        ])
        #expect(try city.query("SELECT ZNAME, ZRANK FROM ZCITY ORDER BY Z_PK") == ["A|7", "B|1", "C|7", "D|7"])
    }

    @Test("a mandatory attribute without a value is refused, at its cell or its record")
    func mandatory() throws {
        let city = try ImportCase(entity("City", attribute("name", "String", ""), attribute("code")))
        #expect(
            try city.complaint(["City.csv": "code,name\na,A\nb,\n"])
                == "City.csv:3:3: City.name is mandatory, and this value is empty")
        #expect(
            try city.complaint(["City.csv": "code\na\n"])
                == "City.csv:2:1: City.name is mandatory, and this record has no value for it")
        #expect(
            try city.complaint(["City.json": "[\n  {\"name\": \"A\"},\n  {\"code\": \"b\"}\n]"])
                == "City.json:3:3: City.name is mandatory, and this record has no value for it")
        // An empty text is a text.
        try city.run(["City.csv": "name\n\"\"\n"])
        #expect(try city.query("SELECT hex(ZNAME) || 'x' FROM ZCITY") == ["x"])
    }

    @Test("a mandatory relationship without a value is refused")
    func mandatoryRelationship() throws {
        let world = try ImportCase(
            entity("Country", attribute("isoCode"), toMany("cities", "City", inverse: "country")),
            entity("City", attribute("name"), toOne("country", "Country", inverse: "cities", isOptional: false)))
        #expect(
            try world.complaint(["City.csv": "name,country.isoCode\nA,\n"])
                == "City.csv:2:3: City.country is mandatory, and this value is empty")
        #expect(
            try world.complaint(["City.csv": "name\nA\n"])
                == "City.csv:2:1: City.country is mandatory, and this record has no value for it")
    }

    @Test(
        "a value against a limit is refused with the limit",
        arguments: [
            ("rank", "Integer 32", "minValueString=\"1\" maxValueString=\"9\"", "0", "must be at least 1"),
            ("rank", "Integer 32", "minValueString=\"1\" maxValueString=\"9\"", "10", "must be at most 9"),
            ("height", "Double", "minValueString=\"-0.5\" maxValueString=\"0.5\"", "0.50001", "must be at most 0.5"),
            ("price", "Decimal", "minValueString=\"0.29541\"", "0.2954", "must be at least 0.29541"),
            ("code", "String", "minValueString=\"2\" maxValueString=\"3\"", "A", "must have at least 2 characters"),
            ("code", "String", "minValueString=\"2\" maxValueString=\"3\"", "ABCD", "must have at most 3 characters"),
            ("code", "String", "regularExpressionString=\"[A-Z]+\"", "abc", "breaks a rule of the model"),
        ])
    func limits(_ name: String, _ type: String, _ rule: String, _ value: String, _ words: String) throws {
        let thing = try ImportCase(entity("Thing", attribute(name, type, "optional=\"YES\" " + rule)))
        let message = try thing.complaint(["Thing.csv": "\(name)\n\(value)\n"])
        #expect(message.hasPrefix("Thing.csv:2:1: Thing.\(name) \(words)"), "\(message)")
        #expect(message.hasSuffix(": '\(value)'"), "\(message)")
    }

    @Test("a value at a limit is taken, and nil is under no limit")
    func atLimit() throws {
        let thing = try ImportCase(
            entity(
                "Thing", attribute("code", "String", "optional=\"YES\" minValueString=\"2\" maxValueString=\"3\""),
                attribute("price", "Decimal", "optional=\"YES\" minValueString=\"0.29541\" maxValueString=\"29.541\""),
                attribute("big", "Integer 64", "optional=\"YES\" maxValueString=\"9007199254740992\"")))
        try thing.run(["Thing.csv": "code,price,big\nAB,0.29541,9007199254740992\nÞÞÞ,29.541,\n,,\n"])
        #expect(try thing.query("SELECT COUNT(*) FROM ZTHING") == ["3"])
        #expect(
            try thing.complaint(["Thing.csv": "big\n9007199254740993\n"]).hasPrefix(
                "Thing.csv:2:1: Thing.big must be at most"))
    }
}
