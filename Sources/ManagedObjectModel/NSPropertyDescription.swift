import FoundationSupplement

/// What a model says of one property of an entity: the common part of attributes, relationships, fetched properties
/// and expressions.
///
/// A description can be changed until its model is used by a coordinator; then it is immutable, as on Apple's systems.
open class NSPropertyDescription: NSObject {
    private var storedName = ""
    private var storedIsOptional = true
    private var storedIsTransient = false
    private var storedRenamingIdentifier: String?
    private var storedUserInfo: [AnyHashable: Any]?
    private var storedVersionHashModifier: String?
    private var storedPredicates: [NSPredicate] = []
    private var storedWarnings: [Any] = []
    private weak var owner: NSEntityDescription?
    package var isIndexedByAttribute = false
    package var isIndexedBySpotlightStorage = false

    /// Creates a description with Apple's defaults: no name, optional, not transient.
    public override init() {
        super.init()
    }

    /// The entity that declares the property, or nil before it was added to one.
    public var entity: NSEntityDescription! { owner }

    package func setEntity(_ entity: NSEntityDescription?) { owner = entity }

    /// The property's name.
    open var name: String {
        get { storedName }
        set { edit { storedName = newValue } }
    }

    /// Whether the property may be nil. Default: true.
    open var isOptional: Bool {
        get { storedIsOptional }
        set { edit { storedIsOptional = newValue } }
    }

    /// Whether the property is kept in memory only. Default: false.
    open var isTransient: Bool {
        get { storedIsTransient }
        set { edit { storedIsTransient = newValue } }
    }

    /// Free information for the program. Default: nil.
    open var userInfo: [AnyHashable: Any]? {
        get { storedUserInfo }
        set { edit { storedUserInfo = newValue } }
    }

    /// The name under which migration looks for this property in the source model. Default: the property's own name.
    open var renamingIdentifier: String? {
        get { storedRenamingIdentifier ?? storedName }
        set { edit { storedRenamingIdentifier = newValue } }
    }

    /// A text that enters the version hash, for changes that the model can't express. Default: nil.
    open var versionHashModifier: String? {
        get { storedVersionHashModifier }
        set { edit { storedVersionHashModifier = newValue } }
    }

    /// Whether the attribute has an index of the older kind.
    @available(*, deprecated, message: "Use NSEntityDescription.indexes instead")
    open var isIndexed: Bool {
        get { isIndexedByAttribute }
        set { edit { isIndexedByAttribute = newValue } }
    }

    /// Whether Spotlight would index the property. Kept and written back; nothing on Linux reads it.
    open var isIndexedBySpotlight: Bool {
        get { isIndexedBySpotlightStorage }
        set { edit { isIndexedBySpotlightStorage = newValue } }
    }

    /// The predicates that a value must fulfil, each with `SELF` as the value.
    open var validationPredicates: [NSPredicate] { storedPredicates }

    /// For each predicate the error that its failure gives: a message, or an error code as `NSNumber`.
    open var validationWarnings: [Any] { storedWarnings }

    /// Sets the predicates and, in the same order, their error messages.
    open func setValidationPredicates(
        _ validationPredicates: [NSPredicate]?, withValidationWarnings validationWarnings: [String]?
    ) {
        setValidation(validationPredicates ?? [], warnings: validationWarnings ?? [])
    }

    package func setValidation(_ predicates: [NSPredicate], warnings: [Any]) {
        edit {
            storedPredicates = predicates
            storedWarnings = warnings
        }
    }

    /// 32 bytes that change whenever a change to the property makes stores incompatible.
    open var versionHash: Data { Data(VersionHash.base(of: self)) }

    package func edit(_ change: () -> Void) {
        if owner?.mayBeEdited ?? true { change() } else { misuse("Can't modify an immutable model.") }
    }
}
