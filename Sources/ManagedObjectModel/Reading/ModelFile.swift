import FoundationSupplement

/// One version of a model in a file, of any of the forms that can be read.
struct ModelFile {
    let url: URL
    let form: Form

    enum Form { case xml, archive }

    /// The largest models in public have less than half a megabyte; a file of more than this is something else.
    static let maximumSize = 16 << 20

    /// The file of an `.xcdatamodel`.
    static func xcodeVersion(_ folder: URL) -> ModelFile {
        ModelFile(url: folder.appendingPathComponent("contents"), form: .xml)
    }

    func read() throws -> NSManagedObjectModel {
        let data = try contents()
        switch form {
        case .xml: return try ModelXMLReader.read(data, path: url.path)
        case .archive:
            guard data.starts(with: Data("bplist00".utf8)) || data.prefix(1024).range(of: Data("<plist".utf8)) != nil
            else { throw ModelFileError(path: url.path, reason: strangeContents(data)) }
            return try ModelArchiveReader.read(data, path: url.path)
        }
    }

    /// The file's bytes.
    func contents() throws -> Data {
        let older = url.deletingLastPathComponent().appendingPathComponent("elements").path
        if form == .xml, !FileManager.default.fileExists(atPath: url.path),
            FileManager.default.fileExists(atPath: older)
        {
            throw ModelFileError(path: url.deletingLastPathComponent().path, reason: "is \(Self.binaryForm)")
        }
        return try Self.contents(of: url)
    }

    /// What the files `elements` and `layout` in older models are, and what to do with one.
    static let binaryForm =
        "in the binary form that Xcode wrote before version 4 (a file 'elements'); open and save it in Xcode once, or"
        + " give the compiled model (.mom)"

    private func strangeContents(_ data: Data) -> String {
        if data.starts(with: Data("momv2$".utf8)) {
            return "is the optimised copy of a compiled model, for Apple's framework alone; give the .mom beside it"
        }
        if data.starts(with: Data("SQLite format 3\0".utf8)) { return "is a store, not a model" }
        return "is not a Core Data model (.xcdatamodeld, .xcdatamodel, .momd or .mom)"
    }

    /// The bytes of a file, which must be one and not too large.
    static func contents(of url: URL) throws -> Data {
        do {
            let attributes = try FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)
            guard attributes[.type] as? FileAttributeType == .typeRegular else {
                throw ModelFileError(path: url.path, reason: "is a folder, device or pipe, not a file")
            }
            let size = (attributes[.size] as? NSNumber)?.intValue ?? 0
            guard size <= maximumSize else {
                throw ModelFileError(
                    path: url.path, reason: "has \(size >> 20) MB; no model is larger than \(maximumSize >> 20) MB")
            }
            return try Data(contentsOf: url)
        } catch let error as ModelFileError {
            throw error
        } catch {
            throw ModelFileError(path: url.path, reason: "can't be read: \(error.localizedDescription)")
        }
    }
}
