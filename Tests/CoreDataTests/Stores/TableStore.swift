import CoreData
import Foundation

/// An atomic store of a program's own: a text file with a line for each value, fields between tabs.
///
/// ```
/// #uuid    9B2B…
/// City     Q2887    name       Oslo
/// City     Q2887    country    Country/Q20
/// ```
final class TableStore: NSAtomicStore {
    static let typeName = "Table"
    /// What the framework called, for tests.
    var calls: [String] = []

    override var type: String { Self.typeName }

    struct Fault: Error { let line: String }

    // MARK: Metadata

    override func loadMetadata() throws {
        calls.append("loadMetadata")
        guard let url, FileManager.default.fileExists(atPath: url.path) else { return }
        metadata = try Self.metadataForPersistentStore(with: url)
    }

    override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
        var metadata: [String: Any] = [NSStoreTypeKey: typeName]
        for line in lines where line.hasPrefix("#") {
            let fields = line.split(separator: "\t").map { String($0).removingPercentEncoding ?? "" }
            if fields.count == 2 { metadata[String(fields[0].dropFirst())] = fields[1] }
        }
        return metadata
    }

    // MARK: Loading and saving

    override func load() throws {
        calls.append("load")
        guard let url, FileManager.default.fileExists(atPath: url.path),
            let entities = persistentStoreCoordinator?.managedObjectModel.entitiesByName
        else { return }
        var nodes: [NSManagedObjectID: NSAtomicStoreCacheNode] = [:]
        func node(_ entity: String, _ reference: String) throws -> NSAtomicStoreCacheNode {
            guard let entity = entities[entity] else { throw Fault(line: reference) }
            let id = objectID(for: entity, withReferenceObject: reference)
            if let known = nodes[id] { return known }
            let made = NSAtomicStoreCacheNode(objectID: id)
            nodes[id] = made
            return made
        }
        for line in try String(contentsOf: url, encoding: .utf8).split(separator: "\n") where !line.hasPrefix("#") {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
                .map { String($0).removingPercentEncoding ?? "" }
            guard fields.count >= 2 else { throw Fault(line: String(line)) }
            let object = try node(fields[0], fields[1])
            guard fields.count == 4 else { continue }
            switch object.objectID.entity.propertiesByName[fields[2]] {
            case let attribute as NSAttributeDescription:
                object.setValue(try TableValue.value(fields[3], attribute.attributeType), forKey: fields[2])
            case let relationship as NSRelationshipDescription:
                let parts = fields[3].split(separator: "/").map(String.init)
                guard parts.count == 2 else { throw Fault(line: String(line)) }
                let other = try node(parts[0], parts[1])
                let members = object.value(forKey: fields[2]) as? [NSAtomicStoreCacheNode] ?? []
                object.setValue(relationship.isToMany ? members + [other] : other, forKey: fields[2])
            default: throw Fault(line: String(line))
            }
        }
        addCacheNodes(Set(nodes.values))
    }

    override func save() throws {
        calls.append("save")
        guard let url else { return }
        var lines: [String] = metadata.compactMap { key, value in
            (value as? String).map { "#\(key)\t\(Self.escaped($0))" }
        }
        for node in cacheNodes() {
            let start = [node.objectID.entity.name ?? "", name(node)]
            lines.append(start.joined(separator: "\t"))
            for (key, property) in node.objectID.entity.propertiesByName where !property.isTransient {
                for text in try texts(node.value(forKey: key), property) {
                    lines.append((start + [key, text]).map(Self.escaped).joined(separator: "\t"))
                }
            }
        }
        try Data(lines.joined(separator: "\n").utf8).write(to: url, options: .atomic)
    }

    private func texts(_ value: Any?, _ property: NSPropertyDescription) throws -> [String] {
        guard let value else { return [] }
        if let attribute = property as? NSAttributeDescription {
            return [try TableValue.text(value, attribute.attributeType)]
        }
        let others = (value as? NSAtomicStoreCacheNode).map { [$0] } ?? value as? [NSAtomicStoreCacheNode] ?? []
        return others.map { "\($0.objectID.entity.name ?? "")/\(name($0))" }
    }

    private func name(_ node: NSAtomicStoreCacheNode) -> String { referenceObject(for: node.objectID) as? String ?? "" }

    private static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: CharacterSet.alphanumerics.union(["-", "/", "."])) ?? ""
    }

    // MARK: Nodes

    override func newReferenceObject(for managedObject: NSManagedObject) -> Any {
        calls.append("newReferenceObject \(managedObject.objectID.isTemporaryID)")
        return UUID().uuidString
    }

    override func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
        calls.append("newCacheNode \(managedObject.objectID.isTemporaryID)")
        let node = cacheNode(for: managedObject.objectID) ?? NSAtomicStoreCacheNode(objectID: managedObject.objectID)
        fill(node, managedObject)
        return node
    }

    override func updateCacheNode(_ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject) {
        calls.append("updateCacheNode")
        fill(node, managedObject)
    }

    override func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
        calls.append("willRemoveCacheNodes \(cacheNodes.count)")
    }

    private func fill(_ node: NSAtomicStoreCacheNode, _ object: NSManagedObject) {
        for (key, property) in object.entity.propertiesByName where !property.isTransient {
            switch object.value(forKey: key) {
            case let other as NSManagedObject: node.setValue(self.node(other), forKey: key)
            case let set as Set<NSManagedObject>: node.setValue(set.map(self.node), forKey: key)
            case let set as NSOrderedSet where property is NSRelationshipDescription:
                node.setValue(set.compactMap { ($0 as? NSManagedObject).map(self.node) }, forKey: key)
            case let value: node.setValue(value, forKey: key)
            }
        }
    }

    /// The node of a related object, which may be a new one whose turn hasn't come yet.
    private func node(_ object: NSManagedObject) -> NSAtomicStoreCacheNode {
        if let known = cacheNode(for: object.objectID) { return known }
        let made = NSAtomicStoreCacheNode(objectID: object.objectID)
        addCacheNodes([made])
        return made
    }
}

