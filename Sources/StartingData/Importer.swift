import CoreData

/// Fills a store from files. (Placeholder: being written.)
public struct Importer {
    /// The model.
    public let model: NSManagedObjectModel
    /// The store.
    public let storeURL: URL

    /// An importer.
    public init(model: NSManagedObjectModel, storeURL: URL) {
        self.model = model
        self.storeURL = storeURL
    }

    /// Imports.
    public func run(_ files: [URL], progress: ((Int, Int?) -> Void)? = nil) throws -> ImportReport {
        throw CocoaError.unsupported("import")
    }
}
