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
        // A function of its own, without the closure of the others: a scan calls it for each row.
        sqlite3_create_function_v2(
            database, "NSCoreDataStringSearch", 4, flags, nil, { SQLFunctions.search($0, $2) }, nil, nil, nil)
        add("NSCoreDataStringCompare", 3, flags, on: database) { context, values in
            guard let a = Text(values[0]), let b = Text(values[1]) else { return sqlite3_result_null(context) }
            let options = options(values[2])
            let plain = PlainFolding(options)?.order(a.bytes, b.bytes)
            let order = plain ?? StringComparison(options).order(a.string, b.string)
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
        add("NSCoreDataFold", 2, flags, on: database) { context, values in
            guard let text = Text(values[0]) else { return sqlite3_result_null(context) }
            give(StringComparison(options(values[1])).folded(text.string), context)
        }
        addComputed(on: database)
        addElements(on: database)
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

    typealias Arguments = UnsafeMutableBufferPointer<OpaquePointer?>
    typealias Call = (OpaquePointer, Arguments) -> Void

    private final class Function {
        let call: Call
        init(_ call: @escaping Call) { self.call = call }
    }

    static func add(
        _ name: String, _ arguments: Int32, _ flags: Int32, on database: OpaquePointer,
        _ call: @escaping Call
    ) {
        let function = Unmanaged.passRetained(Function(call)).toOpaque()
        sqlite3_create_function_v2(
            database, name, arguments, flags, function,
            { context, count, values in
                guard let context, let data = sqlite3_user_data(context) else { return }
                let arguments = Arguments(start: values, count: Int(count))
                Unmanaged<Function>.fromOpaque(data).takeUnretainedValue().call(context, arguments)
            }, nil, nil, { data in data.map { Unmanaged<Function>.fromOpaque($0).release() } })
    }

    /// What a predicate causes is Core Data's error, not one of the store's: the code tells them apart.
    static func fail(_ error: any Error, _ context: OpaquePointer) {
        sqlite3_result_error(context, "\(error)", -1)
        sqlite3_result_error_code(context, SQLITE_MISMATCH)
    }

    static func give(_ text: String, _ context: OpaquePointer) {
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                csqlite_result_text_copy(context, $0.baseAddress, Int32(bytes.count))
            }
        }
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
