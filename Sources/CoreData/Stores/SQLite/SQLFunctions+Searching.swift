import CSQLite
import FoundationSupplement

/// Searching in strings, as in memory.
extension SQLFunctions {
    /// A text of SQLite's, as its bytes and, when those don't do, as a string.
    struct Text {
        let bytes: PlainFolding.Bytes

        init?(_ value: OpaquePointer?) {
            guard sqlite3_value_type(value) != SQLITE_NULL, let start = sqlite3_value_text(value) else { return nil }
            bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
        }

        var string: String { String(decoding: bytes, as: UTF8.self) }
    }

    static func options(_ value: OpaquePointer?) -> FoundationSupplement.NSComparisonPredicate.Options {
        .init(rawValue: UInt(sqlite3_value_int(value)))
    }

    /// `NSCoreDataStringSearch(text, pattern, options, kind)`
    static func search(_ context: OpaquePointer?, _ values: UnsafeMutablePointer<OpaquePointer?>?) {
        guard let context, let values else { return }
        guard let text = Text(values[0]) else { return sqlite3_result_null(context) }
        do {
            if let known = sqlite3_get_auxdata(context, 1) {
                let isFound = try Unmanaged<StringSearch>.fromOpaque(known)._withUnsafeGuaranteedRef {
                    try $0.isFound(in: text)
                }
                return sqlite3_result_int(context, isFound ? 1 : 0)
            }
            guard let pattern = Text(values[1]) else { return sqlite3_result_null(context) }
            let kind = Search(rawValue: sqlite3_value_int(values[3])) ?? .equal
            let search = StringSearch(pattern, kind, options(values[2]))
            sqlite3_result_int(context, try search.isFound(in: text) ? 1 : 0)
            // SQLite keeps it for the statement's other rows where the pattern is the same for all.
            sqlite3_set_auxdata(context, 1, Unmanaged.passRetained(search).toOpaque()) { search in
                search.map { Unmanaged<StringSearch>.fromOpaque($0).release() }
            }
        } catch {
            fail(error, context)
        }
    }
}

/// A search for one pattern in many texts. Means the same as in memory; without options bytes are enough.
private final class StringSearch {
    private let kind: SQLFunctions.Search
    private let hasOptions: Bool
    private let pattern: String
    private let comparison: StringComparison
    private let folding: PlainFolding?
    /// The pattern as its bytes, or folded where that can be done byte by byte.
    private let bytes: [UInt8]

    init(
        _ pattern: SQLFunctions.Text, _ kind: SQLFunctions.Search,
        _ options: FoundationSupplement.NSComparisonPredicate.Options
    ) {
        self.kind = kind
        hasOptions = !options.isEmpty
        comparison = StringComparison(options)
        self.pattern = pattern.string
        let folding = hasOptions ? PlainFolding(options) : nil
        let folded = folding?.folded(pattern.bytes)
        self.folding = folded == nil ? nil : folding
        bytes = folded ?? Array(pattern.bytes)
    }

    func isFound(in text: SQLFunctions.Text) throws -> Bool {
        if !hasOptions, let isFound = bytes.withUnsafeBufferPointer({ isFound($0, in: text.bytes) }) { return isFound }
        if let isFound = folding.flatMap({ isFound(in: text.bytes, $0) }) { return isFound }
        let text = text.string
        switch kind {
        case .equal: return comparison.areEqual(text, pattern)
        case .beginsWith: return comparison.hasPrefix(text, pattern)
        case .endsWith: return comparison.hasSuffix(text, pattern)
        case .contains: return comparison.contains(text, pattern)
        case .like: return comparison.isLike(text, pattern)
        case .matches: return try comparison.matches(text, pattern)
        }
    }

    /// Nil where bytes can't tell.
    private func isFound(in text: PlainFolding.Bytes, _ folding: PlainFolding) -> Bool? {
        bytes.withUnsafeBufferPointer { pattern in
            switch kind {
            case .beginsWith: folding.begins(text, with: pattern)
            case .equal, .contains, .endsWith: folding.withFolded(text) { isFound(pattern, in: $0) } ?? nil
            case .like, .matches: nil
            }
        }
    }

    /// Nil for patterns that are more than a text.
    private func isFound(_ pattern: PlainFolding.Bytes, in text: PlainFolding.Bytes) -> Bool? {
        switch kind {
        case .equal: text.elementsEqual(pattern)
        case .beginsWith: text.starts(with: pattern)
        case .endsWith: text.suffix(pattern.count).elementsEqual(pattern)
        case .contains: ByteSearch.contains(text, pattern)
        case .like, .matches: nil
        }
    }
}
