import CoreData
import Testing

@testable import StartingData

private func cities() throws -> ImportCase {
    try ImportCase(
        entity(
            "City", attribute("name"), attribute("population", "Integer 32"),
            attribute("secret", "String", "optional=\"YES\" transient=\"YES\""),
            attribute("blob", "Transformable", "optional=\"YES\" valueTransformerName=\"NSSecureUnarchiveFromData\""),
            toOne("country", "Country", inverse: "cities")),
        entity(
            "Country", attribute("isoCode"), attribute("flag", "Binary"), toMany("cities", "City", inverse: "country"),
            unique: [["isoCode"]]))
}

/// Each of these is tried without a store and with one: nothing may change.
@Suite("Bad input is refused, with nothing changed:")
struct BadInputTests {
    private func expect(
        _ message: String, _ files: KeyValuePairs<String, String>, location: SourceLocation = #_sourceLocation
    ) throws {
        let fresh = try cities()
        #expect(try fresh.complaint(files, location) == message, sourceLocation: location)
        let full = try cities()
        try full.run(["Country.csv": "isoCode\nIS\n", "City.csv": "name,country.isoCode\nVík,IS\n"])
        #expect(try full.complaint(files, location) == message, sourceLocation: location)
    }

    @Test("an unknown attribute or relationship in a header, also in a file without records")
    func unknownAttribute() throws {
        let known = "which has blob, country, name, population, secret"
        try expect(
            "City.csv:1:6: 'nmae' is not an attribute or relationship of City, \(known)",
            ["City.csv": "name,nmae\nA,B\n"])
        try expect("City.tsv:1:1: 'Name' is not an attribute or relationship of City, \(known)", ["City.tsv": "Name\n"])
        try expect(
            "City.json:2:21: 'x' is not an attribute or relationship of City, \(known)",
            ["City.json": "[{\"name\": \"A\"},\n {\"name\": \"B\", \"x\": 1}]"])
    }

    @Test("an unknown entity as file name or key")
    func unknownEntity() throws {
        let known = "is not an entity of the model, which has City, Country"
        try expect("Town.csv: 'Town' \(known)", ["Town.csv": "name\nA\n"])
        try expect("Town.json: 'Town' \(known)", ["Town.json": "[{\"name\": \"A\"}]"])
        try expect(
            "Data.json: 'Town' \(known)",
            ["Data.json": "{\"City\": [{\"name\": \"A\"}], \"Town\": [{\"name\": \"A\"}]}"])
    }

    @Test("a relationship that is not named with one attribute of the other end")
    func relationshipNames() throws {
        let form = "must name the relationship and one attribute of Country to find it by, as in 'country.isoCode'"
        try expect("City.csv:1:1: 'country' \(form)", ["City.csv": "country\nIS\n"])
        try expect("City.csv:1:1: 'country.nope' \(form)", ["City.csv": "country.nope\nIS\n"])
        try expect("City.csv:1:1: 'country.isoCode.x' \(form)", ["City.csv": "country.isoCode.x\nIS\n"])
        try expect(
            "City.csv:1:1: 'flag' of Country is not an attribute to find rows by", ["City.csv": "country.flag\nAA==\n"])
        try expect(
            "City.csv:1:1: 'cities' of Country is not an attribute to find rows by", ["City.csv": "country.cities\nA\n"]
        )
        try expect(
            "City.csv:1:1: 'name' is an attribute of City, so 'name.x' means nothing", ["City.csv": "name.x\nIS\n"])
        try expect(
            "Country.csv:1:1: 'cities' of Country is a to-many relationship, which can't be imported yet; import its inverse",
            ["Country.csv": "cities.name\nA\n"])
    }

    @Test("an attribute that no file can hold")
    func unimportable() throws {
        try expect(
            "City.csv:1:1: 'secret' of City is computed or transient and can't be imported", ["City.csv": "secret\nx\n"]
        )
        try expect(
            "City.csv:1:1: 'blob' of City is Transformable, which can't be imported yet", ["City.csv": "blob\nx\n"])
    }

    @Test("a row of the wrong width, after good ones")
    func width() throws {
        try expect(
            "City.csv:3:1: expected 2 fields, as in the header, but found 3",
            ["City.csv": "name,population\nA,1\nB,2,3\n"])
    }

    @Test("JSON that is cut off, after good records")
    func truncated() throws {
        try expect(
            "City.json:1:18: expected a comma or ] after the object, but found the end of the file",
            ["City.json": "[{\"name\": \"A\"}   "])
    }

    @Test("a good file before a bad one")
    func laterFile() throws {
        try expect(
            "City.csv:2:3: City.population is Integer 32, and this value is not one: 'many'",
            ["Country.csv": "isoCode\nNO\n", "City.csv": "name,population\nA,many\n"])
    }

    @Test("a missing file, and an extension that says nothing")
    func files() throws {
        let city = try cities()
        #expect(try city.complaint([city.folder.file("City.csv")]) == "City.csv: no such file")
        #expect(try city.complaint(["City.xls": "x"]).hasPrefix("City.xls: unknown extension .xls"))
        #expect(try city.complaint(["City.csv": ""]) == "City.csv: the file is empty")
    }

    @Test("a model file that is none")
    func model() throws {
        let folder = try cities().folder
        let missing = folder.file("No.xcdatamodeld")
        #expect(throws: (any Error).self) { try NSManagedObjectModel(validatingContentsOf: missing) }
        let text = try folder.write("not a model", to: "Bad.mom")
        #expect(throws: (any Error).self) { try NSManagedObjectModel(validatingContentsOf: text) }
    }

    @Test("a target that is no store: text, another database, a folder, a place in no folder")
    func target() throws {
        let city = try cities()
        let good: KeyValuePairs = ["City.csv": "name\nA\n"]
        try city.folder.write(String(repeating: "not a database ", count: 100), to: "Store.sqlite")
        #expect(try city.complaint(good) == "\(city.store.path): is not a SQLite file")

        let other = try cities()
        try SQLiteConnection(other.store, .create).execute("CREATE TABLE x (y)")
        #expect(try other.complaint(good) == "\(other.store.path): is a SQLite file, but not a Core Data store")

        let folder = try cities()
        try FileManager.default.createDirectory(at: folder.store, withIntermediateDirectories: false)
        #expect(try folder.complaint(good) == "\(folder.store.path): is a folder, not a store")

        let nowhere = try cities()
        let file = try nowhere.folder.write("name\nA\n", to: "City.csv")
        let place = nowhere.folder.file("no/such/Store.sqlite")
        let error = try #require(throws: CocoaError.self) {
            try Importer(model: nowhere.model, storeURL: place).run([file])
        }
        #expect(
            error.localizedDescription == "\(place.path): there is no folder \(place.deletingLastPathComponent().path)")
        #expect(nowhere.folder.names == ["City.csv"])
    }

    @Test(
        "numbers that only look harmless",
        arguments: ["1e-9223372036854775808", "1e9223372036854775807", "1e99999999999999999999", "-", "+", "e5", "."])
    func hostileNumbers(_ text: String) throws {
        let thing = try ImportCase(
            entity(
                "Thing", attribute("double", "Double"), attribute("decimal", "Decimal"), attribute("i", "Integer 64")))
        for name in ["double", "decimal", "i"] {
            // Refused or read, but never a crash.
            _ = try? thing.run(["Thing.csv": "\(name)\n\(text)\n"])
        }
    }
}
