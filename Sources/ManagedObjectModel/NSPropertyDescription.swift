import FoundationSupplement

/// What a model says of one property of an entity: the common part of attributes, relationships, fetched properties
/// and expressions.
///
/// A description can be changed until its model is used by a coordinator; then it is immutable, as on Apple's systems.
open class NSPropertyDescription: NSObject, NSCopying, NSCoding {
    private var settings = Settings()
    private weak var owner: NSEntityDescription?
    /// How the file that the property was read from spells it, where that isn't how it would be written.
    package var spelling = SourceSpelling()

    private struct Settings {
        var name = ""
        var isOptional = true
        var isTransient = false
        var isIndexed = false
        var isIndexedBySpotlight = false
        var renamingIdentifier: String?
        var userInfo: [AnyHashable: Any]?
        var versionHashModifier: String?
        var predicates: [NSPredicate] = []
        var warnings: [Any] = []
    }

    /// Creates a description with Apple's defaults: no name, optional, not transient.
    public override init() {
        super.init()
    }

    /// The entity that declares the property, or nil before it was added to one.
    public var entity: NSEntityDescription! { owner }

    package func setEntity(_ entity: NSEntityDescription?) { owner = entity }

    /// The property's name.
    open var name: String {
        get { settings.name }
        set { edit { settings.name = newValue } }
    }

    /// Whether the property may be nil. Default: true.
    open var isOptional: Bool {
        get { settings.isOptional }
        set { edit { settings.isOptional = newValue } }
    }

    /// Whether the property is kept in memory only. Default: false.
    open var isTransient: Bool {
        get { settings.isTransient }
        set { edit { settings.isTransient = newValue } }
    }

    /// Free information for the program. Default: nil.
    open var userInfo: [AnyHashable: Any]? {
        get { settings.userInfo }
        set { edit { settings.userInfo = newValue } }
    }

    /// The name under which migration looks for this property in the source model. Default: the property's own name.
    open var renamingIdentifier: String? {
        get { settings.renamingIdentifier ?? settings.name }
        set { edit { settings.renamingIdentifier = newValue } }
    }

    /// A text that enters the version hash, for changes that the model can't express. Default: nil.
    open var versionHashModifier: String? {
        get { settings.versionHashModifier }
        set { edit { settings.versionHashModifier = newValue } }
    }

    /// Whether the attribute has an index of the older kind; the public name of this is deprecated.
    package var isIndexedByAttribute: Bool {
        get { settings.isIndexed }
        set { edit { settings.isIndexed = newValue } }
    }

    /// Whether the attribute has an index of the older kind.
    @available(*, deprecated, message: "Use NSEntityDescription.indexes instead")
    open var isIndexed: Bool {
        get { isIndexedByAttribute }
        set { isIndexedByAttribute = newValue }
    }

    /// Whether Spotlight would index the property. Kept and written back; nothing on Linux reads it.
    open var isIndexedBySpotlight: Bool {
        get { settings.isIndexedBySpotlight }
        set { edit { settings.isIndexedBySpotlight = newValue } }
    }

    /// The predicates that a value must fulfil, each with `SELF` as the value.
    open var validationPredicates: [NSPredicate] { settings.predicates }

    /// For each predicate the error that its failure gives: a message, or an error code as `NSNumber`.
    open var validationWarnings: [Any] { settings.warnings }

    /// Sets the predicates and, in the same order, their error messages.
    open func setValidationPredicates(
        _ validationPredicates: [NSPredicate]?, withValidationWarnings validationWarnings: [String]?
    ) {
        setValidation(validationPredicates ?? [], warnings: validationWarnings ?? [])
    }

    package func setValidation(_ predicates: [NSPredicate], warnings: [Any]) {
        edit {
            settings.predicates = predicates
            settings.warnings = warnings
        }
    }

    /// 32 bytes that change whenever a change to the property makes stores incompatible.
    open var versionHash: Data { Data(VersionHash.base(of: self)) }

    package var mayBeEdited: Bool { owner?.mayBeEdited ?? true }

    package func edit(_ change: () -> Void) {
        if mayBeEdited { change() } else { misuse("Can't modify an immutable model.") }
    }

    // MARK: Copying and archiving

    /// A copy that belongs to no entity and can be changed. A relationship's copy leads to the same entities.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = makeEmpty()
        copy.take(from: self)
        return copy
    }

    /// A new description of this class.
    func makeEmpty() -> NSPropertyDescription { NSPropertyDescription() }

    /// Takes over everything that another description says, but not its entity.
    func take(from other: NSPropertyDescription) {
        settings = other.settings
        spelling = other.spelling
    }

    /// Reads a description from Foundation's archive, without its entity; nil for an archive of something else.
    public required init?(coder: NSCoder) {
        super.init()
        guard let property = DescriptionCoding.property(from: coder),
            type(of: property.makeEmpty()) == type(of: makeEmpty())
        else { return nil }
        take(from: property)
    }

    /// Writes the description by itself: a relationship has its destination's name alone.
    open func encode(with coder: NSCoder) { DescriptionCoding.encode(self, with: coder) }
}
