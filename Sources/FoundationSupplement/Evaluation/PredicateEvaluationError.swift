/// Why a predicate or an expression has no value for an object: it compares a string with a number, calls a function
/// that doesn't exist, names a variable without a value, or has a regular expression that would take for ever.
///
/// Stores turn it into a thrown Cocoa error; `evaluate(with:)`, which can't throw, reports it. Those who evaluate what
/// comes from elsewhere get it from ``PredicateFormatInitializable/evaluate(validating:substitutionVariables:)``.
public struct PredicateEvaluationError: LocalizedError, CustomStringConvertible, Equatable, Sendable {
    /// What was wrong, in Apple's words where they are known.
    public let reason: String

    package init(_ reason: String) {
        self.reason = reason
    }

    /// The same text as ``reason``.
    public var description: String { reason }

    /// The same text as ``reason``.
    public var errorDescription: String? { reason }
}
