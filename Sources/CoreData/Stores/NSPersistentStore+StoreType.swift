import FoundationSupplement

/// The type of stores kept in memory only.
public let NSInMemoryStoreType = "InMemory"
/// The type of stores kept in a binary file that is read and written whole.
public let NSBinaryStoreType = "Binary"
/// The type of stores kept in an XML file that is read and written whole.
public let NSXMLStoreType = "XML"

extension NSPersistentStore {
    /// A store's type by a name that the compiler knows.
    ///
    /// ```swift
    /// NSPersistentStoreCoordinator.registerStoreClass(CSVStore.self, type: .init(rawValue: "CSV"))
    /// ```
    public struct StoreType: Hashable, RawRepresentable, Sendable {
        /// The type as `addPersistentStore(ofType:…)` takes it.
        public var rawValue: String

        /// The type with that name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A SQLite file.
        public static let sqlite = StoreType(rawValue: NSSQLiteStoreType)
        /// Memory only.
        public static let inMemory = StoreType(rawValue: NSInMemoryStoreType)
        /// A binary file.
        public static let binary = StoreType(rawValue: NSBinaryStoreType)
        /// An XML file.
        public static let xml = StoreType(rawValue: NSXMLStoreType)
    }
}
