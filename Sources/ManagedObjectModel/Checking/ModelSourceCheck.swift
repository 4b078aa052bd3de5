/// Finds in a model's XML what its reader would refuse, and leaves it out, so that the rest can be read.
struct ModelSourceCheck {
    private let root: XMLTree
    private var entities: [String: XMLTree] = [:]
    private var parents: [String: String] = [:]
    /// The names of the properties that each entity declares, and those of its relationships.
    private var declared: [String: (properties: Set<String>, relationships: Set<String>)] = [:]
    private(set) var findings: [ModelFinding] = []

    init(_ root: XMLTree) { self.root = root }

    /// Which entities the model says that CloudKit mirrors.
    var cloudScope: ModelCheck.CloudScope {
        func isMarked(_ element: XMLTree) -> Bool {
            ["YES", "true"].contains(element.attributes["usedWithCloudKit"] ?? "")
        }
        let marked = root.children(named: "configuration").filter(isMarked).compactMap { $0.attributes["name"] }
        if !marked.isEmpty { return .configurations(Set(marked)) }
        return isMarked(root) ? .all : .none
    }

    /// Notes the faults and gives back the model without them.
    mutating func check() -> XMLTree {
        var kept: [XMLTree] = []
        for child in root.children where child.name != "entity" || declare(child) { kept.append(child) }
        findParents()
        cutLoops()
        return root.with(children: kept.compactMap { repaired($0) })
    }

    private mutating func note(
        _ rule: ModelRule, _ element: XMLTree, entity: String? = nil, property: String? = nil, _ message: String
    ) {
        findings.append(ModelFinding(rule, entity: entity, property: property, line: element.line, message))
    }

    // MARK: Entities

    /// Whether the entity is the first of its name.
    private mutating func declare(_ element: XMLTree) -> Bool {
        guard let name = element.attributes["name"] else { return true }
        guard let first = entities[name] else {
            entities[name] = element
            let properties = element.children.filter { Self.properties.contains($0.name) }
            let relationships = element.children(named: "relationship")
            declared[name] = (
                Set(properties.compactMap { $0.attributes["name"] }),
                Set(relationships.compactMap { $0.attributes["name"] })
            )
            return true
        }
        note(.duplicateEntity, element, entity: name, "the entity '\(name)' is also declared on line \(first.line)")
        return false
    }

    private mutating func findParents() {
        for (name, element) in entities.sorted(by: { $0.value.line < $1.value.line }) {
            guard let parent = element.attributes["parentEntity"] else { continue }
            if entities[parent] != nil {
                parents[name] = parent
            } else {
                note(
                    .unknownSuperentity, element, entity: name,
                    "'\(name)' has the super-entity '\(parent)', which is not in the model")
            }
        }
    }

    /// Notes each loop once, at its first entity by name, and lets that one inherit from nothing.
    private mutating func cutLoops() {
        for name in entities.keys.sorted() {
            guard let element = entities[name], let loop = loop(from: name) else { continue }
            parents[name] = nil
            let way = (loop + [name]).map { "'\($0)'" }.joined(separator: " from ")
            note(.inheritanceLoop, element, entity: name, "inheritance goes round in a circle: \(way)")
        }
    }

    /// The entities from which one inherits, if it is among them.
    private func loop(from name: String) -> [String]? {
        var way = [name]
        while let next = parents[way[way.count - 1]], way.count <= entities.count {
            if next == name { return way }
            way.append(next)
        }
        return nil
    }

    /// Whether an entity has a property, by itself or by inheritance.
    private func has(_ entity: String, property: String) -> Bool {
        sequence(first: entity) { parents[$0] }.contains { declared[$0]?.properties.contains(property) ?? false }
    }

    private func has(_ entity: String, relationship: String) -> Bool {
        sequence(first: entity) { parents[$0] }.contains { declared[$0]?.relationships.contains(relationship) ?? false }
    }

    // MARK: Repair

    private mutating func repaired(_ element: XMLTree) -> XMLTree? {
        switch element.name {
        case "entity": return repairedEntity(element)
        case "configuration":
            let name = element.attributes["name"] ?? ""
            return element.with(
                children: element.children.filter { member in
                    let entity = member.attributes["name"] ?? ""
                    if member.name != "memberEntity" || entities[entity] != nil { return true }
                    note(
                        .unknownMember, member,
                        "the configuration '\(name)' has the member '\(entity)', which is not in the model")
                    return false
                })
        case "fetchRequest":
            guard let entity = element.attributes["entity"], entities[entity] == nil else { return element }
            note(
                .unknownMember, element,
                "the fetch request '\(element.attributes["name"] ?? "")' is for '\(entity)', which is not in the model")
            return nil
        default: return element
        }
    }

