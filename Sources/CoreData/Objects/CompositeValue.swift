import FoundationSupplement
import ManagedObjectModel

/// Values of composite attributes: dictionaries in programs, a slot with the values of the elements in rows and objects.
///
/// A composite of which all elements are nil is nil: a row can't tell the two apart.
extension SlotValue {
    /// Takes a dictionary that a program gives for a composite attribute. Elements that it doesn't name are nil.
    init(_ value: Any?, for composite: NSCompositeAttributeDescription) throws(Unacceptable) {
        guard let value = flattened(value), !(value is NSNull) else {
            self = .null
            return
        }
        let names = Set(composite.elements.map(\.name))
        guard let given = Self.pairs(value), names.isSuperset(of: given.keys) else {
            throw .type(desired: "NSDictionary with the keys \(names.sorted().joined(separator: ", "))")
        }
        var elements: [SlotValue] = []
        for element in composite.elements {
            let value = given[element.name]
            elements.append(try SlotValue(value is NSNull ? nil : value, for: element))
        }
        self.init(elements: elements)
    }

    /// A dictionary in any of the forms in which programs and Foundation hold one.
    private static func pairs(_ value: Any) -> [String: Any]? {
        if let pairs = value as? [String: Any] { return pairs }
        guard let pairs = value as? [AnyHashable: Any] ?? (value as? NSDictionary as? [AnyHashable: Any]) else {
            return nil
        }
        let named = pairs.compactMap { key, value in
            (key.base as? String ?? (key.base as? NSString).map { String($0) }).map { ($0, value) }
        }
        return named.count == pairs.count ? Dictionary(named) { first, _ in first } : nil
    }

    /// The value of a composite attribute with these elements, in their order.
    init(elements: [SlotValue]) {
        self = elements.allSatisfy(\.isNull) ? .null : .composite(elements)
    }

    /// The dictionary for programs: the elements that are not nil.
    static func dictionary(_ elements: [SlotValue], of composite: NSCompositeAttributeDescription) -> [String: Any] {
        var result: [String: Any] = [:]
        for (element, value) in zip(composite.elements, elements) {
            result[element.name] = value.foundationValue(of: element)
        }
        return result
    }

    /// The value of a new object's attribute, as the model says; a composite attribute without a default of its own has
    /// those of its elements.
    package init(defaultOf attribute: NSAttributeDescription) {
        if let value = attribute.defaultValue {
            self = (try? SlotValue(value, for: attribute)) ?? .null
        } else if let composite = attribute as? NSCompositeAttributeDescription {
            self.init(elements: composite.elements.map { SlotValue(defaultOf: $0) })
        } else {
            self = .null
        }
    }

    /// The element at the end of a path of names; null where there is none.
    package func element(_ path: ArraySlice<String>, of composite: NSCompositeAttributeDescription) -> SlotValue {
        guard case .composite(let elements) = self,
            let index = composite.elements.firstIndex(where: { $0.name == path.first })
        else { return .null }
        guard path.count > 1 else { return elements[index] }
        guard let inner = composite.elements[index] as? NSCompositeAttributeDescription else { return .null }
        return elements[index].element(path.dropFirst(), of: inner)
    }

    /// The value with one element set; nil where the path leads to none.
    package func setting(
        _ value: SlotValue, at path: ArraySlice<String>, of composite: NSCompositeAttributeDescription
    ) -> SlotValue? {
        guard let name = path.first, let index = composite.elements.firstIndex(where: { $0.name == name }) else {
            return nil
        }
        var elements = composite.elements.map { _ in SlotValue.null }
        if case .composite(let known) = self { elements = known }
        if path.count == 1 {
            elements[index] = value
        } else {
            guard let inner = composite.elements[index] as? NSCompositeAttributeDescription,
                let changed = elements[index].setting(value, at: path.dropFirst(), of: inner)
            else { return nil }
            elements[index] = changed
        }
        return SlotValue(elements: elements)
    }
}

extension NSManagedObject: CompositeKeyValueCoding {
    /// Sets an element of a composite attribute; the others stay.
    ///
    /// - Returns: false where the path leads to no element.
    package final func setElement(_ value: Any?, at path: [String]) -> Bool {
        guard let name = path.first, let slot = layout.slot(name),
            let composite = layout.properties[slot] as? NSCompositeAttributeDescription,
            let element = composite.element(path.dropFirst())
        else { return false }
        guard let value = acceptable(value, for: element),
            let changed = slotValue(slot).setting(value, at: path.dropFirst(), of: composite)
        else { return true }
        setValue(changed.foundationValue(of: composite), forKey: name)
        return true
    }
}
