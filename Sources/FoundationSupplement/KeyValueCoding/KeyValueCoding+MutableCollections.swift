// The defaults go through `value(forKey:)` and `setValue(_:forKey:)`, which gets a new collection for each change. nil
// counts as empty.

extension KeyValueCoding {
    /// The set that a property holds, as one whose changes are changes of the property.
    ///
    /// ```swift
    /// note.mutableSetValue(forKey: "tags").add("swift")
    /// ```
    public func mutableSetValue(forKey key: String) -> NSMutableSet {
        MutableSetProxy(of: self, key: key)
    }

    /// The ordered set that a property holds, as one whose changes are changes of the property.
    public func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
        MutableOrderedSetProxy(
            read: { elementsValue(of: self, key) }, write: { self.setValue(NSOrderedSet(array: $0), forKey: key) })
    }

    /// The array that a property holds, as one whose changes are changes of the property.
    public func mutableArrayValue(forKey key: String) -> NSMutableArray {
        MutableArrayProxy(
            read: { elementsValue(of: self, key) }, write: { self.setValue(NSArray(array: $0), forKey: key) })
    }

    /// The set at the end of a key path, as `mutableSetValue(forKey:)`.
    ///
    /// A path that leads to nothing is a programmer's error; in optimised builds it gives a set of its own.
    public func mutableSetValue(forKeyPath keyPath: String) -> NSMutableSet {
        target(ofKeyPath: keyPath).map { $0.object.mutableSetValue(forKey: $0.key) } ?? NSMutableSet()
    }

    /// The ordered set at the end of a key path, as `mutableOrderedSetValue(forKey:)`.
    public func mutableOrderedSetValue(forKeyPath keyPath: String) -> NSMutableOrderedSet {
        target(ofKeyPath: keyPath).map { $0.object.mutableOrderedSetValue(forKey: $0.key) } ?? NSMutableOrderedSet()
    }

    /// The array at the end of a key path, as `mutableArrayValue(forKey:)`.
    public func mutableArrayValue(forKeyPath keyPath: String) -> NSMutableArray {
        target(ofKeyPath: keyPath).map { $0.object.mutableArrayValue(forKey: $0.key) } ?? NSMutableArray()
    }

    /// The object that has the last key of a path.
    func target(ofKeyPath keyPath: String) -> (object: any KeyValueCoding, key: String)? {
        guard let dot = keyPath.lastIndex(of: ".") else { return (self, keyPath) }
        guard let object = value(forKeyPath: String(keyPath[..<dot])) as? any KeyValueCoding else {
            misuse("[<\(type(of: self))> \(keyPath)]: the path leads to no object with keys")
            return nil
        }
        return (object, String(keyPath[keyPath.index(after: dot)...]))
    }
}

extension MutableSetProxy {
    /// A view of a property that is read and set as a whole.
    package convenience init(of object: any KeyValueCoding, key: String) {
        self.init(
            Access(
                elements: { elementsValue(of: object, key) },
                member: { NSSet(array: elementsValue(of: object, key)).member($0) },
                change: { added, removed in
                    let set = NSMutableSet(array: elementsValue(of: object, key))
                    for element in removed { set.remove(element) }
                    set.addObjects(from: added)
                    object.setValue(NSSet(array: set.allObjects), forKey: key)
                }))
    }
}

private func elementsValue(of object: any KeyValueCoding, _ key: String) -> [Any] {
    let value = flattened(object.value(forKey: key))
    if value == nil || value is NSNull { return [] }
    guard let elements = collectionElements(of: value) else {
        misuse("the value of \(type(of: object)) for the key \(key) is no collection")
        return []
    }
    return elements.compactMap { $0 }
}
