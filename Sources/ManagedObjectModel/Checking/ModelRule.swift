/// What a check of a model looks for. Raw values are the names under which findings are printed and ignored; they don't
/// change.
package enum ModelRule: String, CaseIterable, Sendable {
    // What a model can't be without.
    case unreadable
    case duplicateEntity = "duplicate-entity"
    case duplicateProperty = "duplicate-property"
    case invalidName = "invalid-name"
    case memberClash = "member-clash"
    case unknownSuperentity = "unknown-superentity"
    case inheritanceLoop = "inheritance-loop"
    case missingType = "missing-type"
    case missingDestination = "missing-destination"
    case unknownInverse = "unknown-inverse"
    case inverseMismatch = "inverse-mismatch"
    case unknownMember = "unknown-member"
    case countRange = "count-range"
    case indexProperty = "index-property"
    case constraintProperty = "constraint-property"
    case derivation
    case defaultValue = "default-value"
    case uniqueInverse = "unique-inverse"
    // What bites later.
    case noInverse = "no-inverse"
    case noAction = "no-action"
    case nullifyMandatory = "nullify-mandatory"
    case cascadeShared = "cascade-shared"
    case denyBoth = "deny-both"
    case insecureTransformer = "insecure-transformer"
    case abstractLeaf = "abstract-leaf"
    case brokenDefault = "broken-default"
    case broadConstraint = "broad-constraint"
    case sharedClass = "shared-class"
    case predicateWord = "predicate-word"
    case acrossConfigurations = "across-configurations"
    // What CloudKit doesn't take.
    case cloudConstraint = "cloudkit-constraint"
    case cloudMandatory = "cloudkit-mandatory"
    case cloudInverse = "cloudkit-inverse"
    case cloudDeny = "cloudkit-deny"
    case cloudOrdered = "cloudkit-ordered"
    case cloudType = "cloudkit-type"
    // What migrating from an older model meets.
    case notInferable = "not-inferable"
    case newMandatory = "new-mandatory"
    case nowMandatory = "now-mandatory"
    case newConstraint = "new-constraint"
    case relatedDestination = "related-destination"
    case possibleRename = "possible-rename"
    case unseenIndex = "unseen-index"

    /// Whether a finding means that something doesn't work, or only that it may not.
    package var severity: ModelFinding.Severity {
        switch self {
        case .unreadable, .duplicateEntity, .duplicateProperty, .invalidName, .memberClash, .unknownSuperentity,
            .inheritanceLoop, .missingType, .missingDestination, .unknownInverse, .inverseMismatch, .unknownMember,
            .countRange, .indexProperty, .constraintProperty, .derivation, .defaultValue, .uniqueInverse,
            .cloudConstraint, .cloudMandatory, .cloudInverse, .cloudDeny, .cloudOrdered, .cloudType, .notInferable,
            .newMandatory:
            .error
        default: .warning
        }
    }

    /// What the rule is about, in a line.
    package var summary: String {
        switch self {
        case .unreadable: "anything else for which the model's reader refuses the file"
        case .duplicateEntity: "two entities of one name"
        case .duplicateProperty: "two properties of one name in an entity or its super-entities"
        case .invalidName: "a name that is not a letter followed by letters, digits and underscores"
        case .memberClash: "a property with the name of a member of NSManagedObject"
        case .unknownSuperentity: "a super-entity that is not in the model"
        case .inheritanceLoop: "an entity that inherits from itself"
        case .missingType: "a stored attribute without a type"
        case .missingDestination: "a relationship without a destination in the model"
        case .unknownInverse: "an inverse that the destination doesn't have"
        case .inverseMismatch: "an inverse that doesn't lead back"
        case .unknownMember: "a configuration or fetch request for an entity that is not in the model"
        case .countRange: "a relationship whose minimum count is above its maximum"
        case .indexProperty: "an index on a property that the entity or its table doesn't have"
        case .constraintProperty: "a uniqueness constraint on a property that the entity or its table doesn't have"
        case .derivation: "a derived attribute whose expression leads nowhere"
        case .defaultValue: "a default value that doesn't fit the attribute's type"
        case .uniqueInverse: "a unique entity on which others depend with a mandatory to-one relationship"
        case .noInverse: "a relationship without an inverse"
        case .noAction: "a delete rule that leaves references to deleted objects"
        case .nullifyMandatory: "a delete rule that empties a mandatory relationship, so that saving fails"
        case .cascadeShared: "a delete rule that deletes objects which others still refer to"
        case .denyBoth: "delete rules by which neither of two related objects can be deleted"
        case .insecureTransformer: "a transformable attribute that isn't read with secure coding"
        case .abstractLeaf: "an abstract entity without a sub-entity that isn't"
        case .brokenDefault: "a default value that the attribute's own validation refuses"
        case .broadConstraint: "a uniqueness constraint that allows hardly any objects, or that another one implies"
        case .sharedClass: "a class of several entities, which its entity() can't tell apart"
        case .predicateWord: "a property with the name of a keyword of predicates"
        case .acrossConfigurations: "a relationship between entities that are in no configuration together"
        case .cloudConstraint: "CloudKit: uniqueness constraints"
        case .cloudMandatory: "CloudKit: mandatory relationships, and mandatory attributes without a default value"
        case .cloudInverse: "CloudKit: relationships without an inverse"
        case .cloudDeny: "CloudKit: the delete rule Deny"
        case .cloudOrdered: "CloudKit: ordered relationships"
        case .cloudType: "CloudKit: attributes without a type"
        case .notInferable: "a change for which lightweight migration can't be inferred"
        case .newMandatory: "a new mandatory attribute without a default value"
        case .nowMandatory: "a property that became mandatory, or a new mandatory relationship"
        case .newConstraint: "a new uniqueness constraint"
        case .relatedDestination: "a relationship that now leads to another entity of the hierarchy"
        case .possibleRename: "a property or entity that seems renamed, but without a renaming identifier"
        case .unseenIndex: "a change of indexes that existing stores don't get, since the version hash is the same"
        }
    }
}
