/// What is wrong with the text of a predicate or an expression.
///
/// It is thrown by ``PredicateFormatInitializable/init(validating:arguments:)`` and by the expression's counterpart,
/// the forms meant for text that a user typed:
///
/// ```swift
/// do {
///     let predicate = try NSPredicate(validating: searchField.text)
/// } catch let error as PredicateFormatError {
///     show(error.reason, at: error.position)
/// }
/// ```
public struct PredicateFormatError: LocalizedError, CustomStringConvertible, Equatable, Sendable {
    /// The whole text that was parsed.
    public let format: String

    /// Where parsing stopped: the number of characters before the offending place.
    public let position: Int

    /// What was wrong at that place, as a clause without a full stop.
    public let reason: String

    /// Apple's sentence for a bad format, followed by the place and the reason.
    public var description: String {
        "Unable to parse the format string \"\(format)\" (at character \(position): \(reason))"
    }

    /// The same text as ``description``.
    public var errorDescription: String? { description }
}
