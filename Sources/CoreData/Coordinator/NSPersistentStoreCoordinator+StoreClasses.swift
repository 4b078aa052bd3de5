import FoundationSupplement
import ManagedObjectModel

extension NSPersistentStoreCoordinator {
    /// The classes of stores by type. A program may register classes from any thread.
    private final class StoreClasses: @unchecked Sendable {
        private let lock = NSLock()
        private var classes: [String: NSPersistentStore.Type] = [
            NSSQLiteStoreType: SQLiteStore.self, NSInMemoryStoreType: InMemoryStore.self,
            NSBinaryStoreType: BinaryStore.self, NSXMLStoreType: XMLStore.self,
        ]

        subscript(type: String) -> NSPersistentStore.Type? {
            get { lock.withLock { classes[type] } }
            set { lock.withLock { classes[type] = newValue } }
        }

        var all: [String: NSPersistentStore.Type] { lock.withLock { classes } }
    }

    private static let storeClasses = StoreClasses()

    /// Makes a class of stores known under a type.
    ///
    /// ```swift
    /// NSPersistentStoreCoordinator.registerStoreClass(CSVStore.self, forStoreType: "CSV")
    /// try coordinator.addPersistentStore(ofType: "CSV", configurationName: nil, at: url)
    /// ```
    /// - Parameters:
    ///   - storeClass: a subclass of ``NSAtomicStore`` or ``NSIncrementalStore``; nil makes the type unknown again.
    ///   - storeType: the type.
    public class func registerStoreClass(_ storeClass: AnyClass?, forStoreType storeType: String) {
        guard let storeClass else {
            storeClasses[storeType] = nil
            return
        }
        guard let known = storeClass as? NSPersistentStore.Type else {
            misuse("\(storeClass) is no subclass of NSPersistentStore and can't be a store's class")
            return
        }
        storeClasses[storeType] = known
    }

    /// Makes a class of stores known under a type.
    public class func registerStoreClass(_ storeClass: AnyClass?, type: NSPersistentStore.StoreType) {
        registerStoreClass(storeClass, forStoreType: type.rawValue)
    }

    /// The known types of stores. Each value holds a pointer to the class, as Apple's do.
    public class var registeredStoreTypes: [String: NSValue] {
        storeClasses.all.mapValues { storeClass in
            var pointer = unsafeBitCast(storeClass as AnyClass, to: UnsafeRawPointer.self)
            // Linux's NSValue has no encoding for pointers; this one has their size.
            return NSValue(bytes: &pointer, objCType: "Q")
        }
    }

    /// The class of the stores of a type.
    ///
    /// - Throws: `persistentStoreInvalidType` (134000) for a type that nobody registered.
    package class func storeClass(forType storeType: String, at url: URL?) throws -> NSPersistentStore.Type {
        guard let known = storeClasses[storeType] else {
            throw CocoaError.store(.persistentStoreInvalidType, url, "the store type '\(storeType)' is not supported")
        }
        return known
    }

    /// Makes a store and brings it to the point where it can be used. It is not yet one of the coordinator's stores.
    ///
    /// - Throws: `persistentStoreInvalidType` (134000) for an unknown type, `persistentStoreTypeMismatch` (134010) for a
    ///   store that says it is of another type, `persistentStoreIncompatibleVersionHash` (134100) for one of another
    ///   model, and what the store's class throws.
    package func makeStore(
        type storeType: String, configuration: String?, url: URL?, options: [AnyHashable: Any]?
    ) throws -> NSPersistentStore {
        let storeClass = try Self.storeClass(forType: storeType, at: url)
        if storeClass.isFile, url?.isFileURL != true {
            throw CocoaError.store(
                .persistentStoreOpen, url, "a store of type '\(storeType)' needs the URL of a file")
        }
        if let configuration, managedObjectModel.entities(forConfigurationName: configuration) == nil {
            throw CocoaError.store(.persistentStoreOpen, url, "the model has no configuration '\(configuration)'")
        }
        let store = try storeClass.init(
            _frameworkOnly: self, configurationName: configuration, at: url ?? URL(fileURLWithPath: "/dev/null"),
            options: options)
        if url == nil { store.url = nil }
        store.persistentStoreCoordinator = self
        try store.loadMetadata()
        guard store.type == storeType else {
            throw CocoaError.store(
                .persistentStoreTypeMismatch, url, "the store is of type '\(store.type)', not '\(storeType)'")
        }
        guard !store.hasReferences || store.identifier?.isEmpty == false else {
            throw CocoaError.store(
                .persistentStoreOpen, url, "the metadata of the store, of class \(storeClass), have no NSStoreUUID")
        }
        let check = StoreCompatibility(
            model: managedObjectModel, configuration: store.configurationName, options: StoreOptions(options), url: url)
        try check.check(store.metadata ?? [:])
        try store.open()
        return store
    }
}
