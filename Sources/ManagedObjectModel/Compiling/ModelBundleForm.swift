/// The forms in which models are written, by the extension of the file or folder.
package enum ModelBundleForm: String, CaseIterable, Sendable {
    /// Xcode's folder of all versions.
    case xcodeBundle = "xcdatamodeld"
    /// Xcode's folder of one version.
    case xcodeVersion = "xcdatamodel"
    /// A folder of all versions, compiled.
    case compiledBundle = "momd"
    /// One version, compiled.
    case compiledVersion = "mom"

    /// Whether the form is one that people edit.
    package var isSource: Bool { self == .xcodeBundle || self == .xcodeVersion }

    /// Whether a folder of this form may hold a file or folder of that name.
    func mayHold(_ name: String) -> Bool {
        switch self {
        case .xcodeBundle: name == ".xccurrentversion" || name.hasSuffix(".xcdatamodel") || name == ".DS_Store"
        case .xcodeVersion: ["contents", "elements", "layout", ".DS_Store"].contains(name)
        case .compiledBundle:
            name == "VersionInfo.plist" || name.hasSuffix(".mom") || name.hasSuffix(".omo") || name == ".DS_Store"
        case .compiledVersion: false
        }
    }
}
