/// The value that an object, a dictionary, a collection or any Swift value has for a key.
///
/// A collection gives the values of its elements: a set for a set, an array with `NSNull` for nil otherwise.
///
/// - Throws: ``PredicateEvaluationError`` when there is no such key.
package func keyValue(of object: Any, key: String) throws -> Any? {
    if key == "self" { return object }
    if let found = try quickValue(of: object, key: key) ?? dictionaryValue(of: object, key: key) { return found.value }
    if let elements = collectionElements(of: object) {
        if key == "count" || key == "@count" { return elements.count }
        return try collected(elements, of: object, key: key)
    }
    if let found = FoundationMethods.call(key, on: object, []) { return found.value }
    if let found = mirroredValue(of: object, key: key) { return flattened(found.value) }
    throw PredicateEvaluationError(
        "[<\(type(of: object))> valueForUndefinedKey:]: this class is not key value coding-compliant for the key \(key)."
    )
}

/// The value that objects with key-value coding have, and the usual dictionary. Casts from `Any` look for bridges and
/// conformances; these are found without most of them.
private func quickValue(of object: Any, key: String) throws -> Found? {
    if type(of: object) is AnyClass {
        let reference = object as AnyObject
        if let object = reference as? any ThrowingKeyValueCoding {
            return Found(value: flattened(try object.keyValue(forKey: key)))
        }
        return (reference as? any KeyValueCoding).map { Found(value: flattened($0.value(forKey: key))) }
    }
    guard type(of: object) == [String: Any].self, let value = (object as? [String: Any])?[key] else { return nil }
    return Found(value: flattened(value))
}

/// The value at the end of a key path.
///
/// - Throws: ``PredicateEvaluationError`` when a key doesn't exist or an operator has no collection to work on.
package func keyPathValue(of object: Any?, path: String) throws -> Any? {
    guard path.utf8.contains(UInt8(ascii: ".")) || path.hasPrefix("@") else {
        return try flattened(object).flatMap { try keyValue(of: $0, key: path) }
    }
    var value = flattened(object)
    var rest = path[...]
    while !rest.isEmpty {
        let end = rest.firstIndex(of: ".") ?? rest.endIndex
        let key = String(rest[..<end])
        rest = end == rest.endIndex ? "" : rest[rest.index(after: end)...]
        if key.hasPrefix("@"), let collection = CollectionOperator(rawValue: key) {
            if let result = try collection.apply(to: value, rest: String(rest)) { return result.value }
        }
        guard let target = value, !(target is NSNull) else { return nil }
        value = try keyValue(of: target, key: key)
    }
    return value
}

/// A value that was found, which may be nil.
struct Found {
    let value: Any?
}

private func dictionaryValue(of object: Any, key: String) -> Found? {
    let value: Any?
    if type(of: object) is AnyClass {
        guard let dictionary = object as AnyObject as? NSDictionary else { return nil }
        value = dictionary[key]
    } else {
        guard let dictionary = object as? any DictionaryValues else { return nil }
        value = dictionary.value(forAnyKey: key)
    }
    if let value { return Found(value: flattened(value)) }
    switch key {
    case "@count": return Found(value: collectionElements(of: object)?.count)
    case "@allValues": return Found(value: collectionElements(of: object))
    case "@allKeys": return Found(value: (object as? NSDictionary)?.allKeys ?? [])
    default: return Found(value: nil)
    }
}

private func collected(_ elements: [Any?], of collection: Any, key: String) throws -> Any {
    let values = try elements.map { element -> Any? in
        guard let element, !(element is NSNull) else { return nil }
        return try keyValue(of: element, key: key)
    }
    if isUnordered(collection) {
        if let set = hashableSet(of: values) { return set }
        return values.compactMap { $0 }
    }
    return values.map { $0 ?? NSNull() }
}

/// The values as a set, or nil when one of them isn't hashable, or the set would lose one: Swift takes "é" in one letter
/// and in two for the same, predicates don't.
private func hashableSet(of values: [Any?]) -> Set<AnyHashable>? {
    var set = Set<AnyHashable>()
    for case let value? in values {
        // On Linux the hash of an NSDecimalNumber never ends.
        let element = (value as? NSDecimalNumber).map { $0.decimalValue as Any } ?? value
        guard let hashable = element as? AnyHashable else { return nil }
        let (isNew, member) = set.insert(hashable)
        if !isNew, let text = value as? String, let known = member.base as? String,
            !text.utf8.elementsEqual(known.utf8)
        {
            return nil
        }
    }
    return set
}

/// The stored property of a Swift value. It is slow, and there for plain structures and classes.
private func mirroredValue(of object: Any, key: String) -> Found? {
    var mirror: Mirror? = Mirror(reflecting: object)
    while let current = mirror {
        for child in current.children where child.label == key { return Found(value: child.value) }
        mirror = current.superclassMirror
    }
    return nil
}
