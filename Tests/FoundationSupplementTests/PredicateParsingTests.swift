import FoundationSupplement
import Testing

/// What a text means: precedence, specifiers, literals, key paths.
@Suite struct PredicateParsingTests {
    private func text(_ format: String, _ arguments: Any?...) throws -> String {
        try NSPredicate(validating: format, arguments: arguments).formatText
    }

    private func expression(_ format: String, _ arguments: Any?...) throws -> NSExpression {
        try NSExpression(validating: format, arguments: arguments)
    }

    @Test(arguments: [
        ("NOT a == 1 OR b == 2 AND c == 3", "(NOT a == 1) OR (b == 2 AND c == 3)"),
        (
            "not available = true or value >= 1 and value <= 10.5",
            "(NOT available == 1) OR (value >= 1 AND value <= 10.5)"
        ),
        ("a == 1 && b == 2 && c == 3", "a == 1 AND b == 2 AND c == 3"),
        ("(a == 1 AND b == 2) AND c == 3", "(a == 1 AND b == 2) AND c == 3"),
        ("((a == 1))", "a == 1"),
        ("!(a == 1)", "NOT a == 1"),
        ("(a + b) * 2 > c", "(a + b) * 2 > c"),
        ("4 + 5 - 2 ** 3 == 1", "(4 + 5) - (2 ** 3) == 1"),
        ("1 + 1 + 1 == 3", "(1 + 1) + 1 == 3"),
        ("1 << 3 == 8", "1 << 3 == 8"), ("2 | 1 == 3", "2 | 1 == 3"), ("~(1) == 0", "~1 == 0"),
        ("a IN b UNION c", "a IN b UNION c"),
        ("NONE a.b == 1", "NOT ANY a.b == 1"), ("SOME a.b == 1", "ANY a.b == 1"), ("all a.b == 1", "ALL a.b == 1"),
        ("a =[cd] 'x'", "a ==[cd] \"x\""), ("a == [c] 'x'", "a ==[c] \"x\""), ("a <[l] 'x'", "a <[l] \"x\""),
        ("a CONTAINS[lDc] 'x'", "a CONTAINS[cdl] \"x\""),
        ("a <> 1", "a != 1"), ("a =< 1", "a <= 1"), ("a => 1", "a >= 1"),
        ("a=-1", "a == -1"), ("a > b - 1", "a > b - 1"), ("-a < 0", "a * -1 < 0"),
        ("(SELF.g)[0] == 2", "(SELF.g)[0] == 2"), ("x[FIRST].y == 1", "x[FIRST].y == 1"),
        ("tags['color'] == tags[color]", "tags[\"color\"] == tags[color]"),
        ("#size == 2 AND a.#first == 1", "#size == 2 AND a.#first == 1"),
        ("g.@max.#self == g.@min.#self", "g.@max.#self == g.@min.#self"),
        ("@K == YES", "@K == 1"), ("ANYKEY == 1", "ANYKEY == 1"),
        ("$a.b == $a.$b", "$a.b == $a.$b"),
        ("TERNARY(a == 1 AND b == 2, 'x', nil) == 'x'", "TERNARY(a == 1 AND b == 2, \"x\", nil) == \"x\""),
        ("modulus:by:(a, 4) == 1", "modulus:by:(a, 4) == 1"), ("sum({1, 2}) == 3", "sum:({1, 2}) == 3"),
        ("noindex(a) == 1", "noindex:(a) == 1"),
        ("SELF isKindOfClass: a", "SELF isKindOfClass: a"),
        ("a UTI-CONFORMS-TO 'b'", "a UTI-CONFORMS-TO \"b\""),
        (
            "SUBQUERY(a, $x, SUBQUERY($x.b, $y, $y == 1).@count > 0).@count == 0",
            "SUBQUERY(a, $x, SUBQUERY($x.b, $y, $y == 1).@count > 0).@count == 0"
        ),
        ("TRUEPREDICATE OR FALSEPREDICATE", "TRUEPREDICATE OR FALSEPREDICATE"),
        ("a == 0x1F + 0o17 + 0b1101", "a == (31 + 15) + 13"), ("a > 9.2e-5", "a > 9.2e-05"),
    ])
    func textGives(_ format: String, _ expected: String) throws {
        #expect(try text(format) == expected)
    }

