/// On Linux nothing is released by itself later; so that methods with such arguments keep their declaration.
public typealias AutoreleasingUnsafeMutablePointer<Pointee> = UnsafeMutablePointer<Pointee>

extension KeyValueCoding {
    /// Takes every value.
    ///
    /// ```swift
    /// var value: AnyObject? = name as NSString
    /// try note.validateValue(&value, forKey: "name")
    /// ```
    public func validateValue(
        _ ioValue: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey inKey: String
    ) throws {}

    /// Checks a value for the property at the end of a key path.
    ///
    /// - Throws: what the object there finds wrong with it.
    public func validateValue(
        _ ioValue: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKeyPath inKeyPath: String
    ) throws {
        if let target = target(ofKeyPath: inKeyPath) { try target.object.validateValue(ioValue, forKey: target.key) }
    }
}
