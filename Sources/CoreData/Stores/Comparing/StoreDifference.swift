/// One thing that is different between two SQLite stores.
package struct StoreDifference: Hashable, Sendable, CustomStringConvertible {
    /// What kind of thing it is.
    package enum Aspect: String, Sendable {
        case table, column, columnOrder, index, trigger, entity, metadata, row
    }

    package let aspect: Aspect
    /// The name of the table, index, …; of a column and of a row with its table before it.
    package let name: String
    /// What the first store has; nil for nothing.
    package let old: String?
    /// What the second store has; nil for nothing.
    package let new: String?

    /// The difference as a line of text.
    package var description: String {
        let what = "\(aspect == .columnOrder ? "order of columns" : aspect.rawValue) \(name)"
        switch (old, new) {
        case (let old?, let new?): return "\(what): \(old) → \(new)"
        case (let old?, nil): return "\(what): only in the first: \(old)"
        case (nil, let new?): return "\(what): only in the second: \(new)"
        case (nil, nil): return what
        }
    }
}
