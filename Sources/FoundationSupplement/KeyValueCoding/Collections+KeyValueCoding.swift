// Foundation's collections read and set the values of their elements by key. The methods are here and not on NSObject,
// whose subclasses must be able to declare their own.

extension NSArray {
    /// The values of all elements for a key, `NSNull` where there is none.
    ///
    /// ```swift
    /// (notes as NSArray).value(forKey: "title")
    /// ```
    public func value(forKey key: String) -> Any { reported(NSArray()) { try keyPathValue(of: self, path: key) } }

    /// The value at the end of a key path, with its operators: `@sum.price`.
    public func value(forKeyPath keyPath: String) -> Any? {
        reportedOptional { try keyPathValue(of: self, path: keyPath) }
    }

    /// Sets the property of every element.
    public func setValue(_ value: Any?, forKey key: String) { setKeyValue(value, forKey: key, of: self) }
}

extension NSSet {
    /// The values of all elements for a key.
    public func value(forKey key: String) -> Any { reported(NSSet()) { try keyPathValue(of: self, path: key) } }

    /// The value at the end of a key path, with its operators: `@sum.price`.
    public func value(forKeyPath keyPath: String) -> Any? {
        reportedOptional { try keyPathValue(of: self, path: keyPath) }
    }

    /// Sets the property of every element.
    public func setValue(_ value: Any?, forKey key: String) { setKeyValue(value, forKey: key, of: self) }
}

extension NSOrderedSet {
    /// The values of all elements for a key, as an array.
    public func value(forKey key: String) -> Any { reported(NSArray()) { try keyPathValue(of: self, path: key) } }

    /// The value at the end of a key path, with its operators: `@sum.price`.
    public func value(forKeyPath keyPath: String) -> Any? {
        reportedOptional { try keyPathValue(of: self, path: keyPath) }
    }

    /// Sets the property of every element.
    public func setValue(_ value: Any?, forKey key: String) { setKeyValue(value, forKey: key, of: self) }
}

extension NSDictionary {
    /// The value at the end of a key path through dictionaries and objects.
    public func value(forKeyPath keyPath: String) -> Any? {
        reportedOptional { try keyPathValue(of: self, path: keyPath) }
    }
}

extension NSMutableDictionary {
    /// Sets the value for a key; nil removes it.
    public func setValue(_ value: Any?, forKey key: String) {
        if let value { self[key] = value } else { removeObject(forKey: key) }
    }
}

private func reported(_ substitute: Any, _ read: () throws -> Any?) -> Any {
    reportedOptional(read) ?? substitute
}

/// The value, or nil with a report: a key that doesn't exist is a programmer's error.
private func reportedOptional(_ read: () throws -> Any?) -> Any? {
    do {
        return try read()
    } catch {
        misuse("\(error)")
        return nil
    }
}
