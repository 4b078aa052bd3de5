/// A value as the key of a set, equal when a predicate's `==` finds the values equal.
package struct ValueKey: Hashable {
    let value: PredicateValue

    package init(_ value: Any?) {
        self.value = PredicateValue(value)
    }

    init(_ value: PredicateValue) {
        self.value = value
    }

    package static func == (left: ValueKey, right: ValueKey) -> Bool {
        PredicateValue.areEqual(left.value, right.value)
    }

    package func hash(into hasher: inout Hasher) {
        switch value {
        case .null: break
        // Numbers of different types may be equal; so may a decimal and a binary fraction.
        case .number(let number): hasher.combine(number.double)
        case .string(let text): for byte in text.utf8 { hasher.combine(byte) }
        case .date(let date): hasher.combine(date)
        case .other(let other):
            // Collections are equal by their elements, whatever their types; nothing about them is hashed.
            if collectionElements(of: other) == nil, let hashable = other as? AnyHashable { hasher.combine(hashable) }
        }
    }

    /// The values without nil and without repetitions, in their first order.
    static func distinct(_ values: [Any?]) -> [Any] {
        var seen = Set<ValueKey>()
        return values.compactMap { $0 }.filter { seen.insert(ValueKey($0)).inserted }
    }
}
