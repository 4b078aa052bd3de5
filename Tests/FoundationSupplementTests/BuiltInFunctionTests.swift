import FoundationSupplement
import Testing

/// The functions that the language knows by name, each by its values.
@Suite struct BuiltInFunctionTests {
    private func value(_ format: String, _ arguments: Any?...) throws -> PredicateValue {
        PredicateValue(try NSExpression(validating: format, arguments: arguments).evaluateThrowing(with: nil))
    }

    private func isEqual(_ format: String, _ expected: Any?) throws -> Bool {
        PredicateValue.areEqual(try value(format), PredicateValue(expected))
    }

    @Test(
        arguments: [
            // Collections of numbers.
            ("sum({1, 2, 3})", 6), ("sum({1, 2.5})", 3.5), ("sum({})", 0), ("sum(nil)", 0), ("sum({1, nil})", 1),
            ("count({1, nil, 'a'})", 3), ("count({})", 0), ("count(nil)", 0), ("min({3, 1.5, 2})", 1.5),
            ("max({3, 1.5, 2})", 3), ("max({'b', 'a'})", "b"), ("min({})", nil), ("min(nil)", nil),
            ("max({nil, 2})", 2),
            ("average({1, 2})", 1.5), ("average({})", nil), ("average({2, nil})", 2), ("median({5, 1, 3})", 3),
            ("median({4, 1, 3, 2})", 2.5), ("median({})", nil), ("stddev({2, 4, 4, 4, 5, 5, 7, 9})", 2),
            ("stddev({})", nil),
            ("stddev({3})", 0),
            // Arithmetic.
            ("add:to:(1, 2)", 3), ("from:subtract:(5, 2)", 3), ("multiply:by:(3, 4)", 12), ("divide:by:(7, 2)", 3),
            ("divide:by:(7.0, 2)", 3.5), ("divide:by:(1, 0)", nil), ("modulus:by:(7, 4)", 3),
            ("modulus:by:(-7, 4)", -3),
            ("modulus:by:(7.5, 2)", 1.5), ("modulus:by:(7, 0)", nil), ("raise:toPower:(2, 3)", 8), ("2 ** -1", 0.5),
            ("2 ** 3 ** 2", 64), ("10 - 2 - 3", 5), ("2 + 3 * 4", 14), ("(2 + 3) * 4", 20), ("-2 ** 2", 4),
            ("1 + nil", nil),
            ("nil * 2", nil), ("7 / 2 * 2.0", 6), ("9223372036854775807 + 1", 9223372036854775808.0),
            ("-9223372036854775807 - 2", -9223372036854775809.0), ("9223372036854775807 * 2", 18446744073709551614.0),
            ("sqrt(16)", 4), ("log(1000)", 3), ("ln(exp(2))", 2), ("exp(0)", 1), ("abs(-3)", 3), ("abs(-2.5)", 2.5),
            ("abs(2)", 2), ("ceiling(1.1)", 2), ("ceiling(-1.1)", -1), ("ceiling(3)", 3), ("floor(-1.1)", -2),
            ("floor(1.9)", 1),
            ("trunc(1.9)", 1), ("trunc(-1.9)", -1), ("sqrt(nil)", nil), ("floor(nil)", nil),
            // Bits.
            ("bitwiseAnd:with:(6, 3)", 2), ("6 & 3", 2), ("bitwiseOr:with:(6, 3)", 7), ("6 | 3", 7),
            ("bitwiseXor:with:(6, 3)", 5), ("6 ^ 3", 5), ("leftshift:by:(1, 4)", 16), ("1 << 4", 16),
            ("rightshift:by:(-16, 2)", -4), ("16 >> 2", 4), ("1 << 64", 0), ("1 << -1", 0), ("onesComplement:(5)", -6),
            ("~5", -6), ("~~5", 5), ("nil & 1", nil),
            // Strings.
            ("uppercase('straße')", "STRASSE"), ("lowercase('ÄB')", "äb"), ("canonical('Ä')", "a"), ("length('a🍁')", 3),
            ("uppercase(nil)", nil), ("length(nil)", nil), ("length('')", 0),
            // Others.
            ("noindex('x')", "x"), ("castObject:toType:('7', 'NSNumber')", 7), ("CAST(7, 'NSString')", "7"),
            ("CAST(1.5, 'NSString')", "1.5"), ("CAST(nil, 'NSString')", nil), ("CAST('1.10', 'NSDecimalNumber')", 1.1),
            ("CAST(CAST(60, 'NSDate'), 'NSNumber')", 60), ("objectFrom:withIndex:({1, 2}, 1)", 2),
            ("({1, 2})[SIZE]", 2),
            ("TERNARY(1 == 1, 'a', 1 / 0)", "a"), ("FUNCTION('abc', 'length')", 3), ("FUNCTION({1, 2}, 'count')", 2),
            ("FUNCTION('b', 'stringByAppendingString:', 'c')", "bc"),
        ] as [(String, (any Sendable)?)])
    func functionGives(_ format: String, _ expected: (any Sendable)?) throws {
        let result = try value(format)
        #expect(PredicateValue.areEqual(result, PredicateValue(expected)), "\(format) is \(result)")
    }

