import FoundationSupplement

/// The description of what a store holds: entities, configurations and prepared requests.
///
/// ```swift
/// guard let model = NSManagedObjectModel(contentsOf: url) else { … }
/// let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
/// ```
/// A model can be changed until a coordinator uses it; a copy of it can be changed again.
open class NSManagedObjectModel: NSObject, NSCopying, NSCoding, @unchecked Sendable {
    private var storedEntities: [NSEntityDescription] = []
    private var storedConfigurations: [String: [String]] = [:]
    private var storedTemplates: [String: NSFetchRequest<any NSFetchRequestResult>] = [:]
    private var storedIdentifiers: Set<AnyHashable> = []
    private var storedLocalization: [String: String]?
    private var builtHashes: [String: Data]?
    package private(set) var isEditable = true
    /// What the file that the model was read from says beside the model itself.
    package var source = SourceDocument()

    /// Creates an empty model.
    public override init() {
        super.init()
    }

    /// The entities. The order is kept but has no meaning.
    open var entities: [NSEntityDescription] {
        get { storedEntities }
        set {
            edit {
                for entity in storedEntities { entity.setModel(nil) }
                storedEntities = newValue
                for entity in newValue { entity.setModel(self) }
            }
        }
    }

    /// The entities by name.
    open var entitiesByName: [String: NSEntityDescription] {
        Dictionary(entities.compactMap { e in e.name.map { ($0, e) } }, uniquingKeysWith: { first, _ in first })
    }

    /// The names of the configurations, sorted; the default one, of all entities, is not among them.
    open var configurations: [String] { storedConfigurations.keys.sorted() }

    /// The entities of a configuration; nil for the name of none, all entities for nil.
    open func entities(forConfigurationName configuration: String?) -> [NSEntityDescription]? {
        guard let configuration, configuration != Self.defaultConfigurationName else { return storedEntities }
        guard let names = storedConfigurations[configuration] else { return nil }
        let members = Set(names)
        return storedEntities.filter { members.contains($0.name ?? "") }
    }

    /// Makes a configuration of some of the model's entities.
    open func setEntities(_ entities: [NSEntityDescription], forConfigurationName configuration: String) {
        edit { storedConfigurations[configuration] = entities.compactMap(\.name) }
    }

    package static let defaultConfigurationName = "PF_DEFAULT_CONFIGURATION_NAME"

    /// What the model's author calls this version. Enters no hash.
    open var versionIdentifiers: Set<AnyHashable> {
        get { storedIdentifiers }
        set { edit { storedIdentifiers = newValue } }
    }

    /// Names for people, by keys such as `Entity/City` or `Property/name/Entity/City`.
    open var localizationDictionary: [String: String]? {
        get { storedLocalization }
        set { storedLocalization = newValue }  // may be set at any time, as on Apple's systems
    }

    /// The prepared requests by name.
    open var fetchRequestTemplatesByName: [String: NSFetchRequest<any NSFetchRequestResult>] { storedTemplates }

    /// The prepared request of that name.
    open func fetchRequestTemplate(forName name: String) -> NSFetchRequest<any NSFetchRequestResult>? {
        storedTemplates[name]
    }

    /// Keeps a request under a name; nil removes it.
    open func setFetchRequestTemplate(
        _ fetchRequestTemplate: NSFetchRequest<any NSFetchRequestResult>?, forName name: String
    ) {
        edit { storedTemplates[name] = fetchRequestTemplate }
    }

    /// A copy of the prepared request of that name, with values in the places of its variables.
    ///
    /// ```swift
    /// // The template's predicate is "name == $NAME".
    /// let request = model.fetchRequestFromTemplate(withName: "byName", substitutionVariables: ["NAME": "Anna"])
    /// ```
    /// - Parameters:
    ///   - name: the template's name.
    ///   - variables: the values by the names of the variables, without `$`; `NSNull` stands for nil.
    /// - Returns: a request that can be changed, or nil if there is no template of that name.
    open func fetchRequestFromTemplate(
        withName name: String, substitutionVariables variables: [String: Any]
    ) -> NSFetchRequest<any NSFetchRequestResult>? {
        let request = storedTemplates[name]?.copy() as? NSFetchRequest<any NSFetchRequestResult>
        request?.predicate = request?.predicate?.withSubstitutionVariables(variables)
        return request
    }

    /// The hash of each entity by name, as stores keep them.
    open var entityVersionHashesByName: [String: Data] {
        if let builtHashes { return builtHashes }
        let hashes = VersionHash.hashes(of: self)
        if !isEditable { builtHashes = hashes }
        return hashes
    }

    /// One hash over all entities: base64 of SHA-256, as stores of macOS 14 and later keep it.
    open var versionChecksum: String { VersionHash.checksum(entityVersionHashesByName) }

    /// The digest that stores of macOS 10.15 and later keep: base64 of SHA-512.
    package var versionHashesDigest: String { VersionHash.digest(entityVersionHashesByName) }

    /// Whether a store with this metadata was made with the entities of a configuration of this model.
    open func isConfiguration(
        withName configuration: String?, compatibleWithStoreMetadata metadata: [String: Any]
    ) -> Bool {
        guard let stored = metadata["NSStoreModelVersionHashes"] as? [String: Data],
            let entities = entities(forConfigurationName: configuration)
        else { return false }
        let hashes = entityVersionHashesByName
        let names = entities.compactMap(\.name)
        return names.count == stored.count && names.allSatisfy { stored[$0] == hashes[$0] }
    }

    /// Makes the model immutable and prepares what its users share. Called by each coordinator.
    package func freeze() {
        guard isEditable else { return }
        isEditable = false
        for request in storedTemplates.values { request.freeze() }
        for entity in storedEntities { _ = entity.layout }
        _ = entityVersionHashesByName
    }

    // MARK: Copying and archiving

    /// A copy with copies of all entities and templates, which can be changed even where this model can't.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSManagedObjectModel()
        copy.takeCopies(of: [self])
        return copy
    }

    /// Reads a model from Foundation's archive; nil for an archive of something else.
    public required init?(coder: NSCoder) {
        super.init()
        guard let model = DescriptionCoding.model(from: coder) else { return nil }
        adopt(model)
        storedLocalization = model.localizationDictionary
    }

    /// Writes the model, as a compiled model in an archive of Foundation's.
    open func encode(with coder: NSCoder) { DescriptionCoding.encode(self, with: coder) }

    private func edit(_ change: () -> Void) {
        if isEditable { change() } else { misuse("Can't modify an immutable model.") }
    }

    /// The entities in the order in which stores number them: depth first over the inheritance trees, siblings by name
    /// without regard to case.
    package var entitiesInStoreOrder: [NSEntityDescription] {
        func walk(_ siblings: [NSEntityDescription]) -> [NSEntityDescription] {
            siblings.sorted(by: Self.nameOrder).flatMap { [$0] + walk($0.subentities) }
        }
        return walk(storedEntities.filter { $0.superentity == nil })
    }

    package static func nameOrder(_ a: NSEntityDescription, _ b: NSEntityDescription) -> Bool {
        let (x, y) = (a.name ?? "", b.name ?? "")
        let (foldedX, foldedY) = (x.lowercased(), y.lowercased())
        return foldedX == foldedY ? x < y : foldedX < foldedY
    }
}
