/// Why a predicate or an expression has no value for an object: it compares a string with a number, calls a function
/// that doesn't exist, or names a variable without a value.
///
/// Stores turn it into a thrown Cocoa error; the public `evaluate(with:)`, which can't throw, reports it.
package struct PredicateEvaluationError: Error, CustomStringConvertible, Equatable {
    package let reason: String

    package init(_ reason: String) {
        self.reason = reason
    }

    package var description: String { reason }
}