    @Test func modeGivesTheMostFrequentValues() throws {
        let mode = try NSExpression(validating: "mode({1, 2, 2, 3, 3})").evaluateThrowing(with: nil) as? [Any]
        #expect(mode?.compactMap { $0 as? Int } == [2, 3])
        #expect(try value("mode({})").isNull == false)
        #expect(try value("mode(nil)").isNull)
    }

    @Test func randomNumbersAreInTheirRange() throws {
        for _ in 0..<200 {
            guard case .number(let small) = try value("randomn(3)"), case .number(let other) = try value("random(3)"),
                case .number(let fraction) = try value("random()")
            else {
                Issue.record("not a number")
                return
            }
            #expect((0..<3).contains(small.double) && (0..<3).contains(other.double))
            #expect((0..<1).contains(fraction.double))
        }
        #expect(try isEqual("randomn(0)", 0))
        #expect(try isEqual("randomn(-1)", 0))
    }

    @Test func nowIsNow() throws {
        guard case .date(let date) = try value("now()") else {
            Issue.record("not a date")
            return
        }
        #expect(abs(date.timeIntervalSinceNow) < 60)
    }

    /// Decimals stay exact among themselves and with integers.
    @Test func decimals() throws {
        let (first, second) = (Decimal(string: "0.1"), Decimal(string: "0.2"))
        #expect(
            try NSPredicate(validating: "%@ + %@ == %@", arguments: [first, second, Decimal(string: "0.3")])
                .evaluateThrowing(with: nil))
        #expect(
            try NSPredicate(validating: "%@ * 3 == %@", arguments: [first, Decimal(string: "0.3")])
                .evaluateThrowing(with: nil))
        #expect(
            try NSPredicate(validating: "sum(%@) == %@", arguments: [[first, second], Decimal(string: "0.3")])
                .evaluateThrowing(with: nil))
        #expect(try !NSPredicate(validating: "0.1 + 0.2 == 0.3").evaluateThrowing(with: nil))
        #expect(
            try NSPredicate(validating: "%@ > 0.05 AND %@ < 1", arguments: [first, second])
                .evaluateThrowing(with: nil))
    }

    @Test(arguments: [
        "sum(5)", "sum({'a'})", "average({'a'})", "median({'a'})", "min({1, 'a'})", "add:to:(1)", "add:to:(1, 2, 3)",
        "sqrt('4')", "abs({1})", "uppercase(1)", "length({1})", "bitwiseAnd:with:('a', 1)", "1.5e300 & 1", "~'a'",
        "factorial:(5)", "noindex()", "now(1)", "CAST(1, 'NSNothing')", "CAST('x', 'NSDate')", "CAST({1}, 'NSNumber')",
        "objectFrom:withIndex:(1, 2)", "({1, 2})['a']", "FUNCTION(1, 'noSuchMethod')", "FUNCTION('a', 'length:', 1)",
        "distanceToLocation:fromLocation:(1, 2)", "1 UNION {2}", "nil INTERSECT {1}",
    ])
    func wrongCallsAreTold(_ format: String) {
        #expect(throws: PredicateEvaluationError.self) { try value(format) }
    }

    /// On Apple's systems an unknown name raises when the expression is made.
    @Test func unknownFunctionsAreToldWhenEvaluated() {
        let expression = NSExpression(forFunction: "factorial:", arguments: [5])
        #expect(expression.formatText == "factorial:(5)")
        let error = #expect(throws: PredicateEvaluationError.self) { try expression.evaluateThrowing(with: nil) }
        #expect(error?.reason == "Unsupported function expression factorial:(5)")
    }
}
