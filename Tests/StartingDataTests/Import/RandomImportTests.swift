import CoreData
import TestSupport
import Testing

@testable import StartingData

/// A model and rows made up by chance, as files can hold them.
private struct RandomData {
    struct Entity {
        let name: String
        let types: [String]
        let unique: Bool
        /// The entities that the to-one relationships `r0`, `r1` … lead to.
        let destinations: [Int]
    }

    let entities: [Entity]
    /// For each entity the rows: a text for each attribute, then the identifier at the end of each relationship.
    let rows: [[[String?]]]

    private static let types = [
        "Integer 16", "Integer 32", "Integer 64", "Boolean", "Double", "Float", "Decimal", "Date", "UUID", "URI",
        "Binary", "String",
    ]

    init(_ random: inout SeededGenerator) {
        let count = Int.random(in: 1...4, using: &random)
        entities = (0..<count).map { index in
            Entity(
                name: "E\(index)",
                types: (0..<Int.random(in: 1...5, using: &random)).map { _ in
                    Self.types.randomElement(using: &random) ?? "String"
                },
                unique: Bool.random(using: &random),
                destinations: (0..<Int.random(in: 0...2, using: &random)).map { _ in
                    Int.random(in: 0..<count, using: &random)
                })
        }
        let sizes = entities.map { _ in Int.random(in: 0...12, using: &random) }
        rows = entities.enumerated().map { index, entity in
            (0..<sizes[index]).map { _ in
                entity.types.map { Bool.random(using: &random) ? Self.text(of: $0, &random) : nil }
                    + entity.destinations.map {
                        sizes[$0] > 0 && Bool.random(using: &random)
                            ? "\(Int.random(in: 0..<sizes[$0], using: &random))" : nil
                    }
            }
        }
    }

    private static func text(of type: String, _ random: inout SeededGenerator) -> String {
        switch type {
        case "Integer 16": return "\(Int16.random(in: .min ... .max, using: &random))"
        case "Integer 32": return "\(Int32.random(in: .min ... .max, using: &random))"
        case "Integer 64": return "\(Int64.random(in: .min ... .max, using: &random))"
        case "Boolean": return Bool.random(using: &random) ? "true" : "false"
        case "Double": return "\(Double.random(in: -1e9...1e9, using: &random))"
        case "Float": return "\(Float.random(in: -1000...1000, using: &random))"
        case "Decimal": return "\(Decimal(Int.random(in: -999_999...999_999, using: &random)) / 100)"
        case "Date":
            return String(
                format: "%04d-%02d-%02dT%02d:00:00Z", Int.random(in: 1600...2400, using: &random),
                Int.random(in: 1...12, using: &random), Int.random(in: 1...28, using: &random),
                Int.random(in: 0...23, using: &random))
        case "UUID":
            let (high, low) = (random.next(), random.next())
            return UUID(
                uuidString: String(
                    format: "%08X-%04X-%04X-%04X-%012X", high >> 32, high >> 16 & 0xffff, high & 0xffff, low >> 48,
                    low & 0xffff_ffff_ffff))?.uuidString ?? ""
        case "URI": return "https://example.com/\(random.next())?q=\(random.next() % 10)#x"
        case "Binary":
            return Data(
                (0..<Int.random(in: 1...20, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
            ).base64EncodedString()
        default:
            let alphabet: [Character] = [
                "a", "é", "e\u{301}", "\"", ",", ";", " ", "\\", "\u{1F600}", "<", "&", "'", "ß", "0", "{", "]",
            ]
            return String(
                (0..<Int.random(in: 1...12, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? "a" })
        }
    }

    var model: String {
        entities.enumerated().map { index, made in
            let attributes = made.types.enumerated().map { attribute("a\($0)", $1) }
            let relationships = made.destinations.enumerated().map {
                toOne("r\($0)", "E\($1)", inverse: "from\(index)_\($0)")
            }
            let inverses = entities.enumerated().flatMap { source, other in
                other.destinations.enumerated().filter { $0.element == index }.map {
                    toMany("from\(source)_\($0.offset)", "E\(source)", inverse: "r\($0.offset)")
                }
            }
            let body = ([attribute("identifier", "Integer 32", "")] + attributes + relationships + inverses).joined(
                separator: "\n")
            return entity(made.name, body, unique: made.unique ? [["identifier"]] : [])
        }.joined(separator: "\n")
    }

    func header(_ entity: Int) -> [String] {
        ["identifier"] + entities[entity].types.indices.map { "a\($0)" }
            + entities[entity].destinations.indices.map { "r\($0).identifier" }
    }

    /// The rows from `range` as a file of a format.
    func write(_ entity: Int, _ range: Range<Int>, _ format: String, to folder: TemporaryFolder, _ number: Int) throws
        -> URL
    {
        let name = "\(number)/\(entities[entity].name).\(format)"
        let header = header(entity)
        let records = range.map { index in ["\(index)"] + rows[entity][index] }
        switch format {
        case "csv", "tsv":
            let delimiter = format == "csv" ? "," : "\t"
            let lines = records.map { row in
                row.map { $0.map { "\"\($0.replacingOccurrences(of: "\"", with: "\"\""))\"" } ?? "" }.joined(
                    separator: delimiter)
            }
            return try folder.write(([header.joined(separator: delimiter)] + lines).joined(separator: "\r\n"), to: name)
        case "json":
            let objects = records.map { row in
                Dictionary(uniqueKeysWithValues: zip(header, row).map { ($0, $1.map { $0 as Any } ?? NSNull()) })
            }
            let data = try JSONSerialization.data(withJSONObject: objects)
            return try folder.write(String(decoding: data, as: UTF8.self), to: name)
        default:
            let dictionaries = records.map { row in
                Dictionary(uniqueKeysWithValues: zip(header, row).compactMap { key, text in text.map { (key, $0) } })
            }
            let url = try folder.write("", to: name)
            try PropertyListSerialization.data(
                fromPropertyList: dictionaries, format: number % 2 == 0 ? .xml : .binary, options: 0
            ).write(to: url)
            return url
        }
    }
}

@Suite("Models and rows made up by chance")
struct RandomImportTests {
    @Test("come back through a context as the files have them, from a new seed each run")
    func roundTrip() throws {
        var random = SeededGenerator("random import")
        for _ in 0..<40 {
            let data = RandomData(&random)
            let world = try ImportCase(data.model)
            var files: [URL] = []
            for entity in data.entities.indices {
                let cut = Int.random(in: 0...data.rows[entity].count, using: &random)
                for range in [0..<cut, cut..<data.rows[entity].count] {
                    let format = ["csv", "tsv", "json", "plist"].randomElement(using: &random) ?? "csv"
                    files.append(try data.write(entity, range, format, to: world.folder, files.count))
                }
            }
            try world.run(files.shuffled(using: &random))
            try world.expectOneSoundFile()
            try compare(data, world)
        }
    }

