/// Reports what raises an exception on Apple's systems because the program, not its input, is wrong.
///
/// Debug builds stop with Apple's wording. Optimised builds log and go on: callers use it only where no data can be
/// harmed by going on, and leave things as they were.
package func misuse(_ reason: @autoclosure () -> String) {
    let text = reason()
    assertionFailure(text)
    report(text)
}

/// Logs what went wrong with input where nothing can be thrown.
package func report(_ text: String) {
    FileHandle.standardError.write(Data("CoreData: error: \(text)\n".utf8))
}

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

extension Optional: OptionalValue {
    fileprivate var flattenedValue: Any? {
        switch self {
        case .none: nil
        case .some(let value): flattened(value)
        }
    }
}
