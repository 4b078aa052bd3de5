extension KeyValueCoding {
    /// Reports that a key doesn't exist. Gives nil in optimised builds.
    public func value(forUndefinedKey key: String) -> Any? {
        misuse("[\(identity) valueForUndefinedKey:]: \(notCompliant(key))")
        return nil
    }

    /// Reports that a key doesn't exist. Does nothing else in optimised builds.
    public func setValue(_ value: Any?, forUndefinedKey key: String) {
        misuse("[\(identity) setValue:forUndefinedKey:]: \(notCompliant(key))")
    }

    /// Reports that a property can't be nil. Does nothing else in optimised builds.
    public func setNilValueForKey(_ key: String) {
        misuse("[\(identity) setNilValueForKey]: could not set nil as the value for the key \(key).")
    }

    private var identity: String {
        "<\(type(of: self)) 0x\(String(UInt(bitPattern: ObjectIdentifier(self).hashValue), radix: 16))>"
    }

    private func notCompliant(_ key: String) -> String {
        "this class is not key value coding-compliant for the key \(key)."
    }
}

extension NSExceptionName {
    /// The name of the exception that Apple's key-value coding raises for a key that doesn't exist. Nothing raises it
    /// on Linux; the constant is there for programs that name it.
    public static let undefinedKeyException = NSExceptionName(rawValue: "NSUnknownKeyException")
}
