import FoundationSupplement
import ManagedObjectModel

/// The file of a binary store: a binary property list.
///
/// ```
/// { format = "swift-core-data binary store"; version = 1; metadata = { … }; lastKey = 103;
///   objects = ( { entity = City; key = 102; attributes = { name = Oslo; }; relationships = { country = (103); } } ) }
/// ```
/// Integers and Booleans are integers, numbers reals, dates dates, strings, URIs (`absoluteString`) and decimals (all
/// digits) strings, UUIDs (16 bytes), binary data and transformable values (archives) data. Apple's binary stores are
/// archives of undocumented classes, and are refused.
struct BinaryStoreDocument: StoreDocument {
    private static let format = "swift-core-data binary store"
    private static let version: Int64 = 1

    var metadata: [String: Any]
    let lastKey: Int64
    let objects: [StoredObject]

    init(metadata: [String: Any], lastKey: Int64, objects: [StoredObject]) {
        (self.metadata, self.lastKey, self.objects) = (metadata, lastKey, objects)
    }

    // MARK: Reading

    init(_ data: Data) throws {
        let top: PropertyListValue
        do {
            top = try BinaryPropertyList.read(data)
        } catch let error as PropertyListError {
            throw StoreFileFault("is not a binary store: \(error)")
        }
        guard let top = top.dictionary, top["format"]?.string == Self.format else {
            throw StoreFileFault(
                "is a property list, but not a binary store of swift-core-data; Apple's binary stores can't be read")
        }
        guard case .integer(Self.version)? = top["version"] else {
            throw StoreFileFault("is a binary store of a later version")
        }
        guard case .dictionary? = top["metadata"], let metadata = top["metadata"]?.foundationValue as? [String: Any],
            case .integer(let lastKey)? = top["lastKey"], let objects = top["objects"]?.array
        else { throw StoreFileFault("lacks metadata or objects") }
        self.init(metadata: metadata, lastKey: lastKey, objects: try objects.enumerated().map(Self.object))
    }

    private static func object(_ index: Int, _ value: PropertyListValue) throws -> StoredObject {
        guard let parts = value.dictionary, let entity = parts["entity"]?.string,
            case .integer(let key)? = parts["key"], let attributes = parts["attributes"]?.dictionary,
            let relationships = parts["relationships"]?.dictionary
        else { throw StoreFileFault("object \(index) is damaged") }
        var object = StoredObject(entity: entity, key: key)
        object.attributes = attributes.map { StoredObject.Attribute(name: $0.key, type: "", value: $0.value) }
        object.relationships = try relationships.map { name, value in
            let keys = try value.array?.map { key -> Int64 in
                guard case .integer(let key) = key else {
                    throw StoreFileFault("object \(index) has a damaged '\(name)'")
                }
                return key
            }
            guard let keys else { throw StoreFileFault("object \(index) has a damaged '\(name)'") }
            return StoredObject.Relationship(name: name, isToMany: true, destination: "", keys: keys)
        }
        return object
    }

    // MARK: Writing

    func encoded() throws -> Data {
        BinaryPropertyList.write(
            .dictionary([
                "format": .string(Self.format), "version": .integer(Self.version),
                "metadata": try PropertyListValue(foundation: metadata), "lastKey": .integer(lastKey),
                "objects": .array(objects.map(Self.encoded)),
            ]))
    }

    private static func encoded(_ object: StoredObject) -> PropertyListValue {
        let attributes = Dictionary(object.attributes.map { ($0.name, $0.value) }) { $1 }
        let relationships = object.relationships.filter { !$0.keys.isEmpty }
            .map { ($0.name, PropertyListValue.array($0.keys.map { .integer($0) })) }
        return .dictionary([
            "entity": .string(object.entity), "key": .integer(object.key), "attributes": .dictionary(attributes),
            "relationships": .dictionary(Dictionary(relationships) { $1 }),
        ])
    }

    // MARK: Names and values

    static func name(of entity: NSEntityDescription) -> String { entity.name ?? "" }

    static func name(of property: NSPropertyDescription) -> String { property.name }

    static func stored(_ value: SlotValue, _ type: NSAttributeType) throws -> PropertyListValue {
        switch value {
        case .integer(let number): .integer(number)
        case .real(let number): .real(number)
        case .date(let seconds): .date(seconds)
        case .string(let text): .string(text)
        case .data(let data): .data(Array(data))
        case .uuid(let uuid): .data(withUnsafeBytes(of: uuid.uuid) { Array($0) })
        case .decimal(let decimal): .string(decimal.description)
        case .uri(let url): .string(url.absoluteString)
        default: throw StoreFileFault("a value of this kind can't be stored")
        }
    }

    static func value(_ stored: PropertyListValue, _ type: NSAttributeType) -> SlotValue? {
        switch (type, stored) {
        case (.integer16AttributeType, .integer(let number)): Int16(exactly: number).map { .integer(Int64($0)) }
        case (.integer32AttributeType, .integer(let number)): Int32(exactly: number).map { .integer(Int64($0)) }
        case (.integer64AttributeType, .integer(let number)): .integer(number)
        case (.booleanAttributeType, .integer(let number)): number == 0 || number == 1 ? .integer(number) : nil
        case (.doubleAttributeType, .real(let number)), (.floatAttributeType, .real(let number)): .real(number)
        case (.dateAttributeType, .date(let seconds)): .date(seconds)
        case (.stringAttributeType, .string(let text)): .string(text)
        case (.binaryDataAttributeType, .data(let bytes)), (.transformableAttributeType, .data(let bytes)):
            .data(Data(bytes))
        case (.UUIDAttributeType, .data(let bytes)) where bytes.count == 16:
            .uuid(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
        case (.decimalAttributeType, .string(let text)): Decimal(wholeText: text).map { .decimal($0) }
        case (.URIAttributeType, .string(let text)): URL(string: text).map { .uri($0) }
        default: nil
        }
    }
}

extension Decimal {
    /// The number that a whole text means; Foundation stops at the first character that it doesn't know.
    init?(wholeText text: String) {
        let allowed = text.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) }
        guard allowed, !text.isEmpty, Double(text) != nil, let value = Decimal(string: text) else { return nil }
        self = value
    }
}
