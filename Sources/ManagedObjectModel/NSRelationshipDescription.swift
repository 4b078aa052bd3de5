import FoundationSupplement

/// What a model says of a relationship.
///
/// A new description is to-many (`maxCount` 0), optional, unordered and nullifies on delete.
open class NSRelationshipDescription: NSPropertyDescription {
    private var settings = Settings()

    private struct Settings {
        weak var destination: NSEntityDescription?
        weak var inverse: NSRelationshipDescription?
        var destinationName: String?
        var inverseName: String?
        var maxCount = 0
        var minCount = 0
        var rule = NSDeleteRule.nullifyDeleteRule
        var isOrdered = false
    }

    /// The entity at the other end. Not retained: the model owns it.
    open var destinationEntity: NSEntityDescription? {
        get { settings.destination }
        set { edit { (settings.destination, settings.destinationName) = (newValue, nil) } }
    }

    /// The relationship that leads back. Not retained: its entity owns it.
    open var inverseRelationship: NSRelationshipDescription? {
        get { settings.inverse }
        set { edit { (settings.inverse, settings.inverseName) = (newValue, nil) } }
    }

    /// The most objects there may be; 0 for no limit, 1 for a to-one relationship.
    open var maxCount: Int {
        get { settings.maxCount }
        set { edit { settings.maxCount = newValue } }
    }

    /// The fewest objects there may be, where there are any.
    open var minCount: Int {
        get { settings.minCount }
        set { edit { settings.minCount = newValue } }
    }

    /// What a deletion does to the objects at the other end. Default: nullify.
    open var deleteRule: NSDeleteRule {
        get { settings.rule }
        set { edit { settings.rule = newValue } }
    }

    /// Whether a to-many relationship keeps an order. Default: false.
    open var isOrdered: Bool {
        get { settings.isOrdered }
        set { edit { settings.isOrdered = newValue } }
    }

    /// Whether there may be more than one object.
    open var isToMany: Bool { settings.maxCount != 1 }

    /// 32 bytes that change whenever a change to the relationship makes stores incompatible.
    open override var versionHash: Data { Data(VersionHash.hash(of: self)) }

    /// The name of the entity at the other end. Set where that entity is missing from the model, or not known yet.
    package var destinationEntityName: String? {
        get { settings.destination?.name ?? settings.destinationName }
        set { settings.destinationName = newValue }
    }

    /// The name of the relationship that leads back. Set where it is missing from the model, or not known yet.
    package var inverseRelationshipName: String? {
        get { settings.inverse?.name ?? settings.inverseName }
        set { settings.inverseName = newValue }
    }

    override func makeEmpty() -> NSPropertyDescription { NSRelationshipDescription() }

    override func take(from other: NSPropertyDescription) {
        super.take(from: other)
        if let other = other as? NSRelationshipDescription { settings = other.settings }
    }
}
