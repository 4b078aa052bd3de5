import FoundationSupplement
import Testing

/// Trees that a program builds may be of any height: nothing that is done with them overflows the stack.
@Suite struct HighTreeTests {
    /// Some hundred bytes for each level overflow the small stack here many times over.
    static let height = 20_000

    /// Runs something on a thread with a small stack, which a recursion through such a tree overflows at once.
    private func onSmallStack<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: work()) }
            thread.stackSize = 512 << 10
            thread.start()
        }
    }

    private static func negations(
        _ innermost: NSPredicate = NSPredicate(format: "a == $X"), height: Int = height
    ) -> NSPredicate {
        (0..<height).reduce(innermost) { predicate, _ in
            NSCompoundPredicate(notPredicateWithSubpredicate: predicate)
        }
    }

    private static func mixed() -> NSPredicate {
        (0..<height).reduce(NSPredicate(format: "a == $X")) { predicate, level in
            NSCompoundPredicate(
                type: level.isMultiple(of: 2) ? .and : .or,
                subpredicates: [NSPredicate(value: level.isMultiple(of: 2)), predicate])
        }
    }

    private static func sum() -> NSExpression {
        (0..<height).reduce(NSExpression(forVariable: "X")) { expression, _ in
            NSExpression(forFunction: "add:to:", arguments: [expression, NSExpression(forConstantValue: 1)])
        }
    }

    /// Predicates in expressions in predicates.
    private static func ternaries() -> NSPredicate {
        (0..<height).reduce(NSPredicate(format: "a == $X")) { predicate, _ in
            let choice = NSExpression(
                forConditional: predicate, trueExpression: NSExpression(forConstantValue: 1),
                falseExpression: NSExpression(forConstantValue: 2))
            return NSComparisonPredicate(
                leftExpression: choice, rightExpression: NSExpression(forConstantValue: 1), modifier: .direct,
                type: .equalTo)
        }
    }

    private static func constants() -> NSExpression {
        (0..<height).reduce(NSExpression(forVariable: "X")) { expression, _ in
            NSExpression(forConstantValue: expression)
        }
    }

    @Test func aHundredThousandNegations() async {
        let isRight = await onSmallStack {
            let (first, second) = (Self.negations(height: 100_000), Self.negations(height: 100_000))
            let holds = try? first.evaluateThrowing(with: ["a": 1], variables: ["X": 1])
            return holds == true && first == second && first.hash == second.hash
                && first.formatText.utf8.count > 400_000
        }
        #expect(isRight)
    }

    @Test func compoundsAreEvaluated() async {
        #expect(
            await onSmallStack { (try? Self.negations().evaluateThrowing(with: ["a": 1], variables: ["X": 1])) == true }
        )
        #expect(
            await onSmallStack { (try? Self.mixed().evaluateThrowing(with: ["a": 1], variables: ["X": 1])) == true })
        #expect(
            await onSmallStack { (try? Self.mixed().evaluateThrowing(with: ["a": 1], variables: ["X": 2])) == false })
    }

    /// Expressions take stack; what would take too much is refused.
    @Test func expressionsAreRefused() throws {
        #expect(throws: PredicateEvaluationError.self) {
            try Self.sum().evaluateThrowing(with: nil, variables: ["X": 1])
        }
        #expect(throws: PredicateEvaluationError.self) {
            try Self.ternaries().evaluateThrowing(with: ["a": 1], variables: ["X": 1])
        }
    }

    /// What isn't refused fits the stack of a thread.
    @Test func theHighestExpressionsFit() async {
        let value = await withCheckedContinuation { continuation in
            let thread = Thread {
                let levels = EvaluationContext.maximumDepth
                let sum = (0..<levels).reduce(NSExpression(forConstantValue: 0)) { expression, _ in
                    NSExpression(forFunction: "add:to:", arguments: [expression, NSExpression(forConstantValue: 1)])
                }
                continuation.resume(returning: (try? sum.evaluateThrowing(with: nil)) as? Int)
            }
            thread.stackSize = 4 << 20
            thread.start()
        }
        #expect(value == EvaluationContext.maximumDepth)
    }

    @Test func printing() async {
        let text = await onSmallStack { Self.negations().formatText }
        #expect(
            text.hasPrefix("NOT (NOT (NOT (")
                && text.hasSuffix("NOT a == $X" + String(repeating: ")", count: Self.height - 1)))
        #expect(await onSmallStack { Self.mixed().formatText.utf8.count } > Self.height)
        #expect(
            await onSmallStack { Self.sum().formatText }.hasSuffix(
                "$X + 1" + String(repeating: ") + 1", count: Self.height - 1)))
        #expect(await onSmallStack { Self.ternaries().formatText }.hasPrefix("TERNARY(TERNARY("))
        #expect(await onSmallStack { Self.constants().formatText } == "$X")
    }

    @Test func comparing() async {
        let results = await onSmallStack {
            [
                Self.negations() == Self.negations(), Self.mixed() == Self.mixed(), Self.sum() == Self.sum(),
                Self.ternaries() == Self.ternaries(), Self.constants() == Self.constants(),
                Self.negations() != Self.negations(NSPredicate(format: "a == $Y")),
                Self.sum().hash == Self.sum().hash, Self.mixed().hash == Self.mixed().hash,
                Self.ternaries().hash == Self.ternaries().hash,
            ]
        }
        #expect(results == Array(repeating: true, count: results.count))
    }

    @Test func substituting() async {
        let holds = await onSmallStack {
            (try? Self.negations().withSubstitutionVariables(["X": 1]).evaluateThrowing(with: ["a": 1])) == true
        }
        #expect(holds)
        let text = await onSmallStack { Self.ternaries().withSubstitutionVariables(["X": 7]).formatText }
        #expect(text.contains("a == 7"))
    }

    /// The parts that somebody else holds stay whole when the rest is released.
    @Test func releasing() async {
        let text = await onSmallStack {
            let kept = NSPredicate(format: "a == 1 AND (b == 2 OR c == 3)")
            var high: NSPredicate? = Self.negations(kept)
            let again = high?.isEqual(nil) == false
            high = nil
            return again ? kept.formatText : ""
        }
        #expect(text == "a == 1 AND (b == 2 OR c == 3)")
    }

    @Test func allowing() async {
        await onSmallStack { Self.ternaries().allowEvaluation() }
        await onSmallStack { Self.sum().allowEvaluation() }
    }

    /// An archive has a bounded height; what doesn't fit is told.
    @Test func archiving() async {
        let refused = await onSmallStack { (try? SecureArchive.data(of: Self.negations())) == nil }
        #expect(refused)
    }
}
