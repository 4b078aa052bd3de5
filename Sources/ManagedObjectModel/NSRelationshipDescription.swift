import FoundationSupplement

/// What a model says of a relationship.
///
/// A new description is to-many (`maxCount` 0), optional, unordered and nullifies on delete.
open class NSRelationshipDescription: NSPropertyDescription {
    private weak var destination: NSEntityDescription?
    private weak var inverse: NSRelationshipDescription?
    private var storedMaxCount = 0
    private var storedMinCount = 0
    private var storedRule = NSDeleteRule.nullifyDeleteRule
    private var storedIsOrdered = false

    /// The entity at the other end. Not retained: the model owns it.
    open var destinationEntity: NSEntityDescription? {
        get { destination }
        set { edit { destination = newValue } }
    }

    /// The relationship that leads back. Not retained: its entity owns it.
    open var inverseRelationship: NSRelationshipDescription? {
        get { inverse }
        set { edit { inverse = newValue } }
    }

    /// The most objects there may be; 0 for no limit, 1 for a to-one relationship.
    open var maxCount: Int {
        get { storedMaxCount }
        set { edit { storedMaxCount = newValue } }
    }

    /// The fewest objects there may be, where there are any.
    open var minCount: Int {
        get { storedMinCount }
        set { edit { storedMinCount = newValue } }
    }

    /// What a deletion does to the objects at the other end. Default: nullify.
    open var deleteRule: NSDeleteRule {
        get { storedRule }
        set { edit { storedRule = newValue } }
    }

    /// Whether a to-many relationship keeps an order. Default: false.
    open var isOrdered: Bool {
        get { storedIsOrdered }
        set { edit { storedIsOrdered = newValue } }
    }

    /// Whether there may be more than one object.
    open var isToMany: Bool { storedMaxCount != 1 }

    /// 32 bytes that change whenever a change to the relationship makes stores incompatible.
    open override var versionHash: Data { Data(VersionHash.hash(of: self)) }

    /// The name of the entity at the other end, also when that entity is missing from the model.
    package var destinationEntityName: String?
    /// The name of the relationship that leads back, also when it is missing from the model.
    package var inverseRelationshipName: String?
}
