import CSQLite
import FoundationSupplement

extension SQLFunctions {
    /// The functions that triggers of derived attributes call.
    static func addDerivations(on database: OpaquePointer) {
        add("NSCoreDataNow", 0, SQLITE_UTF8, on: database) { context, _ in
            sqlite3_result_double(context, Date().timeIntervalSinceReferenceDate)
        }
        add("NSCoreDataCanonical", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, on: database) { context, values in
            guard let text = Text(values[0]) else { return sqlite3_result_null(context) }
            give(StringComparison([.caseInsensitive, .diacriticInsensitive]).folded(text.string), context)
        }
    }
}
