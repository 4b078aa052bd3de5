import FoundationSupplement
import ManagedObjectModel

/// The framework's own stores in a file that is read and written whole.
///
/// A new store's file is made by its first save. Each save writes a file beside the store's and moves it into its
/// place, so that nobody ever sees half a store.
package class AtomicFileStore: SlotStore {
    private var document: (any StoreDocument)?
    /// Whether the file lacks what no object tells: the metadata, or the store as a whole.
    private var isUnwritten = true

    /// The format of the file.
    class var format: any StoreDocument.Type { BinaryStoreDocument.self }

    package override final class var isFile: Bool { true }

    package override final var metadata: [String: Any]! { didSet { isUnwritten = true } }

    package override final var url: URL? { didSet { isUnwritten = true } }

    package override final var wantsEmptySaves: Bool { isUnwritten && !isReadOnly }

    // MARK: Metadata

    package override final func loadMetadata() throws {
        guard let url else { return }
        guard try Self.exists(url) else {
            guard isReadOnly else { return }
            throw CocoaError.store(.fileReadNoSuchFile, url, "Attempt to open missing file read only")
        }
        let found = try Self.document(at: url)
        document = found
        metadata = found.metadata
        isUnwritten = false
    }

    package override final class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        try document(at: url).metadata
    }

    package override final class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        var document = try document(at: url)
        let known = document.metadata
        document.metadata = metadata ?? [:]
        for key in [NSStoreUUIDKey, NSStoreTypeKey] where document.metadata[key] == nil {
            document.metadata[key] = known[key]
        }
        try write(document, to: url)
    }

    // MARK: The file

    /// Whether there is a file with anything in it; links are followed.
    private static func exists(_ url: URL) throws -> Bool {
        var status = stat()
        guard stat(url.path, &status) == 0 else { return false }
        // A pipe would be waited for.
        guard [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else {
            throw CocoaError.store(.fileReadCorruptFile, url, "is a device or pipe, not a file")
        }
        return status.st_size > 0
    }

    private static func document(at url: URL) throws -> any StoreDocument {
        _ = try exists(url)
        let data = try Data(contentsOf: url)
        do {
            return try format.init(data)
        } catch let fault as StoreFileFault {
            throw CocoaError.store(.fileReadCorruptFile, url, fault.description)
        }
    }

    private static func write(_ document: any StoreDocument, to url: URL) throws {
        let data: Data
        do {
            data = try document.encoded()
        } catch let fault as StoreFileFault {
            throw CocoaError.store(.persistentStoreSave, url, fault.description)
        }
        // The file that a link leads to is replaced, not the link.
        try data.write(to: url.resolvingSymlinksInPath(), options: .atomic)
    }

    // MARK: Loading

    package override final func load() throws {
        guard let model = persistentStoreCoordinator?.managedObjectModel, let url else { return }
        do {
            try Self.checkNames(model)
            if let document { try install(document, model) }
        } catch let fault as StoreFileFault {
            throw CocoaError.store(.fileReadCorruptFile, url, fault.description)
        }
        document = nil
    }

    /// A format that writes names in one case can't tell `name` from `Name`.
    private static func checkNames(_ model: NSManagedObjectModel) throws {
        func check(_ names: [String], _ what: String) throws {
            let twice = Dictionary(grouping: names) { $0 }.first { $0.value.count > 1 }
            if let twice {
                throw StoreFileFault("the model has two \(what) that the file would both call '\(twice.key)'")
            }
        }
        try check(model.entities.map { format.name(of: $0) }, "entities")
        for entity in model.entities {
            try check(entity.layout.properties.map { format.name(of: $0) }, "properties of \(entity.name ?? "")")
        }
    }

    private func install(_ document: any StoreDocument, _ model: NSManagedObjectModel) throws {
        let entities = Dictionary(
            model.entities.map { (Self.format.name(of: $0), $0) }, uniquingKeysWith: { first, _ in first })
        var nodes: [Int64: SlotCacheNode] = [:]
        for object in document.objects {
            guard let entity = entities[object.entity], !entity.isAbstract else {
                throw StoreFileFault("there is no entity '\(object.entity)' to have objects", line: object.line)
            }
            guard object.key > 0, nodes[object.key] == nil else {
                throw StoreFileFault("the key \(object.key) is no key, or that of two objects", line: object.line)
            }
            let id = objectID(for: entity, withReferenceObject: NSNumber(value: object.key))
            let node = SlotCacheNode(objectID: id, values: entity.layout.emptySlots)
            try fill(node, object)
            nodes[object.key] = node
            lastKey = max(lastKey, object.key)
        }
        lastKey = max(lastKey, document.lastKey)
        for object in document.objects { try nodes[object.key].map { try relate($0, object, nodes) } }
        addCacheNodes(Set(nodes.values))
    }

    private func fill(_ node: SlotCacheNode, _ object: StoredObject) throws {
        for stored in object.attributes {
            // The elements of a composite attribute have its name before theirs.
            let isElement = stored.name.utf8.contains(UInt8(ascii: "."))
            let path =
                isElement
                ? stored.name.split(separator: ".", omittingEmptySubsequences: false).map(String.init) : [stored.name]
            // What the model doesn't have was there when versions were to be ignored.
            guard let slot = slots(of: node.objectID.layout)[path[0]],
                case .attribute(let whole) = node.objectID.layout.kinds[slot], !whole.isTransient,
                let (names, attribute) = element(path.dropFirst(), of: whole)
            else { continue }
            guard let value = Self.format.value(stored.value, attribute.attributeType) else {
                throw StoreFileFault(
                    "the value of '\(attribute.name)' of \(object.entity) \(object.key) is no"
                        + " \(attribute.attributeType.displayName)", line: object.line)
            }
            if let composite = whole as? NSCompositeAttributeDescription {
                node.values[slot] = node.values[slot].setting(value, at: names[...], of: composite) ?? .null
            } else {
                node.values[slot] = value
            }
        }
    }

    /// The element of a composite attribute that a file means, with the model's names on the way to it; the attribute
    /// itself for no names.
    private func element(
        _ path: ArraySlice<String>, of attribute: NSAttributeDescription
    ) -> (names: [String], NSAttributeDescription)? {
        guard let name = path.first else {
            return attribute is NSCompositeAttributeDescription ? nil : ([], attribute)
        }
        guard let composite = attribute as? NSCompositeAttributeDescription,
            let found = composite.elements.first(where: { Self.format.name(of: $0) == name }),
            let (names, element) = element(path.dropFirst(), of: found)
        else { return nil }
        return ([found.name] + names, element)
    }

    private func relate(_ node: SlotCacheNode, _ object: StoredObject, _ nodes: [Int64: SlotCacheNode]) throws {
        for stored in object.relationships {
            guard let slot = slots(of: node.objectID.layout)[stored.name],
                let relationship = node.objectID.layout.properties[slot] as? NSRelationshipDescription,
                let destination = relationship.destinationEntity
            else { continue }
            for key in stored.keys {
                if let other = nodes[key], !other.objectID.entity.isKindOf(entity: destination) {
                    throw StoreFileFault(
                        "'\(relationship.name)' of \(object.entity) \(object.key) leads to a"
                            + " \(other.objectID.entity.name ?? ""), \(key)", line: object.line)
                }
            }
            if relationship.isToMany {
                node.related[slot] = stored.keys
            } else if let key = stored.keys.first {
                let entity = nodes[key]?.objectID.entity ?? destination
                node.values[slot] = .reference(key: key, entity: number(of: entity))
            }
        }
    }

    private var slotsByEntity: [ObjectIdentifier: [String: Int]] = [:]

    /// The slots of an entity by the names that the file has.
    private func slots(of layout: EntityLayout) -> [String: Int] {
        if let known = slotsByEntity[ObjectIdentifier(layout)] { return known }
        let slots = Dictionary(
            layout.properties.enumerated().map { (Self.format.name(of: $1), $0) },
            uniquingKeysWith: { first, _ in first })
        slotsByEntity[ObjectIdentifier(layout)] = slots
        return slots
    }

    // MARK: Saving

    package override final func save() throws {
        guard let url else { return }
        let nodes = trees.values.flatMap(\.values).compactMap { $0 as? SlotCacheNode }
            .sorted { $0.objectID.primaryKey < $1.objectID.primaryKey }
        let objects: [StoredObject]
        do {
            objects = try nodes.map(stored)
        } catch let fault as StoreFileFault {
            throw CocoaError.store(.persistentStoreSave, url, fault.description)
        }
        try Self.write(Self.format.init(metadata: metadata ?? [:], lastKey: lastKey, objects: objects), to: url)
        isUnwritten = false
    }

    private func stored(_ node: SlotCacheNode) throws -> StoredObject {
        let layout = node.objectID.layout
        var object = StoredObject(entity: Self.format.name(of: layout.entity), key: node.objectID.primaryKey)
        for field in fields(of: layout) {
            switch layout.kinds[field.slot] {
            case .attribute(let attribute):
                guard !attribute.isTransient, !node.values[field.slot].isNull else { continue }
                object.attributes += try stored(node.values[field.slot], attribute, field.name, object)
            case .toOne(let relationship), .toMany(let relationship):
                let keys = node.related(relationship, in: self).map(\.objectID.primaryKey)
                object.relationships.append(
                    .init(
                        name: field.name, isToMany: relationship.isToMany, destination: field.destination, keys: keys))
            case .fetched: continue
            }
        }
        return object
    }

    /// A value as the file has it; of a composite attribute, each element that isn't nil.
    private func stored(
        _ value: SlotValue, _ attribute: NSAttributeDescription, _ name: String, _ object: StoredObject
    ) throws -> [StoredObject.Attribute] {
        if case .composite(let values) = value, let composite = attribute as? NSCompositeAttributeDescription {
            return try zip(composite.elements, values).filter { !$1.isNull }.flatMap { element, value in
                try stored(value, element, "\(name).\(Self.format.name(of: element))", object)
            }
        }
        do {
            let type = attribute.attributeType
            return [
                .init(name: name, type: XMLStoreDocument.typeName(type), value: try Self.format.stored(value, type))
            ]
        } catch let fault as StoreFileFault {
            throw StoreFileFault("'\(attribute.name)' of \(object.entity) \(object.key): \(fault.reason)")
        }
    }

    /// What the file says of a property in every object.
    private struct Field {
        let name: String
        let slot: Int
        let destination: String
    }

    private var fieldsByEntity: [ObjectIdentifier: [Field]] = [:]

    /// The properties of an entity in the order in which they are written: by name.
    private func fields(of layout: EntityLayout) -> [Field] {
        if let known = fieldsByEntity[ObjectIdentifier(layout)] { return known }
        let fields = layout.properties.enumerated().map { slot, property in
            let destination = (property as? NSRelationshipDescription)?.destinationEntity
            return Field(
                name: Self.format.name(of: property), slot: slot,
                destination: destination.map { Self.format.name(of: $0) } ?? "")
        }
        let sorted = fields.sorted { $0.name < $1.name }
        fieldsByEntity[ObjectIdentifier(layout)] = sorted
        return sorted
    }
}

/// A store in a binary file.
package final class BinaryStore: AtomicFileStore {
    package override var type: String { NSBinaryStoreType }
    override class var format: any StoreDocument.Type { BinaryStoreDocument.self }
}

/// A store in an XML file.
package final class XMLStore: AtomicFileStore {
    package override var type: String { NSXMLStoreType }
    override class var format: any StoreDocument.Type { XMLStoreDocument.self }
}
