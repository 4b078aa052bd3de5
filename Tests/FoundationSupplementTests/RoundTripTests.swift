import FoundationSupplement
import Testing

/// What is printed reads back as an equal predicate.
@Suite struct RoundTripTests {
    @Test func randomPredicates() throws {
        let seed = UInt64.random(in: .min ... .max)
        print("RoundTripTests seed: \(seed)")
        var maker = PredicateMaker(random: SeededGenerator(seed: seed))
        for _ in 0..<2_000 {
            let predicate = maker.predicate(depth: 4)
            let text = predicate.formatText
            let again = try NSPredicate(validating: text)
            #expect(again == predicate, "seed \(seed): \(text) reads as \(again.formatText)")
            #expect(again.formatText == text, "seed \(seed)")
            #expect(again.hash == predicate.hash, "seed \(seed): \(text)")
        }
    }

    @Test(.enabled(if: SharedMaterial.isPresent, "the shared material is not here; set COREDATA_SHARED"))
    func corpus() throws {
        var count = 0
        for row in try SharedMaterial.rows("predicates/corpus.tsv").map(CorpusTests.Row.init) {
            guard row.isPredicate, row.validity.hasPrefix("valid") else { continue }
            let predicate = try NSPredicate(validating: row.format, arguments: row.arguments)
            let again = try NSPredicate(validating: predicate.formatText)
            #expect(again == predicate, "\(row.format) prints \(predicate.formatText)")
            count += 1
        }
        #expect(count > 1_800)
    }
}

/// Makes random predicates of everything that the language can say.
struct PredicateMaker {
    var random: SeededGenerator

    mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }

    mutating func predicate(depth: Int) -> NSPredicate {
        switch depth <= 0 ? 0 : Int.random(in: 0...5, using: &random) {
        case 3: return NSCompoundPredicate(notPredicateWithSubpredicate: predicate(depth: depth - 1))
        case 4, 5:
            let parts = (0..<Int.random(in: 2...3, using: &random)).map { _ in predicate(depth: depth - 1) }
            return NSCompoundPredicate(type: pick([.and, .or]), subpredicates: parts)
        default: return comparison(depth: depth)
        }
    }

    private mutating func comparison(depth: Int) -> NSPredicate {
        let left = expression(depth: depth - 1)
        let right = expression(depth: depth - 1)
        if Int.random(in: 0..<20, using: &random) == 0 {
            return NSComparisonPredicate(leftExpression: left, rightExpression: right, customSelector: "isLike:")
        }
        let type: NSComparisonPredicate.Operator = pick([
            .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .equalTo, .notEqualTo, .matches, .like,
            .beginsWith, .endsWith, .in, .contains, .between,
        ])
        return NSComparisonPredicate(
            leftExpression: left, rightExpression: right, modifier: pick([.direct, .direct, .any, .all]), type: type,
            options: NSComparisonPredicate.Options(rawValue: pick([0, 0, 1, 2, 3, 4, 8, 11])))
    }

    mutating func expression(depth: Int) -> NSExpression {
        if depth <= 0 { return leaf() }
        let next = { (maker: inout PredicateMaker) in maker.expression(depth: depth - 1) }
        switch Int.random(in: 0...9, using: &random) {
        case 0: return NSExpression(forAggregate: [next(&self), next(&self)])
        case 1:
            let name = pick([
                "add:to:", "from:subtract:", "multiply:by:", "raise:toPower:", "leftshift:by:", "modulus:by:",
            ])
            return NSExpression(forFunction: name, arguments: [next(&self), next(&self)])
        case 2:
            return NSExpression(forFunction: pick(["sum:", "onesComplement:", "length:"]), arguments: [next(&self)])
        case 3:
            return NSExpression(
                forSubquery: next(&self), usingIteratorVariable: "v", predicate: predicate(depth: depth - 1))
        case 4:
            return NSExpression(
                forConditional: predicate(depth: depth - 1), trueExpression: next(&self), falseExpression: next(&self))
        case 5: return NSExpression(forUnionSet: next(&self), with: next(&self))
        case 6:
            return NSExpression(storage: .keyPath(operand: operand(next(&self)), path: pick(["a", "@count", "in.b"])))
        case 7:
            return NSExpression(
                forFunction: next(&self), selectorName: "do:it:", arguments: [next(&self), next(&self)])
        case 8: return NSExpression(forFunction: "objectFrom:withIndex:", arguments: [next(&self), next(&self)])
        default: return leaf()
        }
    }

    /// A path on a path is one longer path: a text can't tell them apart.
    private func operand(_ expression: NSExpression) -> NSExpression {
        if case .keyPath = expression.storage { return NSExpression(forVariable: "o") }
        return expression
    }

    private mutating func leaf() -> NSExpression {
        switch Int.random(in: 0...7, using: &random) {
        case 0: NSExpression(forConstantValue: pick(["", "it's", "say \"x\"", "back\\slash", "línea\nnew", "🍁 %@ $x"]))
        case 1: NSExpression(forConstantValue: pick([0, 1, -7, Int.max, Int.min]))
        case 2: NSExpression(forConstantValue: pick([0.5, -42.42, 1e300, 9.2e-5, .pi, 0.0, -0.0, -1e21]))
        case 3: NSExpression(forConstantValue: nil)
        case 4: NSExpression(forVariable: pick(["x", "LONG_name1"]))
        case 5: NSExpression.expressionForEvaluatedObject()
        case 6: NSExpression(forConstantValue: Date(timeIntervalSinceReferenceDate: pick([0, 592_299_475.5, -1.25])))
        default: NSExpression(forKeyPath: pick(["a", "a.b.c", "size", "tags.@count", "a.@sum.first", "g.@max.self"]))
        }
    }
}
