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
}
