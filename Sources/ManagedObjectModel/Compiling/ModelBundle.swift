import FoundationSupplement

/// All versions of a model, as a `.xcdatamodeld` or a `.momd` holds them; a single model is a bundle of one version.
///
/// ```swift
/// let bundle = try ModelBundle(contentsOf: URL(fileURLWithPath: "World.xcdatamodeld"))
/// try bundle.write(to: URL(fileURLWithPath: "World.momd"))
/// ```
package struct ModelBundle: Sendable {
    package struct Version: Sendable {
        package let name: String
        package let model: NSManagedObjectModel
    }

    /// The versions, in alphabetical order of their names.
    package let versions: [Version]
    /// The name of the current version, where the bundle says it.
    package let currentName: String?

    /// Reads all versions, as many at a time as there are processors.
    package init(contentsOf url: URL) throws {
        let location = try ModelLocation(url)
        // A bundle that doesn't say which version is current can't be used.
        _ = try location.current()
        let files = location.versions
        versions = try parallelMap(count: files.count) { index in
            Version(name: files[index].name, model: try files[index].file.read())
        }
        currentName = location.currentName
    }

    /// A bundle of one model.
    package init(name: String, model: NSManagedObjectModel) {
        versions = [Version(name: name, model: model)]
        currentName = name
    }

    /// The current version.
    package var current: Version? { versions.first { $0.name == currentName } ?? versions.first }

    /// Where the models in a program's bundle are; compiled ones before others of the same name.
    static func locations(in bundle: Bundle) -> [URL] {
        let folder = bundle.resourceURL ?? bundle.bundleURL
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
        var known: Set<String> = []
        return ["momd", "mom", "xcdatamodeld", "xcdatamodel"].flatMap { form in
            names.map { folder.appendingPathComponent($0) }.filter { url in
                url.pathExtension == form && known.insert(url.deletingPathExtension().lastPathComponent).inserted
            }
        }
    }
}
