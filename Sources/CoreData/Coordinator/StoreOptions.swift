import FoundationSupplement

/// The options of a store, however a program wrote their values: truth as `Bool`, `NSNumber` or text.
struct StoreOptions {
    let values: [AnyHashable: Any]

    init(_ values: [AnyHashable: Any]?) { self.values = values ?? [:] }

    /// Whether an option is on. One whose value is a dictionary of settings is.
    func isOn(_ key: String) -> Bool {
        switch values[key] {
        case nil: false
        case let number as NSNumber: number.boolValue
        case let flag as Bool: flag
        case let text as String: NSString(string: text).boolValue
        case is [AnyHashable: Any]: true
        default: false
        }
    }

    var isReadOnly: Bool { isOn(NSReadOnlyPersistentStoreOption) }

    /// How many milliseconds to wait for a lock. Apple's default is four minutes.
    var timeout: Int32 {
        guard let number = values[NSPersistentStoreTimeoutOption] as? NSNumber, number.doubleValue.isFinite else {
            return Int32(Self.defaultTimeout * 1000)
        }
        return Int32(max(0, min(number.doubleValue * 1000, Double(Int32.max))))
    }

    static let defaultTimeout: TimeInterval = 240

    /// The pragmas and their values as text.
    var pragmas: [String: String] {
        (values[NSSQLitePragmasOption] as? [String: Any] ?? [:]).mapValues { "\($0)" }
    }
}
