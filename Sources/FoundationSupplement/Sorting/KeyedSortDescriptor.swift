/// The sort descriptor behind `NSSortDescriptor(key:ascending:)`: it compares by key-value coding.
///
/// One that is made with a Swift key path reads its values by that.
package final class KeyedSortDescriptor: NSSortDescriptor {
    /// The key path; nil compares the objects themselves, or is that of a Swift key path whose key nobody knows.
    package let sortKey: String?

    /// How strings are compared; nil when a closure compares.
    package let sortSelector: SortSelector?

    /// Whether the descriptor was read from an archive and may not sort yet.
    var isLocked = false

    private let closure: Comparator?
    private let lens: ((Any) -> Any?)?

    private init(
        key: String?, ascending: Bool, selector: SortSelector?, closure: Comparator?, lens: ((Any) -> Any?)?
    ) {
        sortKey = key
        sortSelector = selector
        self.closure = closure
        self.lens = lens
        super.init(keyPath: \Subject.itself, ascending: ascending) { _, _ in .orderedSame }
    }

    convenience init(key: String?, ascending: Bool, selector: SortSelector) {
        self.init(key: key, ascending: ascending, selector: selector, closure: nil, lens: nil)
    }

    convenience init(key: String?, ascending: Bool, comparator: @escaping Comparator) {
        self.init(key: key, ascending: ascending, selector: nil, closure: comparator, lens: nil)
    }

    convenience init<Root>(swiftKeyPath: PartialKeyPath<Root>, ascending: Bool, selector: SortSelector = .compare) {
        self.init(key: KeyPathNames.name(for: swiftKeyPath), ascending: ascending, selector: selector, closure: nil) {
            ($0 as? Root).flatMap { flattened($0[keyPath: swiftKeyPath]) }
        }
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
        try compare(try sortValue(of: left), try sortValue(of: right))
    }

    /// What the descriptor compares of an object. A sort reads it once for each object.
    func sortValue(of object: Any) throws -> SortValue {
        if isLocked { try checkLock() }
        let value: Any?
        if let lens {
            value = lens(object)
        } else if let sortKey {
            value = try keyPathValue(of: object, path: sortKey)
        } else {
            value = object
        }
        return closure == nil ? .value(PredicateValue(value)) : .forClosure(value ?? NSNull())
    }

    enum SortValue {
        case value(PredicateValue)
        case forClosure(Any)
    }

    /// The order of two values, in the descriptor's direction.
    func compare(_ left: SortValue, _ right: SortValue) throws -> ComparisonResult {
        let result = try order(left, right)
        return ascending ? result : result.reversed
    }

    private func order(_ left: SortValue, _ right: SortValue) throws -> ComparisonResult {
        switch (left, right) {
        case (.forClosure(let left), .forClosure(let right)): return closure?(left, right) ?? .orderedSame
        case (.value(.null), .value(.null)): return .orderedSame
        case (.value(.null), _): return .orderedAscending
        case (_, .value(.null)): return .orderedDescending
        case (.value(.string(let left)), .value(.string(let right))):
            return (sortSelector ?? .compare).order(left, right)
        case (.value(let left), .value(let right)): return try PredicateValue.order(left, right) ?? .orderedSame
        default: return .orderedSame
        }
    }

    /// Compares two values as the descriptor does, without regard to its direction.
    package override var comparator: Comparator {
        closure ?? { [self] left, right in
            (try? order(.value(PredicateValue(left)), .value(PredicateValue(right)))) ?? .orderedSame
        }
    }

    package override var reversedSortDescriptor: Any {
        KeyedSortDescriptor(
            key: sortKey, ascending: !ascending, selector: sortSelector, closure: closure, lens: lens)
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