    private func compare(_ data: RandomData, _ world: ImportCase) throws {
        let context = try world.context()
        try context.performAndWait {
            for (index, entity) in data.entities.enumerated() {
                let objects = try world.objects(entity.name, by: "identifier", in: context)
                try #require(objects.count == data.rows[index].count)
                for (row, object) in zip(data.rows[index], objects) {
                    for (column, type) in entity.types.enumerated() {
                        let value = object.value(forKey: "a\(column)")
                        #expect(
                            Self.isValue(value, row[column], type),
                            "\(entity.name).a\(column) \(type): \(String(describing: value)) for \(row[column] ?? "nil")"
                        )
                    }
                    for number in entity.destinations.indices {
                        let other = object.value(forKey: "r\(number)") as? NSManagedObject
                        #expect(
                            (other?.value(forKey: "identifier") as? Int).map(String.init)
                                == row[entity.types.count + number])
                        let back = other?.value(forKey: "from\(index)_\(number)") as? Set<NSManagedObject>
                        #expect(other == nil || back?.contains(object) == true)
                    }
                }
            }
        }
    }

    private static func isValue(_ value: Any?, _ text: String?, _ type: String) -> Bool {
        guard let value, let text else { return value == nil && text == nil }
        switch type {
        case "Integer 16", "Integer 32", "Integer 64": return (value as? NSNumber)?.int64Value == Int64(text)
        case "Boolean": return (value as? Bool) == (text == "true")
        case "Double": return (value as? NSNumber)?.doubleValue == Double(text)
        case "Float": return (value as? NSNumber)?.floatValue == Float(text)
        case "Decimal": return (value as? NSDecimalNumber)?.decimalValue == Decimal(string: text)
        case "Date": return (value as? Date) == ISO8601DateFormatter().date(from: text)
        case "UUID": return (value as? UUID)?.uuidString == text
        case "URI": return (value as? URL)?.absoluteString == text
        case "Binary": return (value as? Data) == Data(base64Encoded: text)
        default: return (value as? String).map { Array($0.utf8) } == Array(text.utf8)
        }
    }
}
