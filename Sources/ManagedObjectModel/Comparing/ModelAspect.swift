/// One side of what a model says of an entity, a property or itself, as comparisons of models tell them apart.
///
/// Raw values are the names in JSON.
package enum ModelAspect: String, CaseIterable, Sendable {
    // Of the model.
    case versionIdentifiers, configuration, fetchRequest
    // Of an entity.
    case className, abstract, superentity, uniquenessConstraint, fetchIndex, compoundIndex
    // Of an entity or a property.
    case renamingIdentifier, versionHashModifier, userInfo
    // Of a property.
    case kind, optional, transient, validation, indexed, spotlight
    // Of an attribute.
    case type, defaultValue, valueClass, transformer, externalStorage, preservedAfterDeletion, cloudEncryption
    case derivation, derivationFilter, element
    // Of a relationship.
    case destination, inverse, maximumCount, minimumCount, ordered, deleteRule
    // Of a fetched property.
    case request

    /// Whether its texts are adjectives, as "optional" and "mandatory" are, which need no noun.
    package var isAdjective: Bool { [.abstract, .optional, .transient, .ordered].contains(self) }

    /// What people call it.
    package var noun: String {
        switch self {
        case .versionIdentifiers: "version identifier"
        case .configuration: "configuration"
        case .fetchRequest: "fetch request"
        case .className: "class"
        case .abstract: "abstractness"
        case .superentity: "super-entity"
        case .uniquenessConstraint: "uniqueness constraint"
        case .fetchIndex: "fetch index"
        case .compoundIndex: "compound index"
        case .renamingIdentifier: "renaming identifier"
        case .versionHashModifier: "version hash modifier"
        case .userInfo: "user info"
        case .kind: "kind"
        case .optional: "optionality"
        case .transient: "persistence"
        case .validation: "validation"
        case .indexed: "index"
        case .spotlight: "Spotlight index"
        case .type: "type"
        case .defaultValue: "default value"
        case .valueClass: "value class"
        case .transformer: "value transformer"
        case .externalStorage: "external storage"
        case .preservedAfterDeletion: "preservation after deletion"
        case .cloudEncryption: "encryption in CloudKit"
        case .derivation: "derivation expression"
        case .derivationFilter: "filter of the derivation"
        case .element: "element"
        case .destination: "destination"
        case .inverse: "inverse"
        case .maximumCount: "cardinality"
        case .minimumCount: "minimum count"
        case .ordered: "order"
        case .deleteRule: "delete rule"
        case .request: "fetch request"
        }
    }
}
