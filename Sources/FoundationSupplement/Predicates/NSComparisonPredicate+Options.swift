extension NSComparisonPredicate {
    /// How strings are compared; the letters between brackets in a format, `==[cd]`.
    public struct Options: OptionSet, Hashable, Sendable {
        /// The bits, as Apple has them.
        public let rawValue: UInt

        /// Options from their bits.
        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        /// `[c]`: upper and lower case are the same.
        public static let caseInsensitive = Options(rawValue: 1)

        /// `[d]`: letters with and without accents are the same.
        public static let diacriticInsensitive = Options(rawValue: 2)

        /// `[n]`: the strings have been prepared by the caller and are compared as they are; wins over `c` and `d`.
        public static let normalized = Options(rawValue: 4)

        /// `[l]`: by the rules of the current locale. Apple has the letter and no public name for the option.
        public static let localeSensitive = Options(rawValue: 8)
    }

    /// Whether one comparison is made, or one for each element of a collection.
    public enum Modifier: UInt, Sendable {
        /// One comparison.
        case direct
        /// `ALL`: every element of the left collection.
        case all
        /// `ANY`, `SOME`: at least one element of the left collection.
        case any
    }

    /// The operator between the two expressions.
    public enum Operator: UInt, Sendable {
        /// `<`
        case lessThan
        /// `<=`
        case lessThanOrEqualTo
        /// `>`
        case greaterThan
        /// `>=`
        case greaterThanOrEqualTo
        /// `==`
        case equalTo
        /// `!=`
        case notEqualTo
        /// `MATCHES`: a regular expression for the whole string.
        case matches
        /// `LIKE`: a pattern with `?` and `*` for the whole string.
        case like
        /// `BEGINSWITH`
        case beginsWith
        /// `ENDSWITH`
        case endsWith
        /// `IN`: an element of a collection, or a part of a string.
        case `in`
        /// A method of the left value.
        case customSelector
        /// `CONTAINS`: a collection with an element, or a string with a part.
        case contains = 99
        /// `BETWEEN`: a pair of bounds, both included.
        case between
    }
}
