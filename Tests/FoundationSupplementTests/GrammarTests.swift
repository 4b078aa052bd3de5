import FoundationSupplement
import Testing

/// What belongs to the language and what doesn't, beyond what the tables of real formats show.
@Suite struct GrammarTests {
    private func parses(_ format: String, _ arguments: [Any?] = []) -> Bool {
        (try? NSPredicate(validating: format, arguments: arguments)) != nil
    }

    private func parsesAsExpression(_ format: String) -> Bool { (try? NSExpression(validating: format)) != nil }

    @Test(arguments: [
        "$a[$b].firstName == 1", "$a == $b", "x[FIRST].count <[c] 42", "x[last] == nil", "x[$i + 1] == x['k'][0]",
        "(SELF.x)[size] > 0", "number notContainedIn: {1}", "NOT ANY a.b IN {}", "a BETWEEN {b, $c}", "SELF ==[c] nil",
        "@count > 1", "@sum.items.price > 1", "items.@avg.x > 1", "#in == 1 AND a.#self == #any", "{} == {1, a, $b}",
        "a == 0 and b == 1 OR NOT c == 2", "((a)) == ((1))", "((a == 1) and (b == 2)) or not (c == 3)",
        "yes == YES AND No == FALSE",
        "- a == -1 AND - -1 == 1", "~a & 1 | 2 ^ 3 << 4 >> 5 == 0", "a UNION b INTERSECT c == d", "a\n==\t1",
        "a==1&&b==2||!c==3",
        "random() > randomn(5)", "max({1, 2}) == max:({1, 2})", "x.uppercase() == 'A'",
        "distanceToLocation:fromLocation:(a, b) < 5",
        "SUBQUERY (a, $x, $x.b == 1 AND SUBQUERY($x.c, $y, $y == $x).@count > 0).@count > 0",
        "ANY SUBQUERY(a, $x, $x.b == 1).c == 1",
        "TERNARY(a == 1, TERNARY(b == 2, 1, 2), 3) == 1", "CAST(CAST(a, 'NSString'), 'NSNumber') == 1",
        "FETCH($request, $context, no) == 1", "FUNCTION(FUNCTION(a, 'b'), 'c:d:', 1, 2) == 1",
        "'\\u00e9' == \"é\" AND 'a\"b' == \"a'b\"",
        "1e3 == 1000.0 AND 0X1f == 0O37 AND 0B11 == 3", "a ==[CD] 'x' OR a like[dc] 'y'",
        "NONE a.b == 1 AND SOME a.b != 2",
    ])
    func belongsToTheLanguage(_ format: String) { #expect(parses(format)) }

    @Test(arguments: [
        "age", "1", "TRUE", "0 || 1", "age * 25", "()", ",", "x == 'a'ANDy == 1", "x == 'a' 'b'", "x NOT IN y",
        "age === 25",
        "a ~= 1", "a % 2 == 0", "x.0 == 1", "a.d.0 == 1", "a12.845 == 1", "FUNCTION('abc', func, a) == 1",
        "a == 1 // b",
        "a == 1 AND", "a == == 1", "NOT", "a BETWEEN", "ä == 1", "a.ä == 1", "size == 2", "a.b. == 1", "$1 == 1",
        "a == 'x", "a ==[cdx] 1",
        "a == %k", "a == %z", "a == 1 b == 2", "ANY (a == 1)", "ALL NOT a == 1", "(a == 1) == (b == 2)",
        "TERNARY(a, 1, 2) == 1",
        "TERNARY(a == 1, 2) == 1", "SUBQUERY(a, $x, $x) == 1", "SUBQUERY(a, $x).@count == 1", "CAST(a, b) == 1",
        "x[] == 1", "x[1, 2] == 1",
        "{1 2} == a", "a := 1", "f(1 2) == 1", "add:(1) to:(2) == 3", "a == #", "a == @", "LIKE 'a'", "a LIKE",
        "a IN IN b",
    ])
    func doesNotBelongToTheLanguage(_ format: String) { #expect(!parses(format)) }

    @Test func expressionsAreNotPredicates() {
        for format in [
            "a", "1 + 2", "sum(a.b)", "$x", "SELF", "{1, a}", "a[0].b", "TERNARY(a == 1, b, c)", "a UNION b", "x := 1",
        ] {
            #expect(parsesAsExpression(format) == (format != "x := 1"), "\(format)")
            #expect(!parses(format), "\(format)")
        }
        for format in ["12.845 == 12.845", "TRUEPREDICATE", "a AND b", "NOT a", ""] {
            #expect(!parsesAsExpression(format), "\(format)")
        }
    }

    @Test func specifiersOfAllKinds() throws {
        let integers = [
            "d", "i", "D", "u", "U", "x", "X", "o", "O", "ld", "li", "lu", "lld", "lli", "llu", "qd", "zu", "hd", "hhd",
            "td", "jd",
        ]
        for specifier in integers { #expect(parses("a == %\(specifier)", [7]), "\(specifier)") }
        for specifier in ["f", "F", "e", "E", "g", "G", "a", "A", "lf", "la", "Lf"] {
            #expect(parses("a == %\(specifier)", [1.5]), "\(specifier)")
        }
        for specifier in ["s", "S"] { #expect(parses("a == %\(specifier)", ["text"]), "\(specifier)") }
        for specifier in ["c", "C"] { #expect(parses("a == %\(specifier)", [Character("x")]), "\(specifier)") }
        #expect(parses("%K.%K == %@.key", ["a", "b", "c"]))
        #expect(parses("%K.%K.%@ == 1", ["a", "b", "c"]))
        #expect(try NSPredicate(validating: "a == %d", arguments: [2.9]).formatText == "a == 2")
        #expect(try NSPredicate(validating: "a == %f", arguments: [2]).formatText == "a == 2")
    }

    /// Too few and wrong arguments are told, with the place.
    @Test func argumentsThatDoNotFit() throws {
        let wrong: [(String, [Any?])] = [
            ("a == %@", []), ("a == %@ AND b == %@", [1]), ("%K == 1", []), ("%K == 1", [nil]), ("%K == 1", [1]),
            ("%K == 1", [""]),
            ("a == %d", ["x"]), ("a == %d", [nil]), ("a == %f", [Date()]), ("a == %s", [5]),
            ("%@", [NSPredicate(value: true)]),
            ("CAST(a, %@) == 1", [5]),
        ]
        for (format, arguments) in wrong {
            let error = #expect(throws: PredicateFormatError.self, "\(format)") {
                try NSPredicate(validating: format, arguments: arguments)
            }
            #expect(
                error?.description.hasPrefix("Unable to parse the format string \"\(format)\" (at character ") == true)
        }
        // What isn't asked for is left.
        #expect(parses("a == %@", [1, 2, 3]))
    }
}
