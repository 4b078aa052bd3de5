import FoundationSupplement
import Testing

/// MATCHES ends, whatever the pattern.
@Suite struct RegularExpressionTests {
    private func matches(_ text: String, _ pattern: String, _ options: NSComparisonPredicate.Options = []) throws
        -> Bool
    {
        try NSComparisonPredicate(
            leftExpression: .expressionForEvaluatedObject(), rightExpression: NSExpression(forConstantValue: pattern),
            modifier: .direct, type: .matches, options: options
        ).evaluateThrowing(with: text)
    }

    @Test(arguments: ["(a+)+$", "(a|a)*b", "(a*)*b", "([a-z]+)*1", "(a|aa)+c", "(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)b$"])
    func patternsWithoutEndAreRefused(_ pattern: String) {
        let text = String(repeating: "a", count: 400) + "!"
        let error = #expect(throws: PredicateEvaluationError.self) { try matches(text, pattern) }
        #expect(error?.reason.hasPrefix("Can't do regex matching, reason: the matcher took too many steps") == true)
        // The message doesn't repeat the data.
        #expect((error?.reason.utf8.count ?? 0) < 300)
    }

    @Test func patternsThatNeedTooMuchMemoryAreRefused() {
        #expect(throws: PredicateEvaluationError.self) { try matches(String(repeating: "a", count: 2_000_000), "(a)*") }
    }

    @Test func longTextsMatch() throws {
        #expect(try matches(String(repeating: "a", count: 50_000), "a*"))
        #expect(try !matches(String(repeating: "a", count: 50_000) + "b", "a*"))
    }

    @Test(arguments: [
        ("abc", "b", false), ("abc", ".b.", true), ("abc", "a|abc", true), ("ab\n", "ab", false),
        ("ab\ncd", "ab.cd", false),
        ("", "", true), ("", "a?", true), ("a", "", false), ("🍁é", "..", true), ("é", "\\p{L}", true),
        ("a.b", "a\\.b", true),
        ("tel 12", "[a-z]+ [0-9]{2}", true), ("x", "(?i)X", true), ("ab", "^ab$", true), ("aa", "(a)\\1", true),
        ("a#b", "a#b", true), ("ab", "a(?=b)b", true),
    ])
    func wholeStringsAreMatched(_ text: String, _ pattern: String, _ expected: Bool) throws {
        #expect(try matches(text, pattern) == expected)
    }

    @Test func options() throws {
        #expect(try matches("ÄB", "äb", .caseInsensitive))
        #expect(try !matches("ÄB", "ab", .caseInsensitive))
        #expect(try matches("ÄB", "ab", [.caseInsensitive, .diacriticInsensitive]))
        #expect(try matches("é", "e", .diacriticInsensitive))
        #expect(try !matches("AB", "ab", [.caseInsensitive, .normalized]))
    }

    @Test(arguments: ["(", "a)(b", "[a", "*", "a{2,1}", "\\", "(?<n", "\\p{Nothing}"])
    func wrongPatternsAreTold(_ pattern: String) {
        let error = #expect(throws: PredicateEvaluationError.self) { try matches("a", pattern) }
        #expect(error?.reason.hasPrefix("Can't do regex matching, reason: ") == true)
    }

    /// Patterns that are large when they are compiled, or deep.
    @Test func largePatterns() {
        let nested = String(repeating: "(", count: 50_000) + "a" + String(repeating: ")", count: 50_000)
        for pattern in [
            nested, "((a{1000}){1000}){1000}", String(repeating: "(", count: 50_000),
            "[" + String(repeating: "a-b", count: 50_000) + "]",
        ] {
            _ = try? matches("a", pattern)
        }
        let alternatives = (0..<20_000).map { "w\($0)" }.joined(separator: "|")
        #expect((try? matches("w19999", alternatives)) == true)
    }
}