    private mutating func repairedEntity(_ element: XMLTree) -> XMLTree {
        guard let name = element.attributes["name"] else { return element }
        var attributes = element.attributes
        attributes["parentEntity"] = parents[name]
        var names: [String: Int] = [:]
        let children = element.children.compactMap { child -> XMLTree? in
            switch child.name {
            case "attribute", "relationship", "fetchedProperty":
                return isFirst(child, of: name, among: &names) ? repairedProperty(child, of: name) : nil
            case "fetchIndex": return isSound(index: child, of: name) ? child : nil
            case "compoundIndexes": return child.with(children: child.children.filter { isSound(index: $0, of: name) })
            case "uniquenessConstraints":
                return child.with(children: child.children.filter { isSound(constraint: $0, of: name) })
            default: return child
            }
        }
        return XMLTree(name: element.name, attributes: attributes, line: element.line, children: children)
    }

    private mutating func isFirst(_ element: XMLTree, of entity: String, among names: inout [String: Int]) -> Bool {
        guard let name = element.attributes["name"] else { return true }
        guard let line = names[name] else {
            names[name] = element.line
            return true
        }
        note(
            .duplicateProperty, element, entity: entity, property: name,
            "'\(entity)' already has a property named '\(name)', on line \(line)")
        return false
    }

    private mutating func repairedProperty(_ element: XMLTree, of entity: String) -> XMLTree? {
        let name = element.attributes["name"] ?? ""
        switch element.name {
        case "attribute": return element
        case "relationship": return repairedRelationship(element, entity, name)
        default:
            let request = element.children(named: "fetchRequest").first
            guard let target = request?.attributes["entity"], entities[target] == nil else { return element }
            note(
                .unknownMember, element, entity: entity, property: name,
                "the request of '\(entity).\(name)' is for '\(target)', which is not in the model")
            return nil
        }
    }

    private mutating func repairedRelationship(_ element: XMLTree, _ entity: String, _ name: String) -> XMLTree? {
        guard let destination = element.attributes["destinationEntity"], !destination.isEmpty else {
            note(.missingDestination, element, entity: entity, property: name, "'\(entity).\(name)' has no destination")
            return nil
        }
        guard entities[destination] != nil else {
            note(
                .missingDestination, element, entity: entity, property: name,
                "'\(entity).\(name)' has the destination '\(destination)', which is not in the model")
            return nil
        }
        guard let inverse = element.attributes["inverseName"],
            !has(destination, relationship: inverse)
        else { return element }
        note(
            .unknownInverse, element, entity: entity, property: name,
            "'\(entity).\(name)' has the inverse '\(inverse)', which is not a relationship of '\(destination)'")
        var attributes = element.attributes
        attributes["inverseName"] = nil
        return XMLTree(name: element.name, attributes: attributes, line: element.line, children: element.children)
    }

    // MARK: Indexes and constraints

    private static let properties: Set<String> = ["attribute", "relationship", "fetchedProperty"]

    private mutating func isSound(index element: XMLTree, of entity: String) -> Bool {
        let named = element.children.compactMap { $0.attributes["property"] ?? $0.attributes["value"] }
        guard let missing = named.first(where: { !has(entity, property: $0) }) else { return true }
        let name = element.attributes["name"].map { " '\($0)'" } ?? ""
        note(
            .indexProperty, element, entity: entity,
            "the index\(name) of '\(entity)' is on '\(missing)', which is not one of its properties")
        return false
    }

    private mutating func isSound(constraint element: XMLTree, of entity: String) -> Bool {
        let named = element.children(named: "constraint").compactMap { $0.attributes["value"] }
        guard let missing = named.first(where: { !has(entity, property: $0) }) else { return true }
        note(
            .constraintProperty, element, entity: entity,
            "a uniqueness constraint of '\(entity)' is on '\(missing)', which is not one of its properties")
        return false
    }

    // MARK: Default values

    /// Notes default values that the reader leaves out of the model, or cuts, since they are no values of the type.
    mutating func compareDefaults(with model: NSManagedObjectModel) {
        let read = model.entitiesByName
        for entity in root.children(named: "entity") {
            for element in entity.children(named: "attribute") {
                guard let entityName = entity.attributes["name"], let name = element.attributes["name"],
                    let attribute = read[entityName]?.attributesByName[name]
                else { continue }
                compareDefault(element, with: attribute, entityName)
            }
        }
    }

    private mutating func compareDefault(_ element: XMLTree, with attribute: NSAttributeDescription, _ entity: String) {
        guard let text = element.attributes["defaultValueString"], !text.isEmpty,
            attribute.attributeType != .undefinedAttributeType, attribute.attributeType != .dateAttributeType,
            !(attribute is NSDerivedAttributeDescription)
        else { return }
        let what = "'\(entity).\(attribute.name)' has the default value '\(text)', which"
        let type = attribute.attributeType.displayName
        if attribute.defaultValue == nil {
            note(
                .defaultValue, element, entity: entity, property: attribute.name,
                "\(what) is no \(type) and is left out")
        } else if attribute.attributeType.isWhole, let number = Double(text), number != number.rounded() {
            note(.defaultValue, element, entity: entity, property: attribute.name, "\(what) is no \(type) and is cut")
        }
    }
}

extension XMLTree {
    /// The same element with other children.
    fileprivate func with(children: [XMLTree]) -> XMLTree {
        XMLTree(name: name, attributes: attributes, line: line, children: children)
    }
}
