extension Sequence {
    /// The elements for which a predicate holds.
    ///
    /// Foundation has the same for its own collections only.
    public func filtered(using predicate: NSPredicate) -> [Element] {
        filter { predicate.evaluate(with: $0) }
    }

    /// The elements in the order of sort descriptors; the second decides where the first finds no difference, and so
    /// on. Elements that are equal to all of them keep their order.
    ///
    /// An unknown key, or values without an order, are a programmer's error, as in `evaluate(with:)`.
    public func sorted(using descriptors: [NSSortDescriptor]) -> [Element] {
        do {
            return try sortedThrowing(using: descriptors)
        } catch {
            misuse("\(error)")
            return Array(self)
        }
    }

    /// The elements for which a predicate holds.
    ///
    /// - Throws: ``PredicateEvaluationError``.
    package func filteredThrowing(using predicate: NSPredicate) throws -> [Element] {
        try filter { try predicate.evaluateThrowing(with: $0) }
    }

    /// The elements in the order of sort descriptors.
    ///
    /// - Throws: ``PredicateEvaluationError`` for an unknown key or values without an order.
    package func sortedThrowing(using descriptors: [NSSortDescriptor]) throws -> [Element] {
        // Key-value coding is slow: what is compared is read once for each element, not once for each comparison.
        let rows = try enumerated().map { offset, element in
            try SortRow(
                element, offset: offset, descriptors.map { try ($0 as? KeyedSortDescriptor)?.sortValue(of: element) })
        }
        return try rows.sorted { try $0.precedes($1, descriptors) }.map(\.element)
    }
}

/// An element with what descriptors compare of it.
private struct SortRow<Element> {
    let element: Element
    private let offset: Int
    private let values: [KeyedSortDescriptor.SortValue?]

    init(_ element: Element, offset: Int, _ values: [KeyedSortDescriptor.SortValue?]) {
        self.element = element
        self.offset = offset
        self.values = values
    }

    func precedes(_ other: SortRow, _ descriptors: [NSSortDescriptor]) throws -> Bool {
        for (index, descriptor) in descriptors.enumerated() {
            let result: ComparisonResult
            if let keyed = descriptor as? KeyedSortDescriptor, let left = values[index], let right = other.values[index]
            {
                result = try keyed.compare(left, right)
            } else {
                result = descriptor.compare(element, to: other.element)
            }
            if result != .orderedSame { return result == .orderedAscending }
        }
        return offset < other.offset
    }
}
