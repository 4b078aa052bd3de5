/// Reports what raises an exception on Apple's systems because the program, not its input, is wrong: the one place that
/// decides what becomes of such a program.
///
/// - **Debug builds stop**, with Apple's wording: the mistake is found where it was made.
/// - **Release builds go on**: they write `CoreData: error:` and the same words to standard error, and the caller then
///   leaves everything as it was: a setter sets nothing, a question is answered with nil or nothing.
///
/// So callers use it only where going on can harm no data. Where it could, as in a save, and for what comes as input,
/// as a predicate's key, they throw an error in both kinds of build. Where there is nothing to go on with, they call
/// ``fatalMisuse(_:)``.
package func misuse(_ reason: @autoclosure () -> String) {
    let text = reason()
    assertionFailure(text)
    report(text)
}

/// Logs what went wrong with input where nothing can be thrown.
package func report(_ text: String) {
    FileHandle.standardError.write(Data("CoreData: error: \(text)\n".utf8))
}

/// Reports misuse that leaves nothing to go on with, as when an object is asked for whose entity no model has. Stops
/// release builds too.
package func fatalMisuse(_ reason: String) -> Never { fatalError(reason) }

/// The value without optionals inside optionals: `Any` may hold an `Optional`, whose nil is a nil all the same.
package func flattened(_ value: Any?) -> Any? {
    guard let value else { return nil }
    // The search for the protocol is slow; for the types that most values have it isn't needed.
    let type = type(of: value)
    if type == String.self || type == Int.self || type == Double.self || type is AnyClass { return value }
    guard let optional = value as? any OptionalValue else { return value }
    return optional.flattenedValue
}

/// Finds optionals inside `Any`.
private protocol OptionalValue {
    var flattenedValue: Any? { get }
}

/// The element of a set of any type.
extension AnyHashable: OptionalValue {
    var flattenedValue: Any? { flattened(base) }
}

extension Optional: OptionalValue {
    fileprivate var flattenedValue: Any? {
        switch self {
        case .none: nil
        case .some(let value): flattened(value)
        }
    }
}
