/// Keyed archives, read and written so that no bytes can do harm.
///
/// On Linux Foundation's unarchiver overflows the stack on archives that refer to themselves and stops the program on
/// others that are damaged, and its archiver never comes back from a decimal number. So property values are read and
/// written here. Archives with objects of a program's own classes go through Foundation, after a look at all the rest.
package enum SecureArchive {
    /// Reads an archive.
    ///
    /// - Parameters:
    ///   - data: The archive.
    ///   - classes: The classes of which its objects, and the elements of its collections, may be.
    /// - Returns: the object; nil for an archive of nil.
    /// - Throws: `CocoaError.coderReadCorrupt` for damaged bytes and for objects of other classes.
    package static func object(in data: Data, classes: [AnyClass]) throws -> NSObject? {
        let own = classes.filter { PropertyClass(rawValue: "\($0)") == nil }
        var reader = try SecureArchiveReader(data, classes: Set(classes.map { "\($0)" }), mayHaveOthers: !own.isEmpty)
        let object = try reader.root()
        guard reader.hasOthers else { return object }
        do {
            return try foundationObject(in: reader.rewritten, classes: classes, own: own)
        } catch {
            throw damaged("can't be read: \(error.localizedDescription)", underlying: error)
        }
    }

    private static func foundationObject(
        in data: Data, classes: [AnyClass], own: [AnyClass]
    ) throws -> NSObject? {
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        unarchiver.requiresSecureCoding = true
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        // Apple's archives have the names that Objective-C knows, without the module.
        for cls in own { unarchiver.setClass(cls, forClassName: "\(cls)") }
        defer { unarchiver.finishDecoding() }
        let object = unarchiver.decodeObject(of: classes, forKey: NSKeyedArchiveRootObjectKey)
        if let error = unarchiver.error { throw error }
        return object as? NSObject
    }

    /// Writes an archive.
    ///
    /// - Throws: `CocoaError.coderInvalidValue` for objects that have no secure coding or can't be written.
    package static func data(of object: Any) throws -> Data {
        var writer = SecureArchiveWriter()
        do {
            return try writer.archive(object)
        } catch is SecureArchiveWriter.OtherObject {
            return try foundationData(of: object)
        }
    }

    /// The archive of an object of the program's own class, or with such objects in it.
    private static func foundationData(of object: Any) throws -> Data {
        try checkForFoundation(object, depth: 0)
        return try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
    }

    /// Foundation's archiver stops the program for an object without secure coding, and for one of a class that is
    /// declared inside of another type or of a function.
    private static func checkForFoundation(_ object: Any, depth: Int) throws {
        guard depth < SecureArchiveReader.maximumDepth else { throw unwritable("has too many levels") }
        let elements: [Any]
        switch object {
        case is NSDecimalNumber, is Decimal:
            throw unwritable("has a decimal number together with objects of the program's own classes")
        case let list as NSArray: elements = list.map { $0 }
        case let set as NSSet: elements = set.allObjects
        case let ordered as NSOrderedSet: elements = ordered.map { $0 }
        case let dictionary as NSDictionary: elements = dictionary.allKeys + dictionary.allValues
        case is any NSSecureCoding:
            let name = String(reflecting: type(of: object))
            guard name.hasPrefix("Foundation.") || name.split(separator: ".").count == 2 else {
                throw unwritable("has an object of type \(name), which isn't a class at the top level of a module")
            }
            return
        case let value where !(type(of: value) is AnyClass) && value as AnyObject is any NSSecureCoding: return
        default: throw unwritable("has an object of type \(type(of: object)), which has no secure coding")
        }
        for element in elements { try checkForFoundation(element, depth: depth + 1) }
    }

    /// Whether an object can be an element of a set and a key. On Linux the hash of a decimal number never ends, and sets
    /// of collections stop the program when they are compared.
    static func isHashable(_ element: Any) -> Bool {
        switch element {
        case is NSDecimalNumber, is Decimal, is NSArray, is NSDictionary, is NSSet, is NSOrderedSet: false
        default: true
        }
    }

    static func unwritable(_ reason: String) -> CocoaError {
        error(.coderInvalidValue, "A value to be archived \(reason).")
    }

    static func damaged(_ reason: String, underlying: (any Error)? = nil) -> CocoaError {
        error(.coderReadCorrupt, "The archive \(reason).", underlying: underlying)
    }

    static func error(_ code: CocoaError.Code, _ text: String, underlying: (any Error)? = nil) -> CocoaError {
        var info: [String: Any] = [NSLocalizedDescriptionKey: text, NSDebugDescriptionErrorKey: text]
        info[NSUnderlyingErrorKey] = underlying
        return CocoaError(code, userInfo: info)
    }
}
