import FoundationSupplement
import ManagedObjectModel

/// What the file of an atomic store says, apart from any model. Each format of files is a type of its own.
protocol StoreDocument {
    var metadata: [String: Any] { get set }
    /// The highest key that was ever given.
    var lastKey: Int64 { get }
    var objects: [StoredObject] { get }

    init(metadata: [String: Any], lastKey: Int64, objects: [StoredObject])

    /// Reads the bytes of a file, whatever they are.
    ///
    /// - Throws: ``StoreFileFault``.
    init(_ data: Data) throws

    /// The bytes of the file. The same document always gives the same bytes.
    ///
    /// - Throws: ``StoreFileFault`` for metadata that the format can't hold.
    func encoded() throws -> Data

    /// How the format calls an entity and a property.
    static func name(of entity: NSEntityDescription) -> String
    static func name(of property: NSPropertyDescription) -> String

    /// A value in the format.
    ///
    /// - Throws: ``StoreFileFault`` for a value that the format can't hold.
    static func stored(_ value: SlotValue, _ type: NSAttributeType) throws -> PropertyListValue

    /// A value of the format; nil for one that is no value of the type.
    static func value(_ stored: PropertyListValue, _ type: NSAttributeType) -> SlotValue?
}

/// An object in a file. Properties without a value are left out.
struct StoredObject {
    var entity: String
    var key: Int64
    /// Where it stands, in a file that has lines.
    var line: Int?
    var attributes: [Attribute] = []
    var relationships: [Relationship] = []

    struct Attribute {
        var name: String
        var type: String
        var value: PropertyListValue
    }

    struct Relationship {
        var name: String
        var isToMany: Bool
        var destination: String
        var keys: [Int64]
    }
}

/// What is wrong with a file, or with a value that is to be written to one.
struct StoreFileFault: Error {
    let reason: String
    var line: Int?

    init(_ reason: String, line: Int? = nil) {
        self.reason = reason
        self.line = line
    }

    var description: String { (line.map { "line \($0): " } ?? "") + reason }
}
