import FoundationSupplement

/// Reads the `contents` file of an `.xcdatamodel`, the XML that Xcode's editor writes.
///
/// Descriptions are made first and tied together afterwards, since names may refer to what comes later.
struct ModelXMLReader {
    let path: String
    private var entities: [String: NSEntityDescription] = [:]
    private var composites: [String: XMLTree] = [:]
    let expansion = CompositeExpansion()

    static func read(_ data: Data, path: String) throws -> NSManagedObjectModel {
        try read(XMLTree.parse(data, path: path), path: path)
    }

    static func read(_ root: XMLTree, path: String) throws -> NSManagedObjectModel {
        var reader = ModelXMLReader(path: path)
        return try reader.model(root)
    }

    private init(path: String) { self.path = path }

    func failure(_ element: XMLTree, _ reason: String) -> ModelFileError {
        ModelFileError(path: path, line: element.line, reason: reason)
    }

    private mutating func model(_ root: XMLTree) throws -> NSManagedObjectModel {
        guard root.name == "model" else {
            throw failure(root, "is not a Core Data model: the root element is '\(root.name)', not 'model'")
        }
        let elements = root.children(named: "entity")
        for composite in root.children(named: "composite") { composites[try name(composite)] = composite }
        for element in elements { try declare(element) }
        for element in elements { try inherit(element) }
        try refuseInheritanceLoops(elements)
        for element in elements { try addProperties(element) }
        for element in elements { try connect(element) }
        let model = NSManagedObjectModel()
        model.entities = try elements.map { try entity(named: name($0), $0) }
        model.versionIdentifiers = [root.attributes["userDefinedModelVersionIdentifier"] ?? ""]
        for element in elements { try addFetchedProperties(element) }
        for element in root.children(named: "configuration") { try addConfiguration(element, to: model) }
        for element in root.children(named: "fetchRequest") {
            model.setFetchRequestTemplate(try fetchRequest(element), forName: try name(element))
        }
        try noteSource(root, of: model)
        return model
    }

    // MARK: Entities

    private mutating func declare(_ element: XMLTree) throws {
        let entity = NSEntityDescription()
        let name = try name(element)
        guard entities[name] == nil else { throw failure(element, "there are two entities named '\(name)'") }
        entity.name = name
        if let className = element.attributes["representedClassName"] { entity.managedObjectClassName = className }
        entity.isAbstract = flag(element, "isAbstract")
        entity.versionHashModifier = element.attributes["versionHashModifier"]
        if let old = element.attributes["elementID"] { entity.renamingIdentifier = old }
        entity.userInfo = userInfo(element)
        entity.uniquenessConstraints = try element.children(named: "uniquenessConstraints")
            .flatMap { $0.children(named: "uniquenessConstraint") }
            .map { try $0.children(named: "constraint").map { try required($0, "value") } }
        entities[name] = entity
    }

    private func inherit(_ element: XMLTree) throws {
        guard let parentName = element.attributes["parentEntity"] else { return }
        let child = try entity(named: name(element), element)
        let parent = try entity(named: parentName, element)
        parent.subentities += [child]
    }

    private func refuseInheritanceLoops(_ elements: [XMLTree]) throws {
        for element in elements {
            let start = try entity(named: name(element), element)
            var steps = 0
            var entity: NSEntityDescription? = start
            while let next = entity?.superentity {
                steps += 1
                guard next !== start, steps <= elements.count else {
                    throw failure(element, "entity '\(start.name ?? "")' inherits from itself")
                }
                guard steps <= Self.maximumInheritance else {
                    throw failure(element, "entity '\(start.name ?? "")' inherits through too many entities")
                }
                entity = next
            }
        }
    }

    /// Descriptions look up their inheritance recursively.
    private static let maximumInheritance = 100

    private func addProperties(_ element: XMLTree) throws {
        let entity = try entity(named: name(element), element)
        var names: Set<String> = []
        var properties: [NSPropertyDescription] = []
        for child in element.children {
            let property: NSPropertyDescription
            switch child.name {
            case "attribute": property = try attribute(child, composites: [])
            case "relationship": property = try relationship(child)
            default: continue
            }
            guard names.insert(property.name).inserted else {
                throw failure(child, "entity '\(entity.name ?? "")' has two properties named '\(property.name)'")
            }
            properties.append(property)
        }
        entity.properties = properties
    }

    private func addFetchedProperties(_ element: XMLTree) throws {
        let entity = try entity(named: name(element), element)
        let fetched = try element.children(named: "fetchedProperty").map { child in
            let property = NSFetchedPropertyDescription()
            try setCommon(property, child)
            property.fetchRequest = try child.children(named: "fetchRequest").first.map { try fetchRequest($0) }
            return property
        }
        if !fetched.isEmpty { entity.properties = entity.declaredProperties + fetched }
    }

