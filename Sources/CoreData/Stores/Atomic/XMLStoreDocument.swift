import FoundationSupplement
import ManagedObjectModel

/// The file of an XML store, in Apple's layout.
///
/// Entities stand in upper case, properties in lower case; keys are `z` and a number. Attributes without a value and
/// references to nothing are left out. `nextObjectID` is, in spite of its name, the last key that was given.
struct XMLStoreDocument: StoreDocument {
    /// Apple's constant in all files.
    static let version = "134481920"

    var metadata: [String: Any]
    let lastKey: Int64
    let objects: [StoredObject]

    init(metadata: [String: Any], lastKey: Int64, objects: [StoredObject]) {
        (self.metadata, self.lastKey, self.objects) = (metadata, lastKey, objects)
    }

    init(_ data: Data) throws { self = try XMLStoreReader.read(data) }

    func encoded() throws -> Data { try XMLStoreWriter.write(self) }

    static func name(of entity: NSEntityDescription) -> String { (entity.name ?? "").uppercased() }

    static func name(of property: NSPropertyDescription) -> String { property.name.lowercased() }

    // MARK: Values

    /// What the files call a type. Seen in Apple's: string, bool, int16, int32, float, date, binary; the others follow
    /// their pattern.
    static func typeName(_ type: NSAttributeType) -> String {
        switch type {
        case .integer16AttributeType: "int16"
        case .integer32AttributeType: "int32"
        case .integer64AttributeType: "int64"
        case .decimalAttributeType: "decimal"
        case .doubleAttributeType: "double"
        case .floatAttributeType: "float"
        case .stringAttributeType: "string"
        case .booleanAttributeType: "bool"
        case .dateAttributeType: "date"
        case .binaryDataAttributeType: "binary"
        case .UUIDAttributeType: "uuid"
        case .URIAttributeType: "uri"
        case .transformableAttributeType: "transformable"
        default: "undefined"
        }
    }

    static func stored(_ value: SlotValue, _ type: NSAttributeType) throws -> PropertyListValue {
        switch value {
        case .integer(let number): return .string("\(number)")
        case .real(let number): return .string(type == .floatAttributeType ? "\(Float(number))" : "\(number)")
        case .date(let seconds): return .string(text(ofDate: seconds))
        case .string(let text):
            // U+FFFE and U+FFFF begin with this byte.
            let isSuspicious = text.utf8.contains { $0 < 0x20 || $0 == 0xef }
            if isSuspicious, let scalar = text.unicodeScalars.first(where: { !isAllowed($0) }) {
                let code = String(scalar.value, radix: 16, uppercase: true)
                throw StoreFileFault("XML can't hold the character U+\(code)")
            }
            return .string(text)
        case .data(let data): return .string(data.base64EncodedString())
        case .uuid(let uuid): return .string(uuid.uuidString)
        case .decimal(let decimal): return .string(decimal.description)
        case .uri(let url): return .string(url.absoluteString)
        default: throw StoreFileFault("a value of this kind can't be stored")
        }
    }

    /// Seconds with 20 decimals as Apple's files have them, where these say it all.
    private static func text(ofDate seconds: Double) -> String {
        let text = String(format: "%.20f", seconds)
        return Double(text) == seconds ? text : "\(seconds)"
    }

    /// The characters of XML 1.0.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x9, 0xa, 0xd, 0x20...0xd7ff, 0xe000...0xfffd, 0x10000...0x10ffff: true
        default: false
        }
    }

    static func value(_ stored: PropertyListValue, _ type: NSAttributeType) -> SlotValue? {
        guard let text = stored.string else { return nil }
        switch type {
        case .integer16AttributeType: return Int16(text).map { .integer(Int64($0)) }
        case .integer32AttributeType: return Int32(text).map { .integer(Int64($0)) }
        case .integer64AttributeType: return Int64(text).map { .integer($0) }
        case .booleanAttributeType: return ["0": 0, "1": 1][text].map { .integer($0) }
        case .doubleAttributeType: return Double(text).map { .real($0) }
        case .floatAttributeType: return Float(text).map { .real(Double($0)) }
        case .dateAttributeType: return Double(text).map { .date($0) }
        case .stringAttributeType: return .string(text)
        case .binaryDataAttributeType, .transformableAttributeType: return data(text).map { .data($0) }
        case .UUIDAttributeType: return UUID(uuidString: text).map { .uuid($0) }
        case .decimalAttributeType: return Decimal(wholeText: text).map { .decimal($0) }
        case .URIAttributeType: return URL(string: text).map { .uri($0) }
        default: return nil
        }
    }

    /// The bytes of base64, which files break into lines.
    private static func data(_ text: String) -> Data? {
        guard text.utf8.contains(where: { $0 <= 0x20 }) else { return Data(base64Encoded: text) }
        return Data(base64Encoded: Data(text.utf8.filter { $0 > 0x20 }))
    }
}
