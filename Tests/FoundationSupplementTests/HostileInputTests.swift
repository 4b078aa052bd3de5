import FoundationSupplement
import Testing

/// Text from elsewhere ends in an error, never in a crash or an endless wait.
@Suite struct HostileInputTests {
    private func refuses(_ format: String) -> Bool {
        (try? NSPredicate(validating: format)) == nil
    }

    @Test(arguments: [
        "(", "-", "NOT ", "!", "{", "a[", "SUBQUERY(", "TERNARY(", "x(", "~", "(TERNARY((", "a.b[(", "1+(",
    ])
    func deepNesting(_ opening: String) {
        #expect(refuses(String(repeating: opening, count: 20_000)))
    }

    @Test func deepNestingThatIsClosed() {
        let count = 20_000
        #expect(refuses(String(repeating: "(", count: count) + "a == 1" + String(repeating: ")", count: count)))
        #expect(refuses(String(repeating: "a[", count: count) + "1" + String(repeating: "]", count: count) + " == 1"))
        #expect(refuses("a == " + Array(repeating: "1", count: count).joined(separator: " + ")))
        #expect(refuses("a == x" + String(repeating: "[0]", count: count)))
        #expect(refuses("a == x" + String(repeating: ".$k", count: count)))
        #expect(!refuses("a == x" + String(repeating: ".k", count: count)))
    }

    /// Wide texts are fine: only height is bounded.
    @Test func longTexts() throws {
        let alternatives = (0..<20_000).map { "a == \($0)" }.joined(separator: " OR ")
        #expect(try NSPredicate(validating: alternatives).evaluateThrowing(with: ["a": 19_999]))
        let list = (0..<20_000).map(String.init).joined(separator: ", ")
        #expect(try NSPredicate(validating: "a IN {\(list)}").evaluateThrowing(with: ["a": 19_999]))
    }

    /// A text of a megabyte is refused or read, in a time that grows with its length alone.
    @Test(arguments: [
        "(", "NOT ", "a", "'", "%@", "$", "a.", "a,", "a == 1 AND ", "-", "🍁", " ", "'a' ", "a[", "SUBQUERY(", "a:",
        "((a == 1) OR ",
    ])
    func aMegabyte(_ piece: String) {
        let format = String(repeating: piece, count: (1 << 20) / piece.utf8.count)
        let start = ContinuousClock.now
        #expect(refuses(format))
        #expect(start.duration(to: .now) < .seconds(30))
    }

    @Test func aMegabyteThatIsRight() throws {
        let text = String(repeating: "x", count: 1 << 20)
        #expect(try NSPredicate(validating: "SELF == '\(text)'").evaluateThrowing(with: text))
        #expect(try NSPredicate(validating: "\(text) == 1").evaluateThrowing(with: [text: 1]))
        let path = String(repeating: "a.", count: 1 << 19) + "b"
        #expect(try NSPredicate(validating: "\(path) == nil").evaluateThrowing(with: ["a": NSNull()]))
        let number = "0." + String(repeating: "3", count: 1 << 20)
        #expect(try NSPredicate(validating: "SELF > \(number)").evaluateThrowing(with: 0.34))
        #expect(refuses("SELF > " + String(repeating: "9", count: 1 << 20)))
    }

    /// A Swift string can't hold half a character; one of Foundation's can.
    @Test func loneSurrogates() throws {
        let units: [unichar] = [0x61, 0xD800, 0x62]
        let text = NSString(characters: units, length: units.count)
        let predicate = try NSPredicate(validating: "SELF LIKE %@ OR SELF == %@", arguments: [text, text])
        _ = try predicate.evaluateThrowing(with: text)
        _ = try NSPredicate(validating: "SELF MATCHES '.*' AND length(SELF) > 0 AND SELF CONTAINS[cd] 'b'")
            .evaluateThrowing(with: text)
        #expect(try NSPredicate(validating: predicate.formatText).formatText == predicate.formatText)
        #expect(refuses(#"a == '\udc00'"#) && refuses(#"a == '\ud83c\ud83c'"#))
    }

