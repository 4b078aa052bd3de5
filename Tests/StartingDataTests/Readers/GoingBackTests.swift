import Foundation
import Testing

@testable import StartingData

@Suite("Going back to a record")
struct GoingBackTests {
    static let files = [
        ("City.csv", "\u{FEFF}name,text\r\n\r\nA,\"x\ny\"\nB,\"a \"\"b\"\"\"\n\nC,\n"),
        ("City.tsv", "name\ttext\nA\tx\nÞ\ty\nC\t"),
        ("City.json", "[{\"name\": \"A\", \"more\": {\"x\": 1}}, {},\n{\"text\": \"\\u00e9\", \"name\": \"B\"}]"),
        (
            "Data.json",
            "{\"City\": [{\"name\": \"A\"}], \"Empty\": [], \"Country\": [{\"code\": \"X\"}, {\"name\": null, \"list\": [1, {}]}]}"
        ),
        ("City.ndjson", "{\"name\": \"A\"}\n\n  {\"name\": \"B\", \"x\": {\"y\": true}}\r\n{\"z\": 1}"),
    ]

    private func check(_ name: String, _ content: Data) throws {
        let file = try TemporaryFile(name, content)
        let reader = try openReader(file.url)
        var seen: [(mark: Int, fields: [OwnedField], position: String)] = []
        while try reader.next() {
            seen.append((reader.recordMark, reader.record.fields, reader.recordPosition.description))
        }
        #expect(!seen.isEmpty)
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.mark < $1.mark }, "marks rise")
        for (mark, fields, position) in seen.reversed() + seen {
            try reader.goBack(toRecordAt: mark)
            #expect(reader.record.fields == fields)
            #expect(reader.recordPosition.description == position)
            for index in 0..<reader.count { #expect(reader.position(ofFieldAt: index).field != nil) }
        }
    }

    @Test("makes it the current one again, with its fields and place", arguments: files)
    func text(_ name: String, _ content: String) throws {
        try check(name, Data(content.utf8))
    }

    @Test("works in property lists", arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func plist(_ format: PropertyListSerialization.PropertyListFormat) throws {
        let list: [String: Any] = [
            "City": [["name": "A"], ["name": "B", "country": ["code": "X"]]], "Country": [["code": "X"]],
            "Empty": [Any](),
        ]
        try check("Data.plist", PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0))
    }
}
