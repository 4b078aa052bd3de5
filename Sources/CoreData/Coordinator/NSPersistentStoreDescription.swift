import FoundationSupplement

/// What a container needs to know to open a store.
open class NSPersistentStoreDescription: NSObject {
    /// The type. Default: SQLite.
    open var type = NSSQLiteStoreType
    /// The configuration of the model.
    open var configuration: String?
    /// The file.
    open var url: URL?
    /// Whether the store may not be changed. Default: false.
    open var isReadOnly = false
    /// Whether the store is opened in the background. Default: false.
    open var shouldAddStoreAsynchronously = false
    private var storedOptions: [String: NSObject] = [:]
    private var pragmas: [String: String] = [:]

    /// Describes a SQLite store at an address.
    public init(url: URL) {
        self.url = url
    }

    /// The options that were set.
    open var options: [String: NSObject] { storedOptions }

    /// Sets one of the options that a coordinator takes.
    open func setOption(_ option: NSObject?, forKey key: String) { storedOptions[key] = option }

    /// The pragmas that were set.
    open var sqlitePragmas: [String: NSObject] { pragmas.mapValues { NSString(string: $0) } }

    /// Sets a pragma, as `("DELETE", forPragmaNamed: "journal_mode")`.
    open func setValue(_ value: NSObject?, forPragmaNamed name: String) { pragmas[name] = value.map { "\($0)" } }

    var coordinatorOptions: [AnyHashable: Any] {
        var all: [AnyHashable: Any] = storedOptions
        if isReadOnly { all[NSReadOnlyPersistentStoreOption] = true }
        if !pragmas.isEmpty { all[NSSQLitePragmasOption] = pragmas }
        return all
    }
}
