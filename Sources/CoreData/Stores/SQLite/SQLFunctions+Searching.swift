import CSQLite
import FoundationSupplement

/// Searching in strings, as in memory.
extension SQLFunctions {
    /// A text of SQLite's, as its bytes and, when those don't do, as a string.
    struct Text {
        let bytes: UnsafeBufferPointer<UInt8>

        init?(_ value: OpaquePointer?) {
            guard sqlite3_value_type(value) != SQLITE_NULL, let start = sqlite3_value_text(value) else { return nil }
            bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
        }

        var string: String { String(decoding: bytes, as: UTF8.self) }
    }

    static func options(_ value: OpaquePointer?) -> FoundationSupplement.NSComparisonPredicate.Options {
        .init(rawValue: UInt(sqlite3_value_int(value)))
    }

    /// Means the same as in memory; without options bytes are enough.
    static func found(
        _ pattern: Text, in text: Text, _ kind: Search, _ options: FoundationSupplement.NSComparisonPredicate.Options
    ) throws -> Bool {
        let comparison = StringComparison(options)
        switch kind {
        case .equal where options.isEmpty: return text.bytes.elementsEqual(pattern.bytes)
        case .beginsWith where options.isEmpty: return text.bytes.starts(with: pattern.bytes)
        case .endsWith where options.isEmpty:
            return text.bytes.suffix(pattern.bytes.count).elementsEqual(pattern.bytes)
        case .contains where options.isEmpty: return contains(pattern.bytes, in: text.bytes)
        case .equal: return comparison.areEqual(text.string, pattern.string)
        case .beginsWith: return comparison.hasPrefix(text.string, pattern.string)
        case .endsWith: return comparison.hasSuffix(text.string, pattern.string)
        case .contains: return comparison.contains(text.string, pattern.string)
        case .like: return comparison.isLike(text.string, pattern.string)
        case .matches: return try comparison.matches(text.string, pattern.string)
        }
    }

    private static func contains(_ pattern: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let start = pattern.baseAddress, let base = text.baseAddress, !pattern.isEmpty else {
            return pattern.isEmpty
        }
        return csqlite_contains(base, text.count, start, pattern.count) != 0
    }
}

/// Searching where ASCII letters are all there is, which is the rule: byte by byte, without making strings.
struct PlainSearch {
    private let ignoresCase: Bool

    /// Nil for options that depend on a locale.
    init?(_ options: Int32) {
        let options = FoundationSupplement.NSComparisonPredicate.Options(rawValue: UInt(options))
        guard options.isSubset(of: [.caseInsensitive, .diacriticInsensitive]) else { return nil }
        ignoresCase = options.contains(.caseInsensitive)
    }

    typealias Bytes = UnsafeBufferPointer<UInt8>

    @inline(__always)
    private func folded(_ byte: UInt8) -> UInt8 {
        ignoresCase && byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
    }

    /// Whether the text has the pattern; nil where another letter than ASCII's could matter.
    func found(_ pattern: Bytes, in text: Bytes, _ kind: SQLFunctions.Search) -> Bool? {
        guard Self.isPlain(pattern, 0..<pattern.count) else { return nil }
        switch kind {
        case .equal:
            guard Self.isPlain(text, 0..<text.count) else { return nil }
            return text.count == pattern.count && matches(pattern, text, at: 0)
        case .beginsWith:
            // A mark behind the last letter would belong to it.
            guard Self.isPlain(text, 0..<min(pattern.count + 1, text.count)) else { return nil }
            return text.count >= pattern.count && matches(pattern, text, at: 0)
        case .endsWith:
            let start = text.count - pattern.count
            guard Self.isPlain(text, max(0, start)..<text.count) else { return nil }
            return start >= 0 && matches(pattern, text, at: start)
        case .contains:
            guard Self.isPlain(text, 0..<text.count) else { return nil }
            return contains(pattern, text)
        case .like, .matches: return nil
        }
    }

    /// The order of two texts; nil where another letter than ASCII's could matter.
    func order(_ a: Bytes, _ b: Bytes) -> ComparisonResult? {
        guard Self.isPlain(a, 0..<a.count), Self.isPlain(b, 0..<b.count) else { return nil }
        for place in 0..<min(a.count, b.count) {
            let (x, y) = (folded(a[place]), folded(b[place]))
            if x != y { return x < y ? .orderedAscending : .orderedDescending }
        }
        return a.count == b.count ? .orderedSame : a.count < b.count ? .orderedAscending : .orderedDescending
    }

    private static func isPlain(_ text: Bytes, _ range: Range<Int>) -> Bool {
        var all: UInt8 = 0
        for place in range { all |= text[place] }
        return all < 0x80
    }

    private func matches(_ pattern: Bytes, _ text: Bytes, at start: Int) -> Bool {
        for place in 0..<pattern.count where folded(pattern[place]) != folded(text[start + place]) { return false }
        return true
    }

    private func contains(_ pattern: Bytes, _ text: Bytes) -> Bool {
        guard let first = pattern.first.map(folded) else { return true }
        guard text.count >= pattern.count else { return false }
        for start in 0...(text.count - pattern.count)
        where folded(text[start]) == first && matches(pattern, text, at: start) { return true }
        return false
    }
}
