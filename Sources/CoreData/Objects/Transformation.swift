import FoundationSupplement

/// Transformable values: secure keyed archives of a few known classes, as Apple's default transformer has them.
enum Transformation {
    private static let classes: [AnyClass] = [
        NSString.self, NSNumber.self, NSArray.self, NSDictionary.self, NSSet.self, NSOrderedSet.self, NSDate.self,
        NSData.self, NSURL.self, NSUUID.self, NSNull.self,
    ]

    /// The object in an archive; nil for bytes of another transformer, which stay in the row as they are.
    static func value(_ data: Data) -> Any? {
        let names = Set(classes.map { "\($0)" } + ["NSMutableString", "NSMutableArray", "NSMutableDictionary", "NSMutableSet", "NSMutableData"])
        // Foundation's unarchiver overflows the stack on an archive that refers to itself.
        guard ForeignArchive.isHarmless(data, classes: names) else { return nil }
        do {
            return try NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: data)
        } catch {
            SQLLog.warn("a transformable value can't be read: \(error.localizedDescription)")
            return nil
        }
    }

    static func data(_ object: NSObject) throws -> Data {
        try check(object, depth: 0)
        return try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
    }

    /// Foundation's archiver stops the program for an object without secure coding, and never comes back from a decimal
    /// number.
    private static func check(_ object: Any, depth: Int) throws {
        guard depth < 100 else { throw CocoaError.unsupported("a transformable value of more than 100 levels") }
        let elements: [Any]
        switch object {
        case is NSDecimalNumber, is Decimal: throw CocoaError.unsupported("a decimal number in a transformable value")
        case let list as NSArray: elements = list.map { $0 }
        case let set as NSSet: elements = set.allObjects
        case let ordered as NSOrderedSet: elements = ordered.array
        case let dictionary as NSDictionary: elements = dictionary.allKeys + dictionary.allValues
        default:
            if let object = object as? NSObject, !(object is any NSSecureCoding) {
                throw CocoaError.unsupported("a transformable value of type \(type(of: object)), which has no secure coding")
            }
            return
        }
        for element in elements { try check(element, depth: depth + 1) }
    }
}
