import FoundationSupplement

/// Writes a model as Apple's compiler and stores have it: a keyed archive. The same model always gives the same bytes.
///
/// Entities and properties refer to each other in cycles, so each gets its number when it is first referred to, and is
/// written when its turn comes.
package struct ModelArchiveWriter {
    /// Where the archive will be.
    package enum Form {
        /// A `.mom` file.
        case compiled
        /// A store's model cache: known-keys dictionaries, and sub-entities have copies of what they inherit.
        case cache
    }

    let form: Form
    let model: NSManagedObjectModel
    var builder = KeyedArchiveBuilder()
    private let modelUID: Int
    private var entityUIDs: [ObjectIdentifier: Int] = [:]
    private var propertyUIDs: [Place: Int] = [:]
    private var pending: [(uid: Int, property: NSPropertyDescription, entity: NSEntityDescription)] = []

    /// A property in an entity that declares or inherits it.
    private struct Place: Hashable {
        let entity: ObjectIdentifier
        let property: ObjectIdentifier
    }

    /// The archive of a model.
    package static func archive(_ model: NSManagedObjectModel, form: Form) -> Data {
        var writer = ModelArchiveWriter(model, form)
        writer.writeModel()
        return writer.builder.archive(root: .uid(writer.modelUID))
    }

    private init(_ model: NSManagedObjectModel, _ form: Form) {
        (self.model, self.form) = (model, form)
        modelUID = builder.reserve()
    }

    private mutating func writeModel() {
        let entities = model.entities.sorted { VersionHash.codeUnitOrder($0.name ?? "", $1.name ?? "") }
        for entity in entities { entityUIDs[ObjectIdentifier(entity)] = builder.reserve() }
        let pairs = entities.map { (key: builder.string($0.name ?? ""), value: reference(to: $0)) }
        var fields = [
            "NSEntities": form == .cache ? knownKeys(pairs) : builder.dictionary("NSMutableDictionary", pairs)
        ]
        for entity in entities { writeEntity(entity) }
        fields["NSVersionIdentifiers"] = value(model.versionIdentifiers)
        fields["NSFetchRequestTemplates"] = templates()
        if !model.configurations.isEmpty { fields["NSConfigurations"] = configurations() }
        writePending()
        builder.fill(modelUID, "NSManagedObjectModel", fields)
    }

    private mutating func knownKeys(
        _ pairs: [(key: PropertyListValue, value: PropertyListValue)]
    ) -> PropertyListValue {
        let keys = builder.array("NSArray", pairs.map(\.key))
        let mapping = builder.add(
            "NSKnownKeysMappingStrategy1",
            ["keys": keys, "length": .integer(Int64(pairs.count)), "version": .integer(1)])
        return builder.add(
            "NSKnownKeysDictionary1",
            [
                "searchMapping": mapping, "values": builder.array("NSArray", pairs.map(\.value)),
                "emptyToken": builder.string("__empty_slot_token_4c24_98dc_ac1e_b773__"), "version": .integer(1),
            ])
    }

    private mutating func templates() -> PropertyListValue {
        let templates = model.fetchRequestTemplatesByName.sorted { VersionHash.codeUnitOrder($0.key, $1.key) }
        guard !templates.isEmpty else { return KeyedArchiveBuilder.null }
        let pairs = templates.map { (key: builder.string($0.key), value: fetchRequest($0.value)) }
        return builder.dictionary("NSMutableDictionary", pairs)
    }

    private mutating func configurations() -> PropertyListValue {
        let pairs = model.configurations.map { name in
            let members = (model.entities(forConfigurationName: name) ?? [])
                .sorted { VersionHash.codeUnitOrder($0.name ?? "", $1.name ?? "") }.map { reference(to: $0) }
            return (key: builder.string(name), value: builder.array(form == .cache ? "NSSet" : "NSArray", members))
        }
        return builder.dictionary("NSMutableDictionary", pairs)
    }

    // MARK: References

    /// The reference to one of the model's entities; to nothing for any other.
    func reference(to entity: NSEntityDescription?) -> PropertyListValue {
        entity.flatMap { entityUIDs[ObjectIdentifier($0)] }.map { .uid($0) } ?? KeyedArchiveBuilder.null
    }

    /// The reference to a property of an entity, which is written later if it hasn't been yet.
    mutating func reference(to property: NSPropertyDescription, in entity: NSEntityDescription?) -> PropertyListValue {
        guard let entity, entityUIDs[ObjectIdentifier(entity)] != nil else { return KeyedArchiveBuilder.null }
        let place = Place(entity: ObjectIdentifier(entity), property: ObjectIdentifier(property))
        if let uid = propertyUIDs[place] { return .uid(uid) }
        let uid = builder.reserve()
        propertyUIDs[place] = uid
        pending.append((uid, property, entity))
        return .uid(uid)
    }

    private mutating func writePending() {
        var next = 0
        while next < pending.count {
            let (uid, property, entity) = pending[next]
            let (className, fields) = describe(property, in: entity)
            builder.fill(uid, className, fields)
            next += 1
        }
    }

    // MARK: Entities

    private mutating func writeEntity(_ entity: NSEntityDescription) {
        guard let uid = reference(to: entity).uid else { return }
        let children = entity.subentities.sorted { VersionHash.codeUnitOrder($0.name ?? "", $1.name ?? "") }
            .map { (key: builder.string($0.name ?? ""), value: reference(to: $0)) }
        // Compilers of today leave inherited properties out; stores repeat them.
        let properties = (form == .cache ? entity.properties : entity.declaredProperties)
            .sorted { VersionHash.codeUnitOrder($0.name, $1.name) }
            .map { (key: builder.string($0.name), value: reference(to: $0, in: entity)) }
        var fields = [
            "NSEntityName": builder.string(entity.name), "NSManagedObjectModel": .uid(modelUID),
            "NSClassNameForEntity": builder.string(className(of: entity)),
            "NSSuperentity": reference(to: entity.superentity),
            "NSSubentities": builder.dictionary("NSMutableDictionary", children),
            "NSProperties": builder.dictionary("NSMutableDictionary", properties),
            "NSRenamingIdentifier": builder.string(entity.renamingIdentifier),
            "NSUserInfo": value(entity.userInfo ?? [:]),
            "NSVersionHashModifier": builder.string(entity.versionHashModifier),
        ]
        if entity.isAbstract { fields["NSIsAbstract"] = .boolean(true) }
        let constraints = entity.uniquenessConstraintNames
        if !constraints.isEmpty { fields["NSUniqueTuples"] = tuples(constraints) }
        writeIndexes(of: entity, into: &fields)
        builder.fill(uid, "NSEntityDescription", fields)
    }

    /// Stores leave out the class that is the default; the compiler doesn't.
    private func className(of entity: NSEntityDescription) -> String? {
        let name = entity.managedObjectClassName
        return form == .cache && name == "NSManagedObject" ? nil : name
    }

    private mutating func tuples(_ tuples: [[String]]) -> PropertyListValue {
        let lists = tuples.map { tuple in
            let names = tuple.map { builder.string($0) }
            return builder.array("NSMutableArray", names)
        }
        return builder.array("NSMutableArray", lists)
    }

    private mutating func writeIndexes(
        of entity: NSEntityDescription, into fields: inout [String: PropertyListValue]
    ) {
        let besides = form == .cache ? [] : ArchivedIndexes.indexedNames(of: entity)
        let implied = ArchivedIndexes.implied(in: entity, besides: besides)
        let compounds = ArchivedIndexes.compounds(of: entity.indexes)
        let older = entity.compoundIndexNames.filter { !compounds.contains($0) }
        if !implied.isEmpty || !entity.indexes.isEmpty {
            // Apple's compiler forgets to tell implied indexes their entity.
            let owner = form == .cache ? reference(to: entity) : KeyedArchiveBuilder.null
            let list =
                implied.map { index($0, of: owner) } + entity.indexes.map { index($0, of: reference(to: entity)) }
            fields["NSFetchIndexDescriptions"] = builder.array("NSMutableArray", list)
            fields["NSCompoundIndexes"] = tuples(older + compounds)
        } else if !older.isEmpty {
            fields["NSCompoundIndexes"] = tuples(older)
        }
    }

    private mutating func index(_ index: NSFetchIndexDescription, of entity: PropertyListValue) -> PropertyListValue {
        let uid = builder.reserve()
        let elements = index.elements.map { element in
            var fields: [String: PropertyListValue] = [
                "NSPropertyName": builder.string(element.propertyName ?? ""),
                "NSFetchIndexElementType": .integer(Int64(element.collationType.rawValue)),
                "NSFetchIndexDescription": .uid(uid), "NSAscending": .boolean(element.isAscending),
            ]
            if let expression = element.property as? NSExpressionDescription {
                let (className, content) = describe(expression, in: nil)
                fields["NSIndexedProperty"] = builder.add(className, content)
            }
            return builder.add("NSFetchIndexElementDescription", fields)
        }
        builder.fill(
            uid, "NSFetchIndexDescription",
            [
                "NSIndexName": builder.string(index.name), "NSEntity": entity,
                "NSIndexElements": builder.array("NSArray", elements),
                "NSPartialIndexPredicate": predicate(index.partialIndexPredicate),
            ])
        return .uid(uid)
    }
}
