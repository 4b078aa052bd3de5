import CoreData

/// A format with arguments for its placeholders.
struct Format {
    let text: String
    let arguments: [Any?]
}

/// What is parsed.
enum Formats {
    /// As programs have them.
    static var typical: [Format] {
        [
            Format(text: "name == %@", arguments: ["Anna"]),
            Format(text: "age > %d", arguments: [18]),
            Format(text: "%K == %@", arguments: ["identifier", "x"]),
            Format(text: "name CONTAINS[cd] %@", arguments: ["an"]),
            Format(text: "isDeleted == NO AND account == %@", arguments: [7]),
            Format(text: "SELF IN %@", arguments: [[1, 2, 3]]),
            Format(text: "date >= %@ AND date < %@", arguments: [Date(), Date()]),
            Format(text: "ANY tags.name ==[c] %@", arguments: ["red"]),
            Format(text: "parent.identifier == nil OR parent.isHidden != YES", arguments: []),
            Format(text: "SUBQUERY(lines, $x, $x.price > 10).@count > 0", arguments: []),
        ]
    }

    /// The valid predicates of real programs, without those that need words put in; nil when they aren't here.
    static func corpus() -> [Format]? {
        guard let folder = ProcessInfo.processInfo.environment["COREDATA_SHARED"],
            let table = try? String(contentsOfFile: folder + "/predicates/corpus.tsv", encoding: .utf8)
        else { return nil }
        return table.split(separator: "\n").compactMap { line -> Format? in
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard columns.count > 5, columns[0] == "predicate", columns[5] == "valid" else { return nil }
            let arguments = columns[3].split(separator: ",").map { specifier -> Any? in
                switch specifier {
                case "%@", "%s", "%S": "text"
                case "%K": "key.path"
                default: 7
                }
            }
            let format = Format(text: String(columns[1]), arguments: arguments)
            return (try? NSPredicate(validating: format.text, arguments: arguments)) == nil ? nil : format
        }
    }

    static func parse(_ formats: [Format], times: Int) -> Int {
        var parsed = 0
        for index in 0..<times {
            let format = formats[index % formats.count]
            if (try? NSPredicate(validating: format.text, arguments: format.arguments)) != nil { parsed += 1 }
        }
        return parsed
    }
}
