/// Compares strings as the options of an operator ask for: `==[cd]`.
///
/// Stores use it too, for the functions that they add to SQL: a predicate means the same in memory and in a store.
package struct StringComparison: Sendable {
    private let folding: String.CompareOptions
    private let isLocaleSensitive: Bool

    package init(_ options: NSComparisonPredicate.Options) {
        var folding: String.CompareOptions = []
        // [n] promises prepared strings: it wins over [c] and [d].
        if !options.contains(.normalized) {
            if options.contains(.caseInsensitive) { folding.insert(.caseInsensitive) }
            if options.contains(.diacriticInsensitive) { folding.insert(.diacriticInsensitive) }
        }
        self.folding = folding
        isLocaleSensitive = options.contains(.localeSensitive) && !options.contains(.normalized)
    }

    private var locale: Locale? { isLocaleSensitive ? .current : nil }

    /// The string with the differences removed that don't count.
    package func folded(_ text: String) -> String {
        if folding.isEmpty { return text }
        if text.utf8.allSatisfy({ $0 < 0x80 }), !isLocaleSensitive {
            return folding.contains(.caseInsensitive) ? text.lowercased() : text
        }
        return text.folding(options: folding, locale: locale)
    }

    package func areEqual(_ left: String, _ right: String) -> Bool {
        if isLocaleSensitive { return order(left, right) == .orderedSame }
        return Self.areIdentical(folded(left), folded(right))
    }

    /// The order of two strings: of their characters' numbers, or the locale's.
    package func order(_ left: String, _ right: String) -> ComparisonResult {
        if isLocaleSensitive { return left.compare(right, options: folding, range: nil, locale: locale) }
        let (left, right) = (folded(left), folded(right))
        if Self.areIdentical(left, right) { return .orderedSame }
        // UTF-8 sorts as the characters' numbers do, and as SQLite does.
        return left.utf8.lexicographicallyPrecedes(right.utf8) ? .orderedAscending : .orderedDescending
    }

    package func hasPrefix(_ text: String, _ prefix: String) -> Bool {
        folded(text).utf8.starts(with: folded(prefix).utf8)
    }

    package func hasSuffix(_ text: String, _ suffix: String) -> Bool {
        folded(text).utf8.reversed().starts(with: folded(suffix).utf8.reversed())
    }

    /// Whether a string has another as a part. Every string has the empty string.
    package func contains(_ text: String, _ part: String) -> Bool {
        var (text, part) = (folded(text), folded(part))
        return text.withUTF8 { text in part.withUTF8 { ByteSearch.contains(text, $0) } }
    }

    /// Whether a pattern matches the whole string: `?` is one character, `*` any number of them, and a backslash takes
    /// the meaning from both.
    package func isLike(_ text: String, _ pattern: String) -> Bool {
        WildcardPattern(folded(pattern)).matches(folded(text))
    }

    /// Whether a regular expression matches the whole string.
    ///
    /// - Throws: ``PredicateEvaluationError`` when the expression is wrong.
    package func matches(_ text: String, _ pattern: String) throws -> Bool {
        let ignoresAccents = folding.contains(.diacriticInsensitive)
        let plain = { (text: String) in
            ignoresAccents ? text.folding(options: .diacriticInsensitive, locale: nil) : text
        }
        let expression = try RegularExpressionCache.expression(
            plain(pattern), ignoringCase: folding.contains(.caseInsensitive))
        return try Self.matches(plain(text), expression)
    }

    /// How often the matcher may report that it is still at work, which it does after every ten thousand steps. That is
    /// some seconds for a pattern such as `(a+)+$`, which would otherwise take years.
    private static let maximumReports = 1_000

    private static func matches(_ text: String, _ expression: NSRegularExpression) throws -> Bool {
        var (isMatch, hasFailed, reports) = (false, false, 0)
        let range = NSRange(location: 0, length: text.utf16.count)
        let options: NSRegularExpression.MatchingOptions = [.anchored, .reportProgress, .reportCompletion]
        expression.enumerateMatches(in: text, options: options, range: range) { match, flags, stop in
            if match != nil { isMatch = true }
            if flags.contains(.internalError) { hasFailed = true }
            reports += 1
            if isMatch || reports > maximumReports { stop.pointee = true }
        }
        if isMatch { return true }
        guard !hasFailed, reports <= maximumReports else {
            let reason = reports > maximumReports ? "the matcher took too many steps" : "the matcher ran out of memory"
            throw PredicateEvaluationError(
                "Can't do regex matching, reason: \(reason) (string of \(range.length) units, pattern \(expression.pattern))"
            )
        }
        return false
    }

    /// Swift finds composed and decomposed letters equal; Foundation's `isEqual` and SQLite don't.
    private static func areIdentical(_ left: String, _ right: String) -> Bool {
        left == right && left.utf8.elementsEqual(right.utf8)
    }
}
