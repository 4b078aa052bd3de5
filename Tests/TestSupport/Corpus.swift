import Foundation

/// The folder of real models and stores, which is not part of the package: tests that need it are skipped where it is
/// absent.
public enum Corpus {
    /// The folder `shared` beside the package, or the one that `COREDATA_SHARED` names.
    public static let shared: URL? = {
        let environment = ProcessInfo.processInfo.environment["COREDATA_SHARED"].map { URL(fileURLWithPath: $0) }
        let package = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let candidates = [environment, package.deletingLastPathComponent().appendingPathComponent("shared")]
        return candidates.compactMap(\.self).first {
            FileManager.default.fileExists(atPath: $0.appendingPathComponent("corpus/MANIFEST.tsv").path)
        }
    }()

    /// The corpus itself.
    public static var root: URL? { shared?.appendingPathComponent("corpus") }

    /// Why tests are skipped without it.
    public static let absence = "the corpus of real models and stores is not beside the package"

    /// A line of the manifest.
    public struct Entry: Sendable, CustomStringConvertible {
        /// The path below the corpus.
        public let path: String
        /// What it is, as `store-sqlite`.
        public let kind: String
        /// What is known of it, as `model=…`.
        public let notes: [String]

        /// The file.
        public var url: URL? { Corpus.shared?.appendingPathComponent("corpus").appendingPathComponent(path) }
        /// The path's last two parts, for messages.
        public var description: String { path.split(separator: "/").suffix(2).joined(separator: "/") }

        /// The model that lies beside a store, by the manifest.
        public var model: URL? {
            guard let note = notes.first(where: { $0.hasPrefix("model=") }),
                let repository = path.split(separator: "/").first
            else { return nil }
            return Corpus.shared?.appendingPathComponent("corpus").appendingPathComponent(String(repository))
                .appendingPathComponent(String(note.dropFirst("model=".count)))
        }
    }

    /// All entries of a kind.
    public static func entries(_ kind: String) -> [Entry] {
        guard let shared,
            let text = try? String(contentsOf: shared.appendingPathComponent("corpus/MANIFEST.tsv"), encoding: .utf8)
        else { return [] }
        return text.split(separator: "\n").dropFirst().compactMap { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard fields.count >= 5, fields[1] == kind else { return nil }
            return Entry(path: fields[0], kind: fields[1], notes: fields[4].components(separatedBy: "; "))
        }
    }
}
