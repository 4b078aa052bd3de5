import FoundationSupplement

@testable import ManagedObjectModel

/// Everything that an archive of a model says, as lines of text that don't depend on the order of its objects: for each
/// description its class and every key with its value. Entities and properties inside a value are named, not spelt out.
struct ArchiveFacts {
    private let archive: KeyedArchive
    /// Whether mutable and other collections and strings count as the same, the order of indexes doesn't matter, and no
    /// collection is the same as an empty one: a model that came from an optimised file, or through an older framework,
    /// differs in these.
    private let isLoose: Bool
    private(set) var lines: Set<String> = []

    /// What the compiler says of itself, which only Apple's can say.
    private static let ignored: Set = ["$class", "CDMCompilerToolVersion", "CDMCompilerXcodeVersion"]
    private static let properties: Set = [
        "NSAttributeDescription", "NSDerivedAttributeDescription", "NSRelationshipDescription",
        "NSFetchedPropertyDescription",
    ]

    init(_ data: Data, path: String, isLoose: Bool = false) throws {
        archive = try KeyedArchive(data, path: path)
        self.isLoose = isLoose
        let root = try archive.root()
        try add("model", root)
        for (_, entity) in try archive.pairs(root["NSEntities"], "entities") {
            guard let object = try archive.object(entity) else { continue }
            let name = try text(object["NSEntityName"])
            try add(name, object)
            for (key, property) in try archive.pairs(object["NSProperties"], "properties") {
                guard let object = try archive.object(property) else { continue }
                try add("\(name).\(text(key))", object)
            }
        }
    }

    private mutating func add(_ place: String, _ object: ArchivedObject) throws {
        lines.insert("\(place): \(try classes(object))")
        for (key, value) in object.fields where !Self.ignored.contains(key) {
            let text = try text(value)
            if isLoose, text == "null" || text == "[]" { continue }
            lines.insert("\(place) \(key): \(text)")
        }
    }

    private func classes(_ object: ArchivedObject) throws -> String {
        try text(archive.resolve(object["$class"])?.dictionary?["$classes"])
    }

    private func text(_ value: PropertyListValue?) throws -> String {
        guard let resolved = try archive.resolve(value) else { return "null" }
        switch resolved {
        case .dictionary: return try archive.object(value).map { try text(of: $0) } ?? "null"
        case .array(let elements): return "\(try elements.map { try text($0) })"
        default: return "\(resolved)"
        }
    }

    private func text(of object: ArchivedObject) throws -> String {
        switch object.className {
        case "NSManagedObjectModel": return "the model"
        case "NSString" where isLoose, "NSMutableString" where isLoose: return try text(object["NS.string"])
        case _ where isLoose && KeyedArchive.arrays.union(KeyedArchive.sets).contains(object.className):
            let elements = try archive.elements(of: object)
            let areIndexes = try elements.contains {
                try archive.resolve($0)?.dictionary.flatMap { try archive.className($0) } == "NSFetchIndexDescription"
            }
            let texts = try elements.map { try text($0) }
            let isSet = KeyedArchive.sets.contains(object.className)
            return texts.isEmpty ? "[]" : "\(areIndexes || isSet ? texts.sorted() : texts)"
        case "NSEntityDescription": return "entity \(try text(object["NSEntityName"]))"
        case _ where Self.properties.contains(object.className) && object["NSEntity"]?.uid != 0:
            return "property \(try text(object["NSPropertyName"])) of \(try text(object["NSEntity"]))"
        case "NSDictionary", "NSMutableDictionary":
            let pairs = try archive.pairs(of: object).map { "\(try text($0.key)): \(try text($0.value))" }
            if isLoose { return "\(pairs.sorted())" }
            return "\(object.className) \(pairs.sorted())"
        case "NSSet", "NSMutableSet":
            return "\(object.className) \(try archive.elements(of: object).map { try text($0) }.sorted())"
        default:
            let fields = try object.fields.filter { $0.key != "$class" && $0.key != "NSFetchIndexDescription" }
                .map { "\($0.key): \(try text($0.value))" }
            return "\(try classes(object)) \(fields.sorted())"
        }
    }
}
