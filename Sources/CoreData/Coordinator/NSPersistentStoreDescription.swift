import FoundationSupplement

/// What a container or a coordinator needs to know to open a store.
///
/// ```swift
/// let description = NSPersistentStoreDescription(url: url)
/// description.setValue("DELETE" as NSString, forPragmaNamed: "journal_mode")
/// description.timeout = 5
/// container.persistentStoreDescriptions = [description]
/// ```
open class NSPersistentStoreDescription: NSObject, NSCopying {
    /// The store's type. Default: SQLite.
    open var type = NSSQLiteStoreType
    /// The configuration of the model whose entities the store keeps; nil for all.
    open var configuration: String?
    /// The store's file. Default: `/dev/null`, which keeps a SQLite store in memory.
    open var url: URL?
    /// Whether the store is opened in the background. Default: false.
    open var shouldAddStoreAsynchronously = false
    /// What the program wants of CloudKit. Kept, but without effect: stores are local.
    open var cloudKitContainerOptions: NSPersistentCloudKitContainerOptions?
    private var storedOptions: [String: NSObject] = [
        NSMigratePersistentStoresAutomaticallyOption: NSNumber(value: true),
        NSInferMappingModelAutomaticallyOption: NSNumber(value: true),
    ]

    /// Describes a SQLite store in memory.
    public convenience override init() {
        self.init(url: URL(fileURLWithPath: "/dev/null"))
    }

    /// Describes a SQLite store at an address.
    public init(url: URL) {
        self.url = url
    }

    // MARK: Options

    /// The options that the coordinator gets.
    open var options: [String: NSObject] { storedOptions }

    /// Sets one of the options that a coordinator takes; nil takes it out.
    open func setOption(_ option: NSObject?, forKey key: String) { storedOptions[key] = option }

    private var read: StoreOptions { StoreOptions(storedOptions) }

    private func setFlag(_ flag: Bool, _ key: String) { setOption(NSNumber(value: flag), forKey: key) }

    /// Whether the store may not be changed. Default: false.
    open var isReadOnly: Bool {
        get { read.isReadOnly }
        set { setFlag(newValue, NSReadOnlyPersistentStoreOption) }
    }

    /// How many seconds to wait for others who have the store locked. Default: 240.
    open var timeout: TimeInterval {
        get { (storedOptions[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue ?? StoreOptions.defaultTimeout }
        set { setOption(NSNumber(value: newValue), forKey: NSPersistentStoreTimeoutOption) }
    }

    /// Whether a store of another version of the model is migrated. Default: true. Migrating is not supported yet:
    /// adding such a store fails, with an error that says so.
    open var shouldMigrateStoreAutomatically: Bool {
        get { read.isOn(NSMigratePersistentStoresAutomaticallyOption) }
        set { setFlag(newValue, NSMigratePersistentStoresAutomaticallyOption) }
    }

    /// Whether the way to migrate a store may be inferred. Default: true.
    open var shouldInferMappingModelAutomatically: Bool {
        get { read.isOn(NSInferMappingModelAutomaticallyOption) }
        set { setFlag(newValue, NSInferMappingModelAutomaticallyOption) }
    }

    /// The pragmas that were set.
    open var sqlitePragmas: [String: NSObject] { pragmas as? [String: NSObject] ?? [:] }

    /// Sets a pragma of SQLite, as `("DELETE", forPragmaNamed: "journal_mode")`; nil takes it out.
    open func setValue(_ value: NSObject?, forPragmaNamed name: String) {
        var changed = sqlitePragmas
        changed[name] = value
        pragmas = changed.isEmpty ? nil : changed as NSDictionary
    }

    private var pragmas: NSDictionary? {
        get { storedOptions[NSSQLitePragmasOption] as? NSDictionary }
        set { storedOptions[NSSQLitePragmasOption] = newValue }
    }

    // MARK: Copying and comparing

    /// A description of the same store, which can be changed without changing this one.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSPersistentStoreDescription()
        copy.type = type
        copy.configuration = configuration
        copy.url = url
        copy.shouldAddStoreAsynchronously = shouldAddStoreAsynchronously
        copy.cloudKitContainerOptions = cloudKitContainerOptions
        copy.storedOptions = storedOptions
        return copy
    }

    /// Whether both describe the same store in the same way.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPersistentStoreDescription else { return false }
        return type == other.type && configuration == other.configuration && url == other.url
            && shouldAddStoreAsynchronously == other.shouldAddStoreAsynchronously
            && cloudKitContainerOptions === other.cloudKitContainerOptions && storedOptions == other.storedOptions
    }

    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(type)
        hasher.combine(configuration)
        hasher.combine(url)
        return hasher.finalize()
    }

    open override var description: String {
        "<\(Swift.type(of: self))> (type: \(type), url: \(url?.absoluteString ?? "nil"))"
    }
}
