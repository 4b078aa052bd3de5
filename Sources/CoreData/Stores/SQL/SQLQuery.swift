/// A statement and the values for its `?`, in their order. Values never become part of the text.
package struct SQLQuery {
    package var text: String
    package var bindings: [SlotValue]
}

/// The columns of a query's result, for those who read it.
struct SQLResultColumns {
    /// Names without alias, in the order of the result; the entity's number, the key and the version come before them.
    let names: [String]
    static let entityNumber: Int32 = 0
    static let primaryKey: Int32 = 1
    static let version: Int32 = 2
    static let firstValue: Int32 = 3
}
