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
        try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
    }
}
