import FoundationSupplement

/// What a model says of an entity: its name, class, properties, super-entity and constraints.
///
/// ```swift
/// let city = NSEntityDescription()
/// city.name = "City"
/// city.properties = [name, population]
/// ```
open class NSEntityDescription: NSObject, NSCopying, NSCoding {
    private var settings = Settings()
    private var ownProperties: [NSPropertyDescription] = []
    private var storedSubentities: [NSEntityDescription] = []
    private var storedIndexes: [NSFetchIndexDescription] = []
    private weak var parent: NSEntityDescription?
    private weak var model: NSManagedObjectModel?
    /// How the file that the entity was read from spells it, where that isn't how it would be written.
    package var spelling = SourceSpelling()

    private struct Settings {
        var name: String?
        var className: String?
        var isAbstract = false
        var constraints: [[String]] = []
        var compoundIndexes: [[String]] = []
        var userInfo: [AnyHashable: Any]?
        var renamingIdentifier: String?
        var modifier: String?
    }

    /// Creates an entity with no name and no properties.
    public override init() {
        super.init()
    }

    /// The model that the entity belongs to, or nil before it was added to one.
    public var managedObjectModel: NSManagedObjectModel! { model }

    package func setModel(_ model: NSManagedObjectModel?) { self.model = model }

    /// The name, unique in the model.
    open var name: String? {
        get { settings.name }
        set { edit { settings.name = newValue } }
    }

    /// The class of the entity's objects. Default: `NSManagedObject`.
    open var managedObjectClassName: String! {
        get { settings.className ?? "NSManagedObject" }
        set { edit { settings.className = newValue } }
    }

    /// Whether only sub-entities have objects. Default: false.
    open var isAbstract: Bool {
        get { settings.isAbstract }
        set { edit { settings.isAbstract = newValue } }
    }

    /// The entity that this one inherits from.
    public var superentity: NSEntityDescription? { parent }

    /// The entities that inherit from this one directly.
    open var subentities: [NSEntityDescription] {
        get { storedSubentities }
        set {
            edit {
                for entity in storedSubentities { entity.parent = nil }
                storedSubentities = newValue
                for entity in newValue { entity.parent = self }
            }
        }
    }

    /// The sub-entities by name.
    open var subentitiesByName: [String: NSEntityDescription] {
        Dictionary(subentities.compactMap { e in e.name.map { ($0, e) } }, uniquingKeysWith: { first, _ in first })
    }

    /// The properties: those declared here and those inherited. Setting them sets those declared here.
    open var properties: [NSPropertyDescription] {
        get {
            guard let parent else { return ownProperties }
            let own = Set(ownProperties.map(\.name))
            return parent.properties.filter { !own.contains($0.name) } + ownProperties
        }
        set {
            edit {
                let inherited = Set((parent?.properties ?? []).map(ObjectIdentifier.init))
                ownProperties = newValue.filter { !inherited.contains(ObjectIdentifier($0)) }
                for property in ownProperties { property.setEntity(self) }
            }
        }
    }

    /// The properties declared here, without the inherited ones.
    package var declaredProperties: [NSPropertyDescription] { ownProperties }

    /// All properties by name.
    open var propertiesByName: [String: NSPropertyDescription] { byName(properties) }

    /// All attributes by name.
    open var attributesByName: [String: NSAttributeDescription] {
        byName(properties.compactMap { $0 as? NSAttributeDescription })
    }

    /// All relationships by name.
    open var relationshipsByName: [String: NSRelationshipDescription] {
        byName(properties.compactMap { $0 as? NSRelationshipDescription })
    }

