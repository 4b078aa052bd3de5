import FoundationSupplement
import ManagedObjectModel

/// The search for a container's model by its name: in the program's bundle, in all others, and in the resource bundles
/// that SwiftPM puts beside the program.
struct ModelSearch {
    private let folders: [URL]

    init(folders: [URL]) { self.folders = folders }

    /// The folders of this program.
    init() {
        let bundles = [Bundle.main] + Bundle.allBundles + Bundle.allFrameworks
        var folders = bundles.compactMap(\.resourceURL) + bundles.map(\.bundleURL)
        for beside in Set([Bundle.main.bundleURL] + bundles.map { $0.bundleURL.deletingLastPathComponent() }) {
            folders += Self.resourceBundles(in: beside)
        }
        self.folders = folders
    }

    /// The folders of resources that SwiftPM has put into a folder.
    static func resourceBundles(in folder: URL) -> [URL] {
        // A folder that can't be listed has no bundles to search.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".resources") || $0.hasSuffix(".bundle") }.sorted()
            .map { folder.appendingPathComponent($0) }
    }

    /// Compiled models come first. SwiftPM compiles none, so that a package's models are often as Xcode wrote them.
    private static let extensions = ["momd", "mom", "xcdatamodeld", "xcdatamodel"]

    /// The model of that name.
    func model(named name: String) -> NSManagedObjectModel? {
        for pathExtension in Self.extensions {
            for folder in folders {
                let url = folder.appendingPathComponent("\(name).\(pathExtension)")
                guard FileManager.default.fileExists(atPath: url.path) else { continue }
                if let model = NSManagedObjectModel(contentsOf: url) { return model }
                SQLLog.error("the model at \(url.path) can't be read")
            }
        }
        return nil
    }
}
