import FoundationSupplement

extension KeyedArchive {
    /// The archive in a file's bytes; `path` is for messages.
    init(_ data: Data, path: String) throws {
        guard data.count <= ModelFile.maximumSize else {
            throw ModelFileError(path: path, reason: "is too large for a model")
        }
        let list: PropertyListValue
        do {
            list =
                BinaryPropertyList.isBinaryPropertyList(data)
                ? try BinaryPropertyList.read(data) : try XMLPropertyList.read(data)
        } catch let error as PropertyListError {
            throw ModelFileError(path: path, reason: error.description)
        }
        try self.init(list) { ModelFileError(path: path, reason: $0) }
    }
}
