import FoundationSupplement
import Testing

/// What other targets of the package plug in.
@Suite struct HooksTests {
    final class Identified: PredicateIdentity {
        let identity: NSString

        init(_ identity: String) {
            self.identity = NSString(string: identity)
        }

        var predicateIdentity: AnyObject { identity }
    }

    final class Strict: ThrowingKeyValueCoding {
        func keyValue(forKey key: String) throws -> Any? {
            guard key == "known" else { throw CocoaError(.keyValueValidation) }
            return 1
        }

        func value(forKey key: String) -> Any? { nil }
        func setValue(_ value: Any?, forKey key: String) {}
    }

    final class Fetch: NSExpression, CustomExpressionEvaluation, CustomExpressionText {
        func evaluate(with object: Any?, variables: [String: Any?]) throws -> Any? {
            guard let result = variables["result"] else { throw PredicateEvaluationError("no result") }
            return result
        }

        var customFormatText: String {
            guard case .fetch(let request, let context, let countOnly) = storage else { return "" }
            return "FETCH(\(request.formatText), \(context.formatText), \(countOnly ? "YES" : "NO"))"
        }
    }

    /// A managed object and its ID are the same to a predicate.
    @Test func identities() throws {
        let (first, second) = (Identified("a"), Identified("a"))
        #expect(try NSPredicate(format: "SELF == %@", second).evaluateThrowing(with: first))
        #expect(try NSPredicate(format: "SELF == %@", second.identity).evaluateThrowing(with: first))
        #expect(try NSPredicate(format: "SELF IN %@", [Identified("b"), second]).evaluateThrowing(with: first))
        #expect(
            try NSPredicate(format: "SELF IN %@", NSMutableArray(array: [second.identity])).evaluateThrowing(
                with: first))
        #expect(try !NSPredicate(format: "SELF IN %@", [Identified("b")]).evaluateThrowing(with: first))
    }

    @Test func keysThatThrow() throws {
        #expect(try NSPredicate(format: "known == 1").evaluateThrowing(with: Strict()))
        #expect(throws: CocoaError.self) { try NSPredicate(format: "unknown == 1").evaluateThrowing(with: Strict()) }
    }

    @Test func fetchExpressions() throws {
        FetchExpressionFactory.register { request, context, countOnly in
            Fetch(storage: .fetch(request: request, context: context, countOnly: countOnly))
        }
        let expression = NSExpression(format: "FETCH($request, $context, YES)")
        #expect(expression is Fetch && expression.formatText == "FETCH($request, $context, YES)")
        #expect(try expression.evaluateThrowing(with: nil, variables: ["result": 5]) as? Int == 5)
        let predicate = NSPredicate(format: "FETCH($request, $context, YES) == 5")
        #expect(try predicate.evaluateThrowing(with: nil, variables: ["result": 5]))
    }
}
