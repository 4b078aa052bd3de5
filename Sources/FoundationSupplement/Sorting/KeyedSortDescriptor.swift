/// The sort descriptor behind `NSSortDescriptor(key:ascending:)`: it compares by key-value coding.
///
/// One that is made with a Swift key path reads its values by that.
package final class KeyedSortDescriptor: NSSortDescriptor {
    /// The key path; nil compares the objects themselves, or is that of a Swift key path whose key nobody knows.
    package let sortKey: String?

    /// How strings are compared; nil when a closure compares.
    package let sortSelector: SortSelector?

    private let closure: Comparator?
    private let lens: ((Any) -> Any?)?

    init(key: String?, ascending: Bool, selector: SortSelector) {
        sortKey = key
        sortSelector = selector
        closure = nil
        lens = nil
        super.init(keyPath: \Subject.itself, ascending: ascending) { _, _ in .orderedSame }
    }

    init(key: String?, ascending: Bool, comparator: @escaping Comparator) {
        sortKey = key
        sortSelector = nil
        closure = comparator
        lens = nil
        super.init(keyPath: \Subject.itself, ascending: ascending) { _, _ in .orderedSame }
    }

    init<Root, Value>(swiftKeyPath: KeyPath<Root, Value>, ascending: Bool) {
        sortKey = KeyPathNames.name(for: swiftKeyPath)
        sortSelector = .compare
        closure = nil
        lens = { ($0 as? Root).flatMap { flattened($0[keyPath: swiftKeyPath]) } }
        super.init(keyPath: swiftKeyPath, ascending: ascending) { _, _ in .orderedSame }
    }

    private init(reversing other: KeyedSortDescriptor) {
        sortKey = other.sortKey
        sortSelector = other.sortSelector
        closure = other.closure
        lens = other.lens
        super.init(keyPath: \Subject.itself, ascending: !other.ascending) { _, _ in .orderedSame }
    }

    /// The order of two objects; one without a value comes first.
    package override func compare(_ object1: Any, to object2: Any) -> ComparisonResult {
        do {
            return try compareThrowing(object1, object2)
        } catch {
            misuse("\(error)")
            return .orderedSame
        }
    }

    /// The order of two objects.
    ///
    /// - Throws: ``PredicateEvaluationError`` for an unknown key or values without an order.
    package func compareThrowing(_ left: Any, _ right: Any) throws -> ComparisonResult {
        let result = try order(try value(of: left), try value(of: right))
        return ascending ? result : result.reversed
    }

    private func value(of object: Any) throws -> Any? {
        if let lens { return lens(object) }
        guard let sortKey else { return object }
        return try keyPathValue(of: object, path: sortKey)
    }

    private func order(_ left: Any?, _ right: Any?) throws -> ComparisonResult {
        if let closure { return closure(left ?? NSNull(), right ?? NSNull()) }
        switch (PredicateValue(left), PredicateValue(right)) {
        case (.null, .null): return .orderedSame
        case (.null, _): return .orderedAscending
        case (_, .null): return .orderedDescending
        case (.string(let left), .string(let right)): return (sortSelector ?? .compare).order(left, right)
        case (let left, let right): return try PredicateValue.order(left, right) ?? .orderedSame
        }
    }

    /// Compares two values as the descriptor does, without regard to its direction.
    package override var comparator: Comparator {
        closure ?? { [self] left, right in (try? order(left, right)) ?? .orderedSame }
    }

    package override var reversedSortDescriptor: Any {
        KeyedSortDescriptor(reversing: self)
    }

    package override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? KeyedSortDescriptor else { return false }
        return self === other
            || closure == nil && other.closure == nil && (lens == nil) == (other.lens == nil) && sortKey != nil
                && sortKey == other.sortKey && ascending == other.ascending && sortSelector == other.sortSelector
    }

    package override var hash: Int {
        var hasher = Hasher()
        hasher.combine(sortKey)
        hasher.combine(ascending)
        return hasher.finalize()
    }

    package override var description: String {
        "(\(sortKey ?? "self"), \(ascending ? "ascending" : "descending"), \(sortSelector?.rawValue ?? "comparator"))"
    }

    /// What the superclass's key path is about: it must have one.
    private struct Subject {
        var itself: Int { 0 }
    }
}
