/// The form in which a fetch request returns its results.
public struct NSFetchRequestResultType: OptionSet, Sendable {
    /// Apple's number for the form.
    public let rawValue: UInt
    /// The form with that number.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Managed objects. The default.
    public static let managedObjectResultType = NSFetchRequestResultType([])
    /// Object IDs.
    public static let managedObjectIDResultType = NSFetchRequestResultType(rawValue: 1)
    /// Dictionaries of the requested properties.
    public static let dictionaryResultType = NSFetchRequestResultType(rawValue: 2)
    /// The number of results.
    public static let countResultType = NSFetchRequestResultType(rawValue: 4)
}
