import FoundationSupplement

/// Reads a model from a keyed archive: a `.mom`, or the inflated model cache of a store.
///
/// Descriptions are made first and tied together afterwards, as by the reader of XML. Only the classes named here and
/// in the extensions are ever interpreted; keys that are not known are ignored.
package struct ModelArchiveReader: PredicateArchiveReading {
    package let archive: KeyedArchive
    private(set) var entities: [Int: NSEntityDescription] = [:]
    private var entitiesByName: [String: NSEntityDescription] = [:]
    private(set) var relationships: [Int: NSRelationshipDescription] = [:]
    /// How many more values, predicates and expressions may be read. Objects are shared in archives, so a small file
    /// could describe a tree without end.
    var budget: Int

    /// Reads the archive's bytes; `path` is for messages.
    package static func read(_ data: Data, path: String) throws -> NSManagedObjectModel {
        var reader = ModelArchiveReader(try KeyedArchive(data, path: path))
        return try reader.model()
    }

    private init(_ archive: KeyedArchive) {
        self.archive = archive
        budget = 10_000 + archive.objects.count * 64
    }

    func failure(_ reason: String) -> any Error { archive.failure(reason) }

    private mutating func model() throws -> NSManagedObjectModel {
        let root = try archive.root()
        guard root.className != "XDPMModel" else { throw failure("is \(ModelFile.binaryForm)") }
        guard root.className == "NSManagedObjectModel" else {
            throw failure("is an archive of the class '\(root.className)', not of a model")
        }
        let records = try records(root)
        let model = NSManagedObjectModel()
        try inherit(records)
        for record in records.sorted(by: { depth(of: $0) < depth(of: $1) }) { try addProperties(record) }
        for record in records { try connect(record) }
        model.entities = records.map(\.entity)
        model.versionIdentifiers = try versionIdentifiers(root["NSVersionIdentifiers"])
        for record in records { try addDetails(record) }
        for (name, members) in try archive.pairs(root["NSConfigurations"], "the configurations") {
            let name = try archive.requiredString(name, "the name of a configuration")
            let members = try archive.elements(members, "configuration '\(name)'").compactMap { try entity($0) }
            model.setEntities(members.sorted(by: NSManagedObjectModel.nameOrder), forConfigurationName: name)
        }
        for (name, request) in try archive.pairs(root["NSFetchRequestTemplates"], "the fetch request templates") {
            let name = try archive.requiredString(name, "the name of a fetch request")
            model.setFetchRequestTemplate(try fetchRequest(request), forName: name)
        }
        return model
    }

    private mutating func versionIdentifiers(_ value: PropertyListValue?) throws -> Set<AnyHashable> {
        Set(try archive.elements(value, "the version identifiers").compactMap { try scalar($0) })
    }

    // MARK: Entities

    /// An entity and the object that describes it.
    struct Record {
        let entity: NSEntityDescription
        let object: ArchivedObject
        var name: String { entity.name ?? "" }
    }

    private mutating func records(_ root: ArchivedObject) throws -> [Record] {
        var records: [Record] = []
        for (_, value) in try archive.pairs(root["NSEntities"], "the entities") {
            guard let object = try archive.object(value, ["NSEntityDescription"], "an entity"), object.uid >= 0 else {
                throw failure("lacks an entity that it names")
            }
            let entity = NSEntityDescription()
            let name = try archive.requiredString(object["NSEntityName"], "the name of an entity")
            guard entitiesByName.updateValue(entity, forKey: name) == nil, entities[object.uid] == nil else {
                throw failure("has two entities named '\(name)'")
            }
            entity.name = name
            entities[object.uid] = entity
            records.append(Record(entity: entity, object: object))
            try describe(entity, object)
        }
        return records.sorted { VersionHash.codeUnitOrder($0.name, $1.name) }
    }

    private mutating func describe(_ entity: NSEntityDescription, _ object: ArchivedObject) throws {
        let what = "entity '\(entity.name ?? "")'"
        if let name = try archive.string(object["NSClassNameForEntity"], "the class of \(what)") {
            entity.managedObjectClassName = name
        }
        entity.isAbstract = try archive.flag(object["NSIsAbstract"])
        entity.versionHashModifier = try archive.string(object["NSVersionHashModifier"], "a modifier of \(what)")
        let renaming = try archive.string(object["NSRenamingIdentifier"], "the renaming identifier of \(what)")
        if renaming != entity.name { entity.renamingIdentifier = renaming }
        let info = try dictionary(object["NSUserInfo"], "the user info of \(what)")
        // Archives always have one; an empty one says nothing.
        if !info.isEmpty { entity.userInfo = info }
    }

    private func inherit(_ records: [Record]) throws {
        var children: [Int: [NSEntityDescription]] = [:]
        for record in records {
            let parent = record.object["NSSuperentity"]
            if try entity(parent) != nil, let uid = parent?.uid { children[uid, default: []].append(record.entity) }
        }
        for (uid, list) in children { entities[uid]?.subentities = list }
        for record in records {
            var steps = 0
            var next = record.entity.superentity
            while let entity = next {
                steps += 1
                guard entity !== record.entity, steps <= Self.maximumInheritance else {
                    throw failure("has an entity that inherits from itself, or through too many ('\(record.name)')")
                }
                next = entity.superentity
            }
        }
    }

    /// Descriptions look up their inheritance recursively.
    private static let maximumInheritance = 100

    private func depth(of record: Record) -> Int {
        sequence(first: record.entity, next: \.superentity).reduce(0) { count, _ in count + 1 }
    }

    /// The model's entity that a value refers to; nil for none.
    func entity(_ value: PropertyListValue?) throws -> NSEntityDescription? {
        guard let object = try archive.object(value, ["NSEntityDescription"], "an entity") else { return nil }
        guard let entity = entities[object.uid] else { throw failure("refers to an entity that it doesn't have") }
        return entity
    }

    // MARK: Properties

    /// Adds the properties that the entity declares. Archives repeat the inherited ones in each sub-entity, as copies
    /// or as proxies; a real declaration differs from what is inherited.
    private mutating func addProperties(_ record: Record) throws {
        let entity = record.entity
        let parent = entity.superentity?.propertiesByName ?? [:]
        var own: [NSPropertyDescription] = []
        var names: Set<String> = []
        for (key, value) in try archive.pairs(record.object["NSProperties"], "the properties of '\(record.name)'") {
            let name = try archive.requiredString(key, "the name of a property of '\(record.name)'")
            guard names.insert(name).inserted, let object = try archive.object(value), object.uid >= 0 else {
                throw failure("has a damaged property '\(name)' in entity '\(record.name)'")
            }
            if object.className == "_NSPropertyDescriptionProxy" {
                guard let inherited = parent[name] else {
                    throw failure("lacks the inherited property '\(name)' of entity '\(record.name)'")
                }
                relationships[object.uid] = inherited as? NSRelationshipDescription
                continue
            }
            let property = try property(object, of: record.name)
            guard property.name == name else {
                throw failure("has property '\(property.name)' of entity '\(record.name)' under the name '\(name)'")
            }
            if let inherited = parent[name], Self.isCopy(property, of: inherited) {
                relationships[object.uid] = inherited as? NSRelationshipDescription
                continue
            }
            relationships[object.uid] = property as? NSRelationshipDescription
            own.append(property)
        }
        entity.properties = own.sorted { VersionHash.codeUnitOrder($0.name, $1.name) }
    }

    private static func isCopy(_ property: NSPropertyDescription, of other: NSPropertyDescription) -> Bool {
        guard type(of: property) == type(of: other), property.versionHash == other.versionHash,
            property.isTransient == other.isTransient, property.renamingIdentifier == other.renamingIdentifier
        else { return false }
        if let attribute = property as? NSAttributeDescription, let other = other as? NSAttributeDescription {
            return attribute.attributeType == other.attributeType
                && attribute.attributeValueClassName == other.attributeValueClassName
                && attribute.valueTransformerName == other.valueTransformerName
                && (attribute.defaultValue as? AnyHashable) == (other.defaultValue as? AnyHashable)
        }
        if let relationship = property as? NSRelationshipDescription, let other = other as? NSRelationshipDescription {
            return relationship.deleteRule == other.deleteRule
        }
        return true
    }

    /// Ties relationships to their destinations and inverses.
    private func connect(_ record: Record) throws {
        for (_, value) in try archive.pairs(record.object["NSProperties"], "the properties of '\(record.name)'") {
            guard let object = try archive.object(value), object.className == "NSRelationshipDescription",
                let relationship = relationships[object.uid], relationship.entity === record.entity
            else { continue }
            let named = relationship.destinationEntityName
            let inverseNamed = relationship.inverseRelationshipName
            let destination = try entity(object["NSDestinationEntity"]) ?? named.flatMap { entitiesByName[$0] }
            if let destination { relationship.destinationEntity = destination }
            guard let inverse = try archive.object(object["NSInverseRelationship"]) else { continue }
            guard inverse.className == "NSRelationshipDescription" || inverse.className == "_NSPropertyDescriptionProxy"
            else { throw archive.unknown(inverse, "an inverse relationship") }
            let found =
                relationships[inverse.uid] ?? inverseNamed.flatMap { destination?.relationshipsByName[$0] }
            if let found { relationship.inverseRelationship = found }
        }
    }
}
