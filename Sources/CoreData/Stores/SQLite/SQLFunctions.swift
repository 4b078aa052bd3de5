import CSQLite
import FoundationSupplement

/// The functions and collations that SQL made from predicates, and triggers in stores, call.
package enum SQLFunctions {
    /// What `NSCoreDataStringSearch` looks for. The numbers are ours: Apple's stores keep none of them.
    enum Search: Int32 {
        case contains, beginsWith, endsWith, equal, like, matches
    }

    static func register(on database: OpaquePointer) {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC
        add("NSCoreDataStringSearch", 4, flags, on: database) { context, values in
            guard let text = Text(values[0]), let pattern = Text(values[1]) else { return sqlite3_result_null(context) }
            let kind = Search(rawValue: sqlite3_value_int(values[3])) ?? .equal
            do {
                let isFound = try found(pattern, in: text, kind, options(values[2]))
                sqlite3_result_int(context, isFound ? 1 : 0)
            } catch {
                sqlite3_result_error(context, "\(error)", -1)
            }
        }
        add("NSCoreDataStringCompare", 3, flags, on: database) { context, values in
            guard let a = Text(values[0]), let b = Text(values[1]) else { return sqlite3_result_null(context) }
            let order = StringComparison(options(values[2])).order(a.string, b.string)
            sqlite3_result_int(context, Int32(order.rawValue))
        }
        add("NSCoreDataLowercase", 1, flags, on: database) { context, values in
            guard let text = Text(values[0]) else { return sqlite3_result_null(context) }
            give(text.string.lowercased(), context)
        }
        add("NSCoreDataUppercase", 1, flags, on: database) { context, values in
            guard let text = Text(values[0]) else { return sqlite3_result_null(context) }
            give(text.string.uppercased(), context)
        }
        // Triggers of derived attributes report the values they change; without these functions no row could be
        // written.
        for name in [
            "NSCoreDataDATriggerUpdatedAffectedObjectValue", "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
            "NSCoreDataTriggerUpdateAffectedObjectValue",
        ] {
            add(name, -1, SQLITE_UTF8, on: database) { context, _ in sqlite3_result_null(context) }
        }
        addDerivations(on: database)
        addCollations(on: database)
    }

    private typealias Body = @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

    private final class Function {
        let call: (OpaquePointer, UnsafeMutablePointer<OpaquePointer?>) -> Void
        init(_ call: @escaping (OpaquePointer, UnsafeMutablePointer<OpaquePointer?>) -> Void) { self.call = call }
    }

    static func add(
        _ name: String, _ arguments: Int32, _ flags: Int32, on database: OpaquePointer,
        _ call: @escaping (OpaquePointer, UnsafeMutablePointer<OpaquePointer?>) -> Void
    ) {
        let function = Unmanaged.passRetained(Function(call)).toOpaque()
        sqlite3_create_function_v2(
            database, name, arguments, flags, function,
            { context, _, values in
                guard let context, let values, let data = sqlite3_user_data(context) else { return }
                Unmanaged<Function>.fromOpaque(data).takeUnretainedValue().call(context, values)
            }, nil, nil, { data in data.map { Unmanaged<Function>.fromOpaque($0).release() } })
    }

    static func give(_ text: String, _ context: OpaquePointer) {
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                csqlite_result_text_copy(context, $0.baseAddress, Int32(bytes.count))
            }
        }
    }

    // MARK: Searching

    /// A text of SQLite's, as its bytes and, when those don't do, as a string.
    struct Text {
        let bytes: UnsafeBufferPointer<UInt8>

        init?(_ value: OpaquePointer?) {
            guard sqlite3_value_type(value) != SQLITE_NULL, let start = sqlite3_value_text(value) else { return nil }
            bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
        }

        var string: String { String(decoding: bytes, as: UTF8.self) }
    }

    private static func options(_ value: OpaquePointer?) -> FoundationSupplement.NSComparisonPredicate.Options {
        .init(rawValue: UInt(sqlite3_value_int(value)))
    }

    /// Means the same as in memory; without options bytes are enough.
    private static func found(
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

    // MARK: Collations

    private static func addCollations(on database: OpaquePointer) {
        // The same orders as in memory, so that a fetch sorts alike with and without unsaved changes.
        collation("NSCollateNoCase", on: database, SortSelector.caseInsensitiveCompare.order)
        collation("NSCollateLocaleSensitive", on: database, SortSelector.localizedCompare.order)
        collation("NSCollateLocaleInsensitive", on: database, SortSelector.localizedCaseInsensitiveCompare.order)
        collation("NSCollateFinderlike", on: database, SortSelector.localizedStandardCompare.order)
    }

    private final class Order {
        let compare: (String, String) -> ComparisonResult
        init(_ compare: @escaping (String, String) -> ComparisonResult) { self.compare = compare }
    }

    private static func collation(
        _ name: String, on database: OpaquePointer, _ compare: @escaping (String, String) -> ComparisonResult
    ) {
        let order = Unmanaged.passRetained(Order(compare)).toOpaque()
        sqlite3_create_collation_v2(
            database, name, SQLITE_UTF8, order,
            { data, countA, a, countB, b in
                guard let data else { return 0 }
                let x = String(decoding: UnsafeRawBufferPointer(start: a, count: Int(countA)), as: UTF8.self)
                let y = String(decoding: UnsafeRawBufferPointer(start: b, count: Int(countB)), as: UTF8.self)
                return Int32(Unmanaged<Order>.fromOpaque(data).takeUnretainedValue().compare(x, y).rawValue)
            }, { data in data.map { Unmanaged<Order>.fromOpaque($0).release() } })
    }
}
