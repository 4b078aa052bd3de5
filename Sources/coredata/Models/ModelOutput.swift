import CoreData

/// A model that was written, and what there is to say of it.
struct ModelOutput {
    /// What the model says and its new form can't.
    let omissions: [String]
    private let path: String
    private let currentName: String?
    private let versions: [(version: ModelBundle.Version, bytes: Int, checksum: String)]

    /// Writes all versions, or the current one, in the form that the output's name asks for.
    init(_ bundle: ModelBundle, _ path: String) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        try InputError.requireReadable(folder, what: "folder")
        guard access(folder, W_OK) == 0 else {
            throw InputError(message: "\(folder): no permission to write in it", status: .noPermission)
        }
        let written = try bundle.write(to: URL(fileURLWithPath: path))
        (omissions, versions) = (written.omissions, written.versions)
        (self.path, currentName) = (path, bundle.current?.name)
    }

    /// The form that a path's extension names.
    static func form(of path: String) -> ModelBundleForm? {
        ModelBundleForm(rawValue: URL(fileURLWithPath: path).pathExtension)
    }

    var json: JSON {
        let members = versions.map { version, bytes, checksum in
            JSON.object([
                ("name", .string(version.name)), ("isCurrent", .bool(version.name == currentName)),
                ("entities", .int(version.model.entities.count)), ("bytes", .int(bytes)),
                ("checksum", .string(checksum)),
            ])
        }
        return .object([
            ("output", .string(path)), ("currentVersion", .text(currentName)), ("versions", .array(members)),
            ("warnings", .array(omissions.map { .string("without \($0)") })),
        ])
    }

    var text: String {
        let rows = versions.map { version, bytes, checksum in
            [
                version.name + (version.name == currentName && versions.count > 1 ? " (current)" : ""),
                "\(version.model.entities.count)", "\(bytes)", checksum,
            ]
        }
        let columns = [
            Table.Column(title: "Version"), .init(title: "Entities", isNumeric: true),
            .init(title: "Bytes", isNumeric: true), .init(title: "Checksum"),
        ]
        let table = Table(columns, sample: rows)
        return ([path] + table.header + rows.map(table.line)).joined(separator: "\n")
    }
}
