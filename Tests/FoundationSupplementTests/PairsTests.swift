import FoundationSupplement
import Testing

/// The texts that Apple's framework was seen to give: each row of the table is built as it says.
@Suite(.enabled(if: SharedMaterial.isPresent, "the shared material is not here; set COREDATA_SHARED"))
struct PairsTests {
    /// What a row gives here; nil when the row is not covered.
    static func text(for input: String, _ expected: String) throws -> String? {
        if let build = built[input] { return build() }
        // `format ("argument", 2)`: the arguments stand in parentheses at the end.
        var format = input
        var arguments: [Any?] = []
        if let open = input.range(of: " (", options: .backwards), input.hasSuffix(")"), input.contains("%") {
            format = String(input[..<open.lowerBound])
            arguments = input[open.upperBound...].dropLast().split(separator: ",").map { value($0) }
        }
        // Some rows leave out the argument of %K.
        if format.hasPrefix("%K"), arguments.count == 1 {
            arguments.insert(expected.components(separatedBy: " ")[0], at: 0)
        }
        return try NSPredicate(validating: format, arguments: arguments).formatText
    }

    private static func value(_ text: Substring) -> Any? {
        if text.hasPrefix("\"") { return String(text.dropFirst().dropLast()) }
        if text == "nil" { return nil }
        if text == "true" { return true }
        return Int(text) ?? Double(text) ?? text
    }

    static func key(_ name: String, _ type: NSComparisonPredicate.Operator, _ value: Any?) -> NSPredicate {
        comparison(NSExpression(forKeyPath: name), type, NSExpression(forConstantValue: value))
    }

    static func comparison(
        _ left: NSExpression, _ type: NSComparisonPredicate.Operator, _ right: NSExpression,
        _ options: NSComparisonPredicate.Options = [], _ modifier: NSComparisonPredicate.Modifier = .direct
    ) -> NSPredicate {
        NSComparisonPredicate(
            leftExpression: left, rightExpression: right, modifier: modifier, type: type, options: options)
    }

    static func and(_ predicates: NSPredicate...) -> NSPredicate {
        NSCompoundPredicate(andPredicateWithSubpredicates: predicates)
    }

    static func or(_ predicates: NSPredicate...) -> NSPredicate {
        NSCompoundPredicate(orPredicateWithSubpredicates: predicates)
    }

    static func not(_ predicate: NSPredicate) -> NSPredicate {
        NSCompoundPredicate(notPredicateWithSubpredicate: predicate)
    }

    static func count(_ collection: String, _ predicate: NSPredicate) -> NSPredicate {
        let subquery = NSExpression(
            forSubquery: NSExpression(forKeyPath: collection), usingIteratorVariable: "e", predicate: predicate)
        let count = NSExpression(storage: .keyPath(operand: subquery, path: "@count"))
        return comparison(count, .equalTo, NSExpression(forConstantValue: 0))
    }

    struct Custom: CustomStringConvertible {
        var description: String { "foo" }
    }

    @Test func everyRow() throws {
        var matched = 0
        let rows = try SharedMaterial.rows("predicates/pairs.tsv")
        #expect(rows.count >= 69)
        for row in rows {
            let (input, expected) = (row[0], row[2])
            let text = try Self.text(for: input, expected)
            // "…" stands for text that the table leaves out.
            let isEqual = text.map { Self.matches($0, expected) } ?? false
            #expect(isEqual, "\(input) gives \(text ?? "nothing"), not \(expected)")
            if isEqual { matched += 1 }
        }
        print("pairs: \(matched) of \(rows.count)")
    }

    private static func matches(_ text: String, _ expected: String) -> Bool {
        let parts = expected.components(separatedBy: "…")
        guard let first = parts.first, text.hasPrefix(first), text.hasSuffix(parts[parts.count - 1]) else {
            return false
        }
        var rest = text[...]
        for part in parts {
            if part.isEmpty { continue }
            guard let range = rest.range(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return parts.count > 1 || text == expected
    }
}
