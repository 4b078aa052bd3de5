import CoreData

/// A file that can't be used, found out before anything is done with it.
struct InputError: Error {
    /// What is wrong, with the path.
    let message: String
    /// How the tool ends.
    let status: ExitStatus

    /// Makes sure that a path leads to something that can be read.
    static func requireReadable(_ path: String, what: String) throws {
        guard access(path, F_OK) == 0 else {
            let status = errno == EACCES ? ExitStatus.noPermission : .noInput
            let reason =
                errno == EACCES ? "no permission to look for it" : missingVersion(path) ?? "there is no such \(what)"
            throw InputError(message: "\(path): \(reason)", status: status)
        }
        guard access(path, R_OK) == 0 else {
            throw InputError(message: "\(path): no permission to read it", status: .noPermission)
        }
    }

    /// For a version that a bundle of models doesn't have: which it has.
    private static func missingVersion(_ path: String) -> String? {
        let bundle = URL(fileURLWithPath: path).deletingLastPathComponent()
        let suffixes = ["xcdatamodeld": ".xcdatamodel", "momd": ".mom"]
        guard let suffix = suffixes[bundle.pathExtension],
            let members = try? FileManager.default.contentsOfDirectory(atPath: bundle.path)
        else { return nil }
        let versions = members.filter { $0.hasSuffix(suffix) }.sorted().map { "'\($0)'" }.joined(separator: ", ")
        return "there is no such version; the bundle has \(versions.isEmpty ? "none" : versions)"
    }

    /// Makes sure that a path leads to a file, not a folder, that can be read.
    static func requireFile(_ path: String, what: String) throws {
        try requireReadable(path, what: what)
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return }
        throw InputError(message: "\(path): is a folder, not a \(what)", status: .badData)
    }

    /// Makes sure that a file may be made, or changed, at a path.
    static func requireWritable(_ path: String, what: String) throws {
        if access(path, F_OK) == 0 {
            try requireFile(path, what: what)
            guard access(path, W_OK) == 0 else {
                throw InputError(message: "\(path): no permission to change it", status: .noPermission)
            }
            return
        }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        try requireReadable(folder, what: "folder")
        guard access(folder, W_OK) == 0 else {
            throw InputError(message: "\(path): no permission to make it", status: .noPermission)
        }
    }
}