/// Values as text, by type.
enum TableValue {
    struct Fault: Error { let text: String }

    static func text(_ value: Any, _ type: NSAttributeType) throws -> String {
        switch type {
        case .transformableAttributeType:
            if Swift.type(of: value) == NSObject.self { throw Fault(text: "\(value)") }
            return try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
                .base64EncodedString()
        case .dateAttributeType: return "\((value as? Date)?.timeIntervalSinceReferenceDate ?? 0)"
        case .binaryDataAttributeType: return (value as? Data)?.base64EncodedString() ?? ""
        case .URIAttributeType: return (value as? URL)?.absoluteString ?? ""
        case .floatAttributeType: return "\((value as? NSNumber)?.floatValue ?? 0)"
        case .doubleAttributeType: return "\((value as? NSNumber)?.doubleValue ?? 0)"
        default: return "\(value)"
        }
    }

    static func value(_ text: String, _ type: NSAttributeType) throws -> Any {
        let value: Any? =
            switch type {
            case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: Int64(text)
            case .booleanAttributeType: text == "1" || text == "true"
            case .doubleAttributeType: Double(text)
            case .floatAttributeType: Float(text)
            case .decimalAttributeType: Decimal(string: text)
            case .dateAttributeType: Double(text).map { Date(timeIntervalSinceReferenceDate: $0) }
            case .binaryDataAttributeType: Data(base64Encoded: text)
            case .UUIDAttributeType: UUID(uuidString: text)
            case .URIAttributeType: URL(string: text)
            case .transformableAttributeType:
                try Data(base64Encoded: text).flatMap {
                    try NSKeyedUnarchiver.unarchivedObject(
                        ofClasses: [NSArray.self, NSString.self, NSNumber.self], from: $0)
                }
            default: text
            }
        guard let value else { throw Fault(text: text) }
        return value
    }
}
