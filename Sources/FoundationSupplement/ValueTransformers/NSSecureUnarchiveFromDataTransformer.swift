/// Turns keyed archives into objects of known classes, and objects into archives.
///
/// For objects of a class of the program, which must have secure coding, a subclass says so:
///
/// ```swift
/// final class ColorTransformer: NSSecureUnarchiveFromDataTransformer {
///     override class var allowedTopLevelClasses: [AnyClass] { super.allowedTopLevelClasses + [Color.self] }
/// }
///
/// ValueTransformer.setValueTransformer(ColorTransformer(), forName: NSValueTransformerName("ColorTransformer"))
/// ```
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer {
    /// The classes that an archive's object, and the elements of its collections, may be of. Subclasses add to it.
    ///
    /// `NSArray`, `NSDictionary`, `NSSet`, `NSString`, `NSNumber`, `NSDate`, `NSData`, `NSURL`, `NSUUID` and `NSNull`
    /// unless overridden.
    open class var allowedTopLevelClasses: [AnyClass] {
        [
            NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self, NSData.self,
            NSURL.self, NSUUID.self, NSNull.self,
        ]
    }

    /// The object in an archive; nil, with a line on the standard error output, for data that isn't an archive of the
    /// allowed classes, and nil for nil.
    open override func transformedValue(_ value: Any?) -> Any? {
        guard let value = flattened(value) else { return nil }
        guard let data = value as? Data else {
            misuse("Cannot unarchive type from non-NSData object.")
            return nil
        }
        do {
            return try SecureArchive.object(in: data, classes: type(of: self).allowedTopLevelClasses)
        } catch {
            report("\(type(of: self)) can't read an archive: \(error.localizedDescription)")
            return nil
        }
    }

    /// The archive of an object; nil, with a line on the standard error output, for one that has no secure coding, and nil
    /// for nil.
    open override func reverseTransformedValue(_ value: Any?) -> Any? {
        guard let value = flattened(value) else { return nil }
        do {
            return try SecureArchive.data(of: value)
        } catch {
            report("\(type(of: self)) can't archive a value: \(error.localizedDescription)")
            return nil
        }
    }
}
