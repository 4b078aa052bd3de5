import CoreData

/// Where the commands about models take theirs from: a model's files, or a store, whose own model is taken.
enum ModelInput {
    /// The path.
    static let parameter = Option<String>(
        nil, "model", help: "A model (.xcdatamodeld, .xcdatamodel, .momd, .mom), or a store, whose own model is taken.",
        isRequired: true)

    /// Reads the model that a path leads to. One version of several is named by its own path,
    /// `App.xcdatamodeld/V2.xcdatamodel`.
    static func read(_ path: String) throws -> NSManagedObjectModel {
        try InputError.requireReadable(path, what: "model or store")
        return try isSQLite(path) ? StoreReader.model(ofStoreAt: path) : loadModel(path)
    }
}