    /// A key is a key, whatever it holds: nothing in it is read as a part of the language.
    @Test(arguments: [
        "a == 1 OR 1", "a' OR '1' = '1", "a\" OR \"", "TRUEPREDICATE", "%@", "$x", "a) OR (1 == 1",
        "name; DROP TABLE x",
    ])
    func keysAreNotParsed(_ key: String) throws {
        let predicate = try #require(
            try NSPredicate(validating: "%K == %@", arguments: [key, "x"]) as? NSComparisonPredicate)
        #expect(predicate.leftExpression.expressionType == .keyPath && predicate.leftExpression.keyPath == key)
        #expect(try predicate.evaluateThrowing(with: [key: "x"]))
        #expect(try !predicate.evaluateThrowing(with: ["a": "x"]))
        // Nor are values.
        let value = try NSPredicate(validating: "a == %@", arguments: [key])
        #expect(try value.evaluateThrowing(with: ["a": key]))
        #expect(try !value.evaluateThrowing(with: ["a": "1"]))
        #expect(try NSPredicate(validating: value.formatText) == value)
    }

    /// The greatest height that is accepted is evaluated, printed, compared and released on a thread's stack.
    @Test func acceptedNestingIsSafe() throws {
        let sum = Array(repeating: "a", count: 95).joined(separator: " + ") + " == 95"
        let predicate = try NSPredicate(validating: sum)
        #expect(try predicate.evaluateThrowing(with: ["a": 1]))
        #expect(predicate == predicate.withSubstitutionVariables([:]))
        #expect(predicate.formatText.count > 95)
        let nested = String(repeating: "(", count: 150) + "a == 1" + String(repeating: ")", count: 150)
        #expect(try NSPredicate(validating: nested).evaluateThrowing(with: ["a": 1]))
        let negated = String(repeating: "NOT ", count: 90) + "a == 1"
        #expect(try NSPredicate(validating: negated).evaluateThrowing(with: ["a": 1]))
        // Back-tracking parsers need exponential time for this one.
        let mixed = String(repeating: "(TERNARY(", count: 45) + "a == 1" + String(repeating: ", 1, 2) == 1)", count: 45)
        #expect(try NSPredicate(validating: mixed).evaluateThrowing(with: ["a": 1]))
    }

    @Test(arguments: [
        "", " ", "a == '", "a == \"x", "a == 'x\\", "a == '\\x'", "a == '\\xZ1'", "a == '\\u12'", "a == '\\ud800'",
        "a == '\\ud800\\u0041'", "a == '\\777'", "a == %", "a == %5", "a == %l", "a == %%", "a == %@", "%K", "$ == 1",
        "@ == 1", "# == 1", "a == 0x", "a == 0b2", "a == 1e999x", "a == 12abc", "a ==[x] 1", "a ==[] 1", "a ==[c 1",
        "a IN {1,}", "a IN {,}", "a IN {1", "f(", "f(1,)", "SUBQUERY(a, x, b == 1).@count > 0", "SUBQUERY(a, $x, b)",
        "TERNARY(a, 1, 2) == 1", "CAST(a) == 1", "FUNCTION(a, b) == 1", "a == 1 AND", "AND a == 1", "a == b == c",
        "a NOT IN b", "ANY a", "NOT", "(a == 1", "a == 1)", "(a == 1) + 2 == 3", "1 := 2 == 3", "a..b == 1", "a. == 1",
        "first == 1", "a == 1; DROP TABLE", "\u{0} == 1", "a ? b", "FETCH(a, b, c) == 1",
    ])
    func wrongTexts(_ format: String) {
        #expect(refuses(format), "\(format.debugDescription)")
    }

    /// A wrong text in a program's source is the programmer's error.
    @Test func wrongFormatsStopTheProgram() async {
        await #expect(processExitsWith: .failure) { _ = NSPredicate(format: "a ==") }
        await #expect(processExitsWith: .failure) { _ = NSExpression(format: "a ==") }
    }

    @Test func randomBytesAreParsedOrRefused() {
        let seed = UInt64.random(in: .min ... .max)
        print("HostileInputTests seed: \(seed)")
        var random = SeededGenerator(seed: seed)
        let pieces = [
            "(", ")", "{", "}", "[", "]", "a", "b.c", "SELF", "$x", "@count", "'s'", "\"", "'", "\\", "1", "2.5", "==",
            "<", "IN", "AND", "OR", "NOT", "ANY", ",", ".", "%@", "%K", "SUBQUERY(", "TERNARY(", "+", "-", "**", "#in",
            "é", "🍁", "nil", "BETWEEN", "FUNCTION(", ":", ":=", "CAST(", "FIRST", "0x", " ",
        ]
        for _ in 0..<5_000 {
            let count = Int.random(in: 1...12, using: &random)
            let format = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined(separator: " ")
            guard let predicate = try? NSPredicate(validating: format, arguments: ["x", "y"]) else { continue }
            _ = predicate.formatText
            _ = try? predicate.evaluateThrowing(with: ["a": 1, "b": ["c": [1, 2]]])
        }
    }

    /// Searches that compare at every place take hours for these.
    @Test func searchesAreNeverSlow() {
        let text = String(repeating: "a", count: 1_000_000)
        let part = String(repeating: "a", count: 500_000)
        #expect(!StringComparison([]).contains(text, part + "b") && !StringComparison([]).contains(text, "b" + part))
        #expect(StringComparison([]).contains(text + "b", part + "b"))
    }

    /// The search finds what Foundation's finds.
    @Test func searchesAreRight() {
        let seed = UInt64.random(in: .min ... .max)
        print("HostileInputTests seed: \(seed)")
        var random = SeededGenerator(seed: seed)
        for length in [0, 1, 2, 5, 63, 64, 65, 80, 200] {
            for _ in 0..<50 {
                let text = String((0..<400).map { _ in Bool.random(using: &random) ? "a" : "b" })
                let start = text.index(text.startIndex, offsetBy: Int.random(in: 0...(400 - length), using: &random))
                let part = text[start...].prefix(length)
                #expect(StringComparison([]).contains(text, String(part)), "seed \(seed)")
                let other = String(part.dropLast()) + (part.last == "a" ? "b" : "a")
                #expect(StringComparison([]).contains(text, other) == text.contains(other), "seed \(seed)")
            }
        }
    }

    /// Patterns that make back-tracking matchers wait for ever.
    @Test func likeIsNeverSlow() {
        let text = String(repeating: "a", count: 5_000)
        #expect(!StringComparison([]).isLike(text, String(repeating: "a*", count: 50) + "b"))
    }
}

/// Random numbers that a seed repeats.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// The bounds of the parser suit threads with little stack.
@Suite struct StackTests {
    @Test func acceptedTextsFitASmallStack() async throws {
        let results = await withCheckedContinuation { continuation in
            let thread = Thread {
                let sum = Array(repeating: "a", count: 95).joined(separator: " + ") + " == 95"
                let mixed =
                    String(repeating: "(TERNARY(", count: 45) + "a == 1" + String(repeating: ", 1, 2) == 1)", count: 45)
                let right =
                    String(repeating: "a + (", count: 90) + "a" + String(repeating: ")", count: 90) + " == 91"
                let refused = String(repeating: "(", count: 50_000)
                var results: [Bool] = []
                for format in [sum, mixed, right, refused] {
                    let predicate = try? NSPredicate(validating: format)
                    let again = predicate.flatMap { try? NSPredicate(validating: $0.formatText) }
                    let holds = try? again?.evaluateThrowing(with: ["a": 1])
                    results.append(holds == true && again == predicate)
                }
                continuation.resume(returning: results)
            }
            thread.stackSize = 4 << 20
            thread.start()
        }
        #expect(results == [true, true, true, false])
    }
}
