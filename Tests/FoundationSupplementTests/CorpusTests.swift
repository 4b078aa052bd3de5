import FoundationSupplement
import Testing

/// Format strings of real programs: the valid ones parse, the invalid ones are refused.
@Suite(.enabled(if: SharedMaterial.isPresent, "the shared material is not here; set COREDATA_SHARED"))
struct CorpusTests {
    struct Row {
        let isPredicate: Bool
        let format: String
        let arguments: [Any?]
        let validity: String

        init(_ columns: [String]) {
            isPredicate = columns[0] == "predicate"
            validity = columns[5]
            let fillings = validity == "valid-after-interp" ? ["x", " "] : ["x"]
            format = Row.fill(columns[1], with: fillings)
            arguments = columns[3].split(separator: ",").map { Row.argument(for: $0) }
        }

        func parse() throws {
            if isPredicate {
                let predicate = try NSPredicate(validating: format, arguments: arguments)
                _ = predicate.formatText
            } else {
                _ = try NSExpression(validating: format, arguments: arguments).formatText
            }
        }

        private static func argument(for specifier: Substring) -> Any? {
            switch specifier {
            case "%@": "text"
            case "%K": "key.path"
            case "%s", "%S": "text"
            default: 7
            }
        }

        /// Puts words in the places of the interpolations of the programs' own languages.
        private static func fill(_ text: String, with fillings: [String]) -> String {
            var result = text
            while let start = result.range(of: ##"\\#(#keyPath("##),
                let end = result.range(of: "))", options: [], range: start.upperBound..<result.endIndex)
            {
                result.replaceSubrange(start.lowerBound..<end.upperBound, with: "x")
            }
            // The last argument of FETCH is a literal, not a key.
            if result.hasPrefix("FETCH("), result.hasSuffix(#"\\(…))"#) { result = result.dropLast(6) + "NO)" }
            var count = 0
            while let range = result.range(of: #"\\(…)"#) {
                result.replaceSubrange(range, with: fillings[count % fillings.count])
                count += 1
            }
            return result
        }
    }

    @Test func validRowsParse() throws {
        let rows = try SharedMaterial.rows("predicates/corpus.tsv").map(Row.init)
        let valid = rows.filter { $0.validity.hasPrefix("valid") }
        #expect(valid.count > 2_000)
        for row in valid {
            #expect(throws: Never.self, "\(row.format)") { try row.parse() }
        }
    }

    @Test func invalidRowsAreRefused() throws {
        let rows = try SharedMaterial.rows("predicates/corpus.tsv").map(Row.init)
        let invalid = rows.filter { $0.validity == "invalid" || $0.validity == "fragment" }
        #expect(invalid.count > 30)
        for row in invalid {
            #expect(throws: PredicateFormatError.self, "\(row.format)") { try row.parse() }
        }
    }

    /// Whatever an object's values are, a predicate holds, doesn't hold or throws.
    @Test func evaluationNeverTraps() throws {
        let seed = UInt64.random(in: .min ... .max)
        print("CorpusTests seed: \(seed)")
        let object = Chaos(seed: seed)
        var (held, failed, thrown) = (0, 0, 0)
        for row in try SharedMaterial.rows("predicates/corpus.tsv").map(Row.init) where row.isPredicate {
            guard let predicate = try? NSPredicate(validating: row.format, arguments: row.arguments) else { continue }
            for _ in 0..<10 {
                do {
                    if try predicate.evaluateThrowing(with: object, variables: ["x": 1, "a": object]) {
                        held += 1
                    } else {
                        failed += 1
                    }
                } catch {
                    thrown += 1
                }
            }
        }
        print("corpus: \(held) held, \(failed) did not, \(thrown) threw")
        #expect(held > 1_000 && failed > 1_000 && thrown > 1_000, "seed \(seed)")
    }

    /// An object with other values at each look.
    final class Chaos: KeyValueCoding {
        private var random: SeededGenerator

        init(seed: UInt64) {
            random = SeededGenerator(seed: seed)
        }

        func value(forKey key: String) -> Any? {
            let values: [Any?] = [
                nil, NSNull(), 0, 7, -1.5, Double.nan, Int.max, true, "text", "", "a*(", Date(), UUID(), Data([1]),
                self,
                [1, 2], ["a", "b"], [Any](), Set([1, 2]), ["k": 1], NSNumber(value: 3), NSDecimalNumber(string: "1.5"),
                Decimal(2), NSOrderedSet(array: [1]), NSSet(array: ["x"]), [self, self], URL(fileURLWithPath: "/"),
                [NSDecimalNumber(string: "1.5")], [nil, 1] as [Int?], NSString("s"), NSDate(), ["a": ["b": [1]]],
            ]
            return values.randomElement(using: &random) ?? nil
        }

        func setValue(_ value: Any?, forKey key: String) {}
    }
}
