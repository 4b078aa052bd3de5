import CoreData

/// A model, or what a store says of its own: what the commands that look at models take.
struct ModelSource {
    /// The path, as it was given.
    let path: String
    /// The model; nil for a store that keeps none.
    let model: NSManagedObjectModel?
    /// The version hash of each entity: what the store's metadata has, which need not be the hashes of its model.
    let hashes: [String: Data]
    /// Whether it is a store.
    let isStore: Bool

    /// Reads a model file of any form, or a store's metadata and the model that it keeps.
    ///
    /// - Parameter path: one version of several is named by its path, as in `App.xcdatamodeld/V2.xcdatamodel`.
    init(_ path: String) throws {
        self.path = path
        try InputError.requireReadable(path, what: "model or store")
        isStore = isSQLite(path)
        guard isStore else {
            let model = try loadModel(path)
            (self.model, hashes) = (model, model.entityVersionHashesByName)
            return
        }
        (model, hashes) = try StoreReader.cachedModel(ofStoreAt: path)
    }

    /// The model.
    ///
    /// - Throws: `InputError` for a store that keeps none.
    func requireModel() throws -> NSManagedObjectModel {
        guard let model else {
            throw InputError(
                message: "\(path): the store keeps no model; give the model it was made with", status: .badData)
        }
        return model
    }

    /// Whether the version hashes of the model are those that the store's metadata has.
    var modelFitsHashes: Bool { model?.entityVersionHashesByName == hashes }

    /// What comparing with it can't tell: the models that stores keep have no names of classes.
    static func aspectsThatStoresLack(_ sources: ModelSource...) -> Set<ModelAspect> {
        guard sources.contains(where: \.isStore) else { return [] }
        return [.className, .valueClass]
    }
}

/// Whether a file begins as SQLite files do.
func isSQLite(_ path: String) -> Bool {
    // What can't be opened is no store here; reading it as a model says what is wrong.
    guard let file = FileHandle(forReadingAtPath: path) else { return false }
    defer { try? file.close() }
    return (try? file.read(upToCount: 16)) == Data("SQLite format 3\0".utf8)
}
