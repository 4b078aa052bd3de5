import FoundationSupplement

extension NSManagedObjectModel {
    /// The checksum of each version of a model, by the version's name; Swift has this name for it on Apple's systems.
    ///
    /// - Parameter modelURL: a `.momd`, or another form of a model.
    /// - Throws: `ModelFileError` with the file and the reason.
    public class func __checksumsForVersionedModel(at modelURL: URL) throws -> [String: String] {
        let versions = try ModelBundle(contentsOf: modelURL).versions
        return Dictionary(versions.map { ($0.name, $0.model.versionChecksum) }) { first, _ in first }
    }
}
