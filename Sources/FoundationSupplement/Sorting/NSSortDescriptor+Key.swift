/// What gives `NSSortDescriptor` the initialisers with a key that Linux's Foundation declares as unavailable.
///
/// Only `NSSortDescriptor` conforms. The initialisers are those of a protocol because only these may put a subclass in
/// the place of `self`.
public protocol KeyedSortDescriptorInitializable {}

extension NSSortDescriptor: KeyedSortDescriptorInitializable {}

extension KeyedSortDescriptorInitializable {
    /// A descriptor that sorts by the value of a key path.
    ///
    /// ```swift
    /// request.sortDescriptors = [NSSortDescriptor(key: "author.name", ascending: true)]
    /// ```
    ///
    /// - Parameters:
    ///   - key: The key path; nil compares the objects themselves.
    ///   - ascending: Whether small values come first. A missing value is smaller than every other.
    public init(key: String?, ascending: Bool) {
        self.init(key: key, ascending: ascending, selector: .compare)
    }

    /// A descriptor that sorts by the value of a key path, with a choice of how strings compare.
    ///
    /// On Apple's systems the last argument is a selector: `#selector(NSString.localizedStandardCompare(_:))`. nil
    /// stands for ``SortSelector/compare``.
    public init(key: String?, ascending: Bool, selector: SortSelector?) {
        self = sortDescriptor(KeyedSortDescriptor(key: key, ascending: ascending, selector: selector ?? .compare))
    }

    /// A descriptor that sorts by the value of a key path, compared by a closure.
    ///
    /// It sorts in memory only; no store can translate it. The closure gets `NSNull` for a missing value.
    public init(key: String?, ascending: Bool, comparator: @escaping Comparator) {
        self = sortDescriptor(KeyedSortDescriptor(key: key, ascending: ascending, comparator: comparator))
    }

    /// A descriptor that sorts by a Swift key path, optional properties included.
    ///
    /// Foundation's own takes only values that can't be nil. A store can sort by it when ``KeyPathNames`` knows the
    /// key.
    public init<Root, Value>(keyPath: KeyPath<Root, Value>, ascending: Bool) {
        self = sortDescriptor(KeyedSortDescriptor(swiftKeyPath: keyPath, ascending: ascending))
    }

    /// A descriptor from Foundation's structure of the same kind.
    ///
    /// Strings compare by their characters' numbers, or as ``SortSelector/localizedStandardCompare`` does when the
    /// structure has a comparator other than `.lexical`.
    public init<Compared: NSObject>(_ descriptor: SortDescriptor<Compared>) {
        let ascending = descriptor.order == .forward
        let comparator = descriptor.stringComparator
        let isLexical = comparator == nil || comparator.map { String.StandardComparator($0) == .lexical } == true
        self = sortDescriptor(
            KeyedSortDescriptor(
                swiftKeyPath: descriptor.keyPath ?? \Compared.self, ascending: ascending,
                selector: isLexical ? .compare : .localizedStandardCompare))
    }
}

extension KeyedSortDescriptorInitializable where Self: NSSortDescriptor {
    /// The key path that the descriptor sorts by; nil when it compares whole objects, or was made with a Swift key path
    /// whose key ``KeyPathNames`` doesn't know.
    public var key: String? {
        if let keyed = self as? KeyedSortDescriptor { return keyed.sortKey }
        return KeyPathNames.name(for: keyPath)
    }

    /// How the descriptor compares; nil when a closure does.
    ///
    /// Descriptors that Foundation made don't tell whether they have a closure: they have no selector.
    public var selector: SortSelector? { (self as? KeyedSortDescriptor)?.sortSelector }
}

private func sortDescriptor<Result>(_ descriptor: KeyedSortDescriptor) -> Result {
    guard let result = descriptor as? Result else { fatalError("\(Result.self) has no initialiser with a key") }
    return result
}
