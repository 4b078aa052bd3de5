import FoundationSupplement

extension NSManagedObjectModel {
    /// Reads a model from a `.momd` or `.mom` as an app's bundle has it, or from an `.xcdatamodeld` or `.xcdatamodel`
    /// as Xcode's project has it (the latter two are our addition: there is no compile step on Linux that must come
    /// first). Nil for anything else; `init(validatingContentsOf:)` says why.
    public convenience init?(contentsOf url: URL) {
        try? self.init(validatingContentsOf: url)
    }

    /// Reads a model like `init(contentsOf:)`, and says what is wrong with a file that is not one. Our addition.
    ///
    /// ```swift
    /// let model = try NSManagedObjectModel(validatingContentsOf: URL(fileURLWithPath: "World.xcdatamodeld"))
    /// ```
    /// - Parameter url: a `.xcdatamodeld`, `.xcdatamodel`, `.momd` or `.mom`.
    /// - Throws: `ModelFileError` with the file, the line where there is one, and the reason.
    public convenience init(validatingContentsOf url: URL) throws {
        self.init()
        adopt(try ModelLocation(url).current().file.read())
    }

    /// Takes over the parts of a model that nobody else uses.
    package func adopt(_ other: NSManagedObjectModel) {
        let (all, identifiers) = (other.entities, other.versionIdentifiers)
        let members = other.configurations.map { ($0, other.entities(forConfigurationName: $0) ?? []) }
        let templates = other.fetchRequestTemplatesByName
        other.entities = []
        entities = all
        versionIdentifiers = identifiers
        for (name, entities) in members { setEntities(entities, forConfigurationName: name) }
        for (name, request) in templates { setFetchRequestTemplate(request, forName: name) }
        source = other.source
    }
}