    @Test func escapes() throws {
        let text = try expression(#"'\n\t\r\"\'\\\101\x42\X43\u0044\U0045\ud83c\udf41\q'"#).constantValue as? String
        #expect(text == "\n\t\r\"'\\ABCDE🍁q")
        #expect(try expression(#""it's""#).constantValue as? String == "it's")
    }

    @Test func quotedSpecifiersAreText() throws {
        #expect(try text("a LIKE '*%@*' AND b == %@", 1) == "a LIKE \"*%@*\" AND b == 1")
        #expect(try text("a == '$x'") == "a == \"$x\"")
    }

    @Test func specifiers() throws {
        #expect(try text("%K == %ld AND %K.%K > %f", "a.b.@count", 7, "c", "d", 1.5) == "a.b.@count == 7 AND c.d > 1.5")
        #expect(try text("%K == %@", "size", NSExpression(forKeyPath: "b")) == "#size == b")
        #expect(try text("a.%@ == %x", "b", UInt8(255)) == "a.b == 255")
        #expect(try text("a == %d", NSNumber(value: 3)) == "a == 3")
        #expect(try text("a == %@", Optional<Int?>.some(.none) as Any?) == "a == nil")
        #expect(try text("TERNARY(%@, 1, 2) == 1", NSPredicate(format: "a == 1")) == "TERNARY(a == 1, 1, 2) == 1")
        #expect(try text("a == %s AND b == %c", "x", Character("y")) == "a == \"x\" AND b == \"y\"")
    }

    @Test func wrongArguments() {
        #expect(throws: PredicateFormatError.self) { try text("a == %@ AND b == %@", 1) }
        #expect(throws: PredicateFormatError.self) { try text("%K == 1", 5) }
        #expect(throws: PredicateFormatError.self) { try text("%K == 1", "") }
        #expect(throws: PredicateFormatError.self) { try text("a == %d", "text") }
        #expect(throws: PredicateFormatError.self) { try text("%@", NSPredicate(value: true)) }
    }

    @Test func structureOfExpressions() throws {
        let path = try expression("country.isoCode")
        #expect(path.expressionType == .keyPath && path.keyPath == "country.isoCode")
        #expect(path.plainKeyPath == "country.isoCode")
        let selfPath = try expression("SELF.a.b")
        #expect(selfPath.keyPath == "a.b" && selfPath.plainKeyPath == "a.b")
        #expect(selfPath.operand.expressionType == .evaluatedObject)
        #expect(try expression("self").expressionType == .evaluatedObject)
        let variable = try expression("$x.a")
        #expect(variable.plainKeyPath == nil && variable.operand.variable == "x" && variable.keyPath == "a")
        let subquery = try expression("SUBQUERY(a, $x, $x == 1).@count")
        #expect(subquery.keyPath == "@count" && subquery.operand.expressionType == .subquery)
        #expect((subquery.operand.collection as? NSExpression)?.keyPath == "a")
        let sum = try expression("1 - a")
        #expect(sum.function == "from:subtract:" && sum.arguments?.count == 2)
        #expect(sum.arguments?[1].keyPath == "a")
        let ternary = try expression("TERNARY(a == 1, 2, 3)")
        #expect(ternary.expressionType == .conditional && ternary.true.constantValue as? Int == 2)
        #expect(try expression("CAST(10, 'NSDate')").constantValue as? Date == Date(timeIntervalSinceReferenceDate: 10))
        #expect(try expression("$x := 5").variable == "x")
        #expect(try (expression("a UNION b").left.keyPath, expression("a MINUS b").right.keyPath) == ("a", "b"))
    }

    @Test func errorsTellThePlace() throws {
        let error = try #require(throws: PredicateFormatError.self) { try text("näme == 'x'") }
        #expect(error.position == 1 && error.format == "näme == 'x'")
        #expect(error.description.hasPrefix("Unable to parse the format string \"näme == 'x'\""))
        let late = try #require(throws: PredicateFormatError.self) { try text("a == 'é' foo") }
        #expect(late.position == 9)
    }

    @Test func initialisersGiveTheRightClass() throws {
        let predicate = NSPredicate(format: "a == 1")
        #expect(predicate is NSComparisonPredicate)
        #expect(NSComparisonPredicate(format: "a == 1").leftExpression.keyPath == "a")
        #expect(NSPredicate(format: "a == 1 OR b == 1") is NSCompoundPredicate)
        #expect(throws: PredicateFormatError.self) { try NSCompoundPredicate(validating: "a == 1") }
    }

    @Test func equality() throws {
        #expect(NSPredicate(format: "a = 'x' && (b == 1)") == NSPredicate(format: "a == \"x\" AND b == 1.0"))
        #expect(NSPredicate(format: "SELF.a == 1") == NSPredicate(format: "a == 1"))
        #expect(NSPredicate(format: "SELF.a == 1").hash == NSPredicate(format: "a == 1").hash)
        #expect(NSPredicate(format: "a == 1") != NSPredicate(format: "a ==[c] 1"))
        #expect(NSPredicate(format: "a IN {1, 2}") != NSPredicate(format: "a IN %@", [1, 2]))
        #expect(NSPredicate(format: "a IN %@", Set([1, 2])) == NSPredicate(format: "a IN %@", NSSet(array: [2, 1])))
        #expect(NSExpression(forConstantValue: nil) != NSExpression(forConstantValue: NSNull()))
        let decimal = NSExpression(forConstantValue: NSDecimalNumber(string: "1.5"))
        #expect(decimal == NSExpression(forConstantValue: 1.5) && decimal.hash == NSExpression(format: "1.5").hash)
        #expect(
            NSPredicate(format: "a == 1 AND TRUEPREDICATE").hash == NSPredicate(format: "a == 1 AND TRUEPREDICATE").hash
        )
    }
}