    // MARK: Properties

    func setCommon(_ property: NSPropertyDescription, _ element: XMLTree) throws {
        property.name = try name(element)
        property.isOptional = flag(element, "optional")
        if element.name != "fetchedProperty" { property.isTransient = flag(element, "transient") }
        property.isIndexedByAttribute = flag(element, "indexed")
        property.isIndexedBySpotlight = flag(element, "spotlightIndexingEnabled")
        property.versionHashModifier = element.attributes["versionHashModifier"]
        if let old = element.attributes["elementID"] { property.renamingIdentifier = old }
        property.userInfo = userInfo(element)
    }

    private func relationship(_ element: XMLTree) throws -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        try setCommon(relationship, element)
        relationship.maxCount = try count(element, "maxCount")
        relationship.minCount = try count(element, "minCount")
        relationship.isOrdered = flag(element, "ordered")
        relationship.destinationEntityName = element.attributes["destinationEntity"]
        relationship.inverseRelationshipName = element.attributes["inverseName"]
        if let rule = element.attributes["deletionRule"] {
            let rules: [String: NSDeleteRule] = [
                "Nullify": .nullifyDeleteRule, "Cascade": .cascadeDeleteRule, "Deny": .denyDeleteRule,
                "No Action": .noActionDeleteRule,
            ]
            guard let known = rules[rule] else { throw failure(element, "unknown deletion rule '\(rule)'") }
            relationship.deleteRule = known
        }
        return relationship
    }

    private func connect(_ element: XMLTree) throws {
        let entity = try entity(named: name(element), element)
        for child in element.children(named: "relationship") {
            guard let relationship = entity.relationshipsByName[try name(child)] else { continue }
            let destinationName = try required(child, "destinationEntity")
            let destination = try self.entity(named: destinationName, child)
            relationship.destinationEntity = destination
            guard let inverse = relationship.inverseRelationshipName else { continue }
            guard let found = destination.relationshipsByName[inverse] else {
                throw failure(
                    child,
                    "the inverse of '\(relationship.name)', '\(inverse)', is not a relationship of '\(destinationName)'"
                )
            }
            relationship.inverseRelationship = found
        }
        for name in entity.uniquenessConstraintNames.joined() where entity.propertiesByName[name] == nil {
            throw failure(
                element, "a uniqueness constraint names '\(name)', which is not a property of '\(entity.name ?? "")'")
        }
        entity.indexes = try element.children(named: "fetchIndex").map { try fetchIndex($0, of: entity) }
        // As Apple's compiler does; stores then have the attribute's own index beside the one with the given name.
        for index in entity.indexes { ArchivedIndexes.onlyAttribute(of: index)?.isIndexedByAttribute = true }
        entity.compoundIndexNames = try element.children(named: "compoundIndexes")
            .flatMap { $0.children(named: "compoundIndex") }
            .map { try $0.children(named: "index").map { try required($0, "value") } }
    }

    private func fetchIndex(_ element: XMLTree, of entity: NSEntityDescription) throws -> NSFetchIndexDescription {
        var expressions = 0
        let elements = try element.children(named: "fetchIndexElement").map { child in
            if child.attributes["expression"] != nil { expressions += 1 }
            let isRTree = child.attributes["type"]?.lowercased() == "rtree"
            let item = NSFetchIndexElementDescription(
                property: try indexedProperty(child, of: entity, number: expressions),
                collationType: isRTree ? .rTree : .binary)
            item.isAscending = child.attributes["order"] != "descending"
            item.spelling = SourceSpelling(source: child.attributes, canonical: XcodeAttributes.of(item))
            return item
        }
        let index = NSFetchIndexDescription(name: try name(element), elements: elements)
        if let text = element.attributes["partialIndexPredicate"] {
            index.partialIndexPredicate = try predicate(text, element)
        }
        index.spelling = SourceSpelling(source: element.attributes, canonical: XcodeAttributes.of(index))
        return index
    }

    /// The property that an element of an index is sorted by; of expressions the name is a number, as in compiled models.
    private func indexedProperty(
        _ element: XMLTree, of entity: NSEntityDescription, number: Int
    ) throws -> NSPropertyDescription {
        if let text = element.attributes["expression"] {
            let description = NSExpressionDescription()
            description.name = "expression\(number)"
            description.expression = try expression(text, element)
            return description
        }
        let name = try required(element, "property")
        guard let property = entity.propertiesByName[name] else {
            throw failure(element, "the indexed property '\(name)' is not a property of '\(entity.name ?? "")'")
        }
        return property
    }

    // MARK: Configurations and requests

    /// Keeps what the file says beside the model, and how it says it.
    private func noteSource(_ root: XMLTree, of model: NSManagedObjectModel) throws {
        model.source.isOrdered = true
        model.source.spelling = SourceSpelling(source: root.attributes, canonical: XcodeAttributes.of(model))
        for element in root.children(named: "configuration") {
            let name = try name(element)
            model.source.configurations[name] = SourceSpelling(
                source: element.attributes, canonical: XcodeAttributes.ofConfiguration(name))
        }
        for element in root.children(named: "composite") {
            let name = try name(element)
            model.source.composites.append((name, try elements(of: element, composites: [name])))
        }
        for element in root.children(named: "entity") {
            let entity = try entity(named: name(element), element)
            entity.spelling = SourceSpelling(source: element.attributes, canonical: XcodeAttributes.of(entity))
            let properties = Dictionary(entity.declaredProperties.map { ($0.name, $0) }) { first, _ in first }
            for child in element.children {
                guard let property = child.attributes["name"].flatMap({ properties[$0] }),
                    Self.propertyElements.contains(child.name)
                else { continue }
                property.spelling = SourceSpelling(source: child.attributes, canonical: XcodeAttributes.of(property))
            }
        }
    }

    private static let propertyElements: Set = ["attribute", "relationship", "fetchedProperty"]

    private func addConfiguration(_ element: XMLTree, to model: NSManagedObjectModel) throws {
        let members = try element.children(named: "memberEntity").map { try entity(named: name($0), $0) }
        model.setEntities(members, forConfigurationName: try name(element))
    }

    private func fetchRequest(_ element: XMLTree) throws -> NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = try entity(named: required(element, "entity"), element)
        request.predicate = try element.attributes["predicateString"].map { try predicate($0, element) }
        request.fetchLimit = try count(element, "fetchLimit")
        request.fetchBatchSize = try count(element, "fetchBatchSize")
        request.resultType = NSFetchRequestResultType(rawValue: UInt(try count(element, "resultType")))
        let defaultTrue: (String) -> Bool = { element.attributes[$0].map { $0 == "YES" } ?? true }
        request.includesSubentities = defaultTrue("includeSubentities")
        request.includesPropertyValues = defaultTrue("includePropertyValues")
        request.includesPendingChanges = defaultTrue("includesPendingChanges")
        request.returnsObjectsAsFaults = defaultTrue("returnObjectsAsFaults")
        request.returnsDistinctResults = flag(element, "returnDistinctResults")
        let name = element.attributes["name"] ?? ""
        request.spelling = SourceSpelling(
            source: element.attributes, canonical: XcodeAttributes.of(request, name: name))
        return request
    }

    // MARK: Values

    func entity(named name: String, _ element: XMLTree) throws -> NSEntityDescription {
        guard let entity = entities[name] else { throw failure(element, "there is no entity named '\(name)'") }
        return entity
    }

    func composite(named name: String, _ element: XMLTree) throws -> XMLTree {
        guard let composite = composites[name] else { throw failure(element, "there is no composite named '\(name)'") }
        return composite
    }

    func name(_ element: XMLTree) throws -> String { try required(element, "name") }

    func required(_ element: XMLTree, _ attribute: String) throws -> String {
        guard let value = element.attributes[attribute], !value.isEmpty else {
            throw failure(element, "element '\(element.name)' has no '\(attribute)'")
        }
        return value
    }

    func flag(_ element: XMLTree, _ attribute: String) -> Bool {
        element.attributes[attribute] == "YES"
    }

    private func count(_ element: XMLTree, _ attribute: String) throws -> Int {
        guard let text = element.attributes[attribute] else { return 0 }
        guard let number = Int(text), number >= 0 else {
            throw failure(element, "'\(attribute)' is '\(text)', not a whole number")
        }
        return number
    }

    private func userInfo(_ element: XMLTree) -> [AnyHashable: Any]? {
        guard let info = element.children(named: "userInfo").first else { return nil }
        let pairs = info.children(named: "entry").compactMap { entry in
            entry.attributes["key"].map { (AnyHashable($0), (entry.attributes["value"] ?? "") as Any) }
        }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    func predicate(_ text: String, _ element: XMLTree) throws -> NSPredicate {
        do {
            return try NSPredicate(validating: text)
        } catch {
            throw failure(element, "\(error)")
        }
    }

    func expression(_ text: String, _ element: XMLTree) throws -> FoundationSupplement.NSExpression {
        do {
            return try FoundationSupplement.NSExpression(validating: text)
        } catch {
            throw failure(element, "\(error)")
        }
    }
}
