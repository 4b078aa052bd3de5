import FoundationSupplement

/// Reads a model from a keyed archive: a `.mom`, or the inflated model cache of a store.
package enum ModelArchiveReader {
    package static func read(_ data: Data, path: String) throws -> NSManagedObjectModel {
        throw ModelFileError(path: path, reason: "compiled models can't be read yet")
    }
}
