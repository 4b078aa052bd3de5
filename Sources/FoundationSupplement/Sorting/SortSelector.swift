/// How a sort descriptor compares two values; it takes the place of Apple's selectors, which Linux doesn't have.
///
/// ```swift
/// NSSortDescriptor(key: "name", ascending: true, selector: .localizedStandardCompare)
/// ```
///
/// The raw values are the names of Apple's selectors.
public enum SortSelector: String, Sendable, CaseIterable {
    /// By value: numbers and dates by size, strings by their characters' numbers.
    case compare = "compare:"
    /// Strings without regard to case.
    case caseInsensitiveCompare = "caseInsensitiveCompare:"
    /// Strings by the rules of the current locale.
    case localizedCompare = "localizedCompare:"
    /// Strings by the rules of the current locale, without regard to case.
    case localizedCaseInsensitiveCompare = "localizedCaseInsensitiveCompare:"
    /// Strings as a list of files shows them: by the current locale, and numbers inside them by size.
    case localizedStandardCompare = "localizedStandardCompare:"

    /// The order of two strings.
    package func order(_ left: String, _ right: String) -> ComparisonResult {
        switch self {
        case .compare: StringComparison([]).order(left, right)
        case .caseInsensitiveCompare: StringComparison([.caseInsensitive]).order(left, right)
        case .localizedCompare: left.localizedCompare(right)
        case .localizedCaseInsensitiveCompare: left.localizedCaseInsensitiveCompare(right)
        case .localizedStandardCompare: left.localizedStandardCompare(right)
        }
    }
}