    private func byName<P: NSPropertyDescription>(_ list: [P]) -> [String: P] {
        Dictionary(list.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// All relationships, inherited ones included, that lead to `entity`.
    open func relationships(forDestination entity: NSEntityDescription) -> [NSRelationshipDescription] {
        properties.compactMap { $0 as? NSRelationshipDescription }.filter { $0.destinationEntity === entity }
    }

    /// Whether this entity is `entity` or inherits from it.
    open func isKindOf(entity: NSEntityDescription) -> Bool {
        sequence(first: self, next: \.superentity).contains { $0 === entity }
    }

    /// Sets of properties whose values together are unique among the objects of the entity and of those that inherit
    /// from it. Set as arrays of property names or attributes, and given back as names.
    ///
    /// Only the constraints declared here, as in the version hash: those of the super-entity hold as well.
    open var uniquenessConstraints: [[Any]] {
        get { settings.constraints }
        set { edit { settings.constraints = Self.names(newValue) } }
    }

    /// The uniqueness constraints as names of properties.
    package var uniquenessConstraintNames: [[String]] { settings.constraints }

    private static func names(_ tuples: [[Any]]) -> [[String]] {
        tuples.map { tuple in tuple.compactMap { $0 as? String ?? ($0 as? NSPropertyDescription)?.name } }
    }

    /// The indexes declared here.
    open var indexes: [NSFetchIndexDescription] {
        get { storedIndexes }
        set {
            edit {
                storedIndexes = newValue
                for index in newValue { index.setEntity(self) }
            }
        }
    }

    /// The older form of an index over several properties.
    @available(*, deprecated, message: "Use NSEntityDescription.indexes instead")
    open var compoundIndexes: [[Any]] {
        get { settings.compoundIndexes }
        set { edit { settings.compoundIndexes = Self.names(newValue) } }
    }

    /// The older indexes as names of properties; the public name of this is deprecated.
    package var compoundIndexNames: [[String]] {
        get { settings.compoundIndexes }
        set { edit { settings.compoundIndexes = newValue } }
    }

    /// Free information for the program.
    open var userInfo: [AnyHashable: Any]? {
        get { settings.userInfo }
        set { edit { settings.userInfo = newValue } }
    }

    /// The name under which migration looks for this entity in the source model. Default: the entity's own name.
    open var renamingIdentifier: String? {
        get { settings.renamingIdentifier ?? settings.name }
        set { edit { settings.renamingIdentifier = newValue } }
    }

    /// A text that enters the version hash.
    open var versionHashModifier: String? {
        get { settings.modifier }
        set { edit { settings.modifier = newValue } }
    }

    /// 32 bytes that change whenever a change to the entity makes stores incompatible.
    ///
    /// The recipe is SHA-256 over the name, the super-entity's hash and the persistent properties; see ARCHITECTURE.md.
    open var versionHash: Data { Data(VersionHash.hash(of: self)) }

    // MARK: Copying and archiving

    /// A copy with copies of the properties and indexes declared here, which can be changed. It belongs to no model and
    /// has no super-entity and no sub-entities; relationships lead where the original's do. To copy entities that
    /// belong together, copy their model.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSEntityDescription()
        copy.take(from: self)
        return copy
    }

    /// Takes over everything that another entity says of itself, as copies.
    private func take(from other: NSEntityDescription) {
        settings = other.settings
        spelling = other.spelling
        properties = other.ownProperties.compactMap { $0.copy() as? NSPropertyDescription }
        indexes = other.storedIndexes.map { $0.copy(in: self) }
    }

    /// Reads an entity from Foundation's archive, without its model and super-entity; nil for something else.
    public required init?(coder: NSCoder) {
        super.init()
        guard let model = DescriptionCoding.model(from: coder), let entity = model.entities.first else { return nil }
        take(from: entity)
    }

    /// Writes the entity by itself: relationships have the names of their destinations alone.
    open func encode(with coder: NSCoder) { DescriptionCoding.encode(self, with: coder) }

    // MARK: In a model

    package var mayBeEdited: Bool { model?.isEditable ?? true }

    private func edit(_ change: () -> Void) {
        if mayBeEdited { change() } else { misuse("Can't modify an immutable model.") }
    }

    /// The entity at the top of the inheritance tree, whose table holds this entity's rows.
    package var rootEntity: NSEntityDescription {
        var entity = self
        while let next = entity.parent { entity = next }
        return entity
    }

    /// This entity and all that inherit from it, in no promised order.
    package var selfAndDescendants: [NSEntityDescription] {
        [self] + storedSubentities.flatMap(\.selfAndDescendants)
    }

    // Built when first asked for; a model in use asks before it is shared between threads.
    private var builtLayout: EntityLayout?

    /// Where this entity's objects keep each property.
    package var layout: EntityLayout {
        if let builtLayout { return builtLayout }
        let layout = EntityLayout(self)
        if !mayBeEdited { builtLayout = layout }
        return layout
    }
}
