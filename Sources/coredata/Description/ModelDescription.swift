import CoreData

/// What `coredata model describe` says of a model: all that a model can say.
struct ModelDescription {
    /// The path, as it was given.
    let path: String
    let model: NSManagedObjectModel
    /// The entities to describe, in alphabetical order.
    let entities: [NSEntityDescription]
    /// Whether all entities are described, and with them what belongs to the model as a whole.
    let isWhole: Bool

    /// - Parameter names: the entities to describe; all if there is none.
    /// - Throws: `UsageError` for a name that no entity has.
    init(_ model: NSManagedObjectModel, path: String, entities names: [String]) throws {
        self.path = path
        self.model = model
        isWhole = names.isEmpty
        let chosen = names.isEmpty ? model.entities : try Set(names).map(model.requireEntity)
        entities = chosen.sorted(by: NSManagedObjectModel.nameOrder)
    }

    var versionIdentifiers: [String] { model.versionIdentifiers.map { "\($0.base)" }.filter { !$0.isEmpty }.sorted() }

    /// The prepared requests by name, in alphabetical order.
    var requests: [(name: String, request: NSFetchRequest<any NSFetchRequestResult>)] {
        model.fetchRequestTemplatesByName.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The names of a configuration's entities, in alphabetical order.
    func members(of configuration: String) -> [String] {
        (model.entities(forConfigurationName: configuration) ?? []).compactMap(\.name).sorted()
    }
}

extension NSAttributeDescription {
    /// The default value, if there is one.
    var defaultCell: Cell? {
        if let foreignDefaultValue { return Cell(text: "an object of \(foreignDefaultValue.className)", kind: .text) }
        guard let defaultValue else { return nil }
        // A value of another type than the attribute's, which models made in code can have.
        guard let slot = try? SlotValue(defaultValue, for: attributeType) else {
            return Cell(text: "\(defaultValue)", kind: .text)
        }
        if case .transformed(let object) = slot { return Cell(text: "\(object)", kind: .text) }
        return Cell(slot, attributeType)
    }
}

extension NSPropertyDescription {
    /// The predicates that values must fulfil, each with what its failure gives: an error's number, or a message.
    var validationRules: [(predicate: String, failure: Cell)] {
        validationPredicates.enumerated().map { index, predicate in
            let warning = index < validationWarnings.count ? validationWarnings[index] : ""
            let number = (warning as? NSNumber)?.intValue
            let failure = number.map { Cell(text: String($0), kind: .literal) } ?? Cell(text: "\(warning)", kind: .text)
            return (predicate.formatText, failure)
        }
    }

    /// The name that migration looks for in the source model, if it isn't the property's own.
    var otherRenamingIdentifier: String? { renamingIdentifier == name ? nil : renamingIdentifier }
}

extension NSEntityDescription {
    /// The name that migration looks for in the source model, if it isn't the entity's own.
    var otherRenamingIdentifier: String? { renamingIdentifier == name ? nil : renamingIdentifier }
}

extension NSRelationshipDescription {
    /// The name of the entity at the other end, if the model says so.
    var destinationName: String? { destinationEntity?.name ?? destinationEntityName }
    /// The name of the relationship that leads back, if there is one.
    var inverseName: String? { inverseRelationship?.name ?? inverseRelationshipName }
}

extension NSDeleteRule {
    /// The rule in a word: `cascade`.
    var word: String {
        switch self {
        case .noActionDeleteRule: "no action"
        case .nullifyDeleteRule: "nullify"
        case .cascadeDeleteRule: "cascade"
        case .denyDeleteRule: "deny"
        }
    }
}

extension NSFetchIndexElementDescription {
    /// What is indexed: a property's name, or an expression.
    var subject: String {
        (property as? NSExpressionDescription)?.expression?.formatText ?? propertyName ?? "?"
    }
}

extension NSFetchRequestResultType {
    /// The form of the results in a word.
    var word: String {
        switch self {
        case .managedObjectResultType: "objects"
        case .managedObjectIDResultType: "objectIDs"
        case .dictionaryResultType: "dictionaries"
        case .countResultType: "count"
        default: String(rawValue)
        }
    }
}

/// Free information as pairs of texts, in alphabetical order of keys.
func sortedPairs(_ info: [AnyHashable: Any]?) -> [(key: String, value: String)] {
    (info ?? [:]).map { ("\($0.key.base)", "\($0.value)") }.sorted { $0.0 < $1.0 }
}

/// The names of properties and expressions that a request fetches or groups by.
func propertyNames(_ list: [Any]?) -> [String] {
    (list ?? []).map { $0 as? String ?? ($0 as? NSPropertyDescription)?.name ?? "\($0)" }
}

extension NSSortDescriptor {
    /// The name of the comparison, as archives have it; nil for a closure's.
    var selectorName: String? { (self as? KeyedSortDescriptor)?.sortSelector?.rawValue }
}
