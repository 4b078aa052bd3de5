/// Objects whose properties are reached by name.
///
/// It takes the place of the methods that `NSObject` has on Apple's systems. Managed objects conform; so can any class:
///
/// ```swift
/// final class Station: KeyValueCoding {
///     var name = ""
///
///     func value(forKey key: String) -> Any? { key == "name" ? name : nil }
///     func setValue(_ value: Any?, forKey key: String) {
///         if key == "name" { name = value as? String ?? "" }
///     }
/// }
/// ```
///
/// Predicates and sort descriptors read dictionaries, collections and, last, the stored properties of any Swift value
/// without it.
public protocol KeyValueCoding: AnyObject {
    /// The value of the property with a name.
    func value(forKey key: String) -> Any?

    /// Sets the property with a name.
    func setValue(_ value: Any?, forKey key: String)

    /// Checks a value before it is set; may put another one in its place. The default takes every value.
    ///
    /// - Throws: what is wrong with it.
    func validateValue(_ ioValue: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey inKey: String) throws

    /// The set that a property holds, as one whose changes are changes of the property.
    func mutableSetValue(forKey key: String) -> NSMutableSet

    /// The ordered set that a property holds, as one whose changes are changes of the property.
    func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet

    /// The array that a property holds, as one whose changes are changes of the property.
    func mutableArrayValue(forKey key: String) -> NSMutableArray

    /// What `value(forKey:)` should call for a key that doesn't exist. The default reports it as a programmer's error:
    /// it stops debug builds, and gives nil in others.
    func value(forUndefinedKey key: String) -> Any?

    /// What `setValue(_:forKey:)` should call for a key that doesn't exist. The default reports it as a programmer's
    /// error.
    func setValue(_ value: Any?, forUndefinedKey key: String)

    /// What `setValue(_:forKey:)` should call for nil where a property has to have a number. The default reports it as
    /// a programmer's error.
    func setNilValueForKey(_ key: String)
}

extension KeyValueCoding {
    /// The value at the end of a key path, such as `author.name`, `lines.@count` or `lines.@sum.price`.
    ///
    /// A path that leads through nil ends in nil. A key that doesn't exist is a programmer's error: it stops debug
    /// builds, and gives nil in optimised ones.
    public func value(forKeyPath keyPath: String) -> Any? {
        do {
            return try keyPathValue(of: self, path: keyPath)
        } catch {
            misuse("\(error)")
            return nil
        }
    }

    /// Sets the property at the end of a key path. On the way through a collection, it sets it for each element.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) {
        let parts = keyPath.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1 else {
            setValue(value, forKey: keyPath)
            return
        }
        // Some values on the way are dictionaries, which change only as a whole: from the last object on.
        for start in 0..<(parts.count - 1) {
            let object = start == 0 ? self : self.value(forKeyPath: parts[..<start].joined(separator: "."))
            if let holder = object as? any CompositeKeyValueCoding,
                holder.setElement(value, at: parts[start...].map(String.init))
            {
                return
            }
        }
        guard let target = self.value(forKeyPath: parts.dropLast().joined(separator: ".")) else { return }
        setKeyValue(value, forKey: String(parts[parts.count - 1]), of: target)
    }

    /// The values of several properties. nil becomes `NSNull`.
    public func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        var values: [String: Any] = [:]
        for key in keys { values[key] = flattened(value(forKey: key)) ?? NSNull() }
        return values
    }

    /// Sets several properties. `NSNull` becomes nil.
    public func setValuesForKeys(_ keyedValues: [String: Any]) {
        for (key, value) in keyedValues { setValue(value is NSNull ? nil : value, forKey: key) }
    }
}

func setKeyValue(_ value: Any?, forKey key: String, of target: Any) {
    switch target {
    case let object as any KeyValueCoding: object.setValue(value, forKey: key)
    case let dictionary as NSMutableDictionary: dictionary.setValue(value, forKey: key)
    default:
        guard let elements = collectionElements(of: target), !(target is any DictionaryValues) else {
            misuse("\(type(of: target)) has no key \"\(key)\" that can be set")
            return
        }
        for case let element? in elements { setKeyValue(value, forKey: key, of: element) }
    }
}

/// Objects with properties whose values are made of others, and are dictionaries for programs.
package protocol CompositeKeyValueCoding: KeyValueCoding {
    /// Sets an element of such a property: the path's first name is the property's.
    ///
    /// - Returns: false where the path leads to no element.
    func setElement(_ value: Any?, at path: [String]) -> Bool
}

/// Objects that can say that a key doesn't exist without stopping the program. Managed objects conform: what a
/// predicate asks for is input.
package protocol ThrowingKeyValueCoding: KeyValueCoding {
    /// The value of the property with a name.
    ///
    /// - Throws: ``PredicateEvaluationError`` when there is no such property.
    func keyValue(forKey key: String) throws -> Any?
}
