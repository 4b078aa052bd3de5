import FoundationSupplement

/// The files that a model's address leads to: bundles hold several versions and name the current one.
struct ModelLocation {
    let url: URL
    /// The versions by name, in alphabetical order.
    let versions: [(name: String, file: ModelFile)]
    /// The current version, where the bundle names it.
    let currentName: String?

    init(_ url: URL) throws {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) else {
            throw ModelFileError(path: url.path, reason: "there is no such file")
        }
        switch (url.pathExtension, isDirectory.boolValue) {
        case ("xcdatamodeld", true): try self.init(xcodeBundle: url)
        case ("momd", true): try self.init(compiledBundle: url)
        case ("xcdatamodel", true): self.init(url, .xcodeVersion(url))
        case (_, true):
            throw ModelFileError(
                path: url.path,
                reason: "is a folder, but not a model (.xcdatamodeld, .xcdatamodel, .momd or .mom)")
        case ("contents", false), ("xml", false): self.init(url, ModelFile(url: url, form: .xml))
        case ("", false) where url.lastPathComponent == "contents":
            self.init(url, ModelFile(url: url, form: .xml))
        case (_, false): self.init(url, ModelFile(url: url, form: .archive))
        }
    }

    private init(_ url: URL, _ file: ModelFile) {
        self.url = url
        let name = url.lastPathComponent == "contents" ? url.deletingLastPathComponent() : url
        versions = [(name.deletingPathExtension().lastPathComponent, file)]
        currentName = versions[0].name
    }

    private init(xcodeBundle bundle: URL) throws {
        url = bundle
        versions = try Self.members(of: bundle, "xcdatamodel").map { ($0, .xcodeVersion($1)) }
        let pointer = bundle.appendingPathComponent(".xccurrentversion")
        // Some bundles with one version have an empty pointer.
        let named =
            FileManager.default.fileExists(atPath: pointer.path)
            ? try Self.dictionary(pointer)["_XCCurrentVersionName"]?.string : nil
        let suffix = ".xcdatamodel"
        currentName = named.map { $0.hasSuffix(suffix) ? String($0.dropLast(suffix.count)) : $0 }
    }

    private init(compiledBundle bundle: URL) throws {
        url = bundle
        versions = try Self.members(of: bundle, "mom").map { ($0, ModelFile(url: $1, form: .archive)) }
        let list = bundle.appendingPathComponent("VersionInfo.plist")
        guard FileManager.default.fileExists(atPath: list.path) else {
            throw ModelFileError(path: bundle.path, reason: "has no VersionInfo.plist")
        }
        currentName = try Self.dictionary(list)["NSManagedObjectModel_CurrentVersionName"]?.string
    }

    /// The current version: the one that the bundle names, or the only one.
    func current() throws -> (name: String, file: ModelFile) {
        if let currentName {
            guard let found = versions.first(where: { $0.name == currentName }) else {
                throw ModelFileError(
                    path: url.path, reason: "the current version, '\(currentName)', is not in the bundle")
            }
            return found
        }
        guard versions.count == 1 else {
            let found = versions.isEmpty ? "holds no model" : "holds several models and doesn't say which is current"
            throw ModelFileError(path: url.path, reason: found)
        }
        return versions[0]
    }

    private static func members(of bundle: URL, _ pathExtension: String) throws -> [(String, URL)] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: bundle.path)
        } catch {
            throw ModelFileError(path: bundle.path, reason: "can't be read: \(error.localizedDescription)")
        }
        return names.filter { $0.hasSuffix(".\(pathExtension)") }
            .map { (String($0.dropLast(pathExtension.count + 1)), bundle.appendingPathComponent($0)) }
            .sorted { VersionHash.codeUnitOrder($0.0, $1.0) }
    }

    /// The property list of a dictionary, read with our own readers: Foundation's crash on damaged files.
    private static func dictionary(_ url: URL) throws -> [String: PropertyListValue] {
        let data = try ModelFile.contents(of: url)
        do {
            let list =
                BinaryPropertyList.isBinaryPropertyList(data)
                ? try BinaryPropertyList.read(data) : try XMLPropertyList.read(data)
            guard let dictionary = list.dictionary else { throw PropertyListError("is not a dictionary") }
            return dictionary
        } catch let error as PropertyListError {
            throw ModelFileError(path: url.path, reason: error.description)
        }
    }
}
