import FoundationSupplement

/// The file that a model's address leads to: bundles hold several versions and name the current one.
struct ModelLocation {
    let url: URL
    let form: Form

    enum Form { case xml, archive }

    init(_ url: URL) throws {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) else {
            throw ModelFileError(path: url.path, reason: "there is no such file")
        }
        switch (url.pathExtension, isDirectory.boolValue) {
        case ("xcdatamodeld", true): self.init(xml: try Self.currentVersion(ofXcodeBundle: url))
        case ("xcdatamodel", true): self.init(xml: url)
        case ("momd", true): self.init(archive: try Self.currentVersion(ofCompiledBundle: url))
        case (_, true):
            throw ModelFileError(
                path: url.path,
                reason: "is a folder, but not a model (.xcdatamodeld, .xcdatamodel, .momd or .mom)")
        case ("contents", false), ("xml", false): self.init(url: url, form: .xml)
        case ("", false) where url.lastPathComponent == "contents": self.init(url: url, form: .xml)
        case (_, false): self.init(archive: url)
        }
    }

    private init(url: URL, form: Form) { (self.url, self.form) = (url, form) }
    private init(archive: URL) { self.init(url: archive, form: .archive) }
    private init(xml version: URL) { self.init(url: version.appendingPathComponent("contents"), form: .xml) }

    func read() throws -> NSManagedObjectModel {
        let data = try data()
        switch form {
        case .xml: return try ModelXMLReader.read(data, path: url.path)
        case .archive:
            guard data.starts(with: Data("bplist00".utf8)) || data.prefix(1024).range(of: Data("<plist".utf8)) != nil
            else {
                throw ModelFileError(
                    path: url.path, reason: "is not a Core Data model (.xcdatamodeld, .xcdatamodel, .momd or .mom)")
            }
            return try ModelArchiveReader.read(data, path: url.path)
        }
    }

    /// The file's bytes.
    func data() throws -> Data {
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)
        if let type = attributes?[.type] as? FileAttributeType, ![.typeRegular, .typeDirectory].contains(type) {
            throw ModelFileError(path: url.path, reason: "is a device or pipe, not a model")
        }
        do {
            return try Data(contentsOf: url)
        } catch {
            if FileManager.default.fileExists(
                atPath: url.deletingLastPathComponent().appendingPathComponent("elements").path)
            {
                throw ModelFileError(
                    path: url.deletingLastPathComponent().path,
                    reason: "is in the binary form that Xcode wrote before version 4; open and save it in Xcode once")
            }
            throw ModelFileError(path: url.path, reason: "can't be read: \(error.localizedDescription)")
        }
    }

    private static func currentVersion(ofXcodeBundle bundle: URL) throws -> URL {
        let pointer = bundle.appendingPathComponent(".xccurrentversion")
        if FileManager.default.fileExists(atPath: pointer.path) {
            let plist = try dictionary(pointer)
            if let name = plist["_XCCurrentVersionName"] as? String {
                return try member(name, of: bundle)
            }
        }
        // A bundle with one version need not name it.
        let versions = try FileManager.default.contentsOfDirectory(atPath: bundle.path)
            .filter { $0.hasSuffix(".xcdatamodel") }
        guard versions.count == 1 else {
            let found = versions.isEmpty ? "holds no model" : "holds several models and doesn't say which is current"
            throw ModelFileError(path: bundle.path, reason: found)
        }
        return bundle.appendingPathComponent(versions[0])
    }

    private static func currentVersion(ofCompiledBundle bundle: URL) throws -> URL {
        let plist = try dictionary(bundle.appendingPathComponent("VersionInfo.plist"))
        guard let name = plist["NSManagedObjectModel_CurrentVersionName"] as? String else {
            throw ModelFileError(path: bundle.path, reason: "VersionInfo.plist doesn't name the current version")
        }
        return try member(name + ".mom", of: bundle)
    }

    /// A file of the bundle; a name that leads out of it is refused.
    private static func member(_ name: String, of bundle: URL) throws -> URL {
        let url = bundle.appendingPathComponent(name)
        guard !name.contains("/"), name != "..", FileManager.default.fileExists(atPath: url.path) else {
            throw ModelFileError(path: bundle.path, reason: "the current version, '\(name)', is not in the bundle")
        }
        return url
    }

    private static func dictionary(_ url: URL) throws -> [String: Any] {
        do {
            let plist = try PropertyListSerialization.propertyList(from: Data(contentsOf: url), format: nil)
            guard let dictionary = plist as? [String: Any] else {
                throw ModelFileError(path: url.path, reason: "is not a property list of a dictionary")
            }
            return dictionary
        } catch let error as ModelFileError {
            throw error
        } catch {
            throw ModelFileError(path: url.path, reason: "is not a property list: \(error.localizedDescription)")
        }
    }
}
